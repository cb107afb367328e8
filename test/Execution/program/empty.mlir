// Tensors without elements.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   --arg=zeros
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<0x3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>) {
  %none = tandem.neg %x : tensor<0x3xf32>
  %sum = tandem.reduce %x kind = sum dims = [0] : (tensor<0x3xf32>) -> tensor<3xf32>
  return %sum, %none : tensor<3xf32>, tensor<0x3xf32>
}

// CHECK: output 0: tensor<3xf32>
// CHECK-NEXT: [0, 0, 0]
// CHECK-NEXT: output 1: tensor<0x3xf32>
// CHECK-NEXT: []
