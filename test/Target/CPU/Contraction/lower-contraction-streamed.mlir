// Results that do not fit in the caches are written with non-temporal stores,
// and are not prefetched, if their vectors are aligned.

// RUN: sed 's/"cores": 2,/"cores": 2, "streamed_bytes": 1048576,/' %S/../../../../utils/cpu-specs/generic.json > %t.json
// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512 device-spec=%t.json})' \
// RUN:   | FileCheck %s

// With an epilogue, whose result it is.

// CHECK-LABEL: module @depthwise
// CHECK: rw = 0 : i32
// CHECK-NOT: rw = 1 : i32
// CHECK: llvm.store {{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
// CHECK-NOT: rw = 1 : i32
// CHECK: llvm.fence seq_cst
module @depthwise attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @depthwise(%x: tensor<1x80x80x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<1x80x80x64xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        pad_low = [1, 1] pad_high = [1, 1] groups = 64
        : (tensor<1x80x80x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x80x80x64xf32>
    %1 = tandem.relu %0 : tensor<1x80x80x64xf32>
    return %1 : tensor<1x80x80x64xf32>
  }
}

// -----

// CHECK-LABEL: module @product
// CHECK: llvm.store {{.*}} nontemporal} : vector<16xf32>
// CHECK: llvm.fence seq_cst
module @product attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @product(%x: tensor<8192x64xf32>, %w: tensor<64x64xf32>) -> tensor<8192x64xf32> {
    %0 = tandem.matmul %x, %w : (tensor<8192x64xf32>, tensor<64x64xf32>) -> tensor<8192x64xf32>
    return %0 : tensor<8192x64xf32>
  }
}

// -----

// Rows of 72 outputs begin anywhere in a line.

// CHECK-LABEL: module @unaligned
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
module @unaligned attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @unaligned(%x: tensor<8192x64xf32>, %w: tensor<64x72xf32>) -> tensor<8192x72xf32> {
    %0 = tandem.matmul %x, %w : (tensor<8192x64xf32>, tensor<64x72xf32>) -> tensor<8192x72xf32>
    return %0 : tensor<8192x72xf32>
  }
}

// -----

// The caches have room for 1 MB.

// CHECK-LABEL: module @small
// CHECK-NOT: nontemporal
module @small attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @small(%x: tensor<4095x64xf32>, %w: tensor<64x64xf32>) -> tensor<4095x64xf32> {
    %0 = tandem.matmul %x, %w : (tensor<4095x64xf32>, tensor<64x64xf32>) -> tensor<4095x64xf32>
    return %0 : tensor<4095x64xf32>
  }
}
