// A read has eight lanes that exist, and the other lanes are zeros. LLVM 22
// must not know that they are zeros. If it knew that a zero follows each
// element, it would form an extension for which it finds no AVX-512
// instruction.

// RUN: tandem-opt %s \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s

// CHECK: %[[NUMBER:.*]] = llvm.inline_asm {{.*}} "=r,0" {{.*}} : (i32) -> i32
// CHECK: %[[ZERO:.*]] = llvm.bitcast %[[NUMBER]] : i32 to f32
// CHECK: %[[OTHER:.*]] = llvm.insertelement %[[ZERO]]
// CHECK: llvm.shufflevector %{{.*}}, %[[OTHER]]
func.func @interior(%x: tensor<5x8xf32>) -> tensor<5x15xf32> {
  %0 = tandem.pad %x low = [0, 0] high = [0, 0] interior = [0, 1] value = 0.0
      : (tensor<5x8xf32>) -> tensor<5x15xf32>
  %1 = tandem.neg %0 : tensor<5x15xf32>
  return %1 : tensor<5x15xf32>
}
