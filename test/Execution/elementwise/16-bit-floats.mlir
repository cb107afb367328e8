// Ops on 16-bit floats are computed in f32, and results are rounded to nearest,
// ties to even.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[-1.5,0.1,1,1000]' \
// DEFINE:   '--arg=[2,0.2,3,0.5]' \
// DEFINE:   '--arg=[-1.5,0.1,1,1000]' \
// DEFINE:   '--arg=[2,0.2,3,0.5]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>,
                %c: tensor<4xbf16>, %d: tensor<4xbf16>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xf64>) {
  %sum = tandem.add %a, %b : tensor<4xf16>
  %product = tandem.mul %a, %b : tensor<4xf16>
  %bsum = tandem.add %c, %d : tensor<4xbf16>
  %bproduct = tandem.mul %c, %d : tensor<4xbf16>
  %wide = tandem.cast %c : (tensor<4xbf16>) -> tensor<4xf64>
  return %sum, %product, %bsum, %bproduct, %wide : tensor<4xf16>, tensor<4xf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xf64>
}

// CHECK: output 0: tensor<4xf16>
// CHECK-NEXT: [0.5, 0.2998, 4, 1000.5]
// CHECK-NEXT: output 1: tensor<4xf16>
// CHECK-NEXT: [-3, 0.019989, 3, 500]
// CHECK-NEXT: output 2: tensor<4xbf16>
// CHECK-NEXT: [0.5, 0.30078, 4, 1000]
// CHECK-NEXT: output 3: tensor<4xbf16>
// CHECK-NEXT: [-3, 0.02002, 3, 500]
// CHECK-NEXT: output 4: tensor<4xf64>
// CHECK-NEXT: [-1.5, 0.1001, 1, 1000]
