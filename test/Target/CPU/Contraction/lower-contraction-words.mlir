// Bytes without VNNI: a task copies its data and the weights of its tile as
// words, the even bytes of each quad before its odd ones, and multiplies them
// without widening. Weights are in blocks of 16 outputs. Data whose inputs do
// not fill quads is not copied, and few rows are not worth a copy.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=256 word-pairs})' \
// RUN:   | FileCheck %s

// CHECK-LABEL: llvm.func internal @both.body
// CHECK: %[[SORTED:.*]] = llvm.shufflevector {{.*}} [0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15]
// CHECK: %[[DATA:.*]] = arith.extui %[[SORTED]] : vector<16xi8> to vector<16xi16>
// CHECK: llvm.store %[[DATA]]
// CHECK: %[[ODD:.*]] = arith.shrsi {{.*}} : vector<16xi16>
// CHECK: llvm.store %[[ODD]]
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: arith.sh
// CHECK-COUNT-24: llvm.x86.avx2.pmadd.wd
module @both attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @both(%x: tensor<240x512xui8>, %packed: tensor<16x128x16x4xi8>) -> tensor<240x256xi32> {
    %t = tandem.transpose %packed permutation = [1, 3, 0, 2] : (tensor<16x128x16x4xi8>) -> tensor<128x4x16x16xi8>
    %w = tandem.reshape %t shape = [512, 256] : (tensor<128x4x16x16xi8>) -> tensor<512x256xi8>
    %0 = tandem.matmul %x, %w widen : (tensor<240x512xui8>, tensor<512x256xi8>) -> tensor<240x256xi32>
    return %0 : tensor<240x256xi32>
  }
}

// -----

// CHECK-LABEL: llvm.func internal @few.body
// CHECK-NOT: llvm.store
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.shrsi
// CHECK: llvm.x86.avx2.pmadd.wd
module @few attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @few(%x: tensor<3x512xui8>, %packed: tensor<4x128x16x4xi8>) -> tensor<3x64xi32> {
    %t = tandem.transpose %packed permutation = [1, 3, 0, 2] : (tensor<4x128x16x4xi8>) -> tensor<128x4x4x16xi8>
    %w = tandem.reshape %t shape = [512, 64] : (tensor<128x4x4x16xi8>) -> tensor<512x64xi8>
    %0 = tandem.matmul %x, %w widen : (tensor<3x512xui8>, tensor<512x64xi8>) -> tensor<3x64xi32>
    return %0 : tensor<3x64xi32>
  }
}
