// RUN: tandem-opt %s --split-input-file | tandem-opt --split-input-file | FileCheck %s
// RUN: tandem-opt %s --split-input-file --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func.func @all_kinds
// CHECK: %[[L:.*]]:2 = tandem.loop carried (%[[H:.*]] = %{{.*}}) scanned (%[[X:.*]] = %{{.*}}) fixed (%[[W:.*]] = %{{.*}}) {reversed = array<i1: true, false>} : (tensor<2x4xf32>, tensor<9x2x4xf32>, tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<9x2x4xf32>) {
// CHECK-NEXT: tandem.matmul %[[H]], %[[W]]
// CHECK: tandem.yield
func.func @all_kinds(%h0: tensor<2x4xf32>, %xs: tensor<9x2x4xf32>, %weights: tensor<4x4xf32>)
    -> (tensor<2x4xf32>, tensor<9x2x4xf32>) {
  %last, %all = tandem.loop carried (%h = %h0) scanned (%x = %xs) fixed (%w = %weights)
      {reversed = array<i1: true, false>}
      : (tensor<2x4xf32>, tensor<9x2x4xf32>, tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<9x2x4xf32>) {
    %0 = tandem.matmul %h, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %1 = tandem.add %0, %x : tensor<2x4xf32>
    tandem.yield %1, %1 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  return %last, %all : tensor<2x4xf32>, tensor<9x2x4xf32>
}

// -----

// Constants are taken into the body, and what it does not read is dropped.
// CANON-LABEL: func.func @constants
// CANON: tandem.loop carried (%[[H:.*]] = %{{.*}}) {trips = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32> {
// CANON-NEXT: %[[C:.*]] = tandem.constant dense<[1.0{{.*}}, 2.0
// CANON-NEXT: tandem.mul %[[H]], %[[C]]
func.func @constants(%h0: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = tandem.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = tandem.loop carried (%h = %h0) fixed (%unused = %y, %w = %c) {trips = 3}
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = tandem.mul %h, %w : tensor<4xf32>
    tandem.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// CANON-LABEL: func.func @no_iterations
// CANON-SAME: %[[H:.*]]: tensor<4xf32>
// CANON-NEXT: %[[C:.*]] = tandem.constant dense<> : tensor<0x4xf32>
// CANON-NEXT: return %[[H]], %[[C]]
func.func @no_iterations(%h0: tensor<4xf32>) -> (tensor<4xf32>, tensor<0x4xf32>) {
  %0, %1 = tandem.loop carried (%h = %h0) {trips = 0} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<0x4xf32>) {
    %2 = tandem.exp %h : tensor<4xf32>
    tandem.yield %2, %2 : tensor<4xf32>, tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<0x4xf32>
}

// -----

// CHECK-LABEL: func.func @run
// CHECK: tandem.run_loop @body carried (%{{.*}}) scanned (%{{.*}}) : (tensor<4xf32>, tensor<9x4xf32>) -> tensor<4xf32>
func.func @run(%h: tensor<4xf32>, %x: tensor<9x4xf32>) -> tensor<4xf32> {
  %0 = tandem.run_loop @body carried (%h) scanned (%x) : (tensor<4xf32>, tensor<9x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @body(%h: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tandem.add %h, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
