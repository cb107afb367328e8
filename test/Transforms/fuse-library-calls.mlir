// Contractions that a library computes, with the epilogue of its call.
// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{libraries=cuda}))' | FileCheck %s
// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{libraries=cuda}),tandem-outline-kernels)' | FileCheck %s --check-prefix=OUTLINED

// One call: what no kernel computes is not outlined.
// CHECK-LABEL: @bias_relu
// CHECK-NEXT: %[[R:.*]] = tandem.fusion library (%[[X:.*]] = %{{.*}}, %[[W:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK-NEXT: %[[M:.*]] = tandem.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[S:.*]] = tandem.add %[[B]], %[[M]]
// CHECK-NEXT: %[[A:.*]] = tandem.relu %[[S]]
// CHECK-NEXT: tandem.yield %[[A]]
// CHECK: return %[[R]]
// OUTLINED-NOT: tandem.kernel
// OUTLINED-LABEL: @bias_relu
// OUTLINED: tandem.fusion library
func.func @bias_relu(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>, %b: tensor<48xf32>)
    -> tensor<8x48xf32> {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  %1 = tandem.add %b, %0 : (tensor<48xf32>, tensor<8x48xf32>) -> tensor<8x48xf32>
  %2 = tandem.relu %1 : tensor<8x48xf32>
  return %2 : tensor<8x48xf32>
}

// -----

// A residual and a bias in either order, and gelu by tanh. What follows is a
// kernel.
// CHECK-LABEL: @residual_gelu
// CHECK: tandem.fusion library
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.add
// CHECK-NEXT: tandem.add
// CHECK-NEXT: tandem.gelu {{.*}} approximate_tanh
// CHECK-NEXT: tandem.yield
// CHECK: tandem.fusion loop
// CHECK-NEXT: tandem.tanh
func.func @residual_gelu(%x: tensor<2x8x64xf16>, %w: tensor<64x48xf16>,
                         %r: tensor<2x8x48xf16>, %b: tensor<1x48xf16>)
    -> tensor<2x8x48xf16> {
  %0 = tandem.matmul %x, %w : (tensor<2x8x64xf16>, tensor<64x48xf16>) -> tensor<2x8x48xf16>
  %1 = tandem.add %0, %r : tensor<2x8x48xf16>
  %2 = tandem.add %1, %b : (tensor<2x8x48xf16>, tensor<1x48xf16>) -> tensor<2x8x48xf16>
  %3 = tandem.gelu %2 approximate_tanh : tensor<2x8x48xf16>
  %4 = tandem.tanh %3 : tensor<2x8x48xf16>
  return %4 : tensor<2x8x48xf16>
}

// -----

// A bias has one element per channel, wherever the channels are.
// CHECK-LABEL: @conv
// CHECK: tandem.fusion library
// CHECK-NEXT: tandem.conv
// CHECK-NEXT: tandem.add
// CHECK-NEXT: tandem.add
// CHECK-NEXT: tandem.relu
// CHECK-NEXT: tandem.yield
func.func @conv(%x: tensor<2x16x9x9xf32>, %w: tensor<24x16x3x3xf32>,
                %b: tensor<24x1x1xf32>, %r: tensor<2x24x7x7xf32>) -> tensor<2x24x7x7xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<2x16x9x9xf32>, tensor<24x16x3x3xf32>) -> tensor<2x24x7x7xf32>
  %1 = tandem.add %0, %b : (tensor<2x24x7x7xf32>, tensor<24x1x1xf32>) -> tensor<2x24x7x7xf32>
  %2 = tandem.add %1, %r : tensor<2x24x7x7xf32>
  %3 = tandem.relu %2 : tensor<2x24x7x7xf32>
  return %3 : tensor<2x24x7x7xf32>
}

// -----

// A constant bias is an operand, as weights are: libraries read it from memory.
// CHECK-LABEL: @constant_bias
// CHECK: %[[C:.*]] = tandem.constant dense<1.000000e+00>
// CHECK: tandem.fusion library (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %[[C]])
func.func @constant_bias(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>) -> tensor<8x48xf32> {
  %b = tandem.constant dense<1.0> : tensor<48xf32>
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  %1 = tandem.add %0, %b : (tensor<8x48xf32>, tensor<48xf32>) -> tensor<8x48xf32>
  return %1 : tensor<8x48xf32>
}

// -----

// A contraction alone is an op step, and a light one is part of a loop.
// CHECK-LABEL: @alone
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.fusion loop
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.relu
func.func @alone(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>, %v: tensor<48x8xf32>, %u: tensor<8x8xf32>)
    -> (tensor<8x48xf32>, tensor<48x8xf32>) {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  %1 = tandem.matmul %v, %u : (tensor<48x8xf32>, tensor<8x8xf32>) -> tensor<48x8xf32>
  %2 = tandem.relu %1 : tensor<48x8xf32>
  return %0, %2 : tensor<8x48xf32>, tensor<48x8xf32>
}
