// Weights that are not constant and are stored in rows of all outputs. A task
// first copies the weights of its tile to contiguous memory. If the weights
// differ within the batch, they are copied for each row. Few rows are not worth
// a copy.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=256})' \
// RUN:   | FileCheck %s

// CHECK-LABEL: llvm.func internal @once.body
// CHECK: %[[WEIGHTS:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK: llvm.store %[[WEIGHTS]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: llvm.intr.fmuladd
module @once attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @once(%x: tensor<120x1024xf32>, %w: tensor<1024x320xf32>) -> tensor<120x320xf32> {
    %0 = tandem.matmul %x, %w : (tensor<120x1024xf32>, tensor<1024x320xf32>) -> tensor<120x320xf32>
    return %0 : tensor<120x320xf32>
  }
}

// -----

// CHECK-LABEL: llvm.func internal @batch.body
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[WEIGHTS:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK: llvm.store %[[WEIGHTS]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: llvm.intr.fmuladd
module @batch attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @batch(%x: tensor<4x120x1024xf32>, %w: tensor<4x1024x320xf32>) -> tensor<4x120x320xf32> {
    %0 = tandem.matmul %x, %w : (tensor<4x120x1024xf32>, tensor<4x1024x320xf32>) -> tensor<4x120x320xf32>
    return %0 : tensor<4x120x320xf32>
  }
}

// -----

// CHECK-LABEL: llvm.func internal @few.body
// CHECK-NOT: llvm.store
// CHECK: scf.for {{.*}} iter_args
module @few attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @few(%x: tensor<3x4x100xf32>, %w: tensor<3x100x80xf32>) -> tensor<3x4x80xf32> {
    %0 = tandem.matmul %x, %w : (tensor<3x4x100xf32>, tensor<3x100x80xf32>) -> tensor<3x4x80xf32>
    return %0 : tensor<3x4x80xf32>
  }
}
