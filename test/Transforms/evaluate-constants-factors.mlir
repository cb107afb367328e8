// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-evaluate-constants{keep-factors=true}))' --split-input-file | FileCheck %s
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-evaluate-constants))' --split-input-file | FileCheck %s --check-prefix=NONE

// NONE-NOT: tandem.factors

// Bytes minus a zero point, times scales of blocks of two inputs, the last of
// which has one.
// CHECK-LABEL: func @blocks
// CHECK: tandem.constant {tandem.factors = {inputs = 2 : i64,
// CHECK-SAME{LITERAL}: scales = dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>,
// CHECK-SAME{LITERAL}: values = dense<[[-8, 7, 0], [-1, 1, 2]]> : tensor<2x3xi8>}}
// CHECK-SAME{LITERAL}: dense<[[-8.000000e+00, 7.000000e+00, 0.000000e+00], [-3.000000e+00, 3.000000e+00, 8.000000e+00]]> : tensor<2x3xf32>
// CHECK-NOT: tandem.{{cast|sub|gather|mul}}
func.func @blocks(%x: tensor<1x3xf32>) -> tensor<1x2xf32> {
  %bytes = tandem.constant dense<[[0, 15, 8], [7, 9, 10]]> : tensor<2x3xui8>
  %scales = tandem.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %blocks = tandem.constant dense<[0, 0, 1]> : tensor<3xi64>
  %zero = tandem.constant dense<8.0> : tensor<f32>
  %0 = tandem.cast %bytes : (tensor<2x3xui8>) -> tensor<2x3xf32>
  %1 = tandem.sub %0, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = tandem.gather %scales, %blocks axis = 1 : (tensor<2x2xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  %3 = tandem.mul %1, %2 : tensor<2x3xf32>
  %4 = tandem.matmul %x, %3 transpose_rhs : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
  return %4 : tensor<1x2xf32>
}

// -----

// One scale for all weights of an output, which are the rows here.
// CHECK-LABEL: func @outputs
// CHECK: tandem.factors = {inputs = 2 : i64,
// CHECK-SAME{LITERAL}: scales = dense<[[5.000000e-01, 2.000000e+00, 4.000000e+00]]> : tensor<1x3xf32>,
// CHECK-SAME{LITERAL}: values = dense<[[-128, 127, 0], [1, 2, 3]]> : tensor<2x3xi8>}
func.func @outputs(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %bytes = tandem.constant dense<[[-128, 127, 0], [1, 2, 3]]> : tensor<2x3xi8>
  %scales = tandem.constant dense<[0.5, 2.0, 4.0]> : tensor<3xf32>
  %0 = tandem.cast %bytes : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %1 = tandem.mul %0, %scales : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = tandem.matmul %x, %1 : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

// A single scale is repeated for each output.
// CHECK-LABEL: func @one
// CHECK: tandem.factors = {inputs = 2 : i64, scales = dense<5.000000e-01> : tensor<1x3xf32>
func.func @one(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %bytes = tandem.constant dense<[[-128, 127, 0], [1, 2, 3]]> : tensor<2x3xi8>
  %scale = tandem.constant dense<0.5> : tensor<f32>
  %0 = tandem.cast %bytes : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %1 = tandem.mul %0, %scale : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = tandem.matmul %x, %1 : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

// Differences of more than 8 bits, and of a zero point that is no integer.
// CHECK-LABEL: func @wide
// CHECK-NOT: tandem.factors
func.func @wide(%x: tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %bytes = tandem.constant dense<[[0, 255, 0], [1, 2, 3]]> : tensor<2x3xui8>
  %scales = tandem.constant dense<[0.5, 2.0, 4.0]> : tensor<3xf32>
  %zero = tandem.constant dense<3.0> : tensor<f32>
  %part = tandem.constant dense<127.5> : tensor<f32>
  %0 = tandem.cast %bytes : (tensor<2x3xui8>) -> tensor<2x3xf32>
  %1 = tandem.sub %0, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = tandem.mul %1, %scales : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = tandem.matmul %x, %2 : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %4 = tandem.sub %0, %part : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %5 = tandem.mul %4, %scales : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %6 = tandem.matmul %x, %5 : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %3, %6 : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// Scales of inputs in another order than that of blocks.
// CHECK-LABEL: func @order
// CHECK-NOT: tandem.factors
func.func @order(%x: tensor<1x3xf32>) -> tensor<1x2xf32> {
  %bytes = tandem.constant dense<[[0, 15, 8], [7, 9, 10]]> : tensor<2x3xui8>
  %scales = tandem.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %blocks = tandem.constant dense<[0, 1, 0]> : tensor<3xi64>
  %0 = tandem.cast %bytes : (tensor<2x3xui8>) -> tensor<2x3xf32>
  %1 = tandem.gather %scales, %blocks axis = 1 : (tensor<2x2xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  %2 = tandem.mul %0, %1 : tensor<2x3xf32>
  %3 = tandem.matmul %x, %2 transpose_rhs : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
  return %3 : tensor<1x2xf32>
}
