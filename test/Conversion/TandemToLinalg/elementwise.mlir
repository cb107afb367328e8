// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg))' \
// RUN:   | FileCheck %s

// Equal shapes: one loop over all elements; %y is read once.

// CHECK-LABEL: func @chain
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK-SAME: ins({{.*}} : tensor<32xf32>, tensor<32xf32>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK: %[[T:.*]] = math.tanh %[[S]]
// CHECK: %[[D:.*]] = arith.subf %[[T]], %[[Y]]
// CHECK: linalg.yield %[[D]]
// CHECK: tensor.expand_shape {{.*}} tensor<32xf32> into tensor<4x8xf32>
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tandem.add %x, %y : tensor<4x8xf32>
  %1 = tandem.tanh %0 : tensor<4x8xf32>
  %2 = tandem.sub %1, %y : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// The dims that the bias does not tell apart become one; bf16 is computed in
// f32.

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @bias
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]]
// CHECK-SAME: ins({{.*}} : tensor<8x16xbf16>, tensor<16xbf16>)
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @bias(%x: tensor<2x4x16xbf16>, %b: tensor<16xbf16>)
    -> tensor<2x4x16xbf16> {
  %0 = tandem.add %x, %b
      : (tensor<2x4x16xbf16>, tensor<16xbf16>) -> tensor<2x4x16xbf16>
  return %0 : tensor<2x4x16xbf16>
}

// -----

// Results of one shape share their loops.

// CHECK-LABEL: func @two_results
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f32, i1
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @two_results(%x: tensor<7xf32>, %y: tensor<7xf32>)
    -> (tensor<7xf32>, tensor<7xi1>) {
  %0 = tandem.max %x, %y : tensor<7xf32>
  %1 = tandem.compare %x, %y predicate = lt
      : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  return %0, %1 : tensor<7xf32>, tensor<7xi1>
}

// -----

// CHECK-LABEL: func @rank_zero
// CHECK: linalg.generic {{.*}} iterator_types = []
// CHECK: tensor.expand_shape {{.*}} tensor<f32> into tensor<1x1xf32>
func.func @rank_zero(%x: tensor<1x1xf32>, %y: tensor<f32>) -> tensor<1x1xf32> {
  %0 = tandem.add %x, %y : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

// Unsigned integers become signless ones, and their ops those of arith that have
// no sign; constants, too.

// CHECK-LABEL: func @unsigned
// CHECK-SAME: (%{{.*}}: tensor<4xi8>, %{{.*}}: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi1>)
// CHECK: arith.constant dense<[-56, 1, 2, 3]> : tensor<4xi8>
// CHECK-DAG: arith.maxui
// CHECK-DAG: arith.divui
// CHECK-DAG: arith.cmpi ult
// CHECK: linalg.yield %{{.*}} : i8, i1
func.func @unsigned(%a: tensor<4xui8>, %b: tensor<4xui8>)
    -> (tensor<4xui8>, tensor<4xi1>) {
  %c = tandem.constant dense<[200, 1, 2, 3]> : tensor<4xui8>
  %0 = tandem.max %a, %b : tensor<4xui8>
  %1 = tandem.div %0, %c : tensor<4xui8>
  %2 = tandem.compare %1, %b predicate = lt
      : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  return %1, %2 : tensor<4xui8>, tensor<4xi1>
}

// -----

// What is only chosen between is not widened.

// CHECK-LABEL: func @choose
// CHECK: arith.select {{.*}} : bf16
// CHECK-NEXT: linalg.yield
func.func @choose(%c: tensor<4xi1>, %x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = tandem.select %c, %x, %y : (tensor<4xi1>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
