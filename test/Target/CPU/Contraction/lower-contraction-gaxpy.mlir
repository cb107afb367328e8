// Weights that do not fit in the second-level cache and are not packed. A pass
// adds the products of eight rows of weights to sums in memory. The first pass
// starts from zeros and takes the remainder of the inputs. The last vector of
// outputs is masked.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s

// CHECK-LABEL: module @far
// CHECK-SAME: tandem.form = "gaxpy"
// CHECK: llvm.func internal @far.body
// CHECK-COUNT-3: llvm.load {{.*}} -> f32
// CHECK: scf.for
// CHECK-COUNT-3: llvm.load {{.*}} -> vector<16xf32>
// CHECK: llvm.store {{.*}} : vector<16xf32>
// CHECK: scf.if
// CHECK-COUNT-3: llvm.intr.masked.load
// CHECK: scf.for {{.*}}
// CHECK-COUNT-8: llvm.load {{.*}} -> f32
// CHECK: scf.for
// CHECK-COUNT-8: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: llvm.store
// CHECK: scf.if
// CHECK-COUNT-8: llvm.intr.masked.load
module @far attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @far(%x: tensor<1x203xf32>, %w: tensor<203x1001xf32>) -> tensor<1x1001xf32> {
    %0 = tandem.matmul %x, %w : (tensor<1x203xf32>, tensor<203x1001xf32>) -> tensor<1x1001xf32>
    return %0 : tensor<1x1001xf32>
  }
}

// -----

// Weights that stay near, rows that are short, and more positions than there
// are registers for: tiles of registers.

// CHECK-LABEL: module @near
// CHECK-SAME: tandem.form = "outputs"
module @near attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @near(%x: tensor<1x100xf32>, %w: tensor<100x1001xf32>) -> tensor<1x1001xf32> {
    %0 = tandem.matmul %x, %w : (tensor<1x100xf32>, tensor<100x1001xf32>) -> tensor<1x1001xf32>
    return %0 : tensor<1x1001xf32>
  }
}

// -----

// CHECK-LABEL: module @short
// CHECK-SAME: tandem.form = "outputs"
module @short attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @short(%x: tensor<1x2030xf32>, %w: tensor<2030x256xf32>) -> tensor<1x256xf32> {
    %0 = tandem.matmul %x, %w : (tensor<1x2030xf32>, tensor<2030x256xf32>) -> tensor<1x256xf32>
    return %0 : tensor<1x256xf32>
  }
}

// -----

// CHECK-LABEL: module @many
// CHECK-SAME: tandem.form = "outputs"
module @many attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @many(%x: tensor<9x203xf32>, %w: tensor<203x1001xf32>) -> tensor<9x1001xf32> {
    %0 = tandem.matmul %x, %w : (tensor<9x203xf32>, tensor<203x1001xf32>) -> tensor<9x1001xf32>
    return %0 : tensor<9x1001xf32>
  }
}
