// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(tandem-specialize{shapes=8x4})' | FileCheck %s

// Dims of one name have one size: %y gets its N from %x.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<8x4xf32> {tandem.dims = ["N", ""]}
// CHECK-SAME: tensor<8xf32> {tandem.dims = ["N"]}
// CHECK-SAME: -> (tensor<32xf32>, tensor<8xf32>)
func.func @main(%x: tensor<?x4xf32> {tandem.dims = ["N", ""]},
                %y: tensor<?xf32> {tandem.dims = ["N"]})
    -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: tandem.exp %{{.*}} : tensor<8x4xf32>
  %0 = tandem.exp %x : tensor<?x4xf32>
  // CHECK: tandem.reshape {{.*}} -> tensor<32xf32>
  %1 = tandem.reshape %0 shape = [-1] : (tensor<?x4xf32>) -> tensor<?xf32>
  return %1, %y : tensor<?xf32>, tensor<?xf32>
}

// -----

// Within a fusion as well.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: tandem.fusion loop (%[[A:.*]] = %{{.*}}) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = tandem.fusion loop (%a = %x) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
    // CHECK: tandem.neg %[[A]] : tensor<8x4xf32>
    %1 = tandem.neg %a : tensor<?x?xf32>
    tandem.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// -----

// What is static already is left as it is.
// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<2xi64>
func.func @main(%x: tensor<8x?xf32>, %y: tensor<2xi64>)
    -> (tensor<8x?xf32>, tensor<2xi64>) {
  return %x, %y : tensor<8x?xf32>, tensor<2xi64>
}

// -----

// Sizes that are expressions of dims of the arguments.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x?xf32> {tandem.dims = ["n", "l"]})
    -> (tensor<?x?xf32>, tensor<?xi64>, tensor<?x?xf32>) {
  // CHECK: tandem.reshape %{{.*}} shape = [4, 8] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %0 = tandem.reshape %x shape = [?, ?] {tandem.sizes = {shape = "n floordiv 2, l * 2"}}
      : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: tandem.iota axis = 0 : tensor<32xi64>
  %1 = tandem.iota axis = 0 {tandem.sizes = {result = "n * l"}} : tensor<?xi64>
  // CHECK: tandem.slice %{{.*}} starts = [3, 0] limits = [-1, 4] strides = [1, 1]
  // CHECK-SAME: -> tensor<4x4xf32>
  %2 = tandem.slice %x starts = [?, 0] limits = [?, 4] strides = [1, 1]
      {tandem.sizes = {starts = "n ceildiv 3, 0", limits = "-1, 4"}}
      : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?xi64>, tensor<?x?xf32>
}
