// The pass loads the dialects of all ops that it creates, independently of the
// passes before it.

// RUN: tandem-opt %s --tandem-cpu-lower-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @alone
// CHECK: llvm.cond_br
// CHECK: llvm.call @erff
// CHECK-NOT: scf.for
llvm.func @alone(%p: !llvm.ptr, %n: i64) {
  %end = builtin.unrealized_conversion_cast %n : i64 to index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %first = llvm.load %p : !llvm.ptr -> f32
  %last = scf.for %i = %zero to %end step %one
      iter_args(%value = %first) -> f32 {
    %next = math.erf %value : f32
    scf.yield %next : f32
  }
  llvm.store %last, %p : f32, !llvm.ptr
  llvm.return
}
