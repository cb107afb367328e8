// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel,tandem-expand-math,tandem-cpu-lower-to-llvm)' \
// RUN:   | FileCheck %s

// Polynomials for f32: no call is left.

// CHECK-LABEL: llvm.func internal @polynomials.body
// CHECK-NOT: llvm.call @
// CHECK-NOT: llvm.intr.exp
// CHECK-NOT: math.
// CHECK: llvm.return
module @polynomials {
  func.func @polynomials(%x: tensor<64xbf16>) -> tensor<64xbf16> {
    %0 = tandem.exp %x : tensor<64xbf16>
    %1 = tandem.tanh %0 : tensor<64xbf16>
    return %1 : tensor<64xbf16>
  }
}

// -----

// And for f64.

// CHECK-LABEL: llvm.func internal @precise.body
// CHECK-NOT: llvm.call @
// CHECK: llvm.return
module @precise {
  func.func @precise(%x: tensor<64xf64>) -> tensor<64xf64> {
    %0 = tandem.expm1 %x : tensor<64xf64>
    return %0 : tensor<64xf64>
  }
}
