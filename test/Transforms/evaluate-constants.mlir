// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-evaluate-constants))' --split-input-file | FileCheck %s

// A table of an attention's biases, and a chain on it: one constant.
// CHECK-LABEL: func @bias
// CHECK-NOT: tandem.{{gather|transpose|reshape|iota}}
// CHECK: %[[BIAS:.*]] = tandem.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
// CHECK-NOT: tandem.{{gather|transpose|reshape|iota}}
// CHECK: %[[SUM:.*]] = tandem.add %arg0, %[[BIAS]]
// CHECK: return %[[SUM]]
func.func @bias(%x: tensor<8x2x3xf32>) -> tensor<8x2x3xf32> {
  %table = tandem.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %indices = tandem.iota axis = 0 : tensor<3xi32>
  %0 = tandem.gather %table, %indices axis = 0 : (tensor<3x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  %1 = tandem.transpose %0 permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = tandem.add %x, %1 : (tensor<8x2x3xf32>, tensor<2x3xf32>) -> tensor<8x2x3xf32>
  return %2 : tensor<8x2x3xf32>
}

// -----

// The scatter is computed; what a kernel computes of few elements where it reads
// them stays.
// CHECK-LABEL: func @mask
// CHECK-DAG: tandem.constant dense<[9.000000e+00, 0.000000e+00, 7.000000e+00, 0.000000e+00, {{.*}}> : tensor<16xf32>
// CHECK-NOT: tandem.{{scatter|reshape}}
// CHECK: %[[DISTANCE:.*]] = tandem.sub
// CHECK: tandem.add %arg0, %[[DISTANCE]]
func.func @mask(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = tandem.constant dense<0.0> : tensor<16xf32>
  %indices = tandem.constant dense<[2, 0]> : tensor<2xi64>
  %updates = tandem.constant dense<[7.0, 9.0]> : tensor<2xf32>
  %0 = tandem.scatter %zero, %indices, %updates axis = 0 kind = replace : (tensor<16xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<16xf32>
  %1 = tandem.reshape %0 shape = [16, 1] : (tensor<16xf32>) -> tensor<16x1xf32>
  %2 = tandem.sub %0, %1 : (tensor<16xf32>, tensor<16x1xf32>) -> tensor<16x16xf32>
  %3 = tandem.add %x, %2 : tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}

// -----

// Both results of an op are constants.
// CHECK-LABEL: func @order
// CHECK-DAG: %[[VALUES:.*]] = tandem.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK-DAG: %[[PLACES:.*]] = tandem.constant dense<[2, 0, 1]> : tensor<3xi64>
// CHECK-NOT: tandem.sort
// CHECK: return %[[VALUES]], %[[PLACES]]
func.func @order() -> (tensor<3xf32>, tensor<3xi64>) {
  %x = tandem.constant dense<[2.0, 3.0, 1.0]> : tensor<3xf32>
  %values, %places = tandem.sort %x axis = 0 : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %values, %places : tensor<3xf32>, tensor<3xi64>
}

// -----

// Dequantized weights have more bytes than those that are stored. A contraction
// reads them from memory all the same; the sum computes them where it reads them.
// CHECK-LABEL: func @weights
// CHECK: %[[W:.*]] = tandem.constant dense<5.000000e-01> : tensor<64x64xf32>
// CHECK: tandem.matmul %arg0, %[[W]]
// CHECK-LABEL: func @summand
// CHECK: tandem.cast
// CHECK: tandem.mul
// CHECK: tandem.add %arg0
func.func @weights(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %stored = tandem.constant dense<2> : tensor<64x64xi8>
  %scale = tandem.constant dense<0.25> : tensor<f32>
  %0 = tandem.cast %stored : (tensor<64x64xi8>) -> tensor<64x64xf32>
  %1 = tandem.mul %0, %scale : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %2 = tandem.matmul %x, %1 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
func.func @summand(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %stored = tandem.constant dense<2> : tensor<64x64xi8>
  %scale = tandem.constant dense<0.25> : tensor<f32>
  %0 = tandem.cast %stored : (tensor<64x64xi8>) -> tensor<64x64xf32>
  %1 = tandem.mul %0, %scale : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %2 = tandem.add %x, %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// An outer product is hardly more work than writing it.
// CHECK-LABEL: func @outer_product
// CHECK: tandem.matmul
func.func @outer_product(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %column = tandem.iota axis = 0 : tensor<64x1xf32>
  %row = tandem.iota axis = 1 : tensor<1x64xf32>
  %0 = tandem.matmul %column, %row : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = tandem.add %x, %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

// CHECK-LABEL: func @product
// CHECK: tandem.constant dense<{{\[\[}}0.000000e+00, 0.000000e+00], [2.016000e+03, 2.016000e+03]]> : tensor<2x2xf32>
// CHECK-NOT: tandem.matmul
func.func @product() -> tensor<2x2xf32> {
  %a = tandem.iota axis = 0 : tensor<2x64xf32>
  %b = tandem.iota axis = 0 : tensor<64x2xf32>
  %0 = tandem.matmul %a, %b : (tensor<2x64xf32>, tensor<64x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// Many elements are a resource, truth values too.
// CHECK-LABEL: func @truth
// CHECK: tandem.constant dense_resource<{{.*}}> : tensor<70000xi1>
// CHECK-NOT: tandem.{{gather|compare}}
func.func @truth() -> tensor<70000xi1> {
  %table = tandem.constant dense<[3.0, 5.0]> : tensor<2xf32>
  %four = tandem.constant dense<4.0> : tensor<f32>
  %indices = tandem.iota axis = 0 : tensor<70000xi32>
  %0 = tandem.gather %table, %indices axis = 0 : (tensor<2xf32>, tensor<70000xi32>) -> tensor<70000xf32>
  %1 = tandem.compare %0, %four predicate = ge : (tensor<70000xf32>, tensor<f32>) -> tensor<70000xi1>
  return %1 : tensor<70000xi1>
}

// -----

// What nobody can run stays, and what depends on it.
// CHECK-LABEL: func @custom
// CHECK: tandem.custom_call
// CHECK: tandem.neg
func.func @custom() -> tensor<4xf32> {
  %x = tandem.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = tandem.custom_call "mystery"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tandem.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// What is far larger than all that it is made of is not computed here: a kernel
// need not have it in memory.
// CHECK-LABEL: func @large
// CHECK: tandem.iota
// CHECK: tandem.reduce
func.func @large(%x: tensor<f32>) -> tensor<f32> {
  %0 = tandem.iota axis = 0 : tensor<1000000000xf32>
  %1 = tandem.reduce %0 kind = max dims = [0] : (tensor<1000000000xf32>) -> tensor<f32>
  %2 = tandem.add %x, %1 : tensor<f32>
  return %2 : tensor<f32>
}
