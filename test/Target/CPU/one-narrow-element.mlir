// A masked store of one element that was narrowed to 8 bits. If LLVM 22 knew
// the mask, it would emit a store of 32 bits.

// RUN: tandem-opt %s --until=llvm --device=cpu | FileCheck %s

// CHECK: %[[HIDDEN:.*]] = llvm.inline_asm {{.*}} "=r,0" {{.*}} : (i32) -> i32
// CHECK: llvm.trunc %[[HIDDEN]] : i32 to i{{8|16}}
// CHECK: llvm.intr.masked.store {{.*}} : vector<{{8|16}}xi8>, vector<{{8|16}}xi1> into !llvm.ptr
func.func @main(%x: tensor<6x8xui8>) -> tensor<6x17xui8> {
  %w = tandem.constant dense<1> : tensor<8x17xi8>
  %s = tandem.constant dense<0.037> : tensor<f32>
  %0 = tandem.matmul %x, %w widen : (tensor<6x8xui8>, tensor<8x17xi8>) -> tensor<6x17xi32>
  %1 = tandem.cast %0 : (tensor<6x17xi32>) -> tensor<6x17xf32>
  %2 = tandem.mul %1, %s : (tensor<6x17xf32>, tensor<f32>) -> tensor<6x17xf32>
  %3 = tandem.cast %2 : (tensor<6x17xf32>) -> tensor<6x17xui8>
  return %3 : tensor<6x17xui8>
}
