// RUN: tandem-opt %s --tandem-assign-layouts=winograd \
// RUN:   | FileCheck %s --check-prefix=FEWER
// RUN: tandem-opt %s --tandem-assign-layouts | FileCheck %s --check-prefix=PLAIN

// Fewer products, which only a convolution with channels last and known
// weights can have, are worth two transposes.

// FEWER-LABEL: func.func @known
// FEWER: tandem.transpose %arg0 permutation = [0, 2, 3, 1]
// FEWER: tandem.conv {{.*}}<input = "NHWC", {{.*}} output = "NHWC">
// FEWER: tandem.transpose {{.*}} permutation = [0, 3, 1, 2]
// PLAIN-LABEL: func.func @known
// PLAIN-NOT: tandem.transpose
// PLAIN: tandem.conv {{.*}}<input = "NCHW", {{.*}} output = "NCHW">
func.func @known(%x: tensor<1x32x112x112xf32>) -> tensor<1x32x112x112xf32> {
  %w = tandem.constant dense<0.5> : tensor<32x32x3x3xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x32x112x112xf32>, tensor<32x32x3x3xf32>)
      -> tensor<1x32x112x112xf32>
  return %0 : tensor<1x32x112x112xf32>
}

// FEWER-LABEL: func.func @unknown
// FEWER-NOT: tandem.transpose
func.func @unknown(%x: tensor<1x32x112x112xf32>, %w: tensor<32x32x3x3xf32>)
    -> tensor<1x32x112x112xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x32x112x112xf32>, tensor<32x32x3x3xf32>)
      -> tensor<1x32x112x112xf32>
  return %0 : tensor<1x32x112x112xf32>
}
