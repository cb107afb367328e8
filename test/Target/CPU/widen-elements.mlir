// Runs of 2, 4 or 8 elements that are only moved, not computed with, are moved
// as one integer. The most important case are pairs of bf16 whose columns are
// transposed in registers.

// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s

// CHECK: module @pairs {{.*}}form = "transpose"
// CHECK-LABEL: llvm.func internal @pairs.body
// CHECK: llvm.load {{.*}} -> vector<16xi32>
// CHECK-NOT: bf16
// CHECK: llvm.store {{.*}} vector<16xi32>
module @pairs {
  func.func @pairs(%x: tensor<64x256xbf16>) -> tensor<128x64x2xbf16> {
    %0 = tandem.reshape %x shape = [64, 128, 2] : (tensor<64x256xbf16>) -> tensor<64x128x2xbf16>
    %1 = tandem.transpose %0 permutation = [1, 0, 2] : (tensor<64x128x2xbf16>) -> tensor<128x64x2xbf16>
    return %1 : tensor<128x64x2xbf16>
  }
}

// -----

// Not where something is computed,

// CHECK-LABEL: llvm.func internal @computed.body
// CHECK-NOT: vector<16xi32>
// CHECK: arith.negf
module @computed {
  func.func @computed(%x: tensor<64x128x2xf16>) -> tensor<128x64x2xf16> {
    %0 = tandem.transpose %x permutation = [1, 0, 2] : (tensor<64x128x2xf16>) -> tensor<128x64x2xf16>
    %1 = tandem.neg %0 : tensor<128x64x2xf16>
    return %1 : tensor<128x64x2xf16>
  }
}

// -----

// nor where runs begin between two of them,

// CHECK-LABEL: llvm.func internal @between.body
// CHECK-NOT: xi16>
// CHECK: llvm.return
module @between {
  func.func @between(%x: tensor<64x9xi8>) -> tensor<4x64x2xi8> {
    %0 = tandem.slice %x starts = [0, 1] limits = [64, 9] strides = [1, 1] : (tensor<64x9xi8>) -> tensor<64x8xi8>
    %1 = tandem.reshape %0 shape = [64, 4, 2] : (tensor<64x8xi8>) -> tensor<64x4x2xi8>
    %2 = tandem.transpose %1 permutation = [1, 0, 2] : (tensor<64x4x2xi8>) -> tensor<4x64x2xi8>
    return %2 : tensor<4x64x2xi8>
  }
}

// -----

// nor where a run has more than 64 bits, or its number of bits is no power of
// two.

// CHECK-LABEL: llvm.func internal @long.body
// CHECK-NOT: xi128>
// CHECK: llvm.return
module @long {
  func.func @long(%x: tensor<64x32x2xf64>) -> tensor<32x64x2xf64> {
    %0 = tandem.transpose %x permutation = [1, 0, 2] : (tensor<64x32x2xf64>) -> tensor<32x64x2xf64>
    return %0 : tensor<32x64x2xf64>
  }
}

// -----

// CHECK-LABEL: llvm.func internal @triples.body
// CHECK-NOT: xi24>
// CHECK: llvm.return
module @triples {
  func.func @triples(%x: tensor<64x32x3xi8>) -> tensor<32x64x3xi8> {
    %0 = tandem.transpose %x permutation = [1, 0, 2] : (tensor<64x32x3xi8>) -> tensor<32x64x3xi8>
    return %0 : tensor<32x64x3xi8>
  }
}
