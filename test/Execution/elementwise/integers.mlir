// Integer arithmetic and casts; i8 wraps around.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[-7,-1,0,3,8,120]' \
// DEFINE:   '--arg=[2,3,5,-2,3,10]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%a: tensor<6xi32>, %b: tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi8>, tensor<6xi64>, tensor<6xf32>, tensor<6xi1>) {
  %sum = tandem.add %a, %b : tensor<6xi32>
  %quotient = tandem.div %a, %b : tensor<6xi32>
  %largest = tandem.max %a, %b : tensor<6xi32>
  %magnitude = tandem.abs %a : tensor<6xi32>
  %narrow = tandem.cast %a : (tensor<6xi32>) -> tensor<6xi8>
  %wrapped = tandem.add %narrow, %narrow : tensor<6xi8>
  %wide = tandem.cast %wrapped : (tensor<6xi8>) -> tensor<6xi64>
  %real = tandem.cast %a : (tensor<6xi32>) -> tensor<6xf32>
  %truth = tandem.cast %a : (tensor<6xi32>) -> tensor<6xi1>
  return %sum, %quotient, %largest, %magnitude, %wrapped, %wide, %real, %truth : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi8>, tensor<6xi64>, tensor<6xf32>, tensor<6xi1>
}

// CHECK: output 0: tensor<6xi32>
// CHECK-NEXT: [-5, 2, 5, 1, 11, 130]
// CHECK-NEXT: output 1: tensor<6xi32>
// CHECK-NEXT: [-3, 0, 0, -1, 2, 12]
// CHECK-NEXT: output 2: tensor<6xi32>
// CHECK-NEXT: [2, 3, 5, 3, 8, 120]
// CHECK-NEXT: output 3: tensor<6xi32>
// CHECK-NEXT: [7, 1, 0, 3, 8, 120]
// CHECK-NEXT: output 4: tensor<6xi8>
// CHECK-NEXT: [-14, -2, 0, 6, 16, -16]
// CHECK-NEXT: output 5: tensor<6xi64>
// CHECK-NEXT: [-14, -2, 0, 6, 16, -16]
// CHECK-NEXT: output 6: tensor<6xf32>
// CHECK-NEXT: [-7, -1, 0, 3, 8, 120]
// CHECK-NEXT: output 7: tensor<6xi1>
// CHECK-NEXT: [1, 1, 0, 1, 1, 1]
