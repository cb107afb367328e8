// A layer norm and its gradients. The first line has mean 3 and variance 4. The elements of the second line
// are equal, and the third line has an infinity.

// DEFINE: %{run} = tandem-run %s --print --arg=[1,5,7,7,inf,0] --arg=[1,2] --arg=[10,20] --arg=[1,4,2,8,0,0]
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<3x2xf32>, %w: tensor<2xf32>, %b: tensor<2xf32>, %g: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0, %1, %2 = tandem.layer_norm %x, %w, %b epsilon = 0.0625 : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<3x1xf32>, tensor<3x1xf32>)
  %m = tandem.constant dense<[[3.0], [7.0], [0.0]]> : tensor<3x1xf32>
  %s = tandem.constant dense<[[0.5], [4.0], [1.0]]> : tensor<3x1xf32>
  %c = tandem.constant dense<[[1.0, 5.0], [7.0, 7.0], [2.0, 0.0]]> : tensor<3x2xf32>
  %3, %4, %5 = tandem.layer_norm_backward %g, %c, %w, %m, %s : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<3x1xf32>, tensor<3x1xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK: output 0: tensor<3x2xf32>
// CHECK-NEXT: {{\[}}[9.0077, 21.985],
// CHECK-NEXT:  [10, 20],
// CHECK-NEXT:  [{{-?nan}}, {{-?nan}}]]
// CHECK-NEXT: output 1: tensor<3x1xf32>
// CHECK-NEXT: {{\[}}[3],
// CHECK-NEXT:  [7],
// CHECK-NEXT:  [inf]]
// CHECK-NEXT: output 2: tensor<3x1xf32>
// CHECK-NEXT: {{\[}}[0.49614],
// CHECK-NEXT:  [4],
// CHECK-NEXT:  {{\[-?nan\]\]}}
// CHECK-NEXT: output 3: tensor<3x2xf32>
// CHECK-NEXT: {{\[}}[0, 0],
// CHECK-NEXT:  [-28, 28],
// CHECK-NEXT:  [0, 0]]
// CHECK-NEXT: output 4: tensor<2xf32>
// CHECK-NEXT: [-1, 4]
// CHECK-NEXT: output 5: tensor<2xf32>
// CHECK-NEXT: [3, 12]
