// The bytes of several vectors of a tile are looked up together, as many as
// fill a register. Of three vectors, two are looked up together. Ops that use
// the bytes that were found, here look-ups in a second table, follow the merged
// look-up.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=256})' \
// RUN:   | FileCheck %s

// CHECK-LABEL: llvm.func internal @three.body
// CHECK: tandem_cpu.look_up_bytes %{{.*}} : !llvm.ptr, vector<16xi8>
// CHECK-NOT: llvm.store
// CHECK: tandem_cpu.look_up_bytes %{{.*}} : !llvm.ptr, vector<16xi8>
// CHECK-COUNT-2: llvm.store
// CHECK-COUNT-2: tandem_cpu.look_up_bytes %{{.*}} : !llvm.ptr, vector<8xi8>
// CHECK: llvm.store
// CHECK-NOT: tandem_cpu.look_up_bytes
// CHECK: llvm.return
module @three attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @three(%x: tensor<1x8xf32>, %w: tensor<8x24xf32>, %first: tensor<256xui8>,
                   %second: tensor<256xui8>) -> tensor<1x24xui8> {
    %0 = tandem.matmul %x, %w : (tensor<1x8xf32>, tensor<8x24xf32>) -> tensor<1x24xf32>
    %q = tandem.cast %0 : (tensor<1x24xf32>) -> tensor<1x24xui8>
    %i = tandem.cast %q : (tensor<1x24xui8>) -> tensor<1x24xi32>
    %1 = tandem.gather %first, %i axis = 0 : (tensor<256xui8>, tensor<1x24xi32>) -> tensor<1x24xui8>
    %j = tandem.cast %1 : (tensor<1x24xui8>) -> tensor<1x24xi32>
    %2 = tandem.gather %second, %j axis = 0 : (tensor<256xui8>, tensor<1x24xi32>) -> tensor<1x24xui8>
    return %2 : tensor<1x24xui8>
  }
}

// -----

// A loop over the vectors of a tile: a step has two rows of two vectors.

// CHECK-LABEL: llvm.func internal @loop.body
// CHECK: scf.for {{.*}} step %[[FOUR:.*]] {
// CHECK: math.roundeven
// CHECK: math.roundeven
// CHECK: math.roundeven
// CHECK: math.roundeven
// CHECK: tandem_cpu.look_up_bytes %{{.*}} : !llvm.ptr, vector<32xi8>
// CHECK-COUNT-4: llvm.store
// CHECK-NOT: tandem_cpu.look_up_bytes
// CHECK: }
module @loop attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @loop(%x: tensor<64x96xf32>, %w: tensor<96x16xf32>, %table: tensor<256xui8>) -> tensor<64x16xui8> {
    %0 = tandem.matmul %x, %w : (tensor<64x96xf32>, tensor<96x16xf32>) -> tensor<64x16xf32>
    %r = tandem.round %0 : tensor<64x16xf32>
    %q = tandem.cast %r : (tensor<64x16xf32>) -> tensor<64x16xui8>
    %i = tandem.cast %q : (tensor<64x16xui8>) -> tensor<64x16xi32>
    %1 = tandem.gather %table, %i axis = 0 : (tensor<256xui8>, tensor<64x16xi32>) -> tensor<64x16xui8>
    return %1 : tensor<64x16xui8>
  }
}
