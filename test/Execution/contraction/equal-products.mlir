// Generated contractions add parts of long sums. If they added 16384 equal products one after the other,
// the roundings would have the same sign, and the sum of products of 0.01 would be 163.83.

// RUN: %python %S/../Inputs/make-ones.py %t 32x16384 16384x32 1x16384x3x11
// DEFINE: %{run} = tandem-run %s --print --arg=%t0.npy --arg=%t1.npy --arg=%t2.npy
// RUN: %{run} --tier=reference | FileCheck %s
// RUN: %{run} --tier=eager | FileCheck %s
// RUN: %{run} --tier=compiled --target-option=contractions=generated | FileCheck %s
// RUN: %{run} --tier=compiled --target-option=contractions=generated --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{run} --tier=compiled --target-option=contractions=generated | FileCheck %s

// CHECK: output 0
// CHECK-NEXT: {{^\[\[(163.84, ){63}163.84\]}}
// CHECK: output 1
// CHECK-NEXT: {{^\[\[(163.84, ){63}163.84\]}}
// CHECK: output 2
// CHECK-NEXT: {{^\[\[\[\[(163.84, ){10}163.84\]}}

func.func @main(%x: tensor<32x16384xf32>, %t: tensor<16384x32xf32>, %first: tensor<1x16384x3x11xf32>)
    -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<1x8x3x11xf32>) {
  %w = tandem.constant dense<0.01> : tensor<16384x64xf32>
  %k = tandem.constant dense<0.01> : tensor<8x16384x1x1xf32>
  %0 = tandem.matmul %x, %w : (tensor<32x16384xf32>, tensor<16384x64xf32>) -> tensor<32x64xf32>
  %1 = tandem.matmul %t, %w transpose_lhs
      : (tensor<16384x32xf32>, tensor<16384x64xf32>) -> tensor<32x64xf32>
  %2 = tandem.conv %first, %k layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x16384x3x11xf32>, tensor<8x16384x1x1xf32>) -> tensor<1x8x3x11xf32>
  return %0, %1, %2 : tensor<32x64xf32>, tensor<32x64xf32>, tensor<1x8x3x11xf32>
}
