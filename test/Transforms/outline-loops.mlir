// RUN: tandem-opt %s --tandem-outline-loops | FileCheck %s

// An inner loop becomes a function, too, and names that are taken are not used.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<9x4xf32>, %[[H:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[L:.*]]:2 = tandem.run_loop @[[OUTER:.*]] carried (%[[H]]) scanned (%[[X]]) {reversed = array<i1: true, true>} : (tensor<4xf32>, tensor<9x4xf32>) -> (tensor<4xf32>, tensor<9x4xf32>)
// CHECK-NEXT: return %[[L]]#0
// CHECK: func.func private @main_loop_0()
// CHECK: func.func private @[[INNER:.*]](%[[C:.*]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: tandem.exp %[[C]]
// CHECK: func.func private @[[OUTER]](%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK: %[[R:.*]] = tandem.run_loop @[[INNER]] carried (%{{.*}}) {trips = 2 : i64}
// CHECK: return %[[R]], %[[R]]
func.func @main(%xs: tensor<9x4xf32>, %h0: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = tandem.loop carried (%h = %h0) scanned (%x = %xs) {reversed = array<i1: true, true>}
      : (tensor<4xf32>, tensor<9x4xf32>) -> (tensor<4xf32>, tensor<9x4xf32>) {
    %1 = tandem.add %h, %x : tensor<4xf32>
    %2 = tandem.loop carried (%c = %1) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
      %3 = tandem.exp %c : tensor<4xf32>
      tandem.yield %3 : tensor<4xf32>
    }
    tandem.yield %2, %2 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<4xf32>
}
func.func private @main_loop_0()
