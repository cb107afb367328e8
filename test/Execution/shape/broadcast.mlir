// Elementwise ops on operands of different shapes, including comparisons and
// selects.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[2,20]' \
// DEFINE:   '--arg=[1,2,3]' \
// DEFINE:   '--arg=[0.5]' \
// DEFINE:   '--arg=[21.5]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%column: tensor<2x1xf32>, %row: tensor<3xf32>,
                %scalar: tensor<f32>, %limit: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>) {
  %sum = tandem.add %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %scaled = tandem.mul %sum, %scalar : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %less = tandem.compare %row, %column predicate = lt : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>
  %equal = tandem.compare %sum, %scaled predicate = ne : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %both = tandem.logical_and %less, %equal : tensor<2x3xi1>
  %not = tandem.logical_not %less : tensor<2x3xi1>
  %greater = tandem.compare %row, %column predicate = gt : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>
  %either = tandem.logical_or %less, %greater : tensor<2x3xi1>
  %chosen = tandem.select %less, %row, %column : (tensor<2x3xi1>, tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %clamped = tandem.clamp %sum, %row, %limit : (tensor<2x3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %sum, %scaled, %less, %both, %not, %chosen, %clamped, %either : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>
}

// CHECK: output 0: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[3, 4, 5],
// CHECK-NEXT:  [21, 22, 23]]
// CHECK-NEXT: output 1: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[1.5, 2, 2.5],
// CHECK-NEXT:  [10.5, 11, 11.5]]
// CHECK-NEXT: output 2: tensor<2x3xi1>
// CHECK-NEXT{LITERAL}: [[1, 0, 0],
// CHECK-NEXT:  [1, 1, 1]]
// CHECK-NEXT: output 3: tensor<2x3xi1>
// CHECK-NEXT{LITERAL}: [[1, 0, 0],
// CHECK-NEXT:  [1, 1, 1]]
// CHECK-NEXT: output 4: tensor<2x3xi1>
// CHECK-NEXT{LITERAL}: [[0, 1, 1],
// CHECK-NEXT:  [0, 0, 0]]
// CHECK-NEXT: output 5: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[1, 2, 2],
// CHECK-NEXT:  [1, 2, 3]]
// CHECK-NEXT: output 6: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[3, 4, 5],
// CHECK-NEXT:  [21, 21.5, 21.5]]
// CHECK-NEXT: output 7: tensor<2x3xi1>
// CHECK-NEXT{LITERAL}: [[1, 0, 1],
// CHECK-NEXT:  [1, 1, 1]]
