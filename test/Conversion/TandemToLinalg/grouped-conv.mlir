// RUN: tandem-opt %s --convert-tandem-to-linalg | FileCheck %s

// The channel that a group reads is no affine function of the loops alone, so
// both taps are extracts; the loop indices they need come before either.

// CHECK-LABEL: func.func @grouped
// CHECK:       linalg.generic
// CHECK:         linalg.index
// CHECK:         linalg.index
// CHECK:         tensor.extract
// CHECK:         tensor.extract
// CHECK-NOT:     linalg.index
// CHECK:         linalg.yield
func.func @grouped(%x: tensor<2x6x5xf32>, %w: tensor<4x3x2xf32>) -> tensor<2x4x4xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NCW", kernel = "OIW", output = "NCW"> groups = 2 : (tensor<2x6x5xf32>, tensor<4x3x2xf32>) -> tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}
