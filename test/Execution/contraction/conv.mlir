// Convolutions: bias, strides, padding, dilation, groups, layouts.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[1,2,3,4,5,6,7,8]' \
// DEFINE:   '--arg=[1,0,-1,2,0,1]' \
// DEFINE:   '--arg=[0.5]' \
// DEFINE:   --arg=iota \
// DEFINE:   --arg=iota \
// DEFINE:   --arg=iota \
// DEFINE:   '--arg=[1,-1,2,3]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x1: tensor<1x4x2xf32>, %k1: tensor<3x2x1xf32>, %bias: tensor<1xf32>,
                %x2: tensor<1x5x5x1xf32>, %k2: tensor<2x2x1x2xf32>,
                %x3: tensor<1x2x3x2xf32>, %k3: tensor<1x1x1x4xf32>) -> (tensor<1x4x1xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x4xf32>) {
  %line = tandem.conv %x1, %k1, %bias
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      pad_low = [1] pad_high = [1]
      : (tensor<1x4x2xf32>, tensor<3x2x1xf32>, tensor<1xf32>) -> tensor<1x4x1xf32>
  %plane = tandem.conv %x2, %k2
      layout = <input = "NHWC", kernel = "HWIO", output = "NCHW">
      strides = [2, 2] pad_low = [1, 0] pad_high = [0, 1] dilations = [1, 2]
      : (tensor<1x5x5x1xf32>, tensor<2x2x1x2xf32>) -> tensor<1x2x3x2xf32>
  %depthwise = tandem.conv %x3, %k3
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> groups = 2
      : (tensor<1x2x3x2xf32>, tensor<1x1x1x4xf32>) -> tensor<1x2x3x4xf32>
  return %line, %plane, %depthwise : tensor<1x4x1xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x4xf32>
}

// CHECK: output 0: tensor<1x4x1xf32>
// CHECK-NEXT{LITERAL}: [[[7.5],
// CHECK-NEXT:   [12.5],
// CHECK-NEXT:   [18.5],
// CHECK-NEXT:   [14.5]]]
// CHECK-NEXT: output 1: tensor<1x2x3x2xf32>
// CHECK-NEXT{LITERAL}: [[[[12, 32],
// CHECK-NEXT:    [126, 150],
// CHECK-NEXT:    [246, 270]],
// CHECK-NEXT{LITERAL}:   [[14, 38],
// CHECK-NEXT:    [160, 192],
// CHECK-NEXT:    [320, 352]]]]
// CHECK-NEXT: output 2: tensor<1x2x3x4xf32>
// CHECK-NEXT{LITERAL}: [[[[0, 0, 2, 3],
// CHECK-NEXT:    [2, -2, 6, 9],
// CHECK-NEXT:    [4, -4, 10, 15]],
// CHECK-NEXT{LITERAL}:   [[6, -6, 14, 21],
// CHECK-NEXT:    [8, -8, 18, 27],
// CHECK-NEXT:    [10, -10, 22, 33]]]]
