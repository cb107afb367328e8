// Weights that do not fit in the second-level cache and are used by few
// positions. Products of rows of weights are added to sums in memory. The cases
// are a bias and functions in the epilogue, outputs that do not fill a vector,
// inputs that do not fill a pass, several parts of a row, bf16, and data that
// the kernel computes.

// RUN: tandem-run %s --check --no-fallback --target-option=contractions=generated --threads=1 | FileCheck %s
// RUN: tandem-run %s --check --no-fallback --target-option=contractions=generated --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=-avx512f tandem-run %s --check --no-fallback --target-option=contractions=generated | FileCheck %s
// CHECK: compiled {{.*}}0: {{.*}} ok
// CHECK: compiled {{.*}}1: {{.*}} ok
// CHECK: compiled {{.*}}2: {{.*}} ok
// CHECK: compiled {{.*}}3: {{.*}} ok

func.func @main(%x: tensor<1x203xf32>, %w: tensor<203x1001xf32>, %b: tensor<1001xf32>,
                %y: tensor<3x131xbf16>, %v: tensor<131x2056xbf16>,
                %z: tensor<2x65x1xf32>, %u: tensor<65x8205xf32>,
                %a: tensor<2x1x300xf32>, %t: tensor<300x600xf32>)
    -> (tensor<1x1001xf32>, tensor<3x2056xbf16>, tensor<2x1x8205xf32>, tensor<2x1x600xf32>) {
  %0 = tandem.matmul %x, %w : (tensor<1x203xf32>, tensor<203x1001xf32>) -> tensor<1x1001xf32>
  %1 = tandem.add %0, %b : (tensor<1x1001xf32>, tensor<1001xf32>) -> tensor<1x1001xf32>
  %2 = tandem.gelu %1 : tensor<1x1001xf32>
  %3 = tandem.matmul %y, %v : (tensor<3x131xbf16>, tensor<131x2056xbf16>) -> tensor<3x2056xbf16>
  %4 = tandem.matmul %z, %u transpose_lhs : (tensor<2x65x1xf32>, tensor<65x8205xf32>) -> tensor<2x1x8205xf32>
  %5 = tandem.relu %a : tensor<2x1x300xf32>
  %6 = tandem.matmul %5, %t : (tensor<2x1x300xf32>, tensor<300x600xf32>) -> tensor<2x1x600xf32>
  return %2, %3, %4, %6 : tensor<1x1001xf32>, tensor<3x2056xbf16>, tensor<2x1x8205xf32>, tensor<2x1x600xf32>
}
