// A kernel that updates an input writes the result to the memory of the input. It
// is not joined with a kernel that reads this input at other indices.
// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{remarks}))' 2>&1 | FileCheck %s

// CHECK: remark: {{.*}}the kernel could not update its input in place
// CHECK-LABEL: @transposed
// CHECK-COUNT-2: tandem.fusion
// CHECK-NOT: tandem.fusion
func.func @transposed(%w: tensor<64x64xf32>, %g: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32> {tandem.updates = 0}) {
  %t = tandem.transpose %w permutation = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = tandem.exp %t : tensor<64x64xf32>
  %1 = tandem.sub %w, %g : tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Without the update, one kernel reads both operands once.
// CHECK-LABEL: @no_update
// CHECK-COUNT-1: tandem.fusion
// CHECK-NOT: tandem.fusion
func.func @no_update(%w: tensor<64x64xf32>, %g: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %t = tandem.transpose %w permutation = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = tandem.exp %t : tensor<64x64xf32>
  %1 = tandem.sub %w, %g : tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Both kernels read the input at their own index.
// CHECK-LABEL: @in_place
// CHECK-COUNT-1: tandem.fusion
// CHECK-NOT: tandem.fusion
func.func @in_place(%w: tensor<64x64xf32>, %g: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32> {tandem.updates = 0}) {
  %0 = tandem.exp %w : tensor<64x64xf32>
  %1 = tandem.sub %w, %g : tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}
