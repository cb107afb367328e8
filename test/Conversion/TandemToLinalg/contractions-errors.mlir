// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg))' --split-input-file --verify-diagnostics

module @none attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind contraction>} {
  // expected-error @+1 {{is of kind contraction and has none}}
  func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = tandem.neg %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module @two attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @two(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = tandem.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-error @+1 {{is the second contraction of its kernel}}
    %1 = tandem.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}

// -----

// A slice that begins in the middle of a dim has no place in a view.
module @view attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @view(%x: tensor<8x4xf32>, %w: tensor<2x4x16xf32>) -> tensor<8x24xf32> {
    %0 = tandem.transpose %w permutation = [1, 0, 2] : (tensor<2x4x16xf32>) -> tensor<4x2x16xf32>
    %1 = tandem.reshape %0 shape = [4, 32] : (tensor<4x2x16xf32>) -> tensor<4x32xf32>
    %2 = tandem.slice %1 starts = [0, 8] limits = [4, 32] strides = [1, 1] : (tensor<4x32xf32>) -> tensor<4x24xf32>
    // expected-error @+1 {{reads its weights through views with no constant strides}}
    %3 = tandem.matmul %x, %2 : (tensor<8x4xf32>, tensor<4x24xf32>) -> tensor<8x24xf32>
    return %3 : tensor<8x24xf32>
  }
}
