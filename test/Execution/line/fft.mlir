// Fourier transforms of all kinds, whose results are integers, along both dims.

// DEFINE: %{run} = tandem-run %s --print --no-fallback \
// DEFINE:   '--arg=[1,2,3,4]' '--arg=[1,0,2,0,3,0,4,1]' '--arg=[1,2,3,inf]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<4xf32>, %y: tensor<4x2xf32>, %z: tensor<2x2xf64>)
    -> (tensor<3x2xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<2x2x2xf64>) {
  %double = tandem.add %x, %x : tensor<4xf32>
  %0 = tandem.fft %double kind = rfft axis = 0 : (tensor<4xf32>) -> tensor<3x2xf32>
  %inverse = tandem.fft %0 kind = irfft axis = 0 length = 4 : (tensor<3x2xf32>) -> tensor<4xf32>
  %1 = tandem.neg %inverse : tensor<4xf32>
  %2 = tandem.fft %y kind = fft axis = 0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = tandem.fft %2 kind = ifft axis = 0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %4 = tandem.fft %z kind = rfft axis = 0 : (tensor<2x2xf64>) -> tensor<2x2x2xf64>
  return %0, %1, %2, %3, %4 : tensor<3x2xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<2x2x2xf64>
}

// CHECK: output 0: tensor<3x2xf32>
// CHECK-NEXT{LITERAL}: [[20, 0],
// CHECK-NEXT: [-4, 4],
// CHECK-NEXT: [-4, {{-?}}0]]
// CHECK-NEXT: output 1: tensor<4xf32>
// CHECK-NEXT: [-2, -4, -6, -8]
// CHECK-NEXT: output 2: tensor<4x2xf32>
// CHECK-NEXT{LITERAL}: [[10, 1],
// CHECK-NEXT: [-3, 2],
// CHECK-NEXT: [-2, -1],
// CHECK-NEXT: [-1, -2]]
// CHECK-NEXT: output 3: tensor<4x2xf32>
// CHECK-NEXT: {{\[\[}}1, {{-?}}0],
// CHECK-NEXT: [2, {{-?}}0],
// CHECK-NEXT: [3, {{-?}}0],
// CHECK-NEXT: [4, 1]]
// CHECK-NEXT: output 4: tensor<2x2x2xf64>
// CHECK-NEXT{LITERAL}: [[[4, 0],
// CHECK-NEXT: {{.*}}nan, {{-?}}nan]],
