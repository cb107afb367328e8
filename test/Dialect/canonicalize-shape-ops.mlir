// RUN: tandem-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @identities(%arg0
func.func @identities(%x: tensor<4x1xf32>, %d: tensor<?x4xf32>) -> (tensor<4x1xf32>, tensor<?x4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %0 = tandem.reshape %x shape = [4, 1] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = tandem.reshape %d shape = [-1, 4] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = tandem.transpose %x permutation = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = tandem.slice %x starts = [0, 0] limits = [100, 1] strides = [1, 7] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = tandem.pad %x low = [0, 0] high = [0, 0] interior = [0, 0] value = 1.0 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %5 = tandem.broadcast %x shape = [4, 1] dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %6 = tandem.concat %x axis = 1 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %7 = tandem.reduce %x kind = max dims = [] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  // CHECK-NEXT: return %arg0, %arg1, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4x1xf32>, tensor<?x4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// -----

// Not the operand: dims of size 1 change places, two unknown dims may.
// CHECK-LABEL: func @no_identities
func.func @no_identities(%x: tensor<4x4xf32>, %d: tensor<?x?xf32>) -> (tensor<4x4xf32>, tensor<?x?xf32>, tensor<4x4xf32>) {
  // CHECK: tandem.transpose
  %0 = tandem.transpose %x permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: tandem.reshape
  %1 = tandem.reshape %d shape = [-1, 2] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: tandem.broadcast
  %2 = tandem.broadcast %x shape = [4, 4] dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<?x?xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func @compositions(%arg0: tensor<2x3x4xf32>)
func.func @compositions(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  // CHECK-DAG: %[[RESHAPE:.*]] = tandem.reshape %arg0 shape = [24]
  %0 = tandem.reshape %x shape = [6, 4] : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = tandem.reshape %0 shape = [24] : (tensor<6x4xf32>) -> tensor<24xf32>
  // CHECK-DAG: %[[TRANSPOSE:.*]] = tandem.transpose %arg0 permutation = [2, 0, 1]
  %2 = tandem.transpose %x permutation = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %3 = tandem.transpose %2 permutation = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  %4 = tandem.transpose %3 permutation = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  // CHECK: return %[[RESHAPE]], %[[TRANSPOSE]], %arg0
  return %1, %3, %4 : tensor<24xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>
}

// -----

// The range of one element, in the last dim, needs no stride.
// CHECK-LABEL: func @slices(%arg0
func.func @slices(%x: tensor<9x9x9xf32>) -> tensor<3x4x1xf32> {
  // CHECK: %[[SLICE:.*]] = tandem.slice %arg0 starts = [1, 2, 8] limits = [8, 9, 9] strides = [3, 2, 1]
  %0 = tandem.slice %x starts = [1, 0, 0] limits = [9, 9, 9] strides = [1, 2, 4] : (tensor<9x9x9xf32>) -> tensor<8x5x3xf32>
  %1 = tandem.slice %0 starts = [0, 1, -1] limits = [8, 5, 3] strides = [3, 1, 5] : (tensor<8x5x3xf32>) -> tensor<3x4x1xf32>
  // CHECK: return %[[SLICE]]
  return %1 : tensor<3x4x1xf32>
}

// -----

// CHECK-LABEL: func @concat(%arg0: tensor<2xf32>, %arg1: tensor<0xf32>)
func.func @concat(%x: tensor<2xf32>, %e: tensor<0xf32>) -> (tensor<6xf32>, tensor<2xf32>) {
  // CHECK: %[[CONCAT:.*]] = tandem.concat %arg0, %arg0, %arg0 axis = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  %0 = tandem.concat %x, %x axis = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = tandem.concat %x, %0 axis = 0 : (tensor<2xf32>, tensor<4xf32>) -> tensor<6xf32>
  %2 = tandem.concat %e, %x axis = 0 : (tensor<0xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: return %[[CONCAT]], %arg0
  return %1, %2 : tensor<6xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func @reduce(%arg0
func.func @reduce(%x: tensor<4x1x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
  // CHECK: tandem.reshape %arg0 shape = [4, 8]
  %0 = tandem.reduce %x kind = max dims = [1] : (tensor<4x1x8xf32>) -> tensor<4x8xf32>
  // CHECK: tandem.reduce %arg0 kind = argmax
  %1 = tandem.reduce %x kind = argmax dims = [1] : (tensor<4x1x8xf32>) -> tensor<4x8xi64>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xi64>
}

// -----

// Sums begin at 0.0, so that those of -0.0 are 0.0.

// CHECK-LABEL: func @reduce_s2(%arg0: tensor<4x1xf32>, %arg1: tensor<4x1xi32>)
func.func @reduce_s2(%x: tensor<4x1xf32>, %i: tensor<4x1xi32>)
    -> (tensor<4xf32>, tensor<4x1xf32>, tensor<4xi32>, tensor<4x1xi32>) {
  // CHECK-DAG: %[[ZERO:.*]] = tandem.constant dense<0.0{{.*}}> : tensor<f32>
  // CHECK-DAG: %[[SUM:.*]] = tandem.add %arg0, %[[ZERO]]
  // CHECK-DAG: %[[MEAN:.*]] = tandem.reshape %[[SUM]] shape = [4]
  // CHECK-DAG: %[[INTEGERS:.*]] = tandem.reshape %arg1 shape = [4]
  %0 = tandem.reduce %x kind = mean dims = [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  %1 = tandem.reduce %x kind = sum dims = [] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = tandem.reduce %i kind = sum dims = [1] : (tensor<4x1xi32>) -> tensor<4xi32>
  %3 = tandem.reduce %i kind = sum dims = [] : (tensor<4x1xi32>) -> tensor<4x1xi32>
  // CHECK: return %[[MEAN]], %{{.*}}, %[[INTEGERS]], %arg1
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4x1xf32>, tensor<4xi32>, tensor<4x1xi32>
}

// -----

// The bytes of a weight stay where they are.

// CHECK-LABEL: func @resource
func.func @resource() -> tensor<1x2xf32> {
  %w = tandem.constant dense_resource<weights> : tensor<2xf32>
  // CHECK-NEXT: tandem.constant dense_resource<weights> : tensor<1x2xf32>
  // CHECK-NEXT: return
  %0 = tandem.reshape %w shape = [1, 2] : (tensor<2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

{-#
  dialect_resources: {
    builtin: { weights: "0x040000000000803F00000040" }
  }
#-}
