// RUN: tandem-opt %s --split-input-file --tandem-outline-kernels | FileCheck %s

// Two fusions of equal content share a kernel; names matter to none.
// CHECK: module @kernel_0 attributes {tandem.kernel} {
// CHECK-NEXT: func.func @kernel_0(%[[A:.*]]: tensor<64xf32>) -> tensor<64xf32> {
// CHECK-NEXT: %[[E:.*]] = tandem.exp %[[A]]
// CHECK-NEXT: return %[[E]]
// CHECK: module @kernel_1 attributes {tandem.kernel} {
// CHECK-NEXT: func.func @kernel_1(%{{.*}}: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>
// CHECK-NEXT: %[[Y:.*]] = tandem.launch @kernel_0(%[[X]]) : (tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %[[Z:.*]] = tandem.launch @kernel_0(%[[Y]])
// CHECK-NEXT: %[[W:.*]]:2 = tandem.launch @kernel_1(%[[Z]])
// CHECK-NEXT: return %[[W]]#1
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tandem.fusion loop (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> {
    %e = tandem.exp %a : tensor<64xf32>
    tandem.yield %e : tensor<64xf32>
  }
  %1 = tandem.fusion loop (%b = %0) : (tensor<64xf32>) -> tensor<64xf32> {
    %e = tandem.exp %b : tensor<64xf32>
    tandem.yield %e : tensor<64xf32>
  }
  %2:2 = tandem.fusion loop (%c = %1)
      : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
    %e = tandem.exp %c : tensor<64xf32>
    %n = tandem.neg %e : tensor<64xf32>
    tandem.yield %e, %n : tensor<64xf32>, tensor<64xf32>
  }
  return %2#1 : tensor<64xf32>
}

// -----

// Equal ops, but another attribute or another order of operands: two kernels.
// CHECK: module @kernel_0
// CHECK: module @kernel_1
// CHECK: module @kernel_2
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = tandem.fusion loop (%a = %x, %b = %y)
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> {
    %c = tandem.compare %a, %b predicate = lt : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    tandem.yield %c : tensor<4xi1>
  }
  %1 = tandem.fusion loop (%a = %x, %b = %y)
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> {
    %c = tandem.compare %a, %b predicate = le : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    tandem.yield %c : tensor<4xi1>
  }
  %2 = tandem.fusion loop (%a = %x, %b = %y)
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> {
    %c = tandem.compare %b, %a predicate = lt : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    tandem.yield %c : tensor<4xi1>
  }
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// A name that is taken is left alone; without fusions nothing happens.
// CHECK: module @kernel_1 attributes {tandem.kernel}
// CHECK: func.func @kernel_0
// CHECK-LABEL: func.func @main
// CHECK: tandem.launch @kernel_1
func.func @kernel_0(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tandem.fusion loop (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %c = tandem.neg %a : tensor<4xf32>
    tandem.yield %c : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// The kind of a kernel that is no loop.
// CHECK: module @kernel_0 attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>}
func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = tandem.fusion reduction (%a = %x) : (tensor<4x8xf32>) -> tensor<4xf32> {
    %c = tandem.reduce %a kind = sum dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    tandem.yield %c : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
