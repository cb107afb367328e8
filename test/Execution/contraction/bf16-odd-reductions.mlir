// Sums of odd numbers of bf16 products, in particular of 63. With more than 64
// rows, and columns that are not a multiple of 16, oneDNN 2.6 stops at an
// illegal instruction on processors with AMX.

// RUN: tandem-run %s --check --no-fallback | FileCheck %s
// RUN: tandem-run %s --check --no-fallback --target-option=contractions=library --threads=2 | FileCheck %s
// CHECK: eager {{.*}}0: {{.*}} ok
// CHECK: eager {{.*}}1: {{.*}} ok
// CHECK: compiled {{.*}}0: {{.*}} ok
// CHECK: compiled {{.*}}1: {{.*}} ok

func.func @main(%x: tensor<3x130x63xbf16>, %y: tensor<63x17xbf16>, %z: tensor<3x63x130xbf16>, %w: tensor<17x63xbf16>)
    -> (tensor<3x130x17xbf16>, tensor<3x130x17xbf16>) {
  %0 = tandem.matmul %x, %y : (tensor<3x130x63xbf16>, tensor<63x17xbf16>) -> tensor<3x130x17xbf16>
  %1 = tandem.matmul %z, %w transpose_lhs transpose_rhs : (tensor<3x63x130xbf16>, tensor<17x63xbf16>) -> tensor<3x130x17xbf16>
  return %0, %1 : tensor<3x130x17xbf16>, tensor<3x130x17xbf16>
}
