// Weights that are not packed remain unchanged.

// RUN: tandem-opt %s --tandem-cpu-pack-weights=block=4 --split-input-file > %t
// RUN: FileCheck %s < %t

// A right operand with batch dims.

// CHECK-LABEL: func.func @batch
// CHECK-NEXT: tandem.fusion contraction ({{.*}}) : (tensor<2x3x4xf32>, tensor<2x4x8xf32>)
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.yield
func.func @batch(%x: tensor<2x3x4xf32>, %w: tensor<2x4x8xf32>)
    -> tensor<2x3x8xf32> {
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<2x3x4xf32>, tensor<2x4x8xf32>) -> tensor<2x3x8xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<2x3x4xf32>, tensor<2x4x8xf32>) -> tensor<2x3x8xf32>
    tandem.yield %1 : tensor<2x3x8xf32>
  }
  return %0 : tensor<2x3x8xf32>
}

// -----

// Weights that the fusion computes, or takes a part of.

// CHECK-LABEL: func.func @computed
// CHECK-NEXT: tandem.fusion contraction ({{.*}}) : (tensor<3x4xf32>, tensor<4x8xf32>)
// CHECK-NEXT: tandem.slice
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.yield
func.func @computed(%x: tensor<3x4xf32>, %w: tensor<4x8xf32>)
    -> tensor<3x4xf32> {
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x4xf32> {
    %1 = tandem.slice %b starts = [0, 0] limits = [4, 4] strides = [1, 1]
        : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %2 = tandem.matmul %a, %1
        : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
    tandem.yield %2 : tensor<3x4xf32>
  }
  return %0 : tensor<3x4xf32>
}

// -----

// No contraction, though a product.

// CHECK-LABEL: func.func @loop
// CHECK-NEXT: tandem.fusion loop ({{.*}}) : (tensor<3x4xf32>, tensor<4x8xf32>)
func.func @loop(%x: tensor<3x4xf32>, %w: tensor<4x8xf32>) -> tensor<3x8xf32> {
  %0 = tandem.fusion loop (%a = %x, %b = %w)
      : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
    tandem.yield %1 : tensor<3x8xf32>
  }
  return %0 : tensor<3x8xf32>
}

// -----

// Bytes that are not in the file.

// CHECK-LABEL: func.func @missing
// CHECK: dense_resource<lost> : tensor<4x8xf32>
// CHECK: tandem.fusion contraction ({{.*}}) : (tensor<3x4xf32>, tensor<4x8xf32>)
func.func @missing(%x: tensor<3x4xf32>) -> tensor<3x8xf32> {
  %w = tandem.constant dense_resource<lost> : tensor<4x8xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
    tandem.yield %1 : tensor<3x8xf32>
  }
  return %0 : tensor<3x8xf32>
}
