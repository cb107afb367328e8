// A kernel that computes a convolution with one output channel may also return booleans about its result.

// RUN: %python %S/../Inputs/make-ones.py %t 1x2x3x4 1x1x4x1
// DEFINE: %{run} = tandem-run %s --print --arg=%t0.npy --arg=%t1.npy
// RUN: %{run} --tier=reference | FileCheck %s
// RUN: %{run} --tier=compiled --no-fallback --target-option contractions=generated | FileCheck %s

// CHECK: output 0
// CHECK: 4
// CHECK: output 1
// CHECK: 1
func.func @main(%x: tensor<1x2x3x4xf32>, %w: tensor<1x1x4x1xf32>) -> (tensor<1x2x3x1xf32>, tensor<1x2x3x1xi1>) {
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x2x3x4xf32>, tensor<1x1x4x1xf32>) -> tensor<1x2x3x1xf32>
  %1 = tandem.relu %0 : tensor<1x2x3x1xf32>
  %2 = tandem.compare %1, %zero predicate = gt : (tensor<1x2x3x1xf32>, tensor<f32>) -> tensor<1x2x3x1xi1>
  return %1, %2 : tensor<1x2x3x1xf32>, tensor<1x2x3x1xi1>
}
