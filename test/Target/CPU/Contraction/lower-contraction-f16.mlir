// Contractions of f16. Loaded values are widened, and sums are computed in f32
// and rounded once.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s

// All tiles would convert the same data, and all positions the same weights: a
// task copies both first, as f32.

// CHECK-LABEL: llvm.func internal @many.body
// CHECK: %[[ROW:.*]] = llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<16xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[ROW]] : vector<16xf16> to vector<16xf32>
// CHECK: llvm.store %[[WIDE]], {{.*}} {alignment = 4 : i64}
// CHECK: %[[BITS:.*]] = llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<16xi16>
// CHECK: %[[HALVES:.*]] = arith.bitcast %[[BITS]] : vector<16xi16> to vector<16xf16>
// CHECK: %[[WEIGHTS:.*]] = arith.extf %[[HALVES]] : vector<16xf16> to vector<16xf32>
// CHECK: llvm.store %[[WEIGHTS]], {{.*}} {alignment = 4 : i64}
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: arith.extf
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK: llvm.intr.fmuladd
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
// CHECK: llvm.store {{.*}} {alignment = 2 : i64} : vector<16xf16>
module @many attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @many(%x: tensor<512x64xf16>, %w: tensor<64x256xf16>) -> tensor<512x256xf16> {
    %0 = tandem.matmul %x, %w : (tensor<512x64xf16>, tensor<64x256xf16>) -> tensor<512x256xf16>
    return %0 : tensor<512x256xf16>
  }
}

// -----

// Data that no task can copy is broadcast, then widened.

// CHECK-LABEL: llvm.func internal @transposed.body
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: llvm.store {{.*}} {alignment = 4 : i64}
// CHECK: scf.for {{.*}} iter_args
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK: llvm.shufflevector {{.*}} : vector<16xi16>
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: llvm.intr.fmuladd
module @transposed attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @transposed(%x: tensor<64x512xf16>, %w: tensor<64x256xf16>) -> tensor<512x256xf16> {
    %0 = tandem.matmul %x, %w transpose_lhs : (tensor<64x512xf16>, tensor<64x256xf16>) -> tensor<512x256xf16>
    return %0 : tensor<512x256xf16>
  }
}

// -----

// Inputs along the lanes: one after the other, not in pairs.

// CHECK-LABEL: llvm.func internal @dots.body
// CHECK-COUNT-4: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: arith.truncf {{.*}} : vector<{{[0-9]+}}xf32> to vector<{{[0-9]+}}xf16>
module @dots attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @dots(%x: tensor<3x64xf16>, %w: tensor<8x64xf16>) -> tensor<3x8xf16> {
    %0 = tandem.matmul %x, %w transpose_rhs : (tensor<3x64xf16>, tensor<8x64xf16>) -> tensor<3x8xf16>
    return %0 : tensor<3x8xf16>
  }
}
