// Elementwise ops of two operands.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[-2,-1,-0.5,0.25,1,2]' \
// DEFINE:   '--arg=[1,2,3,4,5,6]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %add = tandem.add %x, %y : tensor<2x3xf32>
  %sub = tandem.sub %x, %y : tensor<2x3xf32>
  %mul = tandem.mul %x, %y : tensor<2x3xf32>
  %div = tandem.div %x, %y : tensor<2x3xf32>
  %max = tandem.max %x, %y : tensor<2x3xf32>
  %min = tandem.min %x, %y : tensor<2x3xf32>
  %pow = tandem.pow %y, %x : tensor<2x3xf32>
  return %add, %sub, %mul, %div, %max, %min, %pow : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK: output 0: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-1, 1, 2.5],
// CHECK-NEXT:  [4.25, 6, 8]]
// CHECK-NEXT: output 1: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-3, -3, -3.5],
// CHECK-NEXT:  [-3.75, -4, -4]]
// CHECK-NEXT: output 2: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-2, -2, -1.5],
// CHECK-NEXT:  [1, 5, 12]]
// CHECK-NEXT: output 3: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-2, -0.5, -0.16667],
// CHECK-NEXT:  [0.0625, 0.2, 0.33333]]
// CHECK-NEXT: output 4: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[1, 2, 3],
// CHECK-NEXT:  [4, 5, 6]]
// CHECK-NEXT: output 5: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-2, -1, -0.5],
// CHECK-NEXT:  [0.25, 1, 2]]
// CHECK-NEXT: output 6: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[1, 0.5, 0.57735],
// CHECK-NEXT:  [1.4142, 5, 36]]
