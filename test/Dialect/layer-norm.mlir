// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// CHECK-LABEL: func @layer_norm
func.func @layer_norm(%x: tensor<?x4x8xf32>, %row: tensor<8xf32>, %rows: tensor<4x8xf32>) {
  // CHECK: tandem.layer_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon = 1.000000e-05 : (tensor<?x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x4x8xf32>, tensor<?x4x1xf32>, tensor<?x4x1xf32>)
  %0, %mean, %inverse = tandem.layer_norm %x, %row, %row epsilon = 1.0e-5
      : (tensor<?x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x4x8xf32>, tensor<?x4x1xf32>, tensor<?x4x1xf32>)
  // CHECK: tandem.layer_norm_backward %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<8xf32>, tensor<?x4x1xf32>, tensor<?x4x1xf32>) -> (tensor<?x4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %1, %2, %3 = tandem.layer_norm_backward %0, %x, %row, %mean, %inverse
      : (tensor<?x4x8xf32>, tensor<?x4x8xf32>, tensor<8xf32>, tensor<?x4x1xf32>, tensor<?x4x1xf32>) -> (tensor<?x4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  // CHECK: -> (tensor<?x4x8xf32>, tensor<?x1x1xf32>, tensor<?x1x1xf32>)
  %4, %5, %6 = tandem.layer_norm %x, %rows, %rows epsilon = 0.0
      : (tensor<?x4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<?x4x8xf32>, tensor<?x1x1xf32>, tensor<?x1x1xf32>)
  return
}

// Statistics of 16-bit floats are of f32.

// CHECK-LABEL: func @half
func.func @half(%x: tensor<2x8xbf16>, %row: tensor<8xbf16>) {
  // CHECK: -> (tensor<2x8xbf16>, tensor<2x1xf32>, tensor<2x1xf32>)
  %0, %mean, %inverse = tandem.layer_norm %x, %row, %row epsilon = 1.0e-5
      : (tensor<2x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<2x8xbf16>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}
