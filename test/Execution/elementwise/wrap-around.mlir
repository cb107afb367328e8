// Sums and products of integers wrap around: reduce S1, matmul S1.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[100,100,100,100,-128,-128,1,0,127,127,127,127]' \
// DEFINE:   '--arg=[2,127,2,1,-128,-128,3,4]' \
// DEFINE:   '--arg=[2000000000,2000000000,2,2,-2147483648,-2147483648,1,1,70000,70000,3,1]' \
// DEFINE:   '--arg=[2,3,2000000000,4,-2147483648,-2147483648,3,4]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%a: tensor<3x4xi8>, %b: tensor<4x2xi8>, %c: tensor<3x4xi32>, %d: tensor<4x2xi32>) -> (tensor<3x2xi8>, tensor<3x2xi32>, tensor<3xi8>, tensor<4xi8>, tensor<3xi32>, tensor<4xi32>, tensor<i8>) {
  %0 = tandem.matmul %a, %b : (tensor<3x4xi8>, tensor<4x2xi8>) -> tensor<3x2xi8>
  %1 = tandem.matmul %c, %d : (tensor<3x4xi32>, tensor<4x2xi32>) -> tensor<3x2xi32>
  %2 = tandem.reduce %a kind = sum dims = [1] : (tensor<3x4xi8>) -> tensor<3xi8>
  %3 = tandem.reduce %a kind = sum dims = [0] : (tensor<3x4xi8>) -> tensor<4xi8>
  %4 = tandem.reduce %c kind = prod dims = [1] : (tensor<3x4xi32>) -> tensor<3xi32>
  %5 = tandem.reduce %c kind = sum dims = [0] : (tensor<3x4xi32>) -> tensor<4xi32>
  %6 = tandem.reduce %a kind = sum dims = [0, 1] : (tensor<3x4xi8>) -> tensor<i8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3x2xi8>, tensor<3x2xi32>, tensor<3xi8>, tensor<4xi8>, tensor<3xi32>, tensor<4xi32>, tensor<i8>
}

// CHECK: output 0: tensor<3x2xi8>
// CHECK-NEXT{LITERAL}: [[-68, -112],
// CHECK-NEXT:  [-128, -128],
// CHECK-NEXT:  [-7, -4]]
// CHECK-NEXT: output 1: tensor<3x2xi32>
// CHECK-NEXT{LITERAL}: [[-1946474490, 1115098120],
// CHECK-NEXT:  [-2147483645, 4],
// CHECK-NEXT:  [-901324061, -2146993644]]
// CHECK-NEXT: output 2: tensor<3xi8>
// CHECK-NEXT: [-112, 1, -4]
// CHECK-NEXT: output 3: tensor<4xi8>
// CHECK-NEXT: [99, 99, -28, -29]
// CHECK-NEXT: output 4: tensor<3xi32>
// CHECK-NEXT: [1983905792, 0, 1815098112]
// CHECK-NEXT: output 5: tensor<4xi32>
// CHECK-NEXT: [-147413648, -147413648, 6, 4]
// CHECK-NEXT: output 6: tensor<i8>
// CHECK-NEXT: -115
