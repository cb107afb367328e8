// Loops in every tier. The cases are values that are carried, scanned in either
// direction, stacked, and constant over all iterations; a loop inside a loop;
// and sizes that are known only at the call.

// DEFINE: %{run} = tandem-run %s --print --arg=iota:3x2 '--arg=[1,2]:2' '--arg=[2,0,0,2]:2x2'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines
// RUN: tandem-run %s --arg=random:64x2 --arg=random:2 --arg=random:2x2 --check \
// RUN:   | FileCheck %s --check-prefix=OK
// OK: eager {{.*}} ok
// OK: compiled {{.*}} ok

// The body's ops become kernels, which the program has once.
// RUN: tandem-run %s --arg=iota:3x2 '--arg=[1,2]:2' '--arg=[2,0,0,2]:2x2' \
// RUN:   --tier=compiled --program | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: kernel @kernel_0:
// PROGRAM: = loop of 3 iterations (carried %{{[0-9]+}}, scanned %0, {{.*}}) :
// PROGRAM-NEXT: arena of {{[0-9]+}} bytes, inputs %0, %1
// PROGRAM: = kernel @
// PROGRAM: return

func.func @main(%xs: tensor<?x2xf32> {tandem.dims = ["n", ""]}, %h0: tensor<2xf32>, %w: tensor<2x2xf32>)
    -> (tensor<2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<2xf32>) {
  %row = tandem.reshape %h0 shape = [1, 2] : (tensor<2xf32>) -> tensor<1x2xf32>
  %last, %all = tandem.loop carried (%h = %row) scanned (%x = %xs) fixed (%v = %w)
      : (tensor<1x2xf32>, tensor<?x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<?x2xf32>) {
    %0 = tandem.matmul %h, %v : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
    %1 = tandem.add %0, %x : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    %2 = tandem.reshape %1 shape = [2] : (tensor<1x2xf32>) -> tensor<2xf32>
    tandem.yield %1, %2 : tensor<1x2xf32>, tensor<2xf32>
  }
  %sums, %back = tandem.loop carried (%h = %h0) scanned (%x = %xs) {reversed = array<i1: true, true>}
      : (tensor<2xf32>, tensor<?x2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
    %one = tandem.constant dense<1.0> : tensor<2xf32>
    %0 = tandem.loop carried (%c = %h) fixed (%y = %x) {trips = 2} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
      %1 = tandem.add %c, %y : tensor<2xf32>
      tandem.yield %1 : tensor<2xf32>
    }
    %2 = tandem.sub %0, %one : tensor<2xf32>
    tandem.yield %2, %0 : tensor<2xf32>, tensor<2xf32>
  }
  %flat = tandem.reshape %last shape = [2] : (tensor<1x2xf32>) -> tensor<2xf32>
  return %flat, %all, %back, %sums : tensor<2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<2xf32>
}

// CHECK: output 0: tensor<2xf32>
// CHECK-NEXT: [16, 31]
// CHECK-NEXT: output 1: tensor<3x2xf32>
// CHECK-NEXT: {{\[\[}}2, 5],
// CHECK-NEXT:  [6, 13],
// CHECK-NEXT:  [16, 31]]
// CHECK-NEXT: output 2: tensor<3x2xf32>
// CHECK-NEXT: {{\[\[}}11, 18],
// CHECK-NEXT:  [12, 17],
// CHECK-NEXT:  [9, 12]]
// CHECK-NEXT: output 3: tensor<2xf32>
// CHECK-NEXT: [10, 17]

