// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{contractions=cpu}))' \
// RUN:   | FileCheck %s

// Slices without gaps of an argument are views as op steps. Kernels read the
// views, not the whole argument.
// CHECK-LABEL: func.func @slices_of_arguments
// CHECK: %[[A:.*]] = tandem.slice %arg0 starts = [0]
// CHECK: %[[B:.*]] = tandem.slice %arg0 starts = [64]
// CHECK: tandem.fusion loop ({{.*}} = %[[B]], {{.*}} = %[[A]])
// CHECK-NOT: tandem.slice
// CHECK: return
func.func @slices_of_arguments(%w: tensor<128xf32>) -> tensor<64xf32> {
  %0 = tandem.slice %w starts = [0] limits = [64] strides = [1] : (tensor<128xf32>) -> tensor<64xf32>
  %1 = tandem.slice %w starts = [64] limits = [128] strides = [1] : (tensor<128xf32>) -> tensor<64xf32>
  %2 = tandem.exp %1 : tensor<64xf32>
  %3 = tandem.mul %0, %2 : tensor<64xf32>
  return %3 : tensor<64xf32>
}

// -----

// The bytes of the first slice do not begin at a multiple of 64, those of the
// second have gaps, and those of the third are computed in a loop, which then
// computes what is needed alone.
// CHECK-LABEL: func.func @other_slices
// CHECK-NEXT: tandem.fusion loop
// CHECK-NEXT: tandem.exp
// CHECK-NEXT: tandem.slice
// CHECK-NEXT: tandem.slice
// CHECK-NEXT: tandem.reshape
// CHECK-NEXT: tandem.slice
// CHECK: tandem.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @other_slices(%w: tensor<64xf32>, %x: tensor<4x32xf32>) -> tensor<4x8xf32> {
  %0 = tandem.exp %w : tensor<64xf32>
  %1 = tandem.slice %0 starts = [32] limits = [64] strides = [1] : (tensor<64xf32>) -> tensor<32xf32>
  %2 = tandem.slice %x starts = [0, 8] limits = [4, 16] strides = [1, 1] : (tensor<4x32xf32>) -> tensor<4x8xf32>
  %3 = tandem.reshape %1 shape = [4, 8] : (tensor<32xf32>) -> tensor<4x8xf32>
  %4 = tandem.slice %w starts = [8] limits = [16] strides = [1] : (tensor<64xf32>) -> tensor<8xf32>
  %5 = tandem.add %2, %3 : tensor<4x8xf32>
  %6 = tandem.add %5, %4 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// -----

// Products are computed at their places in the concat, which one kernel reads.
// CHECK-LABEL: func.func @concat_of_gradients
// CHECK: %[[G:.*]] = tandem.concat
// CHECK-NEXT: tandem.fusion loop ({{.*}}%[[G]]{{.*}}) : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
// CHECK: tandem.mul
// CHECK-NEXT: tandem.sub
// CHECK-NEXT: tandem.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @concat_of_gradients(%x: tensor<64x128xf32>, %y: tensor<64x32xf32>, %w: tensor<8192xf32>)
    -> tensor<8192xf32> {
  %0 = tandem.matmul %x, %y transpose_lhs : (tensor<64x128xf32>, tensor<64x32xf32>) -> tensor<128x32xf32>
  %1 = tandem.matmul %y, %x transpose_lhs : (tensor<64x32xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %2 = tandem.reshape %0 shape = [4096] : (tensor<128x32xf32>) -> tensor<4096xf32>
  %3 = tandem.reshape %1 shape = [4096] : (tensor<32x128xf32>) -> tensor<4096xf32>
  %4 = tandem.concat %2, %3 axis = 0 : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<8192xf32>
  %rate = tandem.constant dense<0.125> : tensor<f32>
  %5 = tandem.mul %4, %rate : (tensor<8192xf32>, tensor<f32>) -> tensor<8192xf32>
  %6 = tandem.sub %w, %5 : tensor<8192xf32>
  return %6 : tensor<8192xf32>
}

// -----

// A loop chooses among arguments, which a step would copy.
// CHECK-LABEL: func.func @concat_of_arguments
// CHECK-NEXT: tandem.fusion loop
// CHECK-NEXT: tandem.concat
// CHECK-NEXT: tandem.exp
func.func @concat_of_arguments(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<128xf32> {
  %0 = tandem.concat %x, %y axis = 0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %1 = tandem.exp %0 : tensor<128xf32>
  return %1 : tensor<128xf32>
}
