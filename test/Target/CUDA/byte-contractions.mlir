// Contractions of integers of 8 bits: blocks store four input channels as one
// integer, and threads multiply four bytes at a time. The number of channels
// need not be a multiple of four.

// RUN: split-file %s %t
// RUN: tandem-translate --tandem-to-cuda %t/conv.mlir | FileCheck %t/conv.mlir
// RUN: tandem-translate --tandem-to-cuda %t/matmul.mlir | FileCheck %t/matmul.mlir
// RUN: tandem-translate --tandem-to-cuda %t/vectors.mlir | FileCheck %t/vectors.mlir
// RUN: tandem-opt %t/sizes.mlir --until=fuse --device=cuda | FileCheck %s --check-prefix=FUSED
// FUSED-COUNT-7: tandem.fusion contraction
// FUSED-NOT: tandem.fusion contraction

// On the fake driver the kernels agree with the reference.

// RUN: %fake-cuda tandem-run %t/sizes.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: %fake-cuda FAKE_CUDA_SEED=3 tandem-run %t/sizes.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: %fake-cuda tandem-run %t/prebuilt.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: tandem-opt %t/pooled.mlir --until=fuse --device=cuda | FileCheck %s --check-prefix=POOLED
// POOLED-COUNT-2: tandem.fusion contraction
// POOLED-NOT: tandem.fusion
// RUN: %fake-cuda tandem-run %t/pooled.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: %fake-cuda tandem-run %t/library.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUNS: compiled (cuda){{.*}} ok
// RUNS-NOT: FAIL

// Sums of too many products, products with a batch of weights, and numbers of
// output channels that are no multiple of four are left to prebuilt kernels.

// RUN: tandem-opt %t/prebuilt.mlir --until=fuse --device=cuda | FileCheck %s --check-prefix=PREBUILT
// PREBUILT-NOT: tandem.fusion contraction

// Below, the number of channels is no multiple of four: the rest of the quad is
// zero. The epilogue is part of the kernel.

//--- conv.mlir
// CHECK: unsigned add_quad_product(unsigned sum, int data,
// CHECK: #if __CUDA_ARCH__ >= 610
// CHECK: asm("dp4a.s32.s32 %0, %1, %2, %0;"
// CHECK: asm("dp4a.u32.s32 %0, %1, %2, %0;"
// CHECK: __shared__ __align__(16) int tile[
// CHECK: int value = 0;
// CHECK-NEXT: if (
// CHECK-NEXT: int quad = 0;
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int byte = 0; byte < 3; byte += 1) {
// CHECK: << byte * 8;
// CHECK: __shared__ __align__(16) int weights[
// CHECK: load<12>(tile +
// CHECK: load<4>(weights +
// CHECK: add_quad_product<unsigned char>(
// CHECK-NOT: add_quad_product
// CHECK: out_v[lane_1] = (signed char)
func.func @main(%x: tensor<1x17x31x3xui8>, %w: tensor<3x3x3x16xi8>,
                %b: tensor<16xi32>) -> tensor<1x15x29x16xui8> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x17x31x3xui8>, tensor<3x3x3x16xi8>) -> tensor<1x15x29x16xi32>
  %1 = tandem.add %0, %b
      : (tensor<1x15x29x16xi32>, tensor<16xi32>) -> tensor<1x15x29x16xi32>
  %2 = tandem.cast %1
      : (tensor<1x15x29x16xi32>) -> tensor<1x15x29x16xui8>
  return %2 : tensor<1x15x29x16xui8>
}
//--- matmul.mlir
// CHECK: for (int byte = 0; byte < 4; byte += 1) {
// CHECK-NEXT: if ({{.*}} + byte < 37) {
// CHECK: if ({{.*}} * 4 + byte_1 < 37) {
// CHECK: for (int input = 0; input < 10; input += 1) {
// CHECK: add_quad_product<signed char>(
func.func @main(%x: tensor<9x37xi8>, %w: tensor<37x32xi8>)
    -> tensor<9x32xf32> {
  %0 = tandem.matmul %x, %w widen
      : (tensor<9x37xi8>, tensor<37x32xi8>) -> tensor<9x32xi32>
  %1 = tandem.cast %0 : (tensor<9x32xi32>) -> tensor<9x32xf32>
  return %1 : tensor<9x32xf32>
}
//--- vectors.mlir
// Four input channels that are adjacent and aligned are loaded at once.
// CHECK: const pack<signed char, 4> bytes = load<4>(in0 +
// CHECK: const pack<signed char, 4> bytes_1 = load<4>(in1 +
func.func @main(%x: tensor<1x7x40x8xui8>, %w: tensor<24x1x5x8xi8>)
    -> tensor<1x7x36x24xi32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      : (tensor<1x7x40x8xui8>, tensor<24x1x5x8xi8>) -> tensor<1x7x36x24xi32>
  return %0 : tensor<1x7x36x24xi32>
}
//--- sizes.mlir
func.func @main(
    %x0: tensor<2x1x9x7xui8>, %w0: tensor<4x1x3x3xi8>,
    %x1: tensor<2x9x9x5xi8>, %w1: tensor<2x3x5x8xi8>,
    %x2: tensor<1x7x40x8xui8>, %w2: tensor<24x1x5x8xi8>,
    %x3: tensor<1x8x8x20xi8>, %w3: tensor<1x1x20x32xi8>,
    %x4: tensor<3x50x3xui8>, %w4: tensor<3x3x12xi8>,
    %x5: tensor<8x1xui8>, %w5: tensor<1x20xi8>,
    %x6: tensor<70x3xi8>, %w6: tensor<3x64xi8>,
    %x7: tensor<2x9x5xui8>, %w7: tensor<5x16xi8>,
    %x8: tensor<256x30xui8>, %w8: tensor<12x256xi8>)
    -> (tensor<2x4x9x7xi32>,
        tensor<2x4x5x8xi32>,
        tensor<1x7x36x24xi32>,
        tensor<1x8x8x32xi32>,
        tensor<3x12x48xi32>,
        tensor<8x20xi32>,
        tensor<70x64xi32>,
        tensor<2x9x16xi32>,
        tensor<30x12xi32>) {
  // One input channel, channels first, and padding.
  %0 = tandem.conv %x0, %w0
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x1x9x7xui8>, tensor<4x1x3x3xi8>) -> tensor<2x4x9x7xi32>
  // Five of eight channels of two quads, strides and dilations.
  %1 = tandem.conv %x1, %w1
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      strides = [2, 1] dilations = [1, 2]
      : (tensor<2x9x9x5xi8>, tensor<2x3x5x8xi8>) -> tensor<2x4x5x8xi32>
  // Whole quads, with the weights of a channel adjacent.
  %2 = tandem.conv %x2, %w2
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      : (tensor<1x7x40x8xui8>, tensor<24x1x5x8xi8>) -> tensor<1x7x36x24xi32>
  // A matrix product.
  %3 = tandem.conv %x3, %w3
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x8x8x20xi8>, tensor<1x1x20x32xi8>) -> tensor<1x8x8x32xi32>
  // Data with channels last, results with channels first.
  %4 = tandem.conv %x4, %w4
      layout = <input = "NWC", kernel = "WIO", output = "NCW">
      : (tensor<3x50x3xui8>, tensor<3x3x12xi8>) -> tensor<3x12x48xi32>
  // One term of one and three products, which loops compute as fast, and two
  // terms.
  %5 = tandem.matmul %x5, %w5 widen
      : (tensor<8x1xui8>, tensor<1x20xi8>) -> tensor<8x20xi32>
  %6 = tandem.matmul %x6, %w6 widen
      : (tensor<70x3xi8>, tensor<3x64xi8>) -> tensor<70x64xi32>
  %7 = tandem.matmul %x7, %w7 widen
      : (tensor<2x9x5xui8>, tensor<5x16xi8>) -> tensor<2x9x16xi32>
  // 64 quads, and transposed operands.
  %8 = tandem.matmul %x8, %w8 transpose_lhs transpose_rhs widen
      : (tensor<256x30xui8>, tensor<12x256xi8>) -> tensor<30x12xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<2x4x9x7xi32>,
        tensor<2x4x5x8xi32>,
        tensor<1x7x36x24xi32>,
        tensor<1x8x8x32xi32>,
        tensor<3x12x48xi32>,
        tensor<8x20xi32>,
        tensor<70x64xi32>,
        tensor<2x9x16xi32>,
        tensor<30x12xi32>
}
//--- prebuilt.mlir
func.func @main(
    %x0: tensor<1x5x5x32xui8>, %w0: tensor<3x3x32x8xi8>,
    %x1: tensor<1x5x5x16xi8>, %w1: tensor<3x3x1x16xi8>,
    %x2: tensor<9x257xi8>, %w2: tensor<257x16xi8>,
    %x3: tensor<2x9x32xui8>, %w3: tensor<2x32x16xi8>,
    %x4: tensor<9x80xui8>, %w4: tensor<80x10xi8>,
    %x5: tensor<9x260xi8>, %w5: tensor<16x260xi8>)
    -> (tensor<1x3x3x8xi32>,
        tensor<1x3x3x16xi32>,
        tensor<9x16xi32>,
        tensor<2x9x16xi32>,
        tensor<9x10xi32>,
        tensor<9x16xi32>) {
  // More than 64 quads.
  %0 = tandem.conv %x0, %w0
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x5x5x32xui8>, tensor<3x3x32x8xi8>) -> tensor<1x3x3x8xi32>
  // Groups.
  %1 = tandem.conv %x1, %w1
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      groups = 16
      : (tensor<1x5x5x16xi8>, tensor<3x3x1x16xi8>) -> tensor<1x3x3x16xi32>
  %2 = tandem.matmul %x2, %w2 widen
      : (tensor<9x257xi8>, tensor<257x16xi8>) -> tensor<9x16xi32>
  // Weights of a batch.
  %3 = tandem.matmul %x3, %w3 widen
      : (tensor<2x9x32xui8>, tensor<2x32x16xi8>) -> tensor<2x9x16xi32>
  // Ten outputs.
  %4 = tandem.matmul %x4, %w4 widen
      : (tensor<9x80xui8>, tensor<80x10xi8>) -> tensor<9x10xi32>
  // cuBLASLt has this one.
  %5 = tandem.matmul %x5, %w5 transpose_rhs widen
      : (tensor<9x260xi8>, tensor<16x260xi8>) -> tensor<9x16xi32>
  return %0, %1, %2, %3, %4, %5
      : tensor<1x3x3x8xi32>,
        tensor<1x3x3x16xi32>,
        tensor<9x16xi32>,
        tensor<2x9x16xi32>,
        tensor<9x10xi32>,
        tensor<9x16xi32>
}
//--- library.mlir
// Data of ui8 is changed to i8 for cuBLASLt in the kernel that computes it, and
// the result is corrected in the kernel that reads it.
func.func @main(%x: tensor<7x300xf32>, %b: tensor<16xi32>) -> tensor<7x16xf32> {
  %s = tandem.constant dense<100.0> : tensor<f32>
  %m = tandem.mul %x, %s : (tensor<7x300xf32>, tensor<f32>) -> tensor<7x300xf32>
  %q = tandem.cast %m : (tensor<7x300xf32>) -> tensor<7x300xui8>
  %w = tandem.constant dense<-7> : tensor<300x16xi8>
  %0 = tandem.matmul %q, %w widen
      : (tensor<7x300xui8>, tensor<300x16xi8>) -> tensor<7x16xi32>
  %1 = tandem.add %0, %b
      : (tensor<7x16xi32>, tensor<16xi32>) -> tensor<7x16xi32>
  %2 = tandem.cast %1 : (tensor<7x16xi32>) -> tensor<7x16xf32>
  return %2 : tensor<7x16xf32>
}
//--- pooled.mlir
// Windows over results of ui8 are computed by the same kernel.
func.func @main(%x: tensor<2x17x19x3xui8>, %w: tensor<3x3x3x16xi8>,
                %s: tensor<16xf32>, %y: tensor<2x9x9x6xi8>,
                %v: tensor<8x6x3x3xi8>)
    -> (tensor<2x7x8x16xui8>, tensor<2x3x3x8xui8>) {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<2x17x19x3xui8>, tensor<3x3x3x16xi8>) -> tensor<2x15x17x16xi32>
  %1 = tandem.cast %0
      : (tensor<2x15x17x16xi32>) -> tensor<2x15x17x16xf32>
  %2 = tandem.mul %1, %s
      : (tensor<2x15x17x16xf32>, tensor<16xf32>) -> tensor<2x15x17x16xf32>
  %3 = tandem.cast %2
      : (tensor<2x15x17x16xf32>) -> tensor<2x15x17x16xui8>
  %4 = tandem.max_pool %3 layout = "NHWC" window = [3, 3] strides = [2, 2]
      : (tensor<2x15x17x16xui8>) -> tensor<2x7x8x16xui8>
  %5 = tandem.conv %y, %v
      layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      : (tensor<2x9x9x6xi8>, tensor<8x6x3x3xi8>) -> tensor<2x7x7x8xi32>
  %6 = tandem.cast %5 : (tensor<2x7x7x8xi32>) -> tensor<2x7x7x8xui8>
  %7 = tandem.max_pool %6 layout = "NHWC" window = [3, 3] strides = [2, 2]
      : (tensor<2x7x7x8xui8>) -> tensor<2x3x3x8xui8>
  return %4, %7 : tensor<2x7x8x16xui8>, tensor<2x3x3x8xui8>
}
