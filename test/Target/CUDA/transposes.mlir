// Transposes, alone in a loop and with elementwise ops around them, go through
// padded shared memory. On the fake driver, they agree with the reference tier,
// and so do shape ops that only change indices.

// RUN: split-file %s %t
// RUN: tandem-translate --tandem-to-cuda %t/fused.mlir \
// RUN:   | FileCheck %t/fused.mlir --match-full-lines
// RUN: tandem-translate --tandem-to-cuda %t/small.mlir \
// RUN:   | FileCheck %t/small.mlir --implicit-check-not=__shared__
// RUN: %fake-cuda tandem-run %t/sizes.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: %fake-cuda FAKE_CUDA_SEED=5 tandem-run %t/sizes.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUN: %fake-cuda tandem-run %t/indexing.mlir --device=cuda --check | FileCheck %s --check-prefix=RUNS
// RUNS: compiled (cuda){{.*}} ok
// RUNS-NOT: FAIL

//--- fused.mlir
// CHECK: // Launched with 16384 blocks of 256 threads.
// CHECK:   const int lane = thread % 32;
// CHECK:   const int group = thread / 32;
// CHECK:   const int first_d0 = (block / 128) * 32;
// CHECK-NEXT:   const int first_d1 = (block % 128) * 32;
// CHECK-NEXT:   __shared__ float in0_tile[1056];
// CHECK-NEXT:   #pragma unroll
// CHECK-NEXT:   for (int step = 0; step < 4; step += 1) {
// CHECK-NEXT:     const int row = group + step * 8;
// CHECK-NEXT:     const float in0_1 = in0[(first_d0 + lane) + (first_d1 + row) * 4096];
// CHECK-NEXT:     in0_tile[row * 33 + lane] = in0_1;
// CHECK-NEXT:   }
// CHECK-NEXT:   __syncthreads();
// CHECK:     const float in0_tile_1 = in0_tile[lane * 33 + row_1];
// CHECK:     const float in1_1 = in1[[[OWN:.*]]];
// CHECK:     out[[[OWN]]] = in0_tile_1 * in1_1 + in2_1;
func.func @main(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>,
                %b: tensor<4096xf32>) -> tensor<4096x4096xf32> {
  %0 = tandem.transpose %x permutation = [1, 0]
      : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %1 = tandem.mul %0, %y : tensor<4096x4096xf32>
  %2 = tandem.add %1, %b
      : (tensor<4096x4096xf32>, tensor<4096xf32>) -> tensor<4096x4096xf32>
  return %2 : tensor<4096x4096xf32>
}

//--- small.mlir
// Most of a tile would be empty.
// CHECK: kernel_0(
func.func @main(%x: tensor<3x4096xf32>) -> tensor<4096x3xf32> {
  %0 = tandem.transpose %x permutation = [1, 0]
      : (tensor<3x4096xf32>) -> tensor<4096x3xf32>
  %1 = tandem.exp %0 : tensor<4096x3xf32>
  return %1 : tensor<4096x3xf32>
}

//--- sizes.mlir
func.func @main(%x: tensor<67x45xf32>, %h: tensor<2x64x33xf16>,
                %d: tensor<17x3x40xf64>, %c: tensor<96x64xi8>)
    -> (tensor<45x67xf32>, tensor<2x33x64xf16>, tensor<40x3x17xf64>,
        tensor<64x96xi8>, tensor<67x45xf32>) {
  %0 = tandem.transpose %x permutation = [1, 0]
      : (tensor<67x45xf32>) -> tensor<45x67xf32>
  %1 = tandem.exp %0 : tensor<45x67xf32>
  %2 = tandem.transpose %h permutation = [0, 2, 1]
      : (tensor<2x64x33xf16>) -> tensor<2x33x64xf16>
  %3 = tandem.neg %2 : tensor<2x33x64xf16>
  %4 = tandem.transpose %d permutation = [2, 1, 0]
      : (tensor<17x3x40xf64>) -> tensor<40x3x17xf64>
  %5 = tandem.abs %4 : tensor<40x3x17xf64>
  %6 = tandem.transpose %c permutation = [1, 0]
      : (tensor<96x64xi8>) -> tensor<64x96xi8>
  %7 = tandem.neg %6 : tensor<64x96xi8>
  %8 = tandem.neg %x : tensor<67x45xf32>
  return %1, %3, %5, %7, %8
      : tensor<45x67xf32>, tensor<2x33x64xf16>, tensor<40x3x17xf64>,
        tensor<64x96xi8>, tensor<67x45xf32>
}

//--- indexing.mlir
func.func @main(%x: tensor<33x64xf32>, %y: tensor<31x64xf32>)
    -> (tensor<64x64xf32>, tensor<35x68xf32>, tensor<16x32xf32>) {
  %0 = tandem.concat %x, %y axis = 0
      : (tensor<33x64xf32>, tensor<31x64xf32>) -> tensor<64x64xf32>
  %1 = tandem.relu %0 : tensor<64x64xf32>
  %2 = tandem.pad %x low = [1, 0] high = [1, 4] interior = [0, 0] value = 2.0
      : (tensor<33x64xf32>) -> tensor<35x68xf32>
  %3 = tandem.neg %2 : tensor<35x68xf32>
  %4 = tandem.slice %x starts = [1, 0] limits = [33, 64] strides = [2, 2]
      : (tensor<33x64xf32>) -> tensor<16x32xf32>
  %5 = tandem.exp %4 : tensor<16x32xf32>
  return %1, %3, %5
      : tensor<64x64xf32>, tensor<35x68xf32>, tensor<16x32xf32>
}
