// Subnormal numbers of bf16 are preserved (cast S1). Casts round to them, and
// ops that select values or change signs leave them unchanged. This also holds
// in kernels of several ops, and with instructions for bf16 that flush
// subnormal numbers.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[1e-39,-1e-39,1,3e-40,-4e-41,1.1754942e-38,2e-38,0,-0.0,nan,inf,-3,5e-41,4.5e-41,1e-45,7e-39,-7e-39,2.5,1e-38]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<19xf32>) -> (tensor<19xbf16>, tensor<19xbf16>, tensor<19xbf16>, tensor<19xbf16>, tensor<19xbf16>, tensor<19xbf16>) {
  %0 = tandem.cast %x : (tensor<19xf32>) -> tensor<19xbf16>
  %zero = tandem.constant dense<0.0> : tensor<bf16>
  %low = tandem.constant dense<-1.0e-39> : tensor<bf16>
  %high = tandem.constant dense<8.0e-39> : tensor<bf16>
  %1 = tandem.abs %0 : tensor<19xbf16>
  %2 = tandem.relu %0 : tensor<19xbf16>
  %min = tandem.min %0, %high : (tensor<19xbf16>, tensor<bf16>) -> tensor<19xbf16>
  %3 = tandem.neg %min : tensor<19xbf16>
  %4 = tandem.clamp %0, %low, %high : (tensor<19xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<19xbf16>
  %is = tandem.compare %0, %zero predicate = lt : (tensor<19xbf16>, tensor<bf16>) -> tensor<19xi1>
  %max = tandem.max %0, %low : (tensor<19xbf16>, tensor<bf16>) -> tensor<19xbf16>
  %5 = tandem.select %is, %max, %1 : (tensor<19xi1>, tensor<19xbf16>, tensor<19xbf16>) -> tensor<19xbf16>
  return %0, %1, %2, %3, %4, %5 : tensor<19xbf16>, tensor<19xbf16>, tensor<19xbf16>, tensor<19xbf16>, tensor<19xbf16>, tensor<19xbf16>
}

// CHECK: output 0: tensor<19xbf16>
// CHECK-NEXT: [1.0102e-39, -1.0102e-39, 1, 2.7551e-40, 0, 1.1755e-38, 2.002e-38, 0, 0, {{-?nan}}, inf, -3, 9.1835e-41, 0, 0, 6.9795e-39, -6.9795e-39, 2.5, 1.001e-38]
// CHECK-NEXT: output 1: tensor<19xbf16>
// CHECK-NEXT: [1.0102e-39, 1.0102e-39, 1, 2.7551e-40, 0, 1.1755e-38, 2.002e-38, 0, 0, {{-?nan}}, inf, 3, 9.1835e-41, 0, 0, 6.9795e-39, 6.9795e-39, 2.5, 1.001e-38]
// CHECK-NEXT: output 2: tensor<19xbf16>
// CHECK-NEXT: [1.0102e-39, 0, 1, 2.7551e-40, 0, 1.1755e-38, 2.002e-38, 0, 0, {{-?nan}}, inf, 0, 9.1835e-41, 0, 0, 6.9795e-39, 0, 2.5, 1.001e-38]
// CHECK-NEXT: output 3: tensor<19xbf16>
// CHECK-NEXT: [-1.0102e-39, 1.0102e-39, -7.9897e-39, -2.7551e-40, 0, -7.9897e-39, -7.9897e-39, 0, 0, {{-?nan}}, -7.9897e-39, 3, -9.1835e-41, 0, 0, -6.9795e-39, 6.9795e-39, -7.9897e-39, -7.9897e-39]
// CHECK-NEXT: output 4: tensor<19xbf16>
// CHECK-NEXT: [1.0102e-39, -1.0102e-39, 7.9897e-39, 2.7551e-40, 0, 7.9897e-39, 7.9897e-39, 0, 0, {{-?nan}}, 7.9897e-39, -1.0102e-39, 9.1835e-41, 0, 0, 6.9795e-39, -1.0102e-39, 7.9897e-39, 7.9897e-39]
// CHECK-NEXT: output 5: tensor<19xbf16>
// CHECK-NEXT: [1.0102e-39, -1.0102e-39, 1, 2.7551e-40, 0, 1.1755e-38, 2.002e-38, 0, 0, {{-?nan}}, inf, -1.0102e-39, 9.1835e-41, 0, 0, 6.9795e-39, -1.0102e-39, 2.5, 1.001e-38]
