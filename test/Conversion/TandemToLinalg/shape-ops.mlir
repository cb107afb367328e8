// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg))' \
// RUN:   | FileCheck %s

// A shape op is a change of the index: nothing is copied, and what is affine is
// an operand with a map.

// CHECK-DAG: #[[T:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func @transpose
// CHECK: linalg.generic {indexing_maps = [#[[T]], #{{.*}}]
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @transpose(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = tandem.transpose %x permutation = [1, 0]
      : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = tandem.exp %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[B]], #{{.*}}]
func.func @broadcast(%x: tensor<4xf32>) -> tensor<2x4x8xf32> {
  %0 = tandem.broadcast %x shape = [2, 4, 8] dims = [1]
      : (tensor<4xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// -----

// The same elements in the same order: one loop, whatever the shapes.

// CHECK-LABEL: func @reshape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK-SAME: ins(%{{.*}} : tensor<24xf32>)
func.func @reshape(%x: tensor<6x4xf32>) -> tensor<3x8xf32> {
  %0 = tandem.reshape %x shape = [3, 8] : (tensor<6x4xf32>) -> tensor<3x8xf32>
  %1 = tandem.neg %0 : tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// -----

// A reshape that takes dims apart which a transpose then exchanges.

// CHECK-DAG: #[[MOD:.*]] = affine_map<()[s0, s1] -> ((s0 * 3 + s1) mod 6)>
// CHECK-DAG: #[[DIV:.*]] = affine_map<()[s0, s1] -> ((s0 * 3 + s1) floordiv 6)>
// CHECK-LABEL: func @reshape_transpose
// CHECK: %[[I:.*]] = affine.apply #[[MOD]]
// CHECK: %[[J:.*]] = affine.apply #[[DIV]]
// CHECK: tensor.extract %arg0[%[[I]], %[[J]]]
func.func @reshape_transpose(%x: tensor<6x4xf32>) -> tensor<8x3xf32> {
  %0 = tandem.transpose %x permutation = [1, 0]
      : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %1 = tandem.reshape %0 shape = [8, 3] : (tensor<4x6xf32>) -> tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// -----

// CHECK-DAG: #[[S:.*]] = affine_map<(d0, d1) -> (d0 * 2 + 1, d1 + 3)>
// CHECK-LABEL: func @slice
// CHECK: linalg.generic {indexing_maps = [#[[S]], #{{.*}}]
func.func @slice(%x: tensor<6x8xf32>) -> tensor<3x5xf32> {
  %0 = tandem.slice %x starts = [1, 3] limits = [6, 8] strides = [2, 1]
      : (tensor<6x8xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// What may lie outside is read under a branch; the rows are in range.

// CHECK-LABEL: func @pad
// CHECK: %[[LOW:.*]] = arith.cmpi sge
// CHECK: %[[HIGH:.*]] = arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: scf.if %[[IN]] -> (f32)
// CHECK: tensor.extract
func.func @pad(%x: tensor<4x8xf32>) -> tensor<4x10xf32> {
  %0 = tandem.pad %x low = [0, 1] high = [0, 1] interior = [0, 0] value = 2.0
      : (tensor<4x8xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// -----

// Cut back to the inside, padding costs nothing.

// CHECK-LABEL: func @slice_of_pad
// CHECK-NOT: scf.if
// CHECK: linalg.generic {{.*}} ins(
// CHECK-NOT: scf.if
// CHECK: return
func.func @slice_of_pad(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = tandem.pad %x low = [1] high = [1] interior = [0] value = 0.0
      : (tensor<8xf32>) -> tensor<10xf32>
  %1 = tandem.slice %0 starts = [2] limits = [6] strides = [1]
      : (tensor<10xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @concat
// CHECK: arith.cmpi slt, %{{.*}}, %c2
// CHECK: scf.if
// CHECK: tensor.extract %arg0
// CHECK: else
// CHECK: arith.cmpi slt, %{{.*}}, %c5
// CHECK: scf.if
// CHECK: tensor.extract %arg1
// CHECK: else
// CHECK: tensor.extract %arg0
func.func @concat(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>)
    -> tensor<4x7xf32> {
  %0 = tandem.concat %x, %y, %x axis = 1
      : (tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// -----

// An index that was read is clamped.

// CHECK-LABEL: func @gather
// CHECK: ^bb0(%[[I:.*]]: i32
// CHECK: %[[W:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: %[[P:.*]] = arith.index_cast
// CHECK: tensor.extract %arg0[%[[P]], %{{.*}}]
func.func @gather(%x: tensor<100x8xf32>, %i: tensor<4xi32>) -> tensor<4x8xf32> {
  %0 = tandem.gather %x, %i axis = 0
      : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @iota
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: arith.index_cast %[[I]] : index to i64
// CHECK: arith.sitofp
func.func @iota() -> tensor<3x5xf32> {
  %0 = tandem.iota axis = 1 : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// One repeated value is a scalar; other constants are read.

// CHECK-LABEL: func @constants
// CHECK: %[[C:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[C]] :
// CHECK: arith.constant 3.000000e+00 : f32
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = tandem.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = tandem.constant dense<3.0> : tensor<2xf32>
  %0 = tandem.add %x, %c : tensor<2xf32>
  %1 = tandem.mul %0, %s : tensor<2xf32>
  return %1 : tensor<2xf32>
}
