// Elementwise ops that are defined for positive numbers only.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[0.25,0.5,1,2,4,10]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %log = tandem.log %x : tensor<2x3xf32>
  %log1p = tandem.log1p %x : tensor<2x3xf32>
  %sqrt = tandem.sqrt %x : tensor<2x3xf32>
  %rsqrt = tandem.rsqrt %x : tensor<2x3xf32>
  return %log, %log1p, %sqrt, %rsqrt : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK: output 0: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-1.3863, -0.69315, 0],
// CHECK-NEXT:  [0.69315, 1.3863, 2.3026]]
// CHECK-NEXT: output 1: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0.22314, 0.40547, 0.69315],
// CHECK-NEXT:  [1.0986, 1.6094, 2.3979]]
// CHECK-NEXT: output 2: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0.5, 0.70711, 1],
// CHECK-NEXT:  [1.4142, 2, 3.1623]]
// CHECK-NEXT: output 3: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[2, 1.4142, 1],
// CHECK-NEXT:  [0.70711, 0.5, 0.31623]]
