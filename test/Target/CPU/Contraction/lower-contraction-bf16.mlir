// Contractions of bf16, with and without an instruction that multiplies pairs.

// DEFINE: %{lower} = tandem-opt %s --split-input-file
// RUN: %{lower} --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512 bf16=true})' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: %{lower} --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,SPLIT

// Packed weights are loaded in pairs, and data is broadcast so; of an odd last
// input, what is beside it is zero on both sides.

// CHECK-LABEL: llvm.func internal @packed.body
// CHECK: scf.for
// CHECK: llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<16xi32>
// CHECK: llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> i32
// BF16: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>)
// SPLIT-NOT: llvm.call_intrinsic
// SPLIT: llvm.intr.fmuladd
// CHECK: llvm.load {{.*}} -> vector<16xi32>
// CHECK: arith.andi {{.*}} : vector<16xi32>
// CHECK: arith.extui {{.*}} : i16 to i32
// BF16: llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"({{.*}}) : (vector<16xf32>) -> vector<16xbf16>
// SPLIT: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK: llvm.store {{.*}} vector<16xi16>
module @packed attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @packed(%x: tensor<8x9xbf16>, %w: tensor<2x5x16x2xbf16>) -> tensor<8x32xbf16> {
    %0 = tandem.transpose %w permutation = [1, 3, 0, 2] : (tensor<2x5x16x2xbf16>) -> tensor<5x2x2x16xbf16>
    %1 = tandem.reshape %0 shape = [10, 32] : (tensor<5x2x2x16xbf16>) -> tensor<10x32xbf16>
    %2 = tandem.slice %1 starts = [0, 0] limits = [9, 32] strides = [1, 1] : (tensor<10x32xbf16>) -> tensor<9x32xbf16>
    %3 = tandem.matmul %x, %2 : (tensor<8x9xbf16>, tensor<9x32xbf16>) -> tensor<8x32xbf16>
    return %3 : tensor<8x32xbf16>
  }
}

// -----

// Rows of weights are widened one by one: neighbors in a row are outputs.

// CHECK-LABEL: llvm.func internal @rows.body
// CHECK-NOT: llvm.call_intrinsic
// CHECK: llvm.load {{.*}} -> vector<16xi16>
// CHECK: arith.extui {{.*}} : vector<16xi16> to vector<16xi32>
// CHECK: arith.shli
// CHECK: llvm.intr.fmuladd
module @rows attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @rows(%x: tensor<8x9xbf16>, %w: tensor<9x16xbf16>) -> tensor<8x16xbf16> {
    %0 = tandem.matmul %x, %w : (tensor<8x9xbf16>, tensor<9x16xbf16>) -> tensor<8x16xbf16>
    return %0 : tensor<8x16xbf16>
  }
}

// -----

// Dot products take 32 inputs at a time, of the last ones those that exist.

// CHECK-LABEL: llvm.func internal @dots.body
// CHECK: llvm.load {{.*}} -> vector<32xi16>
// BF16: dpbf16ps.512
// SPLIT-NOT: llvm.call_intrinsic
// CHECK: llvm.intr.masked.load {{.*}} vector<32xi16>
module @dots attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @dots(%x: tensor<1x50xbf16>, %w: tensor<16x50xbf16>) -> tensor<1x16xbf16> {
    %0 = tandem.matmul %x, %w transpose_rhs : (tensor<1x50xbf16>, tensor<16x50xbf16>) -> tensor<1x16xbf16>
    return %0 : tensor<1x16xbf16>
  }
}

// -----

// A position that reads only padding has its bias for a sum, which may be
// subnormal: the instruction would round it to zero.

// CHECK-LABEL: llvm.func internal @padded.body
// CHECK-NOT: cvtneps2bf16
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
module @padded attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @padded(%x: tensor<1x6x2xbf16>, %w: tensor<1x3x1x16x2xbf16>, %b: tensor<16xbf16>) -> tensor<1x12x16xbf16> {
    %0 = tandem.transpose %w permutation = [1, 2, 4, 0, 3] : (tensor<1x3x1x16x2xbf16>) -> tensor<3x1x2x1x16xbf16>
    %1 = tandem.reshape %0 shape = [3, 2, 16] : (tensor<3x1x2x1x16xbf16>) -> tensor<3x2x16xbf16>
    %2 = tandem.conv %x, %1, %b layout = <input = "NWC", kernel = "WIO", output = "NWC">
        pad_low = [4] pad_high = [4]
        : (tensor<1x6x2xbf16>, tensor<3x2x16xbf16>, tensor<16xbf16>) -> tensor<1x12x16xbf16>
    return %2 : tensor<1x12x16xbf16>
  }
}
