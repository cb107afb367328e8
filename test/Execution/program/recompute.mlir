// A value that is cheap to compute is not held while the largest values are: it
// is computed again before its next use. A value that is expensive to compute
// is held.

// The steps are those that the CPU's costs lead to.
// UNSUPPORTED: cuda

// RUN: split-file %s %t
// RUN: tandem-run %t/cheap.mlir --target-option=contractions=generated --tier=compiled \
// RUN:   --program | FileCheck %s --check-prefix=CHEAP
// RUN: tandem-run %t/cheap.mlir --check --json=- \
// RUN:   | FileCheck %s --check-prefix=CHECK
// RUN: tandem-run %t/dear.mlir --target-option=contractions=generated --tier=compiled \
// RUN:   --program | FileCheck %s --check-prefix=DEAR

// CHEAP: %[[E:[0-9]+]] = kernel @kernel_[[#K:]](%0) : tensor<1x24x24x16xf32>
// CHEAP: = kernel @kernel_{{[0-9]+}}(%[[E]],
// CHEAP: %[[F:[0-9]+]] = kernel @kernel_[[#K]](%0) : tensor<1x24x24x16xf32>
// CHEAP: = kernel @kernel_{{[0-9]+}}(%{{.*}}, %[[F]]
// CHEAP: recomputed: {{.*}}cheap.mlir:{{.*}}; peak {{.*}} less
// CHECK: compiled {{.*}} ok
// CHECK: "recomputed":{"peak_bytes_saved":{{[0-9]+}},"steps":[{"location":"{{.*}}cheap.mlir:
// DEAR-NOT: recomputed

//--- cheap.mlir
func.func @main(%x: tensor<1x24x24x16xf32>, %k: tensor<16x3x3x16xf32>,
                %l: tensor<64x3x3x16xf32>, %m: tensor<64x3x3x64xf32>,
                %n: tensor<16x3x3x64xf32>) -> tensor<1x24x24x16xf32> {
  %e = tandem.softmax %x axis = 3 : tensor<1x24x24x16xf32>
  %0 = tandem.conv %e, %l
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x16xf32>, tensor<64x3x3x16xf32>)
      -> tensor<1x24x24x64xf32>
  %1 = tandem.conv %0, %m
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x64xf32>, tensor<64x3x3x64xf32>)
      -> tensor<1x24x24x64xf32>
  %2 = tandem.conv %1, %n
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x64xf32>, tensor<16x3x3x64xf32>)
      -> tensor<1x24x24x16xf32>
  %3 = tandem.add %2, %e : tensor<1x24x24x16xf32>
  %4 = tandem.conv %3, %k
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x16xf32>, tensor<16x3x3x16xf32>)
      -> tensor<1x24x24x16xf32>
  return %4 : tensor<1x24x24x16xf32>
}

//--- dear.mlir
func.func @main(%x: tensor<1x24x24x16xf32>, %k: tensor<16x3x3x16xf32>,
                %l: tensor<64x3x3x16xf32>, %m: tensor<64x3x3x64xf32>,
                %n: tensor<16x3x3x64xf32>) -> tensor<1x24x24x16xf32> {
  %d = tandem.conv %x, %l
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x16xf32>, tensor<64x3x3x16xf32>)
      -> tensor<1x24x24x64xf32>
  %e = tandem.conv %d, %n
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x64xf32>, tensor<16x3x3x64xf32>)
      -> tensor<1x24x24x16xf32>
  %0 = tandem.conv %e, %l
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x16xf32>, tensor<64x3x3x16xf32>)
      -> tensor<1x24x24x64xf32>
  %1 = tandem.conv %0, %m
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x64xf32>, tensor<64x3x3x64xf32>)
      -> tensor<1x24x24x64xf32>
  %2 = tandem.conv %1, %n
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x64xf32>, tensor<16x3x3x64xf32>)
      -> tensor<1x24x24x16xf32>
  %3 = tandem.add %2, %e : tensor<1x24x24x16xf32>
  %4 = tandem.conv %3, %k
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x16xf32>, tensor<16x3x3x16xf32>)
      -> tensor<1x24x24x16xf32>
  return %4 : tensor<1x24x24x16xf32>
}
