// An iteration of a loop of products has several steps, which share a counter
// and an address: a number of steps that divides the inputs, at most four, and
// fewer for tiles of many products. The loads of the steps are separated, so
// that LLVM does not group them.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=256})' \
// RUN:   | FileCheck %s

// CHECK-LABEL: llvm.func internal @four.body
// CHECK: %[[STEP:.*]] = arith.constant 4 : index
// CHECK: scf.for {{.*}} step %[[STEP]] iter_args
// CHECK-COUNT-12: llvm.intr.fmuladd
// CHECK: llvm.inline_asm has_side_effects
// CHECK-COUNT-12: llvm.intr.fmuladd
// CHECK: llvm.inline_asm has_side_effects
// CHECK-COUNT-12: llvm.intr.fmuladd
// CHECK: llvm.inline_asm has_side_effects
// CHECK-COUNT-12: llvm.intr.fmuladd
// CHECK-NOT: llvm.inline_asm
// CHECK: scf.yield
module @four attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @four(%x: tensor<6x20xf32>, %w: tensor<20x16xf32>) -> tensor<6x16xf32> {
    %0 = tandem.matmul %x, %w : (tensor<6x20xf32>, tensor<20x16xf32>) -> tensor<6x16xf32>
    return %0 : tensor<6x16xf32>
  }
}

// -----

// CHECK-LABEL: llvm.func internal @three.body
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-2: llvm.inline_asm has_side_effects
// CHECK-NOT: llvm.inline_asm
// CHECK: scf.yield
module @three attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @three(%x: tensor<6x21xf32>, %w: tensor<21x16xf32>) -> tensor<6x16xf32> {
    %0 = tandem.matmul %x, %w : (tensor<6x21xf32>, tensor<21x16xf32>) -> tensor<6x16xf32>
    return %0 : tensor<6x16xf32>
  }
}

// -----

// CHECK-LABEL: llvm.func internal @one.body
// CHECK-NOT: llvm.inline_asm
// CHECK: return
module @one attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @one(%x: tensor<6x23xf32>, %w: tensor<23x16xf32>) -> tensor<6x16xf32> {
    %0 = tandem.matmul %x, %w : (tensor<6x23xf32>, tensor<23x16xf32>) -> tensor<6x16xf32>
    return %0 : tensor<6x16xf32>
  }
}

// -----

// Vectors of a depthwise tile, too.

// CHECK-LABEL: llvm.func internal @depthwise.body
// CHECK: llvm.intr.fmuladd
// CHECK: llvm.inline_asm has_side_effects
// CHECK: llvm.intr.fmuladd
module @depthwise attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @depthwise(%x: tensor<1x10x10x32xf32>, %w: tensor<3x3x1x32xf32>) -> tensor<1x8x8x32xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> groups = 32
        : (tensor<1x10x10x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x8x8x32xf32>
    return %0 : tensor<1x8x8x32xf32>
  }
}

// -----

// Two sums would wait for one another: steps add to four of each in turn, and
// these are added up at the end. Weights that go on behind the last output need
// no mask, which the last row of others does.

// CHECK-LABEL: llvm.func internal @parts.body
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-NOT: masked.load
// CHECK-COUNT-8: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: scf.yield
// CHECK-COUNT-6: arith.addf {{.*}} : vector<8xf32>
// CHECK: llvm.intr.masked.store
module @parts attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @parts(%x: tensor<2x64xf32>, %w: tensor<64x8xf32>) -> tensor<2x5xf32> {
    %0 = tandem.slice %w starts = [0, 0] limits = [64, 5] strides = [1, 1] : (tensor<64x8xf32>) -> tensor<64x5xf32>
    %1 = tandem.matmul %x, %0 : (tensor<2x64xf32>, tensor<64x5xf32>) -> tensor<2x5xf32>
    return %1 : tensor<2x5xf32>
  }
}

// -----

// CHECK-LABEL: llvm.func internal @masked.body
// CHECK: llvm.intr.masked.load
module @masked attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @masked(%x: tensor<2x64xf32>, %w: tensor<64x5xf32>) -> tensor<2x5xf32> {
    %0 = tandem.matmul %x, %w : (tensor<2x64xf32>, tensor<64x5xf32>) -> tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
}
