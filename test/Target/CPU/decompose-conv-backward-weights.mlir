// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-decompose-conv-backward-weights{how=generated}))' | FileCheck %s
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-decompose-conv-backward-weights))' | FileCheck %s --check-prefix=PREDICT
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-decompose-conv-backward-weights{how=library}))' | FileCheck %s --check-prefix=LIBRARY
// RUN: not tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-decompose-conv-backward-weights{device-spec=pdp11}))' 2>&1 | FileCheck %s --check-prefix=DEVICE

// DEVICE: error: no device 'pdp11' is described; there are host,

// Few positions: the sum is not split.

// CHECK-LABEL: func.func @line
// CHECK: %[[A:.*]] = tandem.reshape %arg0 shape = [1, 4, 28, 64]
// CHECK: %[[B:.*]] = tandem.reshape %arg1 shape = [4, 28, 1, 128]
// CHECK: %[[C:.*]] = tandem.conv %[[A]], %[[B]] layout = <input = "NCHW", kernel = "IHWO", output = "NHWC"> pad_low = [1, 0] pad_high = [1, 0] : {{.*}} -> tensor<1x3x64x128xf32>
// CHECK: tandem.reshape %[[C]] shape = [3, 64, 128]
// LIBRARY-LABEL: func.func @line
// LIBRARY: tandem.conv_backward_weights
func.func @line(%x: tensor<4x28x64xf32>, %g: tensor<4x28x128xf32>) -> tensor<3x64x128xf32> {
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC">
      window = [3] pad_low = [1] pad_high = [1]
      : (tensor<4x28x64xf32>, tensor<4x28x128xf32>) -> tensor<3x64x128xf32>
  return %0 : tensor<3x64x128xf32>
}

// The sum over 4 images of 3136 positions is split among the images, strides and dilations change places, and
// what no window reads is cut off.

// CHECK-LABEL: func.func @plane
// CHECK: tandem.slice %arg0 {{.*}} limits = [4, 112, 112, 16]
// CHECK: tandem.conv {{.*}} layout = <input = "NCDHW", kernel = "IDHWO", output = "NDHWC"> pad_low = [1, 1, 0] dilations = [2, 2, 1] groups = 4 : {{.*}} -> tensor<1x3x3x16x128xf32>
// CHECK: tandem.reshape {{.*}} shape = [3, 3, 16, 4, 32]
// CHECK: tandem.reduce {{.*}} kind = sum dims = [3]
// CHECK: tandem.transpose {{.*}} permutation = [3, 2, 0, 1]
// PREDICT-LABEL: func.func @plane
func.func @plane(%x: tensor<4x113x113x16xf32>, %g: tensor<4x56x56x32xf32>) -> tensor<32x16x3x3xf32> {
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      window = [3, 3] strides = [2, 2] pad_low = [1, 1]
      : (tensor<4x113x113x16xf32>, tensor<4x56x56x32xf32>) -> tensor<32x16x3x3xf32>
  return %0 : tensor<32x16x3x3xf32>
}

// CHECK-LABEL: func.func @product
// CHECK: tandem.reshape %arg0 shape = [6, 523, 64]
// CHECK: tandem.matmul {{.*}} transpose_lhs : {{.*}} -> tensor<6x64x256xf32>
// CHECK: tandem.reduce {{.*}} kind = sum dims = [0]
// CHECK: tandem.reshape {{.*}} shape = [1, 1, 64, 256]
func.func @product(%x: tensor<1x3138x1x64xf32>, %g: tensor<1x3138x1x256xf32>) -> tensor<1x1x64x256xf32> {
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> window = [1, 1]
      : (tensor<1x3138x1x64xf32>, tensor<1x3138x1x256xf32>) -> tensor<1x1x64x256xf32>
  return %0 : tensor<1x1x64x256xf32>
}

// Sums of 16 bits are not split.

// CHECK-LABEL: func.func @half
// CHECK: tandem.conv
// CHECK-NOT: groups
// CHECK-NOT: tandem.reduce
// CHECK: return
func.func @half(%x: tensor<4x56x56x16xf16>, %g: tensor<4x56x56x32xf16>) -> tensor<3x3x16x32xf16> {
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      window = [3, 3] pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<4x56x56x16xf16>, tensor<4x56x56x32xf16>) -> tensor<3x3x16x32xf16>
  return %0 : tensor<3x3x16x32xf16>
}

// Ops that remain: several groups, f64, three spatial dims, no window that reads an element, free dims, no
// elements, a product of operands with channels first, and strided windows of one element.

// CHECK-LABEL: func.func @remains
// CHECK-COUNT-8: tandem.conv_backward_weights
func.func @remains(%x: tensor<1x9x4xf32>, %g: tensor<1x7x4xf32>, %x64: tensor<1x9x4xf64>, %g64: tensor<1x7x4xf64>,
                   %x3: tensor<1x9x9x9x4xf32>, %g3: tensor<1x7x7x7x4xf32>, %g1: tensor<1x1x4xf32>,
                   %xd: tensor<?x9x4xf32>, %gd: tensor<?x7x4xf32>, %x0: tensor<0x9x4xf32>, %g0: tensor<0x7x4xf32>,
                   %xc: tensor<1x4x9xf32>, %g2: tensor<1x5x4xf32>)
    -> (tensor<3x2x4xf32>, tensor<3x4x4xf64>, tensor<3x3x3x4x4xf32>, tensor<2x4x4xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) {
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3] groups = 2
      : (tensor<1x9x4xf32>, tensor<1x7x4xf32>) -> tensor<3x2x4xf32>
  %1 = tandem.conv_backward_weights %x64, %g64 layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3]
      : (tensor<1x9x4xf64>, tensor<1x7x4xf64>) -> tensor<3x4x4xf64>
  %2 = tandem.conv_backward_weights %x3, %g3 layout = <input = "NDHWC", kernel = "DHWIO", output = "NDHWC"> window = [3, 3, 3]
      : (tensor<1x9x9x9x4xf32>, tensor<1x7x7x7x4xf32>) -> tensor<3x3x3x4x4xf32>
  %3 = tandem.conv_backward_weights %x, %g1 layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [2] strides = [12] pad_low = [4]
      : (tensor<1x9x4xf32>, tensor<1x1x4xf32>) -> tensor<2x4x4xf32>
  %4 = tandem.conv_backward_weights %xd, %gd layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3]
      : (tensor<?x9x4xf32>, tensor<?x7x4xf32>) -> tensor<3x4x4xf32>
  %5 = tandem.conv_backward_weights %x0, %g0 layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3]
      : (tensor<0x9x4xf32>, tensor<0x7x4xf32>) -> tensor<3x4x4xf32>
  %6 = tandem.conv_backward_weights %xc, %xc layout = <input = "NCW", kernel = "WIO", output = "NCW"> window = [1]
      : (tensor<1x4x9xf32>, tensor<1x4x9xf32>) -> tensor<1x4x4xf32>
  %7 = tandem.conv_backward_weights %x, %g2 layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [1] strides = [2]
      : (tensor<1x9x4xf32>, tensor<1x5x4xf32>) -> tensor<1x4x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x2x4xf32>, tensor<3x4x4xf64>, tensor<3x3x3x4x4xf32>, tensor<2x4x4xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>
}
