// Products of bytes become products that cuBLASLt supports: both operands are
// i8, and the inputs of each output are adjacent in the weights. The data of
// convolutions becomes i8 for cuDNN.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-cuda-fit-bytes))' | FileCheck %s

// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: %[[X:.*]]: tensor<3x260xui8>
// CHECK: %[[W:.*]] = tandem.constant dense<-3> : tensor<8x260xi8>
// CHECK-NEXT: %[[UPPER:.*]] = tandem.constant dense<128> : tensor<ui8>
// CHECK-NEXT: %[[FLIPPED:.*]] = tandem.bitwise_xor %[[X]], %[[UPPER]]
// CHECK-NEXT: %[[SIGNED:.*]] = tandem.bitcast %[[FLIPPED]] : (tensor<3x260xui8>) -> tensor<3x260xi8>
// 128 * 260 * -3
// CHECK-NEXT: %[[SUMS:.*]] = tandem.constant dense<-99840> : tensor<1x8xi32>
// CHECK: %[[P:.*]] = tandem.matmul %[[SIGNED]], %[[W]] transpose_rhs widen
// CHECK: %[[R:.*]] = tandem.add %[[P]], %[[SUMS]]
// CHECK: return %[[R]]
func.func @unsigned(%x: tensor<3x260xui8>) -> tensor<3x8xi32> {
  %w = tandem.constant dense<-3> : tensor<260x8xi8>
  %0 = tandem.matmul %x, %w widen
      : (tensor<3x260xui8>, tensor<260x8xi8>) -> tensor<3x8xi32>
  return %0 : tensor<3x8xi32>
}

// -----

// CHECK-LABEL: func.func @signed
// CHECK-SAME: %[[X:.*]]: tensor<2x3x260xi8>
// CHECK: %[[W:.*]] = tandem.constant dense<-3> : tensor<8x260xi8>
// CHECK-NEXT: %[[P:.*]] = tandem.matmul %[[X]], %[[W]] transpose_rhs widen
// CHECK-NEXT: return %[[P]]
func.func @signed(%x: tensor<2x3x260xi8>) -> tensor<2x3x8xi32> {
  %w = tandem.constant dense<-3> : tensor<260x8xi8>
  %0 = tandem.matmul %x, %w widen
      : (tensor<2x3x260xi8>, tensor<260x8xi8>) -> tensor<2x3x8xi32>
  return %0 : tensor<2x3x8xi32>
}

// -----

// A kernel computes few products. cuBLASLt does not have the other ones: an odd
// depth, ten outputs, a transposed left operand, and sums that may overflow.
// CHECK-LABEL: func.func @others
// CHECK-NOT: transpose_rhs
// CHECK-NOT: bitwise_xor
func.func @others(%a: tensor<3x4xui8>, %b: tensor<3x261xui8>,
                  %c: tensor<260x3xui8>, %d: tensor<3x131072xui8>,
                  %e: tensor<3x260xui8>, %w: tensor<260x8xi8>)
    -> (tensor<3x4xi32>, tensor<3x8xi32>, tensor<3x10xi32>, tensor<3x8xi32>,
        tensor<3x8xi32>, tensor<3x8xi32>) {
  %u = tandem.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 8, 7, 6],
                              [5, 4, 3, 2]]> : tensor<4x4xi8>
  %0 = tandem.matmul %a, %u widen
      : (tensor<3x4xui8>, tensor<4x4xi8>) -> tensor<3x4xi32>
  %v = tandem.constant dense<1> : tensor<261x8xi8>
  %1 = tandem.matmul %b, %v widen
      : (tensor<3x261xui8>, tensor<261x8xi8>) -> tensor<3x8xi32>
  %t = tandem.constant dense<1> : tensor<260x10xi8>
  %2 = tandem.matmul %e, %t widen
      : (tensor<3x260xui8>, tensor<260x10xi8>) -> tensor<3x10xi32>
  %s = tandem.constant dense<1> : tensor<260x8xi8>
  %3 = tandem.matmul %c, %s transpose_lhs widen
      : (tensor<260x3xui8>, tensor<260x8xi8>) -> tensor<3x8xi32>
  %r = tandem.constant dense<1> : tensor<131072x8xi8>
  %4 = tandem.matmul %d, %r widen
      : (tensor<3x131072xui8>, tensor<131072x8xi8>) -> tensor<3x8xi32>
  // Weights that are no constant.
  %5 = tandem.matmul %e, %w widen
      : (tensor<3x260xui8>, tensor<260x8xi8>) -> tensor<3x8xi32>
  return %0, %1, %2, %3, %4, %5
      : tensor<3x4xi32>, tensor<3x8xi32>, tensor<3x10xi32>, tensor<3x8xi32>,
        tensor<3x8xi32>, tensor<3x8xi32>
}

// -----

// CHECK-LABEL: func.func @conv
// CHECK-SAME: %[[X:.*]]: tensor<1x40x40x64xui8>
// CHECK: %[[FLIPPED:.*]] = tandem.bitwise_xor %[[X]], %{{.*}}
// CHECK-NEXT: %[[SIGNED:.*]] = tandem.bitcast %[[FLIPPED]] : (tensor<1x40x40x64xui8>) -> tensor<1x40x40x64xi8>
// 128 * 9 * 64 * 2
// CHECK-NEXT: %[[SUMS:.*]] = tandem.constant dense<147456> : tensor<1x1x1x96xi32>
// CHECK: %[[C:.*]] = tandem.conv %[[SIGNED]]
// CHECK: %[[R:.*]] = tandem.add %[[C]], %[[SUMS]]
// CHECK: return %[[R]]
func.func @conv(%x: tensor<1x40x40x64xui8>) -> tensor<1x38x38x96xi32> {
  %w = tandem.constant dense<2> : tensor<96x3x3x64xi8>
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      : (tensor<1x40x40x64xui8>, tensor<96x3x3x64xi8>) -> tensor<1x38x38x96xi32>
  return %0 : tensor<1x38x38x96xi32>
}

// -----

// Padding would be a pass over the data, and cuDNN has no fast engine for
// groups.
// CHECK-LABEL: func.func @other_convs
// CHECK-NOT: bitwise_xor
// CHECK: return
func.func @other_convs(%x: tensor<1x40x40x64xui8>, %y: tensor<1x40x40x64xi8>)
    -> (tensor<1x40x40x96xi32>, tensor<1x38x38x64xi32>,
        tensor<1x38x38x96xi32>) {
  %w = tandem.constant dense<2> : tensor<96x3x3x64xi8>
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x40x40x64xui8>, tensor<96x3x3x64xi8>) -> tensor<1x40x40x96xi32>
  %v = tandem.constant dense<2> : tensor<64x3x3x1xi8>
  %1 = tandem.conv %x, %v
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC"> groups = 64
      : (tensor<1x40x40x64xui8>, tensor<64x3x3x1xi8>) -> tensor<1x38x38x64xi32>
  %2 = tandem.conv %y, %w
      layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      : (tensor<1x40x40x64xi8>, tensor<96x3x3x64xi8>) -> tensor<1x38x38x96xi32>
  return %0, %1, %2
      : tensor<1x40x40x96xi32>, tensor<1x38x38x64xi32>, tensor<1x38x38x96xi32>
}
