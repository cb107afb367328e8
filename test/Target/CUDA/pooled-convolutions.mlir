// A small convolution with its pooling. A block computes the elements that its
// windows read, including the activation, and stores them in shared memory. Its
// threads then divide the windows among them.

// RUN: rm -rf %t && split-file %s %t
// RUN: tandem-translate --tandem-to-cuda %t/nhwc.mlir | FileCheck %t/nhwc.mlir
// RUN: tandem-translate --tandem-to-cuda %t/nchw.mlir | FileCheck %t/nchw.mlir

// What does not fit beside data and weights is no part of the kernel.
// RUN: tandem-opt %t/large.mlir --fuse --device=cuda --why-not-fused=%0,%1 | FileCheck %t/large.mlir

// RUN: not tandem-opt %t/two.mlir --pass-pipeline='builtin.module(map-kernel-to-threads)' 2>&1 | FileCheck %t/two.mlir
// RUN: not tandem-opt %t/loops.mlir --pass-pipeline='builtin.module(map-kernel-to-threads)' 2>&1 | FileCheck %t/loops.mlir

//--- nhwc.mlir
// CHECK: // Launched with 128 blocks of 256 threads.
// Two rows of 64 positions read four rows of the data.
// CHECK: __shared__ __align__(16) float tile[816];
// CHECK: __shared__ __align__(16) float part[8192];
// CHECK: __syncthreads();
// CHECK: sums[{{.*}}] = fmaf(data_1, weight_1, sum{{.*}});
// CHECK: maximum({{.*}}, 0.0f);
// CHECK: store(part + (
// CHECK: __syncthreads();
// CHECK: #pragma unroll 1
// CHECK-NEXT: for (int window = thread; window < 256; window += 256) {
// CHECK-COUNT-4: const pack<float, 8> part_v{{.*}} = load<8>(part + (
// CHECK: maximum(maximum(maximum(
// CHECK: store(out + (
func.func @main(%x: tensor<4x64x64x3xf32>, %w: tensor<3x3x3x64xf32>,
                %b: tensor<64xf32>) -> tensor<4x32x32x64xf32> {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<4x64x64x3xf32>, tensor<3x3x3x64xf32>, tensor<64xf32>)
      -> tensor<4x64x64x64xf32>
  %1 = tandem.relu %0 : tensor<4x64x64x64xf32>
  %2 = tandem.max_pool %1 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<4x64x64x64xf32>) -> tensor<4x32x32x64xf32>
  return %2 : tensor<4x32x32x64xf32>
}

//--- nchw.mlir
// Halves are rounded where they are kept. Windows go beyond the result, where
// nothing is computed.
// CHECK: __shared__ __align__(16) float tile[
// CHECK: __shared__ __align__(16) float weights[1836];
// CHECK: __shared__ __align__(16) f16 part[
// CHECK: if (
// CHECK: store(part
// CHECK: __syncthreads();
// CHECK: for (int window = thread;
// CHECK: if (
// CHECK: store(out
// CHECK-NOT: __global__
func.func @main(%x: tensor<4x3x63x61xf16>, %w: tensor<64x3x3x3xf16>)
    -> tensor<4x64x31x30xf16> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<4x3x63x61xf16>, tensor<64x3x3x3xf16>) -> tensor<4x64x61x59xf16>
  %1 = tandem.max_pool %0 layout = "NCHW" window = [3, 3] strides = [2, 2]
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<4x64x61x59xf16>) -> tensor<4x64x31x30xf16>
  return %1 : tensor<4x64x31x30xf16>
}

//--- large.mlir
// CHECK: not fused
// CHECK: PartTooLarge
func.func @main(%x: tensor<4x64x64x3xf32>, %w: tensor<3x3x3x64xf32>)
    -> tensor<4x5x5x64xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<4x64x64x3xf32>, tensor<3x3x3x64xf32>) -> tensor<4x64x64x64xf32>
  %1 = tandem.max_pool %0 layout = "NHWC" window = [12, 12] strides = [12, 12]
      : (tensor<4x64x64x64xf32>) -> tensor<4x5x5x64xf32>
  return %1 : tensor<4x5x5x64xf32>
}

//--- two.mlir
// CHECK: error: 'linalg.generic' op is one too many behind the contraction
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @kernel_0(%x: tensor<1x8x3xf32>, %w: tensor<3x3x8xf32>)
    -> tensor<6x8xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x8x3xf32>, tensor<3x3x8xf32>) -> tensor<1x6x8xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]]
      : tensor<1x6x8xf32> into tensor<6x8xf32>
  %2 = tensor.empty() : tensor<6x8xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<6x8xf32>) outs(%2 : tensor<6x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<6x8xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<6x8xf32>) outs(%2 : tensor<6x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<6x8xf32>
  return %4 : tensor<6x8xf32>
}

//--- loops.mlir
// CHECK: error: 'linalg.generic' op has other loops than its window
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @kernel_0(%x: tensor<1x8x3xf32>, %w: tensor<3x3x8xf32>)
    -> tensor<6x8xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x8x3xf32>, tensor<3x3x8xf32>) -> tensor<1x6x8xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]]
      : tensor<1x6x8xf32> into tensor<6x8xf32>
  %2 = tensor.empty() : tensor<6x8xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<6x8xf32>) outs(%2 : tensor<6x8xf32>)
      attrs = {tandem.window = array<i64: 1, 1, 1, 0, 1, 6, 6, 0, 8, 1, 1, 0>} {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<6x8xf32>
  return %3 : tensor<6x8xf32>
}
