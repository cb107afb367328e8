// gelu at the ends of its range (gelu S1), and pow of NaN and of zeros (pow
// S1).

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[-inf,inf,nan,-1e30]' \
// DEFINE:   '--arg=[nan,1,0,-0.0,0,-0.0,-0.0,-inf,-8,0,nan]' \
// DEFINE:   '--arg=[0,nan,0,0,-1,-1,3,3,0.5,inf,1]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%g: tensor<4xf32>, %x: tensor<11xf32>, %y: tensor<11xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<11xf32>, tensor<11xf64>, tensor<11xf16>, tensor<11xf32>) {
  %0 = tandem.gelu %g : tensor<4xf32>
  %1 = tandem.gelu %g approximate_tanh : tensor<4xf32>
  %h = tandem.cast %g : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = tandem.gelu %h : tensor<4xbf16>
  %3 = tandem.pow %x, %y : tensor<11xf32>
  %dx = tandem.cast %x : (tensor<11xf32>) -> tensor<11xf64>
  %dy = tandem.cast %y : (tensor<11xf32>) -> tensor<11xf64>
  %4 = tandem.pow %dx, %dy : tensor<11xf64>
  %hx = tandem.cast %x : (tensor<11xf32>) -> tensor<11xf16>
  %hy = tandem.cast %y : (tensor<11xf32>) -> tensor<11xf16>
  %5 = tandem.pow %hx, %hy : tensor<11xf16>
  %one = tandem.constant dense<1.0> : tensor<f32>
  %6 = tandem.div %one, %3 : (tensor<f32>, tensor<11xf32>) -> tensor<11xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<11xf32>, tensor<11xf64>, tensor<11xf16>, tensor<11xf32>
}

// CHECK: output 0: tensor<4xf32>
// CHECK-NEXT: [{{-?}}nan, inf, {{-?}}nan, 0]
// CHECK-NEXT: output 1: tensor<4xf32>
// CHECK-NEXT: [{{-?}}nan, inf, {{-?}}nan, 0]
// CHECK-NEXT: output 2: tensor<4xbf16>
// CHECK-NEXT: [{{-?}}nan, inf, {{-?}}nan, 0]
// CHECK-NEXT: output 3: tensor<11xf32>
// CHECK-NEXT: [1, 1, 1, 1, inf, -inf, 0, -inf, {{-?}}nan, 0, {{-?}}nan]
// CHECK-NEXT: output 4: tensor<11xf64>
// CHECK-NEXT: [1, 1, 1, 1, inf, -inf, 0, -inf, {{-?}}nan, 0, {{-?}}nan]
// CHECK-NEXT: output 5: tensor<11xf16>
// CHECK-NEXT: [1, 1, 1, 1, inf, -inf, 0, -inf, {{-?}}nan, 0, {{-?}}nan]
// CHECK-NEXT: output 6: tensor<11xf32>
// CHECK-NEXT: [1, 1, 1, 1, 0, 0, -inf, 0, {{-?}}nan, inf, {{-?}}nan]
