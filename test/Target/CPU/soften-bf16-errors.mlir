// RUN: tandem-opt %s --tandem-cpu-soften-bf16 --verify-diagnostics

// What computes with bf16 is no move of integers.

func.func @add(%p: !llvm.ptr) {
  %0 = llvm.load %p : !llvm.ptr -> bf16
  // expected-error @below {{failed to legalize operation 'arith.addf'}}
  %1 = arith.addf %0, %0 : bf16
  llvm.store %1, %p : bf16, !llvm.ptr
  return
}
