// RUN: tandem-opt %s --split-input-file --tandem-materialize-padding | FileCheck %s
// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(tandem-materialize-padding,tandem-fuse))' \
// RUN:   | FileCheck %s --check-prefix=FUSE

// CHECK-LABEL: func.func @light
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x16x18xf32>
// CHECK: %[[P:.*]] = tandem.pad %[[X]] low = [0, 0, 1, 2] high = [0, 0, 3, 0] interior = [0, 0, 0, 0] value = 0.0
// CHECK-SAME: -> tensor<2x3x20x20xf32>
// CHECK: tandem.conv %[[P]], %{{.*}} strides = [1, 2] : {{.*}} -> tensor<2x64x18x9xf32>
// The loop reads the padded copy.
// FUSE-LABEL: func.func @light
// FUSE: %[[P:.*]] = tandem.fusion
// FUSE-NEXT: tandem.pad
// FUSE: tandem.fusion loop (%{{.*}} = %[[P]]
// FUSE-NEXT: tandem.conv
func.func @light(%x: tensor<2x3x16x18xf32>, %w: tensor<64x3x3x3xf32>)
    -> tensor<2x64x18x9xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [1, 2] pad_low = [1, 2] pad_high = [3, 0]
      : (tensor<2x3x16x18xf32>, tensor<64x3x3x3xf32>) -> tensor<2x64x18x9xf32>
  return %0 : tensor<2x64x18x9xf32>
}

// -----

// CHECK-LABEL: func.func @heavy
// CHECK-NOT: tandem.pad
func.func @heavy(%x: tensor<2x16x16x16xf32>, %w: tensor<64x16x3x3xf32>)
    -> tensor<2x64x16x16xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x16x16x16xf32>, tensor<64x16x3x3xf32>) -> tensor<2x64x16x16xf32>
  return %0 : tensor<2x64x16x16xf32>
}

// -----

// CHECK-LABEL: func.func @large_input
// CHECK-NOT: tandem.pad
func.func @large_input(%x: tensor<2x3x16x16xf32>, %w: tensor<4x3x3x3xf32>)
    -> tensor<2x4x16x16xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x3x16x16xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x16x16xf32>
  return %0 : tensor<2x4x16x16xf32>
}
