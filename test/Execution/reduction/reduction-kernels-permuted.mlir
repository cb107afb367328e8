// Kernels of reductions in which a broadcast permutes dims. The kernel also
// returns the operand of the broadcast, whose shape is neither that of the
// reduced value nor that of its rows.

// DEFINE: %{run} = tandem-run %s --print --arg=[1,-2,3,4,5,-6] \
// DEFINE:   --arg=[1,2,3,4,5,6,7,8,9,8,7,6]
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled --no-fallback | FileCheck %s --match-full-lines

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2x2xf32>)
    -> (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x2x2xf32>) {
  %abs = tandem.abs %x : tensor<2x3xf32>
  %b = tandem.broadcast %abs shape = [3, 2] dims = [1, 0]
      : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %max = tandem.reduce %b kind = max dims = [0] keep_dims
      : (tensor<3x2xf32>) -> tensor<1x2xf32>
  %centered = tandem.sub %b, %max
      : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>

  %neg = tandem.neg %x : tensor<2x3xf32>
  %row = tandem.broadcast %neg shape = [3, 2, 1] dims = [1, 0]
      : (tensor<2x3xf32>) -> tensor<3x2x1xf32>
  %sum = tandem.reduce %y kind = sum dims = [2] keep_dims
      : (tensor<3x2x2xf32>) -> tensor<3x2x1xf32>
  %both = tandem.add %sum, %row : tensor<3x2x1xf32>
  %shifted = tandem.sub %y, %both
      : (tensor<3x2x2xf32>, tensor<3x2x1xf32>) -> tensor<3x2x2xf32>
  return %abs, %centered, %neg, %shifted
      : tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x2x2xf32>
}

// CHECK: output 0: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[1, 2, 3],
// CHECK-NEXT{LITERAL}:  [4, 5, 6]]
// CHECK-NEXT: output 1: tensor<3x2xf32>
// CHECK-NEXT{LITERAL}: [[-2, -2],
// CHECK-NEXT:  [-1, -1],
// CHECK-NEXT{LITERAL}:  [0, 0]]
// CHECK-NEXT: output 2: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-1, 2, -3],
// CHECK-NEXT{LITERAL}:  [-4, -5, 6]]
// CHECK-NEXT: output 3: tensor<3x2x2xf32>
// CHECK-NEXT{LITERAL}: [[[-1, 0],
// CHECK-NEXT{LITERAL}:   [0, 1]],
// CHECK-NEXT{LITERAL}:  [[-8, -7],
// CHECK-NEXT{LITERAL}:   [-3, -2]],
// CHECK-NEXT{LITERAL}:  [[-5, -6],
// CHECK-NEXT{LITERAL}:   [-12, -13]]]
