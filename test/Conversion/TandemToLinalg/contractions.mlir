// RUN: tandem-opt %s --pass-pipeline='builtin.module(builtin.module(func.func(convert-tandem-to-linalg)))' | FileCheck %s

// The contraction stays; its epilogue is one op over its result, whose dims are
// not merged, less those of size 1.
// CHECK: #[[$ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK: #[[$LAST:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: module @epilogue
// CHECK: %[[CONV:.*]] = tandem.conv %{{.*}}, %{{.*}} layout
// CHECK: %[[COLLAPSED:.*]] = tensor.collapse_shape %[[CONV]] {{\[}}[0, 1], [2], [3]]
// CHECK: %[[RESULT:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$LAST]], #[[$ID]], #[[$ID]]]
// CHECK-SAME: ins(%[[COLLAPSED]], %{{.*}}, %{{.*}} :
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: tensor.expand_shape %[[RESULT]]
module @epilogue attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @epilogue(%x: tensor<1x6x6x8xf32>, %w: tensor<3x3x8x16xf32>,
                      %s: tensor<16xf32>, %y: tensor<1x4x4x16xf32>)
      -> tensor<1x4x4x16xf32> {
    %0 = tandem.conv %x, %w
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x6x6x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x4x4x16xf32>
    %1 = tandem.mul %0, %s
        : (tensor<1x4x4x16xf32>, tensor<16xf32>) -> tensor<1x4x4x16xf32>
    %2 = tandem.add %1, %y : tensor<1x4x4x16xf32>
    return %2 : tensor<1x4x4x16xf32>
  }
}

// Nothing is left to do for a contraction by itself, but its constants are in
// memory.
// CHECK-LABEL: module @alone
// CHECK: %[[W:.*]] = arith.constant dense<1.000000e+00> : tensor<8x16xf32>
// CHECK: %[[PRODUCT:.*]] = tandem.matmul %{{.*}}, %[[W]]
// CHECK: return %[[PRODUCT]]
module @alone attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @alone(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
    %w = tandem.constant dense<1.0> : tensor<8x16xf32>
    %0 = tandem.matmul %x, %w
        : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
}

// Inputs are adjacent in both operands: dot products.
// CHECK-LABEL: module @dots
// CHECK: %[[PRODUCT:.*]] = tandem.matmul %{{.*}}, %{{.*}} transpose_rhs
// CHECK: return %[[PRODUCT]]
module @dots attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind contraction>} {
  func.func @dots(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>)
      -> tensor<4x16xf32> {
    %0 = tandem.matmul %x, %w transpose_rhs
        : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
}
