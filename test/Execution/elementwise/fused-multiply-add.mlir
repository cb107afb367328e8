// A product is rounded, or overflows, before it is added to (add S1, sub S1).
// If only one of two parts of a kernel rounded it, softmax(x * x) would be NaN,
// because the maximum of x * x would be less than some x * x.

// DEFINE: %{run} = tandem-run %s --print --func=sums '--arg=[2e38,2e38,3,1.0000001]' '--arg=[2,2,5,1.0000001]' '--arg=[-3e38,3e38,7,-1.0000002]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

// CHECK: output 0: tensor<4xf32>
// CHECK-NEXT: [inf, inf, 22, 0]
// CHECK-NEXT: output 1: tensor<4xf32>
// CHECK-NEXT: [inf, inf, 8, 2]
func.func @sums(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %product = tandem.mul %a, %b : tensor<4xf32>
  %sum = tandem.add %product, %c : tensor<4xf32>
  %difference = tandem.sub %product, %c : tensor<4xf32>
  return %sum, %difference : tensor<4xf32>, tensor<4xf32>
}

// RUN: tandem-run %s --func=squares --arg=random --check | FileCheck %s --check-prefix=SQUARES
// SQUARES: compiled {{.*}}0: {{.*}} 4096 {{.*}} ok
func.func @squares(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %large = tandem.constant dense<1.23e5> : tensor<f32>
  %y = tandem.mul %x, %large : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %squares = tandem.mul %y, %y : tensor<64x64xf32>
  %r = tandem.softmax %squares axis = 1 : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
