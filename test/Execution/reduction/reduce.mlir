// Reductions over one dim and several.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[1,-2,3,4,5,6,-7,8,0.5,2,2,1]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<3x2x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>, tensor<3x2x1xf32>, tensor<f32>, tensor<3xf32>, tensor<2x2xi64>) {
  %sum = tandem.reduce %x kind = sum dims = [0, 2] : (tensor<3x2x2xf32>) -> tensor<2xf32>
  %product = tandem.reduce %x kind = prod dims = [1] : (tensor<3x2x2xf32>) -> tensor<3x2xf32>
  %max = tandem.reduce %x kind = max dims = [2] keep_dims : (tensor<3x2x2xf32>) -> tensor<3x2x1xf32>
  %min = tandem.reduce %x kind = min dims = [0, 1, 2] : (tensor<3x2x2xf32>) -> tensor<f32>
  %mean = tandem.reduce %x kind = mean dims = [1, 2] : (tensor<3x2x2xf32>) -> tensor<3xf32>
  %where = tandem.reduce %x kind = argmax dims = [0] : (tensor<3x2x2xf32>) -> tensor<2x2xi64>
  return %sum, %product, %max, %min, %mean, %where : tensor<2xf32>, tensor<3x2xf32>, tensor<3x2x1xf32>, tensor<f32>, tensor<3xf32>, tensor<2x2xi64>
}

// CHECK: output 0: tensor<2xf32>
// CHECK-NEXT: [12.5, 11]
// CHECK-NEXT: output 1: tensor<3x2xf32>
// CHECK-NEXT{LITERAL}: [[3, -8],
// CHECK-NEXT:  [-35, 48],
// CHECK-NEXT:  [1, 2]]
// CHECK-NEXT: output 2: tensor<3x2x1xf32>
// CHECK-NEXT{LITERAL}: [[[1],
// CHECK-NEXT:   [4]],
// CHECK-NEXT{LITERAL}:  [[6],
// CHECK-NEXT:   [8]],
// CHECK-NEXT{LITERAL}:  [[2],
// CHECK-NEXT:   [2]]]
// CHECK-NEXT: output 3: tensor<f32>
// CHECK-NEXT: -7
// CHECK-NEXT: output 4: tensor<3xf32>
// CHECK-NEXT: [1.5, 3, 1.375]
// CHECK-NEXT: output 5: tensor<2x2xi64>
// CHECK-NEXT{LITERAL}: [[1, 1],
// CHECK-NEXT:  [0, 1]]
