// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// What has its default value goes unwritten.
// CHECK-LABEL: func @conv
func.func @conv(%x1: tensor<?x100x1xf32>, %w1: tensor<3x1x32xf32>, %b: tensor<32xf32>,
                %x2: tensor<2x4x32x?xf32>, %w2: tensor<8x2x3x3xf32>,
                %x3: tensor<1x8x8x8x2xbf16>, %w3: tensor<2x2x2x2x4xbf16>) {
  // CHECK: tandem.conv %{{.*}}, %{{.*}} layout = <input = "NWC", kernel = "WIO", output = "NWC"> : (tensor<?x100x1xf32>, tensor<3x1x32xf32>) -> tensor<?x98x32xf32>
  %0 = tandem.conv %x1, %w1 layout = <input = "NWC", kernel = "WIO", output = "NWC"> strides = [1] pad_low = [0] pad_high = [0] dilations = [1] groups = 1
      : (tensor<?x100x1xf32>, tensor<3x1x32xf32>) -> tensor<?x98x32xf32>
  // Attributes come in any order; the layouts may differ.
  // CHECK: tandem.conv %{{.*}}, %{{.*}}, %{{.*}} layout = <input = "NWC", kernel = "WIO", output = "NCW"> pad_low = [1] pad_high = [2] dilations = [2] : (tensor<?x100x1xf32>, tensor<3x1x32xf32>, tensor<32xf32>) -> tensor<?x32x99xf32>
  %1 = tandem.conv %x1, %w1, %b layout = <input = "NWC", kernel = "WIO", output = "NCW"> dilations = [2] pad_high = [2] pad_low = [1]
      : (tensor<?x100x1xf32>, tensor<3x1x32xf32>, tensor<32xf32>) -> tensor<?x32x99xf32>
  // CHECK: tandem.conv %{{.*}}, %{{.*}} layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> strides = [2, 1] groups = 2 : (tensor<2x4x32x?xf32>, tensor<8x2x3x3xf32>) -> tensor<2x8x15x?xf32>
  %2 = tandem.conv %x2, %w2 layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> groups = 2 strides = [2, 1]
      : (tensor<2x4x32x?xf32>, tensor<8x2x3x3xf32>) -> tensor<2x8x15x?xf32>
  // CHECK: tandem.conv %{{.*}} layout = <input = "NDHWC", kernel = "DHWIO", output = "NDHWC"> strides = [2, 2, 2] : (tensor<1x8x8x8x2xbf16>, tensor<2x2x2x2x4xbf16>) -> tensor<1x4x4x4x4xbf16>
  %3 = tandem.conv %x3, %w3 layout = <input = "NDHWC", kernel = "DHWIO", output = "NDHWC"> strides = [2, 2, 2]
      : (tensor<1x8x8x8x2xbf16>, tensor<2x2x2x2x4xbf16>) -> tensor<1x4x4x4x4xbf16>
  return
}

// CHECK-LABEL: func @conv_backward_data
func.func @conv_backward_data(%x1: tensor<?x16x50xf32>, %w1: tensor<16x8x4xf32>, %b: tensor<8xf32>,
                              %x2: tensor<1x?x?x6xbf16>, %w2: tensor<3x3x2x6xbf16>) {
  // CHECK: tandem.conv_backward_data %{{.*}}, %{{.*}} layout = <input = "NCW", kernel = "OIW", output = "NCW"> : (tensor<?x16x50xf32>, tensor<16x8x4xf32>) -> tensor<?x8x53xf32>
  %0 = tandem.conv_backward_data %x1, %w1 layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [1] output_padding = [0] groups = 1
      : (tensor<?x16x50xf32>, tensor<16x8x4xf32>) -> tensor<?x8x53xf32>
  // CHECK: tandem.conv_backward_data %{{.*}}, %{{.*}}, %{{.*}} layout = <input = "NCW", kernel = "OIW", output = "NWC"> strides = [2] pad_low = [1] pad_high = [2] dilations = [3] output_padding = [1] : (tensor<?x16x50xf32>, tensor<16x8x4xf32>, tensor<8xf32>) -> tensor<?x106x8xf32>
  %1 = tandem.conv_backward_data %x1, %w1, %b layout = <input = "NCW", kernel = "OIW", output = "NWC"> output_padding = [1] dilations = [3] pad_high = [2] pad_low = [1] strides = [2]
      : (tensor<?x16x50xf32>, tensor<16x8x4xf32>, tensor<8xf32>) -> tensor<?x106x8xf32>
  // CHECK: tandem.conv_backward_data %{{.*}}, %{{.*}} layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> strides = [2, 2] groups = 3 : (tensor<1x?x?x6xbf16>, tensor<3x3x2x6xbf16>) -> tensor<1x?x?x6xbf16>
  %2 = tandem.conv_backward_data %x2, %w2 layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> strides = [2, 2] groups = 3
      : (tensor<1x?x?x6xbf16>, tensor<3x3x2x6xbf16>) -> tensor<1x?x?x6xbf16>
  return
}

// CHECK-LABEL: func @conv_backward_weights
func.func @conv_backward_weights(%x1: tensor<?x16x50xf32>, %g1: tensor<?x8x48xf32>, %g2: tensor<?x22x8xf32>,
                                 %x3: tensor<2x?x9x6xbf16>, %g3: tensor<2x?x4x4xbf16>) {
  // CHECK: tandem.conv_backward_weights %{{.*}}, %{{.*}} layout = <input = "NCW", kernel = "OIW", output = "NCW"> window = [3] : (tensor<?x16x50xf32>, tensor<?x8x48xf32>) -> tensor<8x16x3xf32>
  %0 = tandem.conv_backward_weights %x1, %g1 layout = <input = "NCW", kernel = "OIW", output = "NCW"> window = [3] strides = [1] groups = 1
      : (tensor<?x16x50xf32>, tensor<?x8x48xf32>) -> tensor<8x16x3xf32>
  // CHECK: tandem.conv_backward_weights %{{.*}}, %{{.*}} layout = <input = "NCW", kernel = "WIO", output = "NWC"> window = [4] strides = [2] pad_low = [1] pad_high = [2] dilations = [3] : (tensor<?x16x50xf32>, tensor<?x22x8xf32>) -> tensor<4x16x8xf32>
  %1 = tandem.conv_backward_weights %x1, %g2 layout = <input = "NCW", kernel = "WIO", output = "NWC"> dilations = [3] pad_high = [2] window = [4] pad_low = [1] strides = [2]
      : (tensor<?x16x50xf32>, tensor<?x22x8xf32>) -> tensor<4x16x8xf32>
  // CHECK: tandem.conv_backward_weights %{{.*}}, %{{.*}} layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> window = [2, 3] strides = [2, 2] groups = 2 : (tensor<2x?x9x6xbf16>, tensor<2x?x4x4xbf16>) -> tensor<2x3x3x4xbf16>
  %2 = tandem.conv_backward_weights %x3, %g3 layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> window = [2, 3] strides = [2, 2] groups = 2
      : (tensor<2x?x9x6xbf16>, tensor<2x?x4x4xbf16>) -> tensor<2x3x3x4xbf16>
  return
}

// CHECK-LABEL: func @matmul
func.func @matmul(%a: tensor<?x4x16xf32>, %b: tensor<16x8xf32>, %c: tensor<2x1x8x16xi32>, %d: tensor<3x8x4xi32>) {
  // CHECK: tandem.matmul %{{.*}}, %{{.*}} : (tensor<?x4x16xf32>, tensor<16x8xf32>) -> tensor<?x4x8xf32>
  %0 = tandem.matmul %a, %b : (tensor<?x4x16xf32>, tensor<16x8xf32>) -> tensor<?x4x8xf32>
  // CHECK: tandem.matmul %{{.*}}, %{{.*}} transpose_lhs transpose_rhs : (tensor<16x8xf32>, tensor<?x4x16xf32>) -> tensor<?x8x4xf32>
  %1 = tandem.matmul %b, %a transpose_lhs transpose_rhs : (tensor<16x8xf32>, tensor<?x4x16xf32>) -> tensor<?x8x4xf32>
  // CHECK: tandem.matmul %{{.*}}, %{{.*}} transpose_lhs : (tensor<2x1x8x16xi32>, tensor<3x8x4xi32>) -> tensor<2x3x16x4xi32>
  %2 = tandem.matmul %c, %d transpose_lhs : (tensor<2x1x8x16xi32>, tensor<3x8x4xi32>) -> tensor<2x3x16x4xi32>
  return
}
