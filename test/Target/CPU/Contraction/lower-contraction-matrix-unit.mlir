// Bytes with AMX. Tile registers hold up to 16 rows of data, each with up to 64
// inputs that are adjacent in memory, and the weights of as many inputs for 16
// outputs. The sums reach vector registers through memory, row by row.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vnni amx-int8})' \
// RUN:   | FileCheck %s
// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vnni})' \
// RUN:   | FileCheck %s --check-prefix=VNNI --implicit-check-not=x86.tile

// 96 inputs are two steps of 48. Of 250 rows, the last tile has 10. It begins 6
// rows before them, so that all tile registers have 16 rows.
// CHECK-LABEL: llvm.func internal @inputs.body
// CHECK: llvm.alloca %{{.*}} x i32 {alignment = 64 : i64}
// CHECK-COUNT-4: "llvm.x86.tilezero.internal"
// CHECK: %[[STEPS:.*]] = arith.constant 2 : index
// CHECK: scf.for {{.*}} to %[[STEPS]] step {{.*}} iter_args({{.*}}) -> (!llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx)
// CHECK: %[[DISTANCE:.*]] = llvm.mlir.constant(96 : i64)
// CHECK: %[[ROWS:.*]] = llvm.mlir.constant(16 : i16)
// CHECK: %[[INPUTS:.*]] = llvm.mlir.constant(48 : i16)
// CHECK: "llvm.x86.tileloadd64.internal"(%[[ROWS]], %[[INPUTS]], %{{.*}}, %[[DISTANCE]])
// CHECK: %[[OUTPUTS:.*]] = llvm.mlir.constant(256 : i64)
// CHECK: %[[QUADS:.*]] = llvm.mlir.constant(12 : i16)
// CHECK: "llvm.x86.tileloadd64.internal"(%[[QUADS]], %{{.*}}, %{{.*}}, %[[OUTPUTS]])
// CHECK-COUNT-4: "llvm.x86.tdpbusd.internal"
// CHECK-COUNT-4: "llvm.x86.tilestored64.internal"
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load {{.*}} -> vector<16xi32>
// CHECK: scf.if
// CHECK: arith.constant -576 : index
// CHECK-COUNT-4: "llvm.x86.tdpbusd.internal"
// CHECK: arith.constant 10 : index

// VNNI-LABEL: llvm.func internal @inputs.body
// VNNI: vpdpbusd
module @inputs attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @inputs(%x: tensor<250x96xui8>, %packed: tensor<1x24x64x4xi8>) -> tensor<250x64xi32> {
    %t = tandem.transpose %packed permutation = [1, 3, 0, 2] : (tensor<1x24x64x4xi8>) -> tensor<24x4x1x64xi8>
    %w = tandem.reshape %t shape = [96, 64] : (tensor<24x4x1x64xi8>) -> tensor<96x64xi8>
    %0 = tandem.matmul %x, %w widen : (tensor<250x96xui8>, tensor<96x64xi8>) -> tensor<250x64xi32>
    return %0 : tensor<250x64xi32>
  }
}

// -----

// The inputs of three taps are adjacent: a row of data has 3 * 16 of them. A
// task first copies its rows of 20 positions with zeros before and after them.
// Signed data needs no offset.
// CHECK-LABEL: llvm.func internal @padded.body
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16 : i64)
// CHECK: "llvm.intr.memset"(%{{.*}}, %{{.*}}, %[[BYTES]])
// CHECK: "llvm.intr.memset"
// CHECK: llvm.store {{.*}} : vector<64xi8>
// CHECK: %[[INPUTS:.*]] = llvm.mlir.constant(48 : i16)
// CHECK: "llvm.x86.tileloadd64.internal"(%{{.*}}, %[[INPUTS]]
// CHECK: "llvm.x86.tdpbssd.internal"

// VNNI-LABEL: llvm.func internal @padded.body
module @padded attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @padded(%x: tensor<1x20x20x16xi8>, %packed: tensor<1x3x3x4x32x4xi8>) -> tensor<1x20x20x32xi32> {
    %t = tandem.transpose %packed permutation = [1, 2, 3, 5, 0, 4] : (tensor<1x3x3x4x32x4xi8>) -> tensor<3x3x4x4x1x32xi8>
    %k = tandem.reshape %t shape = [3, 3, 16, 32] : (tensor<3x3x4x4x1x32xi8>) -> tensor<3x3x16x32xi8>
    %0 = tandem.conv %x, %k layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> pad_low = [1, 1] pad_high = [1, 1] : (tensor<1x20x20x16xi8>, tensor<3x3x16x32xi8>) -> tensor<1x20x20x32xi32>
    return %0 : tensor<1x20x20x32xi32>
  }
}
