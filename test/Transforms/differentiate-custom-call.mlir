// RUN: tandem-opt %s --tandem-differentiate | FileCheck %s

// The target of the gradient takes the operands, the results and the gradients
// of the results of floats. It returns the gradients of the operands of floats.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<i64>
// CHECK: %[[Y:.*]]:2 = tandem.custom_call "norm"(%[[X]], %[[N]])
// CHECK: %[[ONE:.*]] = tandem.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[G:.*]] = tandem.custom_call "norm_gradient"(%[[X]], %[[N]], %[[Y]]#0, %[[Y]]#1, %[[ONE]]) config = "p"
// CHECK-SAME: -> tensor<4xf32>
// CHECK: return %[[Y]]#0, %[[G]]
func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<f32> {
  %0, %1 = tandem.custom_call "norm"(%x, %n) config = "p" {tandem.gradient = "norm_gradient"}
      : (tensor<4xf32>, tensor<i64>) -> (tensor<f32>, tensor<i64>)
  return %0 : tensor<f32>
}
