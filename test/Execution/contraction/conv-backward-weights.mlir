// Gradients of the weights of convolutions: strides, padding, dilation, groups,
// layouts, images. The expected numbers were computed by PyTorch.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[1,2,3,4,5]' '--arg=[1,10,100]' --arg=iota --arg=iota --arg=iota '--arg=[1,10,100,1000,1,2,3,4]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled --target-option=contractions=generated | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled --target-option=contractions=library | FileCheck %s --match-full-lines

func.func @main(%x1: tensor<1x1x5xf32>, %g1: tensor<1x1x3xf32>,
                %x2: tensor<1x3x3x4xf32>, %g2: tensor<1x2x2x2xf32>,
                %x3: tensor<2x2x2x2xf32>, %g3: tensor<2x2x2x1xf32>)
    -> (tensor<1x1x3xf32>, tensor<2x2x2x2xf32>, tensor<1x1x2x1xf32>) {
  %line = tandem.conv_backward_weights %x1, %g1
      layout = <input = "NCW", kernel = "OIW", output = "NCW">
      window = [3] strides = [2] pad_low = [1] pad_high = [2]
      : (tensor<1x1x5xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %grouped = tandem.conv_backward_weights %x2, %g2
      layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      window = [2, 2] groups = 2
      : (tensor<1x3x3x4xf32>, tensor<1x2x2x2xf32>) -> tensor<2x2x2x2xf32>
  %point = tandem.conv_backward_weights %x3, %g3
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> window = [1, 1]
      : (tensor<2x2x2x2xf32>, tensor<2x2x2x1xf32>) -> tensor<1x1x2x1xf32>
  return %line, %grouped, %point : tensor<1x1x3xf32>, tensor<2x2x2x2xf32>, tensor<1x1x2x1xf32>
}

// CHECK: output 0: tensor<1x1x3xf32>
// CHECK-NEXT{LITERAL}: [[[420, 531, 42]]]
// CHECK-NEXT: output 1: tensor<2x2x2x2xf32>
// CHECK-NEXT{LITERAL}: [[[[152, 200],
// CHECK-NEXT:    [296, 344]],
// CHECK-NEXT{LITERAL}:   [[164, 212],
// CHECK-NEXT:    [308, 356]]],
// CHECK-NEXT{LITERAL}:  [[[216, 280],
// CHECK-NEXT:    [408, 472]],
// CHECK-NEXT{LITERAL}:   [[232, 296],
// CHECK-NEXT:    [424, 488]]]]
// CHECK-NEXT: output 2: tensor<1x1x2x1xf32>
// CHECK-NEXT{LITERAL}: [[[[6540],
// CHECK-NEXT:    [7661]]]]
