// Weights that are not packed are multiplied by dot products, which sum the
// lanes of a vector for each element. This pays for few positions or many
// inputs.

// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions))' | FileCheck %s

// CHECK-LABEL: func.func @one
// CHECK: tandem.matmul
// CHECK-NOT: tandem.library
func.func @one(%x: tensor<1x4096xf32>, %w: tensor<512x4096xf32>)
    -> tensor<1x512xf32> {
  %0 = tandem.matmul %x, %w transpose_rhs
      : (tensor<1x4096xf32>, tensor<512x4096xf32>) -> tensor<1x512xf32>
  return %0 : tensor<1x512xf32>
}

// CHECK-LABEL: func.func @few_inputs
// CHECK: tandem.matmul {{.*}}tandem.library
func.func @few_inputs(%x: tensor<120x64xf32>, %w: tensor<256x64xf32>)
    -> tensor<120x256xf32> {
  %0 = tandem.matmul %x, %w transpose_rhs
      : (tensor<120x64xf32>, tensor<256x64xf32>) -> tensor<120x256xf32>
  return %0 : tensor<120x256xf32>
}
