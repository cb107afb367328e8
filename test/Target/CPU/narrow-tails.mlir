// Stores of the lanes behind the last whole vector, of elements that were
// narrowed to 8 bits.

// RUN: tandem-opt %s --split-input-file --until=llvm --device=cpu | FileCheck %s

// One lane, or another power of two, is stored without a mask. A processor
// would delay loads of the next row until a masked store is done.
// CHECK-NOT: llvm.intr.masked.store
// CHECK: llvm.store {{.*}} : vector<1xi8>, !llvm.ptr
func.func @main(%x: tensor<6x8xui8>) -> tensor<6x17xui8> {
  %w = tandem.constant dense<1> : tensor<8x17xi8>
  %s = tandem.constant dense<0.037> : tensor<f32>
  %0 = tandem.matmul %x, %w widen : (tensor<6x8xui8>, tensor<8x17xi8>) -> tensor<6x17xi32>
  %1 = tandem.cast %0 : (tensor<6x17xi32>) -> tensor<6x17xf32>
  %2 = tandem.mul %1, %s : (tensor<6x17xf32>, tensor<f32>) -> tensor<6x17xf32>
  %3 = tandem.cast %2 : (tensor<6x17xf32>) -> tensor<6x17xui8>
  return %3 : tensor<6x17xui8>
}

// -----

// Three lanes are stored with a mask that LLVM does not know. If LLVM 22 knew
// the mask of a single lane, it would emit a store of 32 bits.
// CHECK: %[[HIDDEN:.*]] = llvm.inline_asm {{.*}} "=r,0" {{.*}} : (i32) -> i32
// CHECK: llvm.trunc %[[HIDDEN]] : i32 to i{{8|16}}
// CHECK: llvm.intr.masked.store {{.*}} : vector<{{8|16}}xi8>, vector<{{8|16}}xi1> into !llvm.ptr
func.func @main(%x: tensor<6x8xui8>) -> tensor<6x19xui8> {
  %w = tandem.constant dense<1> : tensor<8x19xi8>
  %s = tandem.constant dense<0.037> : tensor<f32>
  %0 = tandem.matmul %x, %w widen : (tensor<6x8xui8>, tensor<8x19xi8>) -> tensor<6x19xi32>
  %1 = tandem.cast %0 : (tensor<6x19xi32>) -> tensor<6x19xf32>
  %2 = tandem.mul %1, %s : (tensor<6x19xf32>, tensor<f32>) -> tensor<6x19xf32>
  %3 = tandem.cast %2 : (tensor<6x19xf32>) -> tensor<6x19xui8>
  return %3 : tensor<6x19xui8>
}
