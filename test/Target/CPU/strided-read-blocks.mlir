// If operands are read with a stride along the rows of the result, all outer
// loops process one block of the rows before the next block, while the block's
// data is in caches. Otherwise the blocks of a row follow one another.

// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s

// Nine outer iterations for each block.
// CHECK: module @across attributes {{.*}}tandem.extent = 414 : i64
// CHECK: scf.for %[[I:.*]] =
// CHECK: arith.remui %[[I]], %c9 : index
// CHECK: arith.divui %[[I]], %c9_{{.*}} : index
module @across {
  func.func @across(%x: tensor<27170x9x8xf32>) -> tensor<9x27170x8xf32> {
    %0 = tandem.transpose %x permutation = [1, 0, 2]
        : (tensor<27170x9x8xf32>) -> tensor<9x27170x8xf32>
    %1 = tandem.neg %0 : tensor<9x27170x8xf32>
    return %1 : tensor<9x27170x8xf32>
  }
}

// -----

// CHECK: module @along attributes {{.*}}tandem.extent = 414 : i64
// CHECK: scf.for %[[I:.*]] =
// CHECK: arith.remui %[[I]], %c46 : index
module @along {
  func.func @along(%x: tensor<9x27170x8xf32>, %y: tensor<9x1x8xf32>)
      -> tensor<9x27170x8xf32> {
    %0 = tandem.add %x, %y
        : (tensor<9x27170x8xf32>, tensor<9x1x8xf32>) -> tensor<9x27170x8xf32>
    return %0 : tensor<9x27170x8xf32>
  }
}
