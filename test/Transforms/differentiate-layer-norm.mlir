// RUN: tandem-opt %s --split-input-file --tandem-differentiate=wrt=0,1,2 --canonicalize | FileCheck %s

// One op computes the gradients of all operands.

// CHECK-LABEL: @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>)
// CHECK: %{{.*}}, %[[MEAN:.*]], %[[S:.*]] = tandem.layer_norm %arg0, %arg1, %arg2
// CHECK: %[[DX:.*]], %[[DW:.*]], %[[DB:.*]] = tandem.layer_norm_backward %{{.*}}, %arg0, %arg1, %[[MEAN]], %[[S]]
// CHECK: return %{{.*}}, %[[DX]], %[[DW]], %[[DB]]
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<f32> {
  %y, %m, %s = tandem.layer_norm %x, %w, %b epsilon = 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  %0 = tandem.mul %y, %y : tensor<4x8xf32>
  %1 = tandem.reduce %0 kind = sum dims = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// The statistics have gradients, too, which are of f32 for 16-bit floats.

// CHECK-LABEL: @main(%arg0: tensor<4x8xbf16>
// CHECK: tandem.layer_norm_backward
// CHECK: %[[C:.*]] = tandem.sub {{.*}} -> tensor<4x8xf32>
// CHECK: tandem.mul %[[C]], {{.*}} -> tensor<4x8xf32>
// CHECK: return {{.*}} : tensor<f32>, tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>
func.func @main(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>, %b: tensor<8xbf16>) -> tensor<f32> {
  %y, %m, %s = tandem.layer_norm %x, %w, %b epsilon = 1.0e-5 : (tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x1xf32>, tensor<4x1xf32>)
  %0 = tandem.cast %y : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %1 = tandem.mul %0, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = tandem.reduce %1 kind = sum dims = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
