// RUN: tandem-opt %s --split-input-file --tandem-differentiate --canonicalize | FileCheck %s

// The gradients of a mean and a variance are scaled and added by one batch_norm, without a reshape if one
// dim is kept.

// CHECK-LABEL: @main(%arg0: tensor<2x4x3xf32>)
// CHECK: %[[MEAN:[^,]*]], %{{.*}} = tandem.moments %arg0 dims = [0, 2]
// CHECK: %[[G:.*]] = tandem.batch_norm %arg0, %{{.*}}, %{{.*}}, %[[MEAN]], %{{.*}} epsilon = 0.000000e+00 axis = 1
// CHECK: return %{{.*}}, %[[G]] : tensor<f32>, tensor<2x4x3xf32>
func.func @main(%x: tensor<2x4x3xf32>) -> tensor<f32> {
  %mean, %variance = tandem.moments %x dims = [0, 2] : (tensor<2x4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0 = tandem.mul %mean, %variance : tensor<4xf32>
  %1 = tandem.reduce %0 kind = sum dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Rows of several dims become one dim.

// CHECK-LABEL: @main(%arg0: tensor<2x4x3xf32>)
// CHECK: tandem.reshape %arg0 shape = [8, 3]
// CHECK: tandem.batch_norm {{.*}} axis = 0 : (tensor<8x3xf32>
// CHECK: tandem.reshape {{.*}} -> tensor<2x4x3xf32>
func.func @main(%x: tensor<2x4x3xf32>) -> tensor<f32> {
  %mean, %variance = tandem.moments %x dims = [2] keep_dims : (tensor<2x4x3xf32>) -> (tensor<2x4x1xf32>, tensor<2x4x1xf32>)
  %0 = tandem.mul %mean, %variance : tensor<2x4x1xf32>
  %1 = tandem.reduce %0 kind = sum dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Kept dims with a reduced one between them are not.

// CHECK-LABEL: @main(%arg0: tensor<2x4x3xf32>)
// CHECK-NOT: batch_norm
func.func @main(%x: tensor<2x4x3xf32>) -> tensor<f32> {
  %mean, %variance = tandem.moments %x dims = [1] : (tensor<2x4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %0 = tandem.mul %mean, %variance : tensor<2x3xf32>
  %1 = tandem.reduce %0 kind = sum dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// CHECK-LABEL: @main(%arg0: tensor<2x4xf32>)
// CHECK: %[[S:.*]] = tandem.sigmoid %arg0
// CHECK: %[[Y:.*]] = tandem.softmax %[[S]] axis = 1
// CHECK: %[[GS:.*]] = tandem.softmax_backward %[[Y]], %{{.*}} axis = 1
// CHECK: %[[G:.*]] = tandem.sigmoid_backward %[[S]], %[[GS]]
// CHECK: return %{{.*}}, %[[G]]
func.func @main(%x: tensor<2x4xf32>) -> tensor<f32> {
  %0 = tandem.sigmoid %x : tensor<2x4xf32>
  %1 = tandem.softmax %0 axis = 1 : tensor<2x4xf32>
  %2 = tandem.mul %1, %1 : tensor<2x4xf32>
  %3 = tandem.reduce %2 kind = sum dims = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
