// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// CHECK: module @kernel_0 attributes {tandem.kernel}
module @kernel_0 attributes {tandem.kernel} {
  func.func @kernel_0(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = tandem.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// A kernel that was lowered in place is of any type.
module @lowered attributes {tandem.kernel} {
  func.func @lowered(%args: memref<4xf32>) {
    return
  }
}

// CHECK-LABEL: func @launch
func.func @launch(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // CHECK: tandem.launch @kernel_0(%{{.*}}, %{{.*}}) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %0 = tandem.launch @kernel_0(%x, %y) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: tandem.launch @lowered(%{{.*}}) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4xf32>)
  %1:2 = tandem.launch @lowered(%x) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: func @fusion
func.func @fusion(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // CHECK: %{{.*}}:2 = tandem.fusion loop (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK:   %[[SUM:.*]] = tandem.add %[[A]], %[[B]]
  // CHECK:   %[[EXP:.*]] = tandem.exp %[[SUM]]
  // CHECK:   tandem.yield %[[SUM]], %[[EXP]] : tensor<4x8xf32>, tensor<4x8xf32>
  %0:2 = tandem.fusion loop (%a = %x, %b = %y) : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %1 = tandem.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %2 = tandem.exp %1 : tensor<4x8xf32>
    tandem.yield %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  // CHECK: tandem.fusion reduction () {note = 1 : i64} : () -> tensor<f32> {
  %3 = tandem.fusion reduction () {note = 1} : () -> tensor<f32> {
    %4 = tandem.constant dense<1.0> : tensor<f32>
    tandem.yield %4 : tensor<f32>
  }
  return
}

// CHECK-LABEL: func @custom_call
func.func @custom_call(%x: tensor<?x8xf32>) {
  // CHECK: tandem.custom_call "my_norm"(%{{.*}}) config = "p=2" : (tensor<?x8xf32>) -> tensor<?xf32>
  %0 = tandem.custom_call "my_norm"(%x) config = "p=2" : (tensor<?x8xf32>) -> tensor<?xf32>
  // CHECK: tandem.custom_call "my_random"() : () -> (tensor<4xf32>, tensor<i64>)
  %1:2 = tandem.custom_call "my_random"() : () -> (tensor<4xf32>, tensor<i64>)
  return
}

// Dims of one name may be known in one place and not in another.
// CHECK-LABEL: func @dims
// CHECK-SAME: %{{.*}}: tensor<?x?x1xf32> {tandem.dims = ["N", "L", ""]}, %{{.*}}: tensor<4x?xf32> {tandem.dims = ["N", "N"]}
func.func @dims(%x: tensor<?x?x1xf32> {tandem.dims = ["N", "L", ""]},
                %y: tensor<4x?xf32> {tandem.dims = ["N", "N"]}) {
  return
}
