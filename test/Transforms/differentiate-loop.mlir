// RUN: tandem-opt %s --tandem-differentiate=wrt=0,2 --canonicalize | FileCheck %s

// The forward loop also returns the states, and the backward loop reads them
// and the slices from the last one to the first one.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[H0:.*]]: tensor<2xf32>, %[[XS:.*]]: tensor<9x2xf32>, %[[W:.*]]: tensor<2xf32>
// CHECK: %[[FORWARD:.*]]:2 = tandem.loop carried (%[[H:.*]] = %[[H0]]) scanned (%[[X:.*]] = %[[XS]]) fixed (%[[V:.*]] = %[[W]])
// CHECK-SAME: -> (tensor<2xf32>, tensor<9x2xf32>)
// CHECK: tandem.yield %{{.*}}, %[[H]]
// CHECK: %[[BACKWARD:.*]]:2 = tandem.loop carried (%[[G:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) scanned (%[[KEPT:.*]] = %[[FORWARD]]#1
// CHECK-SAME: reversed = array<i1: true
// CHECK: %[[PRODUCT:.*]] = tandem.mul %[[G]], %[[KEPT]]
// CHECK: tandem.yield %{{.*}}, %{{.*}}
// CHECK: return %{{.*}}, %[[BACKWARD]]#0, %[[BACKWARD]]#1
func.func @main(%h0: tensor<2xf32>, %xs: tensor<9x2xf32>, %weights: tensor<2xf32>)
    -> tensor<f32> {
  %last = tandem.loop carried (%h = %h0) scanned (%x = %xs) fixed (%w = %weights)
      : (tensor<2xf32>, tensor<9x2xf32>, tensor<2xf32>) -> tensor<2xf32> {
    %0 = tandem.mul %h, %w : tensor<2xf32>
    %1 = tandem.add %0, %x : tensor<2xf32>
    tandem.yield %1 : tensor<2xf32>
  }
  %loss = tandem.reduce %last kind = sum dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
