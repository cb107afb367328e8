// Generated convolutions add the bias to the sum of the products. Products of 1/8 are lost, each in its
// own addition, in sums that start from a bias of 2^22, whose neighbors are 1/2 away.

// RUN: %python %S/../Inputs/make-ones.py %t 1x8x8x32 1x32x8x8 1x16x16x32 1x1x1x512
// DEFINE: %{run} = tandem-run %s --print --arg=%t0.npy --arg=%t1.npy --arg=%t2.npy --arg=%t3.npy
// RUN: %{run} --tier=reference | FileCheck %s
// RUN: %{run} --tier=eager | FileCheck %s
// RUN: %{run} --tier=compiled --target-option=contractions=generated | FileCheck %s
// RUN: %{run} --tier=compiled --target-option=contractions=generated --threads=2 | FileCheck %s

// The sums without the bias, of 288, 288, 25 and 512 products. 3.125 is rounded to 3.
// CHECK: output 0
// CHECK-NEXT: {{^\[\[\[\[(36, ){31}36\]}}
// CHECK: output 1
// CHECK-NEXT: {{^\[\[\[\[(36, ){5}36\]}}
// CHECK: output 2
// CHECK-NEXT: {{^\[\[\[\[(3, ){31}3\]}}
// CHECK: output 3
// CHECK-NEXT: {{^\[\[\[\[(64, ){63}64\]}}

func.func @main(%last: tensor<1x8x8x32xf32>, %first: tensor<1x32x8x8xf32>,
                %depthwise: tensor<1x16x16x32xf32>, %one: tensor<1x1x1x512xf32>)
    -> (tensor<1x6x6x32xf32>, tensor<1x32x6x6xf32>, tensor<1x12x12x32xf32>, tensor<1x1x1x64xf32>) {
  %bias = tandem.constant dense<4194304.0> : tensor<32xf32>
  %bias_first = tandem.constant dense<4194304.0> : tensor<32x1x1xf32>
  %bias_one = tandem.constant dense<4194304.0> : tensor<64xf32>
  %k = tandem.constant dense<0.125> : tensor<32x32x3x3xf32>
  %k_depthwise = tandem.constant dense<0.125> : tensor<32x1x5x5xf32>
  %k_one = tandem.constant dense<0.125> : tensor<64x512x1x1xf32>
  %0 = tandem.conv %last, %k layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      : (tensor<1x8x8x32xf32>, tensor<32x32x3x3xf32>) -> tensor<1x6x6x32xf32>
  %1 = tandem.add %0, %bias : (tensor<1x6x6x32xf32>, tensor<32xf32>) -> tensor<1x6x6x32xf32>
  %2 = tandem.conv %first, %k layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x6x6xf32>
  %3 = tandem.add %2, %bias_first
      : (tensor<1x32x6x6xf32>, tensor<32x1x1xf32>) -> tensor<1x32x6x6xf32>
  %4 = tandem.conv %depthwise, %k_depthwise layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      groups = 32 : (tensor<1x16x16x32xf32>, tensor<32x1x5x5xf32>) -> tensor<1x12x12x32xf32>
  %5 = tandem.add %4, %bias : (tensor<1x12x12x32xf32>, tensor<32xf32>) -> tensor<1x12x12x32xf32>
  %6 = tandem.conv %one, %k_one layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      : (tensor<1x1x1x512xf32>, tensor<64x512x1x1xf32>) -> tensor<1x1x1x64xf32>
  %7 = tandem.add %6, %bias_one : (tensor<1x1x1x64xf32>, tensor<64xf32>) -> tensor<1x1x1x64xf32>
  %8 = tandem.sub %1, %bias : (tensor<1x6x6x32xf32>, tensor<32xf32>) -> tensor<1x6x6x32xf32>
  %9 = tandem.sub %3, %bias_first
      : (tensor<1x32x6x6xf32>, tensor<32x1x1xf32>) -> tensor<1x32x6x6xf32>
  %10 = tandem.sub %5, %bias : (tensor<1x12x12x32xf32>, tensor<32xf32>) -> tensor<1x12x12x32xf32>
  %11 = tandem.sub %7, %bias_one : (tensor<1x1x1x64xf32>, tensor<64xf32>) -> tensor<1x1x1x64xf32>
  return %8, %9, %10, %11 : tensor<1x6x6x32xf32>, tensor<1x32x6x6xf32>, tensor<1x12x12x32xf32>, tensor<1x1x1x64xf32>
}
