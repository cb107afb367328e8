// Small convolutions. The data that a block reads is in shared memory. A thread
// has four channels of eight positions, or eight channels of four positions, in
// registers, and loops over the taps. On the fake driver, the results agree
// with the reference tier.

// RUN: split-file %s %t
// RUN: tandem-translate --tandem-to-cuda %t/conv2d.mlir | FileCheck %t/conv2d.mlir
// RUN: %fake-cuda tandem-run %t/sizes.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: %fake-cuda FAKE_CUDA_SEED=3 tandem-run %t/sizes.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: tandem-translate --tandem-to-cuda %t/sizes.mlir | FileCheck %s --check-prefix=TILES
// RUNS: compiled (cuda){{.*}} ok
// RUNS-NOT: FAIL
// TILES-COUNT-6: __shared__

// Results that have the positions of a row side by side are stored along it.
// Weights of which adjacent channels are not adjacent go through shared memory.

// RUN: tandem-translate --tandem-to-cuda %t/nchw.mlir | FileCheck %t/nchw.mlir
// RUN: %fake-cuda tandem-run %t/layouts.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: %fake-cuda FAKE_CUDA_SEED=5 tandem-run %t/layouts.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: tandem-opt %t/layouts.mlir --until=fuse --device=cuda | FileCheck %s --check-prefix=LAYOUTS
// LAYOUTS-COUNT-6: tandem.fusion contraction
// LAYOUTS: tandem.fusion loop

// What too many taps read is not in registers at once.

// RUN: tandem-translate --tandem-to-cuda %t/long.mlir | FileCheck %t/long.mlir
// RUN: %fake-cuda tandem-run %t/long.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS

//--- conv2d.mlir
// 54 loads and a few for 864 multiply-adds, and 4.6 to fill the tile.

// CHECK: // Launched with 512 blocks of 256 threads.
// CHECK: __launch_bounds__(256, 4) __global__ void
// CHECK: const int group = thread / 16;
// CHECK: const int channel = (thread % 16) * 4;
// CHECK: __shared__ __align__(16) float tile[1188];
// CHECK: #pragma unroll 4
// CHECK-NEXT: for (int element = thread; element < 1188; element += 256) {
// CHECK:   float value = 0.0f;
// CHECK:   if (
// CHECK:     value = in0_1;
// CHECK:   tile[({{.*}}) * 132 + {{.*}}] = value;
// CHECK: __syncthreads();
// CHECK: float sums[32];
// CHECK: #pragma unroll 1
// CHECK-NEXT: for (int row = 0; row < 3; row += 1) {
// CHECK: #pragma unroll 1
// CHECK-NEXT: for (int input = 0; input < 3; input += 1) {
// CHECK:   const pack<float, 12> columns = load<12>(tile +
// CHECK: {{#pragma unroll$}}
// CHECK-NEXT: for (int tap = 0; tap < 3; tap += 1) {
// CHECK:   const pack<float, 4> weights = load<4>(in1 +
// CHECK:   for (int position{{.*}} = 0; {{.*}} < 8;
// CHECK:     const float data_1 = columns[position{{.*}} + tap];
// CHECK:     for (int lane{{.*}} = 0; {{.*}} < 4;
// CHECK:       sums[{{.*}}] = fmaf(data_1, weight_1, sum{{.*}});
// CHECK: const pack<float, 4> bias = load<4>(in2 + channel);
// CHECK: maximum({{.*}}, 0.0f);
// CHECK: store(out +
// CHECK-NOT: __global__
func.func @main(%x: tensor<1x256x256x3xf32>, %w: tensor<3x3x3x64xf32>,
                %b: tensor<64xf32>) -> tensor<1x256x256x64xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x256x256x3xf32>, tensor<3x3x3x64xf32>)
      -> tensor<1x256x256x64xf32>
  %1 = tandem.add %0, %b
      : (tensor<1x256x256x64xf32>, tensor<64xf32>) -> tensor<1x256x256x64xf32>
  %2 = tandem.relu %1 : tensor<1x256x256x64xf32>
  return %2 : tensor<1x256x256x64xf32>
}

//--- sizes.mlir
func.func @main(%x: tensor<2x9x13x3xf32>, %w: tensor<3x3x3x24xf32>,
                %b: tensor<24xf32>, %h: tensor<1x10x11x4xf16>,
                %v: tensor<3x3x4x8xf16>, %l: tensor<3x40x7xf32>,
                %u: tensor<5x7x16xf32>, %d: tensor<1x8x8x3xbf16>,
                %t: tensor<3x3x3x8xbf16>, %c: tensor<1x5x6x20x2xf32>,
                %k: tensor<3x3x3x2x8xf32>)
    -> (tensor<2x9x13x24xf32>, tensor<2x4x6x24xf32>, tensor<1x6x7x8xf16>,
        tensor<3x36x16xf32>, tensor<1x8x8x8xbf16>, tensor<1x8x8x8xbf16>,
        tensor<1x3x4x18x8xf32>) {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x9x13x3xf32>, tensor<3x3x3x24xf32>, tensor<24xf32>)
      -> tensor<2x9x13x24xf32>
  %1 = tandem.relu %0 : tensor<2x9x13x24xf32>
  %2 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      strides = [2, 2]
      : (tensor<2x9x13x3xf32>, tensor<3x3x3x24xf32>) -> tensor<2x4x6x24xf32>
  %3 = tandem.conv %h, %v
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      dilations = [2, 2]
      : (tensor<1x10x11x4xf16>, tensor<3x3x4x8xf16>) -> tensor<1x6x7x8xf16>
  %4 = tandem.gelu %3 : tensor<1x6x7x8xf16>
  %5 = tandem.conv %l, %u
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<3x40x7xf32>, tensor<5x7x16xf32>) -> tensor<3x36x16xf32>
  %6 = tandem.conv %d, %t
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x8x8x3xbf16>, tensor<3x3x3x8xbf16>) -> tensor<1x8x8x8xbf16>
  %7 = tandem.exp %6 : tensor<1x8x8x8xbf16>
  %8 = tandem.conv %c, %k
      layout = <input = "NDHWC", kernel = "DHWIO", output = "NDHWC">
      : (tensor<1x5x6x20x2xf32>, tensor<3x3x3x2x8xf32>)
      -> tensor<1x3x4x18x8xf32>
  return %1, %2, %4, %5, %6, %7, %8
      : tensor<2x9x13x24xf32>, tensor<2x4x6x24xf32>, tensor<1x6x7x8xf16>,
        tensor<3x36x16xf32>, tensor<1x8x8x8xbf16>, tensor<1x8x8x8xbf16>,
        tensor<1x3x4x18x8xf32>
}

//--- layouts.mlir
func.func @main(%x: tensor<2x3x9x13xf32>, %w: tensor<24x3x3x3xf32>,
                %b: tensor<24xf32>, %h: tensor<1x4x10x11xf16>,
                %v: tensor<8x4x3x3xf16>, %l: tensor<3x7x40xf64>,
                %u: tensor<12x7x5xf64>, %d: tensor<1x8x8x3xf64>,
                %t: tensor<3x3x3x20xf64>, %c: tensor<1x5x6x20x2xf32>,
                %k: tensor<4x2x3x3x3xf32>, %s: tensor<6x3x3x3xf32>)
    -> (tensor<2x24x9x13xf32>, tensor<2x24x4x6xf32>, tensor<1x8x6x7xf16>,
        tensor<3x12x36xf64>, tensor<1x8x8x20xf64>,
        tensor<1x4x3x4x18xf32>, tensor<2x6x7x11xf32>) {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x3x9x13xf32>, tensor<24x3x3x3xf32>, tensor<24xf32>)
      -> tensor<2x24x9x13xf32>
  %1 = tandem.relu %0 : tensor<2x24x9x13xf32>
  %2 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2]
      : (tensor<2x3x9x13xf32>, tensor<24x3x3x3xf32>) -> tensor<2x24x4x6xf32>
  %3 = tandem.conv %h, %v
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      dilations = [2, 2]
      : (tensor<1x4x10x11xf16>, tensor<8x4x3x3xf16>) -> tensor<1x8x6x7xf16>
  %4 = tandem.gelu %3 : tensor<1x8x6x7xf16>
  %5 = tandem.conv %l, %u
      layout = <input = "NCW", kernel = "OIW", output = "NCW">
      : (tensor<3x7x40xf64>, tensor<12x7x5xf64>) -> tensor<3x12x36xf64>
  %6 = tandem.conv %d, %t
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x8x8x3xf64>, tensor<3x3x3x20xf64>) -> tensor<1x8x8x20xf64>
  %7 = tandem.conv %c, %k
      layout = <input = "NDHWC", kernel = "OIDHW", output = "NCDHW">
      : (tensor<1x5x6x20x2xf32>, tensor<4x2x3x3x3xf32>)
      -> tensor<1x4x3x4x18xf32>
  // Six output channels are left to a loop.
  %8 = tandem.conv %x, %s
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<2x3x9x13xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x7x11xf32>
  return %1, %2, %4, %5, %6, %7, %8
      : tensor<2x24x9x13xf32>, tensor<2x24x4x6xf32>, tensor<1x8x6x7xf16>,
        tensor<3x12x36xf64>, tensor<1x8x8x20xf64>,
        tensor<1x4x3x4x18xf32>, tensor<2x6x7x11xf32>
}

//--- nchw.mlir
// A warp has positions, and so one address of weights.
// CHECK: const int group = thread % 32;
// CHECK: const int channel = (thread / 32) * 8;
// CHECK: __shared__ __align__(16) float tile[1188];
// CHECK: for (int element = thread; element < 1188; element += 256) {
// CHECK:   tile[element] = value;
// Weights are read in the order of memory, and padded by a vector each product.
// CHECK: __shared__ __align__(16) float weights[1836];
// CHECK: for (int element_1 = thread; element_1 < 1728; element_1 += 256) {
// CHECK:   weights[({{.*}}) * 68 + {{.*}}] = in1_1;
// CHECK: __syncthreads();
// CHECK:   for (int input = 0; input < 3; input += 1) {
// CHECK:     const pack<float, 8> columns = load<8>(tile +
// CHECK:     for (int tap = 0; tap < 3; tap += 1) {
// CHECK:       const pack<float, 8> weights_1 = load<8>(weights +
// CHECK:         const float data_1 = columns[position{{.*}} + tap];
// CHECK: for (int output = 0; output < 8; output += 1) {
// CHECK:   float out_v[4];
// CHECK:     out_v[{{.*}}] = maximum({{.*}} + {{.*}}, 0.0f);
// CHECK:   store(out +
func.func @main(%x: tensor<1x3x256x256xf32>, %w: tensor<64x3x3x3xf32>,
                %b: tensor<64xf32>) -> tensor<1x64x256x256xf32> {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x3x256x256xf32>, tensor<64x3x3x3xf32>, tensor<64xf32>)
      -> tensor<1x64x256x256xf32>
  %2 = tandem.relu %0 : tensor<1x64x256x256xf32>
  return %2 : tensor<1x64x256x256xf32>
}

//--- long.mlir
// CHECK-COUNT-2: const float data_1 = tile[position
// CHECK-NOT: columns
func.func @main(%x: tensor<2x70x1xf32>, %w: tensor<37x1x16xf32>,
                %y: tensor<2x3x90xf32>, %v: tensor<12x3x11xf32>)
    -> (tensor<2x34x16xf32>, tensor<2x12x80xf32>) {
  %0 = tandem.conv %x, %w
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<2x70x1xf32>, tensor<37x1x16xf32>) -> tensor<2x34x16xf32>
  %1 = tandem.conv %y, %v
      layout = <input = "NCW", kernel = "OIW", output = "NCW">
      : (tensor<2x3x90xf32>, tensor<12x3x11xf32>) -> tensor<2x12x80xf32>
  return %0, %1 : tensor<2x34x16xf32>, tensor<2x12x80xf32>
}
