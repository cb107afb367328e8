// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s

// An operand may be the result's memory where it is read as that is written:
// %a, and %d, of other dims, but not the broadcast %b nor %c, of other width.
// All that cannot be shared stays noalias.

// CHECK: module @some attributes {{{.*}}tandem.in_place = array<i64: 0, 0, 3, 0>}
// CHECK-LABEL: llvm.func internal @some.body
// CHECK-SAME: (%{{[a-z0-9]+}}: !llvm.ptr {llvm.readonly},
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr {llvm.noalias, llvm.readonly},
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr {llvm.noalias, llvm.readonly},
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr {llvm.readonly},
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr {llvm.writeonly},
module @some {
  func.func @some(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<4x8xf16>,
                  %d: tensor<32xf32>) -> tensor<4x8xf32> {
    %0 = tandem.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %1 = tandem.cast %c : (tensor<4x8xf16>) -> tensor<4x8xf32>
    %2 = tandem.mul %0, %1 : tensor<4x8xf32>
    %3 = tandem.reshape %d shape = [4, 8] : (tensor<32xf32>) -> tensor<4x8xf32>
    %4 = tandem.sub %2, %3 : tensor<4x8xf32>
    return %4 : tensor<4x8xf32>
  }
}

// -----

// Read twice at the same index is as good as once; any other index is not.

// CHECK: module @twice attributes {{{.*}}tandem.in_place = array<i64: 0, 0>}
// CHECK-LABEL: llvm.func internal @twice.body
module @twice {
  func.func @twice(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = tandem.exp %a : tensor<8x8xf32>
    %1 = tandem.mul %0, %a : tensor<8x8xf32>
    %2 = tandem.transpose %b permutation = [1, 0]
        : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = tandem.add %1, %2 : tensor<8x8xf32>
    %4 = tandem.add %3, %b : tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
}

// -----

// Another loop nest, which other threads may run at the time, reads it, too.

// CHECK: module @nests attributes
// CHECK-NOT: tandem.in_place
// CHECK-LABEL: llvm.func internal @nests.body
module @nests {
  func.func @nests(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<2x8xf32>) {
    %0 = tandem.exp %a : tensor<8xf32>
    %1 = tandem.broadcast %a shape = [2, 8] dims = [1]
        : (tensor<8xf32>) -> tensor<2x8xf32>
    return %0, %1 : tensor<8xf32>, tensor<2x8xf32>
  }
}

// -----

// Windows read around the element that they write.

// CHECK: module @window attributes
// CHECK-NOT: tandem.in_place
// CHECK-LABEL: llvm.func internal @window.body
module @window {
  func.func @window(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = tandem.slice %a starts = [0] limits = [7] strides = [1]
        : (tensor<8xf32>) -> tensor<7xf32>
    %1 = tandem.pad %0 low = [1] high = [0] interior = [0] value = 0.0
        : (tensor<7xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

// The epilogue of a contraction adds to what is there.

// CHECK: module @residual attributes {{{.*}}tandem.in_place = array<i64: 2, 0>
// CHECK-LABEL: llvm.func internal @residual.body
// CHECK-SAME: (%{{[a-z0-9]+}}: !llvm.ptr {llvm.noalias, llvm.readonly},
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr {llvm.noalias, llvm.readonly},
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr {llvm.readonly},
module @residual attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @residual(%x: tensor<4x64xf32>, %w: tensor<64x32xf32>,
                      %r: tensor<4x32xf32>) -> tensor<4x32xf32> {
    %0 = tandem.matmul %x, %w
        : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
    %1 = tandem.add %0, %r : tensor<4x32xf32>
    return %1 : tensor<4x32xf32>
  }
}

// -----

// But not where the contraction reads it as well.

// CHECK: module @square attributes
// CHECK-NOT: tandem.in_place
// CHECK-LABEL: llvm.func internal @square.body
module @square attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @square(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>)
      -> tensor<32x32xf32> {
    %0 = tandem.matmul %x, %w
        : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %1 = tandem.add %0, %x : tensor<32x32xf32>
    return %1 : tensor<32x32xf32>
  }
}

// -----

// A reduction reads its row, or its columns, before it writes there.

// CHECK: module @softmax attributes {{{.*}}tandem.in_place = array<i64: 0, 0>
module @softmax attributes {tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @softmax(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
    %m = tandem.reduce %x kind = max dims = [1] keep_dims
        : (tensor<4x64xf32>) -> tensor<4x1xf32>
    %d = tandem.sub %x, %m
        : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
    %e = tandem.exp %d : tensor<4x64xf32>
    %s = tandem.reduce %e kind = sum dims = [1] keep_dims
        : (tensor<4x64xf32>) -> tensor<4x1xf32>
    %r = tandem.div %e, %s
        : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
    return %r : tensor<4x64xf32>
  }
}

// -----

// By columns as well, and what is read in the last op alone; but not the
// scale, which every row reads.

// CHECK: module @center attributes {{{.*}}tandem.in_place = array<i64: 0, 0, 2, 0>
module @center attributes {tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @center(%x: tensor<40x64xf32>, %scale: tensor<64xf32>,
                    %r: tensor<40x64xf32>) -> tensor<40x64xf32> {
    %m = tandem.reduce %x kind = mean dims = [0] keep_dims
        : (tensor<40x64xf32>) -> tensor<1x64xf32>
    %d = tandem.sub %x, %m
        : (tensor<40x64xf32>, tensor<1x64xf32>) -> tensor<40x64xf32>
    %s = tandem.mul %d, %scale
        : (tensor<40x64xf32>, tensor<64xf32>) -> tensor<40x64xf32>
    %y = tandem.add %s, %r : tensor<40x64xf32>
    return %y : tensor<40x64xf32>
  }
}

// -----

// The second operand is read by all of its row after the first result, of the
// same shape, has been written, and the third one across the rows.

// CHECK: module @others attributes {{{.*}}tandem.in_place = array<i64: 0, 1>
module @others attributes {tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @others(%x: tensor<64x64xf32>, %row: tensor<64xf32>,
                    %y: tensor<64x64xf32>)
      -> (tensor<64xf32>, tensor<64x64xf32>) {
    %m = tandem.reduce %x kind = mean dims = [1]
        : (tensor<64x64xf32>) -> tensor<64xf32>
    %n = tandem.add %m, %row : tensor<64xf32>
    %k = tandem.reshape %row shape = [64, 1]
        : (tensor<64xf32>) -> tensor<64x1xf32>
    %d = tandem.sub %x, %k
        : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
    %t = tandem.transpose %y permutation = [1, 0]
        : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %e = tandem.add %d, %t : tensor<64x64xf32>
    return %n, %e : tensor<64xf32>, tensor<64x64xf32>
  }
}
