// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel))' \
// RUN:   | FileCheck %s

// By rows: four vectors of accumulators, then masked ones; the vector is folded
// to a scalar, which the next stage reads without memory. The exponentials of a
// row are in scratch memory.

// CHECK-LABEL: module @softmax
// CHECK-SAME: tandem.extent = 8
// CHECK: %[[ROW:.*]] = llvm.alloca {{.*}} x f32
// CHECK: scf.for
// CHECK: %[[MAIN:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (vector<64xf32>)
// CHECK: %[[V:.*]] = llvm.load %{{.*}} -> vector<64xf32>
// CHECK: arith.maximumf %[[ACC]], %[[V]]
// CHECK: llvm.intr.masked.load {{.*}} -> vector<16xf32>
// CHECK: arith.maximumf {{.*}} : vector<16xf32>
// CHECK: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: llvm.shufflevector %[[MAIN]], %[[MAIN]]
// CHECK: %[[MAX:.*]] = arith.maximumf {{.*}} : f32
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK: llvm.insertelement %[[MAX]]
// CHECK: %[[E:.*]] = math.exp {{.*}} : vector<32xf32>
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %[[ROW]]
// CHECK: llvm.store %[[E]], %[[P]] {alignment = 4 : i64}
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : f32
// CHECK: llvm.getelementptr inbounds %[[ROW]]
// CHECK: arith.divf {{.*}} : vector<64xf32>
module {
module @softmax attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @softmax(%x: tensor<8x135xf32>) -> tensor<8x135xf32> {
    %m = tandem.reduce %x kind = max dims = [1] keep_dims
        : (tensor<8x135xf32>) -> tensor<8x1xf32>
    %d = tandem.sub %x, %m
        : (tensor<8x135xf32>, tensor<8x1xf32>) -> tensor<8x135xf32>
    %e = tandem.exp %d : tensor<8x135xf32>
    %s = tandem.reduce %e kind = sum dims = [1] keep_dims
        : (tensor<8x135xf32>) -> tensor<8x1xf32>
    %r = tandem.div %e, %s
        : (tensor<8x135xf32>, tensor<8x1xf32>) -> tensor<8x135xf32>
    return %r : tensor<8x135xf32>
  }
}
}

// -----

// By columns: the loop over rows carries a vector of columns; those left over
// are masked. Nothing is folded. 4 KiB ahead, lines are prefetched.

// CHECK-LABEL: module @columns
// CHECK: scf.for %[[ROW:.*]] = {{.*}} iter_args({{.*}}) -> (vector<128xf32>)
// CHECK: %[[AHEAD:.*]] = arith.constant 8 : index
// CHECK: arith.addi %[[ROW]], %[[AHEAD]]
// CHECK-COUNT-8: llvm.intr.prefetch
// CHECK: llvm.load {{.*}} -> vector<128xf32>
// CHECK: llvm.store {{.*}} : vector<128xf32>, !llvm.ptr
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>)
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK-NOT: llvm.shufflevector {{.*}} [8, 9
module {
module @columns attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @columns(%x: tensor<40x200xf32>) -> tensor<200xf32> {
    %0 = tandem.reduce %x kind = sum dims = [0]
        : (tensor<40x200xf32>) -> tensor<200xf32>
    return %0 : tensor<200xf32>
  }
}
}

// -----

// A large result is stored past the caches, where its rows are aligned.

// CHECK-LABEL: module @large
// CHECK: llvm.store {{.*}} {alignment = 64 : i64, nontemporal}
// CHECK: llvm.fence seq_cst
module {
module @large attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @large(%x: tensor<16384x1024xf32>) -> tensor<16384x1024xf32> {
    %0 = tandem.reduce %x kind = mean dims = [1] keep_dims
        : (tensor<16384x1024xf32>) -> tensor<16384x1xf32>
    %1 = tandem.sub %x, %0
        : (tensor<16384x1024xf32>, tensor<16384x1xf32>)
        -> tensor<16384x1024xf32>
    return %1 : tensor<16384x1024xf32>
  }
}
}

// -----

// Two vectors at once where there are functions, although the stage that sums
// exponentials also keeps them. What an earlier stage has read is not prefetched
// again.

// CHECK-LABEL: module @softmax_columns
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK: arith.maximumf {{.*}} : vector<32xf32>
// CHECK-NOT: llvm.intr.prefetch
// CHECK: math.exp {{.*}} : vector<32xf32>
// CHECK-NOT: llvm.intr.prefetch
module {
module @softmax_columns attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @softmax_columns(%x: tensor<8x512xf32>) -> tensor<8x512xf32> {
    %m = tandem.reduce %x kind = max dims = [0] keep_dims
        : (tensor<8x512xf32>) -> tensor<1x512xf32>
    %d = tandem.sub %x, %m
        : (tensor<8x512xf32>, tensor<1x512xf32>) -> tensor<8x512xf32>
    %e = tandem.exp %d : tensor<8x512xf32>
    %s = tandem.reduce %e kind = sum dims = [0] keep_dims
        : (tensor<8x512xf32>) -> tensor<1x512xf32>
    %r = tandem.div %e, %s
        : (tensor<8x512xf32>, tensor<1x512xf32>) -> tensor<8x512xf32>
    return %r : tensor<8x512xf32>
  }
}
}
