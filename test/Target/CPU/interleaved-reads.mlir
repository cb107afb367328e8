// Reads that together take every element of a run share loads of the whole run,
// in order. Shuffles then separate the elements of the reads.

// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s

// CHECK-LABEL: llvm.func internal @rows.body
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<32xf64>
// CHECK-COUNT-24: llvm.shufflevector
// CHECK-NOT: gather
// CHECK-NOT: llvm.shufflevector
// CHECK: llvm.store {{.*}} vector<32xf64>
module @rows {
  func.func @rows(%x: tensor<1024x8xf64>) -> tensor<1024xf64> {
    %0 = tandem.reduce %x kind = max dims = [1] : (tensor<1024x8xf64>) -> tensor<1024xf64>
    return %0 : tensor<1024xf64>
  }
}

// -----

// Of a run of 8, one read is missing: what it would read may not be there.

// CHECK-LABEL: llvm.func internal @incomplete.body
// CHECK: gather
module @incomplete {
  func.func @incomplete(%x: tensor<1024x8xf64>) -> tensor<1024xf64> {
    %0 = tandem.slice %x starts = [0, 1] limits = [1024, 8] strides = [1, 1] : (tensor<1024x8xf64>) -> tensor<1024x7xf64>
    %1 = tandem.reduce %0 kind = max dims = [1] : (tensor<1024x7xf64>) -> tensor<1024xf64>
    return %1 : tensor<1024xf64>
  }
}
