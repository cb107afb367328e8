// The gradients of softmax and sigmoid, from their results.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[0.25,0.75,0.5,0.5]' '--arg=[4,8,1,inf]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%y: tensor<2x2xf32>, %g: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = tandem.softmax_backward %y, %g axis = 1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = tandem.softmax_backward %y, %g axis = 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = tandem.sigmoid_backward %y, %g : tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// CHECK: output 0: tensor<2x2xf32>
// CHECK-NEXT: {{\[}}[-0.75, 0.75],
// CHECK-NEXT:  [-inf, {{-?nan}}]]
// CHECK-NEXT: output 1: tensor<2x2xf32>
// CHECK-NEXT: {{\[}}[0.625, -inf],
// CHECK-NEXT:  [-0.25, {{-?nan}}]]
// CHECK-NEXT: output 2: tensor<2x2xf32>
// CHECK-NEXT: {{\[}}[0.75, 1.5],
// CHECK-NEXT:  [0.25, inf]]
