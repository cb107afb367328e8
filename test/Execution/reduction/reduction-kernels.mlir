// Reductions by rows, by columns and in parts, with elementwise ops before,
// between and after them.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[1,-2,3,4,5,6,-7,8,0.5,2,2,1]' --arg=zeros
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<3x4xf32>, %y: tensor<2x65536xf32>)
    -> (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %0 = tandem.abs %x : tensor<3x4xf32>
  %max = tandem.reduce %0 kind = max dims = [1] keep_dims
      : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %rows = tandem.div %x, %max
      : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %sum = tandem.reduce %x kind = sum dims = [0]
      : (tensor<3x4xf32>) -> tensor<4xf32>
  %1 = tandem.sub %x, %sum
      : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %2 = tandem.mul %1, %1 : tensor<3x4xf32>
  %squares = tandem.reduce %2 kind = sum dims = [0]
      : (tensor<3x4xf32>) -> tensor<4xf32>
  %3 = tandem.exp %y : tensor<2x65536xf32>
  %long = tandem.reduce %3 kind = sum dims = [1]
      : (tensor<2x65536xf32>) -> tensor<2xf32>
  return %rows, %sum, %squares, %long
      : tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// CHECK: output 0: tensor<3x4xf32>
// CHECK-NEXT{LITERAL}: [[0.25, -0.5, 0.75, 1],
// CHECK-NEXT:  [0.625, 0.75, -0.875, 1],
// CHECK-NEXT:  [0.25, 1, 1, 0.5]]
// CHECK-NEXT: output 1: tensor<4xf32>
// CHECK-NEXT: [6.5, 6, -2, 13]
// CHECK-NEXT: output 2: tensor<4xf32>
// CHECK-NEXT: [68.5, 80, 66, 250]
// CHECK-NEXT: output 3: tensor<2xf32>
// CHECK-NEXT: [65536, 65536]
