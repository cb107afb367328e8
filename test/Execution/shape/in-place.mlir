// Reductions by rows and by columns write their result to the memory of their
// operand if the operand is not used afterwards.

// The memory is that of the CPU's kernels.
// UNSUPPORTED: cuda

// RUN: tandem-run %s --check --json=- | FileCheck %s
// RUN: tandem-run %s --tier=compiled --program \
// RUN:   | FileCheck %s --check-prefix=PROGRAM

// CHECK: compiled {{.*}} ok
// One value of 15 KiB, and the output.
// CHECK: "planned_peak_bytes":30720

// The product is the library's or a kernel, as vectors are wide.
// PROGRAM: %[[X:[0-9]+]] = {{matmul|kernel @kernel_0}}(%0, %1) : tensor<60x64xf32> at 0
// PROGRAM: = kernel @kernel_{{[01]}}(%[[X]]) : tensor<60x64xf32> at 0

func.func @main(%q: tensor<60x48xf32>, %k: tensor<64x48xf32>,
                %v: tensor<64x64xf32>) -> tensor<60x64xf32> {
  %0 = tandem.matmul %q, %k transpose_rhs
      : (tensor<60x48xf32>, tensor<64x48xf32>) -> tensor<60x64xf32>
  %1 = tandem.softmax %0 axis = 1 : tensor<60x64xf32>
  %2 = tandem.matmul %1, %v
      : (tensor<60x64xf32>, tensor<64x64xf32>) -> tensor<60x64xf32>
  %3 = tandem.softmax %2 axis = 0 : tensor<60x64xf32>
  return %3 : tensor<60x64xf32>
}
