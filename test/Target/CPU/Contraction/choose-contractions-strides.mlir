// With channels first, the data of a 1x1 convolution is already the matrix that
// the library multiplies. With strides, the library must first copy the data
// into a matrix.

// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{device-spec=generic:1}))' | FileCheck %s

// CHECK-LABEL: func.func @matrix
// CHECK: tandem.conv {{.*}}tandem.library
func.func @matrix(%x: tensor<1x256x28x28xf32>) -> tensor<1x32x28x28xf32> {
  %w = tandem.constant dense<0.5> : tensor<32x256x1x1xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x256x28x28xf32>, tensor<32x256x1x1xf32>)
      -> tensor<1x32x28x28xf32>
  return %0 : tensor<1x32x28x28xf32>
}

// CHECK-LABEL: func.func @strided
// CHECK: tandem.conv
// CHECK-NOT: tandem.library
func.func @strided(%x: tensor<1x256x56x56xf32>) -> tensor<1x32x28x28xf32> {
  %w = tandem.constant dense<0.5> : tensor<32x256x1x1xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2]
      : (tensor<1x256x56x56xf32>, tensor<32x256x1x1xf32>)
      -> tensor<1x32x28x28xf32>
  return %0 : tensor<1x32x28x28xf32>
}
