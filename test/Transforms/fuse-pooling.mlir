// Poolings and reductions of positions in the kernels of contractions.
// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{contractions=cpu reductions=1}))' | FileCheck %s

// With what is before and after it; what the convolution computes is not
// stored.
// CHECK-LABEL: func.func @max_pool
// CHECK-NEXT: %[[F:.*]] = tandem.fusion contraction
// CHECK-SAME: -> tensor<1x56x56x64xf32>
// CHECK-NEXT: tandem.conv
// CHECK-NEXT: tandem.relu
// CHECK-NEXT: tandem.max_pool
// CHECK-NEXT: tandem.add
// CHECK-NEXT: tandem.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[F]]
func.func @max_pool(%x: tensor<1x114x114x3xf32>, %w: tensor<3x3x3x64xf32>, %r: tensor<1x56x56x64xf32>)
    -> tensor<1x56x56x64xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x114x114x3xf32>, tensor<3x3x3x64xf32>) -> tensor<1x112x112x64xf32>
  %1 = tandem.relu %0 : tensor<1x112x112x64xf32>
  %2 = tandem.max_pool %1 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x112x112x64xf32>) -> tensor<1x56x56x64xf32>
  %3 = tandem.add %2, %r : tensor<1x56x56x64xf32>
  return %3 : tensor<1x56x56x64xf32>
}

// -----

// The mean of a network's last positions.
// CHECK-LABEL: func.func @mean
// CHECK-NEXT: tandem.fusion contraction
// CHECK-NEXT: tandem.conv
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.yield
func.func @mean(%x: tensor<4x7x7x320xf32>, %w: tensor<1x1x320x1280xf32>) -> tensor<4x1280xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<4x7x7x320xf32>, tensor<1x1x320x1280xf32>) -> tensor<4x7x7x1280xf32>
  %1 = tandem.reduce %0 kind = mean dims = [1, 2] : (tensor<4x7x7x1280xf32>) -> tensor<4x1280xf32>
  return %1 : tensor<4x1280xf32>
}

// -----

// By Winograd's method as well, where windows are in its tiles.
// CHECK-LABEL: func.func @in_tiles
// CHECK: tandem.fusion contraction
// CHECK: tandem.conv
// CHECK-NEXT: tandem.avg_pool
func.func @in_tiles(%x: tensor<1x56x56x64xf32>) -> tensor<1x27x27x64xf32> {
  %w = tandem.constant dense<1.0> : tensor<3x3x64x64xf32>
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x54x54x64xf32>
  %1 = tandem.avg_pool %0 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x54x54x64xf32>) -> tensor<1x27x27x64xf32>
  return %1 : tensor<1x27x27x64xf32>
}
