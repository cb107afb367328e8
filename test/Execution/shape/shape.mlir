// Ops that move elements.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   --arg=iota \
// DEFINE:   '--arg=[2,0,0,1]' \
// DEFINE:   '--arg=[5,6,7,8]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<3x4xf32>, %indices: tensor<4xi32>,
                %row: tensor<4xf32>) -> (tensor<2x6xf32>, tensor<4x3xf32>, tensor<2x2xf32>, tensor<3x4xf32>, tensor<3x8xf32>, tensor<2x3xi32>, tensor<4x4xf32>, tensor<2x4x2xf32>) {
  %reshaped = tandem.reshape %x shape = [2, -1] : (tensor<3x4xf32>) -> tensor<2x6xf32>
  %transposed = tandem.transpose %x permutation = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %slice = tandem.slice %x starts = [-2, 0] limits = [3, 4] strides = [1, 2] : (tensor<3x4xf32>) -> tensor<2x2xf32>
  %padded = tandem.pad %slice low = [1, 0] high = [0, 1] interior = [0, 1] value = 9.0 : (tensor<2x2xf32>) -> tensor<3x4xf32>
  %joined = tandem.concat %x, %padded axis = 1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  %iota = tandem.iota axis = 1 : tensor<2x3xi32>
  %gathered = tandem.gather %x, %indices axis = 0 : (tensor<3x4xf32>, tensor<4xi32>) -> tensor<4x4xf32>
  %repeated = tandem.broadcast %row shape = [2, 4, 2] dims = [1] : (tensor<4xf32>) -> tensor<2x4x2xf32>
  return %reshaped, %transposed, %slice, %padded, %joined, %iota, %gathered, %repeated : tensor<2x6xf32>, tensor<4x3xf32>, tensor<2x2xf32>, tensor<3x4xf32>, tensor<3x8xf32>, tensor<2x3xi32>, tensor<4x4xf32>, tensor<2x4x2xf32>
}

// CHECK: output 0: tensor<2x6xf32>
// CHECK-NEXT{LITERAL}: [[0, 1, 2, 3, 4, 5],
// CHECK-NEXT:  [6, 7, 8, 9, 10, 11]]
// CHECK-NEXT: output 1: tensor<4x3xf32>
// CHECK-NEXT{LITERAL}: [[0, 4, 8],
// CHECK-NEXT:  [1, 5, 9],
// CHECK-NEXT:  [2, 6, 10],
// CHECK-NEXT:  [3, 7, 11]]
// CHECK-NEXT: output 2: tensor<2x2xf32>
// CHECK-NEXT{LITERAL}: [[4, 6],
// CHECK-NEXT:  [8, 10]]
// CHECK-NEXT: output 3: tensor<3x4xf32>
// CHECK-NEXT{LITERAL}: [[9, 9, 9, 9],
// CHECK-NEXT:  [4, 9, 6, 9],
// CHECK-NEXT:  [8, 9, 10, 9]]
// CHECK-NEXT: output 4: tensor<3x8xf32>
// CHECK-NEXT{LITERAL}: [[0, 1, 2, 3, 9, 9, 9, 9],
// CHECK-NEXT:  [4, 5, 6, 7, 4, 9, 6, 9],
// CHECK-NEXT:  [8, 9, 10, 11, 8, 9, 10, 9]]
// CHECK-NEXT: output 5: tensor<2x3xi32>
// CHECK-NEXT{LITERAL}: [[0, 1, 2],
// CHECK-NEXT:  [0, 1, 2]]
// CHECK-NEXT: output 6: tensor<4x4xf32>
// CHECK-NEXT{LITERAL}: [[8, 9, 10, 11],
// CHECK-NEXT:  [0, 1, 2, 3],
// CHECK-NEXT:  [0, 1, 2, 3],
// CHECK-NEXT:  [4, 5, 6, 7]]
// CHECK-NEXT: output 7: tensor<2x4x2xf32>
// CHECK-NEXT{LITERAL}: [[[5, 5],
// CHECK-NEXT:   [6, 6],
// CHECK-NEXT:   [7, 7],
// CHECK-NEXT:   [8, 8]],
// CHECK-NEXT{LITERAL}:  [[5, 5],
// CHECK-NEXT:   [6, 6],
// CHECK-NEXT:   [7, 7],
// CHECK-NEXT:   [8, 8]]]
