// RUN: tandem-opt %s --tandem-expand-math='avx512=true vbmi=true shuffled-bytes=64' | FileCheck %s --check-prefix=VBMI
// RUN: tandem-opt %s --tandem-expand-math='avx512=true shuffled-bytes=64' | FileCheck %s --check-prefix=WIDE
// RUN: tandem-opt %s --tandem-expand-math='shuffled-bytes=32' | FileCheck %s --check-prefix=NARROW
// RUN: tandem-opt %s --tandem-expand-math | FileCheck %s --check-prefix=LOADS

// RUN: not tandem-opt %s --tandem-expand-math='shuffled-bytes=48' 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: shuffled-bytes is 0, 32 or 64, not 48

// Two instructions find the bytes in the two halves of the table. Else, four or
// eight registers hold the table, in each of which all bytes are looked for.
// Without such instructions, each byte takes a load.

// VBMI-LABEL: llvm.func @sixteen
// VBMI-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"
// VBMI-NOT: pshuf
// VBMI: llvm.return
// WIDE-LABEL: llvm.func @sixteen
// WIDE-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"
// WIDE-NOT: pshuf
// WIDE: llvm.return
// NARROW-LABEL: llvm.func @sixteen
// NARROW-COUNT-8: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
// NARROW-NOT: pshuf
// NARROW: llvm.return
// LOADS-LABEL: llvm.func @sixteen
// LOADS-COUNT-16: llvm.load {{.*}} -> i8
// LOADS-NOT: llvm.load
// LOADS: llvm.return
llvm.func @sixteen(%table: !llvm.ptr, %bytes: vector<16xi8>) -> vector<16xi8> {
  %0 = tandem_cpu.look_up_bytes %table, %bytes : !llvm.ptr, vector<16xi8>
  llvm.return %0 : vector<16xi8>
}

// Bytes of four lanes, each of which is looked for in all parts of the table.

// WIDE-LABEL: llvm.func @sixty_four
// WIDE-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"
// WIDE: llvm.return
llvm.func @sixty_four(%table: !llvm.ptr, %bytes: vector<64xi8>) -> vector<64xi8> {
  %0 = tandem_cpu.look_up_bytes %table, %bytes : !llvm.ptr, vector<64xi8>
  llvm.return %0 : vector<64xi8>
}

// For a few bytes, loads take fewer instructions: a shift and a load for each
// byte of a scalar. Registers of 64 bytes are four for a table, and not eight.

// WIDE-LABEL: llvm.func @eight
// WIDE-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"
// WIDE: llvm.return
// NARROW-LABEL: llvm.func @eight
// NARROW: llvm.bitcast %{{.*}} : vector<8xi8> to i64
// NARROW-COUNT-8: llvm.load {{.*}} -> i8
// NARROW-NOT: pshuf
// NARROW: llvm.return
llvm.func @eight(%table: !llvm.ptr, %bytes: vector<8xi8>) -> vector<8xi8> {
  %0 = tandem_cpu.look_up_bytes %table, %bytes : !llvm.ptr, vector<8xi8>
  llvm.return %0 : vector<8xi8>
}

// WIDE-LABEL: llvm.func @four
// WIDE-COUNT-4: llvm.load {{.*}} -> i8
// WIDE-NOT: pshuf
// WIDE: llvm.return
llvm.func @four(%table: !llvm.ptr, %bytes: vector<4xi8>) -> vector<4xi8> {
  %0 = tandem_cpu.look_up_bytes %table, %bytes : !llvm.ptr, vector<4xi8>
  llvm.return %0 : vector<4xi8>
}
