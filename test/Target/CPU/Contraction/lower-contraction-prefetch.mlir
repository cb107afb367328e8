// Tiles prefetch cache lines of later tiles if data and result do not fit in
// the second-level cache. Depthwise tiles prefetch the lines that the tile
// below, in the next row, is the first to read and to write. Tiles whose
// windows have a single row prefetch the data of the tile after the next one.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s

// Six positions of four vectors. The first is read three rows down and one
// position to the right of where the tile's first tap is, and written one down.
// Nothing is prefetched that is behind the data or the result.

// CHECK-LABEL: module @far
// CHECK: %[[LAST:.*]] = arith.constant 99008 : index
// CHECK: arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK: llvm.getelementptr %{{.*}}[8128] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-COUNT-24: "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.intr.fmuladd
// CHECK: %[[LASTROW:.*]] = arith.constant 39 : index
// CHECK: arith.minsi %{{.*}}, %[[LASTROW]] : index
// CHECK-COUNT-24: "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
// CHECK-NOT: llvm.intr.prefetch
// CHECK-COUNT-24: llvm.store {{.*}} : vector<16xf32>
// CHECK-NOT: llvm.intr.prefetch
module @far attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @far(%x: tensor<1x40x42x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<1x40x42x64xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        pad_low = [1, 1] pad_high = [1, 1] groups = 64
        : (tensor<1x40x42x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x40x42x64xf32>
    return %0 : tensor<1x40x42x64xf32>
  }
}

// -----

// There is room for twice the bytes.

// CHECK-LABEL: module @near
// CHECK-NOT: llvm.intr.prefetch
module @near attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @near(%x: tensor<1x14x42x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<1x14x42x64xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        pad_low = [1, 1] pad_high = [1, 1] groups = 64
        : (tensor<1x14x42x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x14x42x64xf32>
    return %0 : tensor<1x14x42x64xf32>
  }
}

// -----

// A stride of two: two rows of twice the positions. What is written is the
// result of the epilogue.

// CHECK-LABEL: module @strided
// CHECK-COUNT-96: rw = 0 : i32
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.intr.fmuladd
// CHECK-COUNT-24: rw = 1 : i32
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.store {{.*}} : vector<16xf32>
module @strided attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @strided(%x: tensor<1x60x60x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<1x30x30x64xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        strides = [2, 2] pad_high = [1, 1] groups = 64
        : (tensor<1x60x60x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x30x30x64xf32>
    %1 = tandem.relu %0 : tensor<1x30x30x64xf32>
    return %1 : tensor<1x30x30x64xf32>
  }
}

// -----

// With a stride and a dilation of two one row of the next three is new. Lines
// of bf16 are two vectors.

// CHECK-LABEL: module @dilated
// CHECK-COUNT-24: rw = 0 : i32
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.intr.fmuladd
// CHECK-COUNT-12: rw = 1 : i32
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.store
module @dilated attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @dilated(%x: tensor<1x84x84x64xbf16>, %w: tensor<3x3x1x64xbf16>) -> tensor<1x42x42x64xbf16> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        strides = [2, 2] dilations = [2, 2] pad_low = [2, 2] pad_high = [1, 1] groups = 64
        : (tensor<1x84x84x64xbf16>, tensor<3x3x1x64xbf16>) -> tensor<1x42x42x64xbf16>
    return %0 : tensor<1x42x42x64xbf16>
  }
}

// -----

// Data that a prologue has just computed is near.

// CHECK-LABEL: module @staged
// CHECK-NOT: rw = 0 : i32
// CHECK: rw = 1 : i32
module @staged attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @staged(%x: tensor<1x40x42x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<1x40x42x64xf32> {
    %r = tandem.relu %x : tensor<1x40x42x64xf32>
    %0 = tandem.conv %r, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        pad_low = [1, 1] pad_high = [1, 1] groups = 64
        : (tensor<1x40x42x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x40x42x64xf32>
    return %0 : tensor<1x40x42x64xf32>
  }
}

// -----

// Six positions of 64 channels, twelve positions on.

// CHECK-LABEL: module @pointwise
// CHECK: %[[LAST:.*]] = arith.constant 203136 : index
// CHECK: arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK: llvm.getelementptr %{{.*}}[768] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-COUNT-24: "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK-NOT: llvm.intr.prefetch
module @pointwise attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @pointwise(%x: tensor<1x56x57x64xf32>, %w: tensor<1x1x64x64xf32>) -> tensor<1x56x57x64xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x56x57x64xf32>, tensor<1x1x64x64xf32>) -> tensor<1x56x57x64xf32>
    return %0 : tensor<1x56x57x64xf32>
  }
}

// -----

// The last of two taps is the first to read a position, 13 behind the tile's
// first one.

// CHECK-LABEL: module @taps
// CHECK: %[[LAST:.*]] = arith.constant 318720 : index
// CHECK: arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK: llvm.getelementptr %{{.*}}[832] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-COUNT-24: rw = 0 : i32
// CHECK-NOT: llvm.intr.prefetch
module @taps attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @taps(%x: tensor<1x4999x64xf32>, %w: tensor<2x64x64xf32>) -> tensor<1x4998x64xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
        : (tensor<1x4999x64xf32>, tensor<2x64x64xf32>) -> tensor<1x4998x64xf32>
    return %0 : tensor<1x4998x64xf32>
  }
}

// -----

// Rows of 1,024 bytes are streams to the hardware.

// CHECK-LABEL: module @long_rows
// CHECK-NOT: llvm.intr.prefetch
module @long_rows attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @long_rows(%x: tensor<1x56x57x256xf32>, %w: tensor<1x1x256x64xf32>) -> tensor<1x56x57x64xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x56x57x256xf32>, tensor<1x1x256x64xf32>) -> tensor<1x56x57x64xf32>
    return %0 : tensor<1x56x57x64xf32>
  }
}

// -----

// Data that is read for nine taps is near but for the first.

// CHECK-LABEL: module @windows
// CHECK-NOT: llvm.intr.prefetch
module @windows attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @windows(%x: tensor<1x56x57x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<1x56x57x64xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        pad_low = [1, 1] pad_high = [1, 1]
        : (tensor<1x56x57x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x57x64xf32>
    return %0 : tensor<1x56x57x64xf32>
  }
}

// -----

// No row is below.

// CHECK-LABEL: module @one_row
// CHECK-NOT: llvm.intr.prefetch
module @one_row attributes {tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @one_row(%x: tensor<1x2000x64xf32>, %w: tensor<3x1x64xf32>) -> tensor<1x2000x64xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
        pad_low = [1] pad_high = [1] groups = 64
        : (tensor<1x2000x64xf32>, tensor<3x1x64xf32>) -> tensor<1x2000x64xf32>
    return %0 : tensor<1x2000x64xf32>
  }
}
