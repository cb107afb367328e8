// Windows that compute the largest element, or the mean with or without the
// padding.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[3,1,4,1,5,9,2,6,5,3,5,8,9,7,9,3]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<1x4x4x1xf32>) -> (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>) {
  %max = tandem.max_pool %x layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32>
  %mean = tandem.avg_pool %x layout = "NHWC" window = [3, 3] strides = [2, 2]
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32>
  %padded = tandem.avg_pool %x count_include_pad layout = "NHWC" window = [3, 3]
      strides = [2, 2] pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32>
  return %max, %mean, %padded : tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>
}

// CHECK: output 0: tensor<1x2x2x1xf32>
// CHECK-NEXT{LITERAL}: [[[[9],
// CHECK-NEXT:    [6]],
// CHECK-NEXT{LITERAL}:   [[9],
// CHECK-NEXT:    [9]]]]
// CHECK-NEXT: output 1: tensor<1x2x2x1xf32>
// CHECK-NEXT{LITERAL}: [[[[4.5],
// CHECK-NEXT:    [3.8333]],
// CHECK-NEXT{LITERAL}:   [[6.3333],
// CHECK-NEXT:    [5.7778]]]]
// CHECK-NEXT: output 2: tensor<1x2x2x1xf32>
// CHECK-NEXT{LITERAL}: [[[[2],
// CHECK-NEXT:    [2.5556]],
// CHECK-NEXT{LITERAL}:   [[4.2222],
// CHECK-NEXT:    [5.7778]]]]
