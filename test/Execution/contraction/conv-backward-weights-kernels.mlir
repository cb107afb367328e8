// Gradients of weights that are computed by generated kernels. The cases are
// sums that are or are not split among images, strides, dilations and padding,
// elements that no window reads, matrix products, and layouts with channels
// first.

// RUN: tandem-run %s --target-option=contractions=generated --check
// RUN: tandem-run %s --target-option=contractions=generated --threads=1 --check
// RUN: tandem-run %s --target-option=contractions=library --check
// RUN: tandem-run %s --func=half --target-option=contractions=generated --check
// RUN: tandem-run %s --func=rest --target-option=contractions=generated --check

// Results do not depend on the number of threads.
// RUN: tandem-run %s --target-option=contractions=generated --tier=compiled --threads=1 --out-dir=%t.1
// RUN: tandem-run %s --target-option=contractions=generated --tier=compiled --threads=2 --out-dir=%t.2
// RUN: tandem-run %s --target-option=contractions=generated --tier=compiled --threads=5 --out-dir=%t.5
// RUN: cmp %t.1/output0.npy %t.2/output0.npy
// RUN: cmp %t.1/output1.npy %t.2/output1.npy
// RUN: cmp %t.1/output2.npy %t.2/output2.npy
// RUN: cmp %t.1/output3.npy %t.2/output3.npy
// RUN: cmp %t.1/output0.npy %t.5/output0.npy
// RUN: cmp %t.1/output1.npy %t.5/output1.npy
// RUN: cmp %t.1/output2.npy %t.5/output2.npy
// RUN: cmp %t.1/output3.npy %t.5/output3.npy

// RUN: tandem-opt %s --until=fuse --target-option=contractions=generated --device-spec=generic | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK-NOT: tandem.conv_backward_weights
// CHECK-LABEL: func.func @half
// CHECK-NOT: tandem.conv_backward_weights
// CHECK-LABEL: func.func @rest
// CHECK-COUNT-2: tandem.conv_backward_weights

func.func @main(%x: tensor<3x29x31x20xf32>, %g: tensor<3x29x31x33xf32>, %s: tensor<3x10x15x33xf32>,
                %xc: tensor<3x20x29x31xf32>, %gc: tensor<3x33x29x31xf32>)
    -> (tensor<3x3x20x33xf32>, tensor<33x20x3x2xf32>, tensor<1x1x20x33xf32>, tensor<33x20x3x3xf32>) {
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      window = [3, 3] pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<3x29x31x20xf32>, tensor<3x29x31x33xf32>) -> tensor<3x3x20x33xf32>
  %1 = tandem.conv_backward_weights %x, %s layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      window = [3, 2] strides = [3, 2] dilations = [1, 3] pad_low = [2, 1] pad_high = [0, 1]
      : (tensor<3x29x31x20xf32>, tensor<3x10x15x33xf32>) -> tensor<33x20x3x2xf32>
  %2 = tandem.conv_backward_weights %x, %g layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> window = [1, 1]
      : (tensor<3x29x31x20xf32>, tensor<3x29x31x33xf32>) -> tensor<1x1x20x33xf32>
  %3 = tandem.conv_backward_weights %xc, %gc layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      window = [3, 3] pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<3x20x29x31xf32>, tensor<3x33x29x31xf32>) -> tensor<33x20x3x3xf32>
  return %0, %1, %2, %3 : tensor<3x3x20x33xf32>, tensor<33x20x3x2xf32>, tensor<1x1x20x33xf32>, tensor<33x20x3x3xf32>
}

func.func @half(%x: tensor<2x40x17xf16>, %g: tensor<2x40x24xf16>, %xb: tensor<2x40x17xbf16>, %gb: tensor<2x40x24xbf16>)
    -> (tensor<5x17x24xf16>, tensor<5x17x24xbf16>) {
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC">
      window = [5] pad_low = [2] pad_high = [2]
      : (tensor<2x40x17xf16>, tensor<2x40x24xf16>) -> tensor<5x17x24xf16>
  %1 = tandem.conv_backward_weights %xb, %gb layout = <input = "NWC", kernel = "WIO", output = "NWC">
      window = [5] pad_low = [2] pad_high = [2]
      : (tensor<2x40x17xbf16>, tensor<2x40x24xbf16>) -> tensor<5x17x24xbf16>
  return %0, %1 : tensor<5x17x24xf16>, tensor<5x17x24xbf16>
}

// Depthwise and f64: not kernels.
func.func @rest(%x: tensor<2x9x9x16xf32>, %g: tensor<2x9x9x16xf32>, %x64: tensor<1x12x3xf64>, %g64: tensor<1x10x4xf64>)
    -> (tensor<3x3x1x16xf32>, tensor<3x3x4xf64>) {
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      window = [3, 3] pad_low = [1, 1] pad_high = [1, 1] groups = 16
      : (tensor<2x9x9x16xf32>, tensor<2x9x9x16xf32>) -> tensor<3x3x1x16xf32>
  %1 = tandem.conv_backward_weights %x64, %g64 layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3]
      : (tensor<1x12x3xf64>, tensor<1x10x4xf64>) -> tensor<3x3x4xf64>
  return %0, %1 : tensor<3x3x1x16xf32>, tensor<3x3x4xf64>
}
