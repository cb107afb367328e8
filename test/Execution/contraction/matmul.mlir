// Matrix products: transposed, batched, broadcast.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   --arg=iota \
// DEFINE:   --arg=iota \
// DEFINE:   '--arg=[1,-1,2,0,1,1]' \
// DEFINE:   --arg=iota
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>,
                %c: tensor<2x3xf32>, %d: tensor<2x2x3xf32>) -> (tensor<2x4xf32>, tensor<2x2xf32>, tensor<3x3xf32>, tensor<2x2x4xf32>) {
  %plain = tandem.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %rhs = tandem.matmul %a, %c transpose_rhs : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %lhs = tandem.matmul %a, %c transpose_lhs : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  %batched = tandem.matmul %d, %b : (tensor<2x2x3xf32>, tensor<3x4xf32>) -> tensor<2x2x4xf32>
  return %plain, %rhs, %lhs, %batched : tensor<2x4xf32>, tensor<2x2xf32>, tensor<3x3xf32>, tensor<2x2x4xf32>
}

// CHECK: output 0: tensor<2x4xf32>
// CHECK-NEXT{LITERAL}: [[20, 23, 26, 29],
// CHECK-NEXT:  [56, 68, 80, 92]]
// CHECK-NEXT: output 1: tensor<2x2xf32>
// CHECK-NEXT{LITERAL}: [[3, 3],
// CHECK-NEXT:  [9, 9]]
// CHECK-NEXT: output 2: tensor<3x3xf32>
// CHECK-NEXT{LITERAL}: [[0, 3, 3],
// CHECK-NEXT:  [1, 3, 6],
// CHECK-NEXT:  [2, 3, 9]]
// CHECK-NEXT: output 3: tensor<2x2x4xf32>
// CHECK-NEXT{LITERAL}: [[[20, 23, 26, 29],
// CHECK-NEXT:   [56, 68, 80, 92]],
// CHECK-NEXT{LITERAL}:  [[92, 113, 134, 155],
// CHECK-NEXT:   [128, 158, 188, 218]]]
