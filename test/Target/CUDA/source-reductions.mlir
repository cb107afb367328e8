// The CUDA C++ of reductions, as a person reads it.

// RUN: split-file %s %t
// RUN: tandem-translate --tandem-to-cuda %t/softmax.mlir \
// RUN:   | FileCheck %t/softmax.mlir --match-full-lines
// RUN: tandem-translate --tandem-to-cuda %t/layer_norm.mlir \
// RUN:   | FileCheck %t/layer_norm.mlir --implicit-check-not=__global__
// RUN: tandem-translate --tandem-to-cuda %t/columns.mlir \
// RUN:   | FileCheck %t/columns.mlir
// RUN: tandem-translate --tandem-to-cuda %t/long.mlir | FileCheck %t/long.mlir

//--- softmax.mlir
// A block a row, which stays in its registers.

// CHECK: // Launched with 4096 blocks of 256 threads.
// CHECK-NEXT: extern "C" __global__ void kernel_0(const float* __restrict__ in0,
// CHECK-NEXT:                                     float* __restrict__ out) {
// CHECK-NEXT:   const int thread = threadIdx.x;
// CHECK-NEXT:   const int block = blockIdx.x;
// CHECK-NEXT:   pack<float, 4> in0_row[4];
// CHECK-NEXT:   const int element = thread * 4;
// CHECK-NEXT:   #pragma unroll
// CHECK-NEXT:   for (int step = 0; step < 4; step += 1) {
// CHECK-NEXT:     in0_row[step] = load<4>(in0 + (block * 4096 + (element + step * 1024)));
// CHECK-NEXT:   }
// CHECK-NEXT:   float largest = __int_as_float(0xff800000);
// CHECK:          largest = maximum(largest, in0_1);
// CHECK:        largest = maximum(largest, __shfl_xor_sync(0xffffffff, largest, 16));
// CHECK-NEXT:   largest = maximum(largest, __shfl_xor_sync(0xffffffff, largest, 8));
// CHECK-NEXT:   largest = maximum(largest, __shfl_xor_sync(0xffffffff, largest, 4));
// CHECK-NEXT:   largest = maximum(largest, __shfl_xor_sync(0xffffffff, largest, 2));
// CHECK-NEXT:   largest = maximum(largest, __shfl_xor_sync(0xffffffff, largest, 1));
// CHECK-NEXT:   const int warp = thread / 32;
// CHECK-NEXT:   const bool is_first_lane = thread % 32 == 0;
// CHECK-NEXT:   __shared__ float largest_of[8];
// CHECK-NEXT:   if (is_first_lane) {
// CHECK-NEXT:     largest_of[warp] = largest;
// CHECK-NEXT:   }
// CHECK-NEXT:   __syncthreads();
// CHECK:        float sum = 0.0f;
// CHECK-NEXT:   float kept[16];
// CHECK:          const float exp_1 = expf(in0_2 - largest);
// CHECK-NEXT:     sum = sum + exp_1;
// CHECK-NEXT:     kept[step_2 * 4 + lane_1] = exp_1;
// CHECK:        __syncthreads();
// CHECK:          out_v[lane_2] = kept_1 * (1.0f / sum);
// CHECK:        store(out + (block * 4096 + (element + step_3 * 1024)), out_v);
func.func @main(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = tandem.softmax %x axis = 1 : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

//--- layer_norm.mlir
// A warp a row of halves; one kernel, which reads each element once.

// CHECK: __global__ void kernel_0(
// CHECK: const int row = block * 8 + thread / 32;
// CHECK: in0_row[step] = load<8>(in0 + (row * 1024 +
// CHECK-NOT: load<8>(in0
// CHECK-NOT: __syncthreads
// CHECK: load<8>(in1 +
// CHECK: store(out + (row * 1024 +
func.func @main(%x: tensor<4096x1024xf16>, %g: tensor<1024xf16>)
    -> tensor<4096x1024xf16> {
  %m = tandem.reduce %x kind = mean dims = [1] keep_dims
      : (tensor<4096x1024xf16>) -> tensor<4096x1xf16>
  %c = tandem.sub %x, %m
      : (tensor<4096x1024xf16>, tensor<4096x1xf16>) -> tensor<4096x1024xf16>
  %s = tandem.mul %c, %c : tensor<4096x1024xf16>
  %v = tandem.reduce %s kind = mean dims = [1] keep_dims
      : (tensor<4096x1024xf16>) -> tensor<4096x1xf16>
  %r = tandem.rsqrt %v : tensor<4096x1xf16>
  %n = tandem.mul %c, %r
      : (tensor<4096x1024xf16>, tensor<4096x1xf16>) -> tensor<4096x1024xf16>
  %o = tandem.mul %n, %g
      : (tensor<4096x1024xf16>, tensor<1024xf16>) -> tensor<4096x1024xf16>
  return %o : tensor<4096x1024xf16>
}

//--- columns.mlir
// Lanes side by side; the groups of a block share the rows.

// CHECK: extern "C" __launch_bounds__(1024) __global__ void kernel_0(
// CHECK: const int column =
// CHECK: const bool is_inside = column < 1000;
// CHECK: if (is_inside) {
// CHECK:   #pragma unroll 4
// CHECK:   for (int row = {{.*}}; row < 60; row +=
// CHECK: __shared__ float sum_of[1024];
// CHECK: __syncthreads();
// CHECK: out[column] =
func.func @main(%x: tensor<60x1000xf32>) -> tensor<1000xf32> {
  %0 = tandem.reduce %x kind = sum dims = [0]
      : (tensor<60x1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

//--- long.mlir
// A row that no block's registers hold is read by each stage, and what stages
// share is computed again.

// CHECK-NOT: _row
// CHECK: for (int element = {{.*}}; element < 1000000; element += 4096) {
// CHECK: for (int element_1 = {{.*}}; element_1 < 1000000; element_1 += 4096) {
// CHECK: expf
// CHECK: for (int element_2 = {{.*}}; element_2 < 1000000; element_2 += 4096) {
// CHECK: expf
func.func @main(%x: tensor<1056x1000000xf32>) -> tensor<1056x1000000xf32> {
  %0 = tandem.softmax %x axis = 1 : tensor<1056x1000000xf32>
  return %0 : tensor<1056x1000000xf32>
}
