// The CUDA C++ of loop fusions, as a person reads it.

// RUN: split-file %s %t
// RUN: tandem-translate --tandem-to-cuda %t/vector.mlir \
// RUN:   | FileCheck %t/vector.mlir --match-full-lines
// RUN: tandem-translate --tandem-to-cuda %t/dynamic.mlir --shapes=1037,1037 \
// RUN:   | FileCheck %t/dynamic.mlir --match-full-lines
// RUN: tandem-translate --tandem-to-cuda %t/between.mlir \
// RUN:   | FileCheck %t/between.mlir --match-full-lines
// RUN: tandem-translate --tandem-to-cuda %t/wide.mlir \
// RUN:   | FileCheck %t/wide.mlir --match-full-lines

//--- vector.mlir
// A multiple of four: a thread computes four elements, loaded and stored as
// one vector each.

// CHECK: struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) pack {
// CHECK: // Launched with 4 blocks of 256 threads.
// CHECK-NEXT: extern "C" __global__ void kernel_0(const float* __restrict__ in0,
// CHECK-NEXT:                                     const float* __restrict__ in1,
// CHECK-NEXT:                                     float* __restrict__ out) {
// CHECK-NEXT:   const int block = blockIdx.x;
// CHECK-NEXT:   const int thread = threadIdx.x;
// CHECK-NEXT:   const int first = (block * 256 + thread) * 4;
// CHECK-NEXT:   const pack<float, 4> in0_v = load<4>(in0 + first);
// CHECK-NEXT:   const pack<float, 4> in1_v = load<4>(in1 + first);
// CHECK-NEXT:   float out_v[4];
// CHECK-NEXT:   #pragma unroll
// CHECK-NEXT:   for (int lane = 0; lane < 4; lane += 1) {
// CHECK-NEXT:     const float in0_1 = in0_v[lane];
// CHECK-NEXT:     const float in1_1 = in1_v[lane];
// CHECK-NEXT:     out_v[lane] = expf(tanhf(in0_1 * in1_1) - in1_1);
// CHECK-NEXT:   }
// CHECK-NEXT:   store(out + first, out_v);
// CHECK-NEXT: }
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = tandem.mul %x, %y : tensor<64x64xf32>
  %1 = tandem.tanh %0 : tensor<64x64xf32>
  %2 = tandem.sub %1, %y : tensor<64x64xf32>
  %3 = tandem.exp %2 : tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

//--- dynamic.mlir
// Any other size: one element a thread, and a bounds check.

// CHECK-NOT: {{.*}}pack{{.*}}
// CHECK: // Launched with 5 blocks of 256 threads.
// CHECK:   const int i = block * 256 + thread;
// CHECK-NEXT:   if (i < 1037) {
// CHECK-NEXT:     const float in0_1 = in0[i];
// CHECK-NEXT:     const float in1_1 = in1[i];
// CHECK-NEXT:     out[i] = maximum(in0_1 + in1_1, in0_1);
// CHECK-NEXT:   }
func.func @main(%x: tensor<?xf32> {tandem.dims = ["n"]},
                %y: tensor<?xf32> {tandem.dims = ["n"]}) -> tensor<?xf32> {
  %0 = tandem.add %x, %y : tensor<?xf32>
  %1 = tandem.max %0, %x : tensor<?xf32>
  return %1 : tensor<?xf32>
}

//--- between.mlir
// Operands and results are small, but not what an index passes through.

// CHECK:   const long long i = {{.*}}
func.func @main(%x: tensor<7xf32>, %y: tensor<9x1xf32>) -> tensor<9x7xf32> {
  %0 = tandem.broadcast %x shape = [400000000, 7] dims = [1]
      : (tensor<7xf32>) -> tensor<400000000x7xf32>
  %1 = tandem.reshape %0 shape = [2800000000]
      : (tensor<400000000x7xf32>) -> tensor<2800000000xf32>
  %2 = tandem.slice %1 starts = [2799999937] limits = [2800000000] strides = [1]
      : (tensor<2800000000xf32>) -> tensor<63xf32>
  %3 = tandem.reshape %2 shape = [9, 7] : (tensor<63xf32>) -> tensor<9x7xf32>
  %4 = tandem.add %3, %y : (tensor<9x7xf32>, tensor<9x1xf32>) -> tensor<9x7xf32>
  return %4 : tensor<9x7xf32>
}

//--- wide.mlir
// More elements than 32 bits count.

// CHECK:   const long long first = (block * 512ll + thread) * 4ll;
func.func @main(%x: tensor<65536x65536xf32>) -> tensor<65536x65536xf32> {
  %0 = tandem.exp %x : tensor<65536x65536xf32>
  %1 = tandem.neg %0 : tensor<65536x65536xf32>
  return %1 : tensor<65536x65536xf32>
}
