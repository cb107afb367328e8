// RUN: tandem-opt %s --convert-kernel-to-emitc --split-input-file | FileCheck %s

// Comparisons: C's are ordered, != is not; the unordered are negated.

// CHECK-LABEL: emitc.func @compare
// CHECK-SAME: !emitc.opaque<"const float* __restrict__">
// CHECK-SAME: !emitc.opaque<"bool* __restrict__">
// CHECK-SAME: blocks = 1 : i64
// CHECK-SAME: specifiers = ["extern \22C\22", "__global__"]
// CHECK: cmp lt
// CHECK: cmp ge
// CHECK-NEXT: logical_not
// CHECK: cmp ne
func.func @compare(%x: memref<4xf32>, %out: memref<12xi1>)
    attributes {blocks = 1 : i64, threads = 256 : i64} {
  %i = gpu.thread_id x
  %j = gpu.block_id x
  %a = memref.load %x[%i] : memref<4xf32>
  %b = memref.load %x[%j] : memref<4xf32>
  %0 = arith.cmpf olt, %a, %b : f32
  memref.store %0, %out[%i] : memref<12xi1>
  %1 = arith.cmpf ult, %a, %b : f32
  memref.store %1, %out[%j] : memref<12xi1>
  %2 = arith.cmpf une, %a, %b : f32
  memref.store %2, %out[%i] : memref<12xi1>
  return
}

// -----

// Integers wrap, indices do not; unsigned maxima are compared as unsigned.

// CHECK-LABEL: emitc.func @integers
// CHECK-DAG: add %{{.*}}, %{{.*}} : (ui32, ui32) -> ui32
// CHECK-DAG: add %{{.*}}, %{{.*}} : (i32, i32) -> i32
// CHECK-DAG: cmp gt, %{{.*}}, %{{.*}} : (ui32, ui32) -> i1
// CHECK-DAG: call_opaque "max"
// CHECK-DAG: call_opaque "floor_div"
func.func @integers(%x: memref<4xi32>, %out: memref<12xi32>) {
  %i = gpu.thread_id x
  %c3 = arith.constant 3 : index
  %j = arith.addi %i, %c3 overflow<nsw> : index
  %k = arith.floordivsi %j, %c3 : index
  %a = memref.load %x[%i] : memref<4xi32>
  %b = memref.load %x[%k] : memref<4xi32>
  %0 = arith.addi %a, %b : i32
  %1 = arith.maxui %0, %a : i32
  %2 = arith.maxsi %1, %b : i32
  memref.store %2, %out[%j] : memref<12xi32>
  return
}

// -----

// 1 + erf(x), which cancels for x below -1, is erfc(-x). Another sum is itself.

// CHECK-LABEL: emitc.func @gelu
// CHECK-NOT: "erff"
// CHECK: call_opaque "erfcf"
// CHECK: call_opaque "erff"
func.func @gelu(%x: memref<4xf32>, %out: memref<4xf32>) {
  %i = gpu.thread_id x
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = memref.load %x[%i] : memref<4xf32>
  %0 = math.erf %a : f32
  %1 = arith.addf %0, %one : f32
  %2 = math.erf %1 : f32
  %3 = arith.addf %two, %2 : f32
  memref.store %3, %out[%i] : memref<4xf32>
  return
}

// -----

// The half types are declared where they are used, with no header.

// CHECK-NOT: emitc.include
// CHECK: emitc.verbatim {{.*}}struct f16
// CHECK-LABEL: emitc.func @half
// CHECK: call_opaque "widen"
// CHECK: call_opaque "tanhf"
// CHECK: call_opaque "narrow"{{.*}} {template_args = [f16]}
func.func @half(%x: memref<4xf16>, %out: memref<4xf16>) {
  %i = gpu.thread_id x
  %a = memref.load %x[%i] : memref<4xf16>
  %0 = math.tanh %a : f16
  %1 = arith.extf %0 : f16 to f32
  %2 = math.tanh %1 : f32
  %3 = arith.truncf %2 : f32 to f16
  memref.store %3, %out[%i] : memref<4xf16>
  return
}

// -----

// One declaration, ahead of the kernel, and only where it is used.

// CHECK-COUNT-1: emitc.verbatim {{.*}}T maximum(T a, T b)
// CHECK-NOT: minimum
// CHECK-LABEL: emitc.func @maximum
func.func @maximum(%x: memref<4xf32>, %out: memref<4xf32>) {
  %i = gpu.thread_id x
  %a = memref.load %x[%i] : memref<4xf32>
  %zero = arith.constant 0.0 : f32
  %0 = arith.maximumf %a, %zero : f32
  %1 = arith.maximumf %0, %a : f32
  memref.store %1, %out[%i] : memref<4xf32>
  return
}

// -----

// Loops that carry values set variables; short ones are unrolled by nvcc, and
// others as often as they say.

// CHECK-LABEL: emitc.func @loops
// CHECK: %[[SUM:.*]] = "emitc.variable"
// CHECK: verbatim "#pragma unroll"
// CHECK-NEXT: for %{{.*}} =
// CHECK: assign %{{.*}} to %[[SUM]]
// CHECK-NOT: #pragma
// CHECK: for %{{.*}} =
// CHECK: verbatim "#pragma unroll 4"
// CHECK-NEXT: for %{{.*}} =
func.func @loops(%x: memref<1000xf32>, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> f32 {
    %a = memref.load %x[%i] : memref<1000xf32>
    %n = arith.addf %s, %a : f32
    scf.yield %n : f32
  }
  memref.store %0, %out[%c0] : memref<2xf32>
  %1 = scf.for %i = %c0 to %c1000 step %c1 iter_args(%s = %zero) -> f32 {
    %a = memref.load %x[%i] : memref<1000xf32>
    %n = arith.addf %s, %a : f32
    scf.yield %n : f32
  }
  memref.store %1, %out[%c1] : memref<2xf32>
  scf.for %i = %c0 to %c1000 step %c1 {
    memref.store %1, %out[%c1] : memref<2xf32>
  } {unroll = 4 : i64}
  return
}

// -----

// A thread's own memory is a variable or an array; a block's is shared. What
// lanes bring to one another goes through a butterfly.

// CHECK-LABEL: emitc.func @memories
// CHECK: %[[S:.*]] = "emitc.variable"() {{.*}}shared{{.*}} : () -> !emitc.array<8xf32>
// CHECK: %[[V:.*]] = "emitc.variable"() {{.*}} : () -> !emitc.lvalue<f32>
// CHECK: "emitc.variable"() {{.*}} : () -> !emitc.array<2x!emitc.opaque<"pack<float, 4>">>
// CHECK: call_opaque "load"{{.*}}template_args = [4 : i32]
// CHECK: assign %{{.*}} : f32 to %[[V]]
// CHECK: call_opaque "__shfl_xor_sync"
// CHECK: call_opaque "__syncthreads"
// CHECK: subscript %[[S]]
func.func @memories(%x: memref<128xf32>, %out: memref<32xf32>) {
  %shared = memref.alloca() : memref<8xf32, #gpu.address_space<workgroup>>
  %sum = memref.alloca() : memref<f32, #gpu.address_space<private>>
  %vectors = memref.alloca()
      : memref<2xvector<4xf32>, #gpu.address_space<private>>
  %i = gpu.thread_id x
  %c1 = arith.constant 1 : index
  %v = vector.load %x[%i] : memref<128xf32>, vector<4xf32>
  memref.store %v, %vectors[%c1]
      : memref<2xvector<4xf32>, #gpu.address_space<private>>
  %w = memref.load %vectors[%c1]
      : memref<2xvector<4xf32>, #gpu.address_space<private>>
  %0 = vector.extract %w[%i] : f32 from vector<4xf32>
  memref.store %0, %sum[] : memref<f32, #gpu.address_space<private>>
  %1 = memref.load %sum[] : memref<f32, #gpu.address_space<private>>
  %offset = arith.constant 16 : i32
  %width = arith.constant 32 : i32
  %2, %there = gpu.shuffle xor %1, %offset, %width : f32
  gpu.barrier
  memref.store %2, %shared[%c1] : memref<8xf32, #gpu.address_space<workgroup>>
  %3 = memref.load %shared[%c1] : memref<8xf32, #gpu.address_space<workgroup>>
  memref.store %3, %out[%i] : memref<32xf32>
  return
}
