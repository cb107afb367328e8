// Transposed convolutions: strides, padding, dilation, groups, bias and
// layouts. The expected numbers were computed by PyTorch.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[1,2,3,4]' '--arg=[1,10,100]' '--arg=[0.5]' --arg=iota --arg=iota '--arg=[1,2,3,4]' --arg=iota
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x1: tensor<1x1x4xf32>, %k1: tensor<1x1x3xf32>, %b1: tensor<1xf32>,
                %x2: tensor<1x2x2x2xf32>, %k2: tensor<2x2x2x2xf32>, %b2: tensor<4xf32>,
                %k3: tensor<2x1x3x3xf32>)
    -> (tensor<1x1x8xf32>, tensor<1x1x13xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x1xf32>) {
  %line = tandem.conv_backward_data %x1, %k1
      layout = <input = "NCW", kernel = "OIW", output = "NCW">
      strides = [2] pad_low = [1] pad_high = [1] output_padding = [1]
      : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x8xf32>
  %dilated = tandem.conv_backward_data %x1, %k1, %b1
      layout = <input = "NCW", kernel = "OIW", output = "NCW">
      strides = [2] dilations = [3]
      : (tensor<1x1x4xf32>, tensor<1x1x3xf32>, tensor<1xf32>) -> tensor<1x1x13xf32>
  %grouped = tandem.conv_backward_data %x2, %k2, %b2
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2] groups = 2
      : (tensor<1x2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  %last = tandem.conv_backward_data %x2, %k3
      layout = <input = "NCHW", kernel = "OIHW", output = "NHWC">
      strides = [2, 2] pad_low = [1, 1] pad_high = [1, 1] output_padding = [1, 1]
      : (tensor<1x2x2x2xf32>, tensor<2x1x3x3xf32>) -> tensor<1x4x4x1xf32>
  return %line, %dilated, %grouped, %last : tensor<1x1x8xf32>, tensor<1x1x13xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x1xf32>
}

// CHECK: output 0: tensor<1x1x8xf32>
// CHECK-NEXT{LITERAL}: [[[10, 102, 20, 203, 30, 304, 40, 400]]]
// CHECK-NEXT: output 1: tensor<1x1x13xf32>
// CHECK-NEXT{LITERAL}: [[[1.5, 0.5, 2.5, 10.5, 3.5, 20.5, 104.5, 30.5, 200.5, 40.5, 300.5, 0.5, 400.5]]]
// CHECK-NEXT: output 2: tensor<1x4x4x4xf32>
// CHECK-NEXT{LITERAL}: [[[[1, 1, 1, 2],
// CHECK-NEXT:    [1, 1, 3, 4],
// CHECK-NEXT:    [1, 3, 1, 4],
// CHECK-NEXT:    [5, 7, 7, 10]],
// CHECK-NEXT{LITERAL}:   [[2, 2, 6, 7],
// CHECK-NEXT:    [2, 2, 8, 9],
// CHECK-NEXT:    [10, 12, 14, 17],
// CHECK-NEXT:    [14, 16, 20, 23]],
// CHECK-NEXT{LITERAL}:   [[35, 39, 43, 48],
// CHECK-NEXT:    [43, 47, 53, 58],
// CHECK-NEXT:    [51, 57, 59, 66],
// CHECK-NEXT:    [63, 69, 73, 80]],
// CHECK-NEXT{LITERAL}:   [[52, 56, 64, 69],
// CHECK-NEXT:    [60, 64, 74, 79],
// CHECK-NEXT:    [76, 82, 88, 95],
// CHECK-NEXT:    [88, 94, 102, 109]]]]
// CHECK-NEXT: output 3: tensor<1x4x4x1xf32>
// CHECK-NEXT{LITERAL}: [[[[52],
// CHECK-NEXT:    [119],
// CHECK-NEXT:    [69],
// CHECK-NEXT:    [75]],
