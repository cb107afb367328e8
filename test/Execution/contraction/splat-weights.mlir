// Weights that all have the same value are packed, transformed and read from
// memory like other weights if a contraction needs this. In other kernels, such
// a splat costs no load.

// RUN: tandem-run %s --check --no-fallback --target-option=contractions=generated | FileCheck %s
// RUN: tandem-run %s --check --no-fallback --target-option=contractions=generated --target-option=winograd=always | FileCheck %s
// CHECK: compiled {{.*}}0: {{.*}} ok
// CHECK: compiled {{.*}}1: {{.*}} ok
// CHECK: compiled {{.*}}2: {{.*}} ok

func.func @main(%x: tensor<3x64x130xf32>, %image: tensor<2x24x14x14xf32>)
    -> (tensor<3x130x17xf32>, tensor<2x40x14x14xf32>, tensor<2x24x14x14xf32>) {
  %w = tandem.constant dense<0.25> : tensor<17x64xf32>
  %0 = tandem.matmul %x, %w transpose_lhs transpose_rhs : (tensor<3x64x130xf32>, tensor<17x64xf32>) -> tensor<3x130x17xf32>
  %1 = tandem.relu %0 : tensor<3x130x17xf32>
  %k = tandem.constant dense<-0.125> : tensor<40x24x3x3xf32>
  %bias = tandem.constant dense<0.5> : tensor<40xf32>
  %2 = tandem.conv %image, %k, %bias layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x24x14x14xf32>, tensor<40x24x3x3xf32>, tensor<40xf32>) -> tensor<2x40x14x14xf32>
  %d = tandem.constant dense<0.5> : tensor<24x1x3x3xf32>
  %3 = tandem.conv %image, %d layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> pad_low = [1, 1] pad_high = [1, 1] groups = 24
      : (tensor<2x24x14x14xf32>, tensor<24x1x3x3xf32>) -> tensor<2x24x14x14xf32>
  return %1, %2, %3 : tensor<3x130x17xf32>, tensor<2x40x14x14xf32>, tensor<2x24x14x14xf32>
}
