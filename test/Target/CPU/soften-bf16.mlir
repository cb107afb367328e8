// RUN: tandem-opt %s --tandem-cpu-soften-bf16 | FileCheck %s

// Elements are moved as integers; 1.5 is 0x3fc0.

// CHECK-LABEL: func.func @move
// CHECK-NOT: bf16
// CHECK: %[[ONE_HALF:.*]] = arith.constant dense<16320> : vector<8xi16>
// CHECK: %[[LOADED:.*]] = llvm.intr.masked.load {{.*}}, %[[ONE_HALF]] {{.*}} -> vector<8xi16>
// CHECK: arith.select {{.*}}, %[[LOADED]], %[[ONE_HALF]] : vector<8xi1>, vector<8xi16>
// CHECK: llvm.store {{.*}} {alignment = 2 : i64} : vector<8xi16>, !llvm.ptr
// CHECK: return
func.func @move(%p: !llvm.ptr, %mask: vector<8xi1>) {
  %0 = arith.constant dense<1.5> : vector<8xbf16>
  %1 = llvm.intr.masked.load %p, %mask, %0 {alignment = 2 : i32}
      : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  %2 = arith.select %mask, %1, %0 : vector<8xi1>, vector<8xbf16>
  llvm.store %2, %p {alignment = 2 : i64} : vector<8xbf16>, !llvm.ptr
  return
}

// The bits of a value are the value.

// CHECK-LABEL: func.func @branch
// CHECK: %[[BITS:.*]] = scf.if {{.*}} -> (i16)
// CHECK-NOT: arith.bitcast
// CHECK: arith.extui %[[BITS]] : i16 to i32
func.func @branch(%p: !llvm.ptr, %c: i1) -> i32 {
  %zero = arith.constant 0.0 : bf16
  %0 = scf.if %c -> bf16 {
    %1 = llvm.load %p : !llvm.ptr -> bf16
    scf.yield %1 : bf16
  } else {
    scf.yield %zero : bf16
  }
  %2 = arith.bitcast %0 : bf16 to i16
  %3 = arith.extui %2 : i16 to i32
  return %3 : i32
}

// An instruction for bf16 keeps its type.

// CHECK-LABEL: func.func @round
// CHECK: %[[ROUNDED:.*]] = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"({{.*}}) : (vector<16xf32>) -> vector<16xbf16>
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[ROUNDED]] : vector<16xbf16> to vector<16xi16>
// CHECK: llvm.store %[[BITS]], {{.*}} : vector<16xi16>, !llvm.ptr
func.func @round(%p: !llvm.ptr, %x: vector<16xf32>) {
  %0 = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"(%x)
      : (vector<16xf32>) -> vector<16xbf16>
  llvm.store %0, %p : vector<16xbf16>, !llvm.ptr
  return
}

// CHECK-LABEL: func.func @multiply
// CHECK: %[[LOADED:.*]] = llvm.load {{.*}} -> vector<32xi16>
// CHECK: %[[PAIRS:.*]] = llvm.bitcast %[[LOADED]] : vector<32xi16> to vector<32xbf16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.*}}, %[[PAIRS]], %[[PAIRS]])
func.func @multiply(%p: !llvm.ptr, %sum: vector<16xf32>) -> vector<16xf32> {
  %0 = llvm.load %p : !llvm.ptr -> vector<32xbf16>
  %1 = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%sum, %0, %0)
      : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
  return %1 : vector<16xf32>
}
