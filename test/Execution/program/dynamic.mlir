// Sizes that are known only at the call, and inputs and constants that are
// returned as outputs.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   --arg=iota:2x3 \
// DEFINE:   '--arg=[1,1,2]:3'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<?x?xf32> {tandem.dims = ["m", "n"]},
                %y: tensor<?xf32> {tandem.dims = ["n"]}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<2xf32>) {
  %sum = tandem.add %x, %y : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %total = tandem.reduce %sum kind = sum dims = [1] : (tensor<?x?xf32>) -> tensor<?xf32>
  %flat = tandem.reshape %sum shape = [-1] : (tensor<?x?xf32>) -> tensor<?xf32>
  %constant = tandem.constant dense<[4.0, 8.0]> : tensor<2xf32>
  return %total, %flat, %y, %constant : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<2xf32>
}

// CHECK: output 0: tensor<2xf32>
// CHECK-NEXT: [7, 16]
// CHECK-NEXT: output 1: tensor<6xf32>
// CHECK-NEXT: [1, 2, 4, 4, 5, 7]
// CHECK-NEXT: output 2: tensor<3xf32>
// CHECK-NEXT: [1, 1, 2]
// CHECK-NEXT: output 3: tensor<2xf32>
// CHECK-NEXT: [4, 8]
