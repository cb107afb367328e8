// RUN: tandem-opt %s --split-input-file --tandem-differentiate --canonicalize | FileCheck %s
// RUN: tandem-opt %s --split-input-file --tandem-differentiate=wrt=1 --canonicalize | FileCheck %s --check-prefix=SECOND
// RUN: tandem-opt %s --split-input-file --tandem-differentiate=seed=true --canonicalize | FileCheck %s --check-prefix=SEED

// The gradients of a product, with respect to both arguments or to the second one alone.

// CHECK-LABEL: @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[LOSS:.*]] = tandem.reduce
// CHECK: return %[[LOSS]], %arg1, %arg0

// SECOND-LABEL: @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
// SECOND: %[[LOSS:.*]] = tandem.reduce
// SECOND: return %[[LOSS]], %arg0

// SEED-LABEL: @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>)
// SEED: %[[RESHAPED:.*]] = tandem.reshape %arg2
// SEED: %[[G:.*]] = tandem.broadcast %[[RESHAPED]]
// SEED: %[[GX:.*]] = tandem.mul %[[G]], %arg1
// SEED: %[[GY:.*]] = tandem.mul %[[G]], %arg0
// SEED: return %{{.*}}, %[[GX]], %[[GY]]
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
  %0 = tandem.mul %x, %y : tensor<4xf32>
  %1 = tandem.reduce %0 kind = sum dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// The gradient of a broadcast operand is summed, and those of several readers are added. An argument of
// integers has none, and one that the loss does not depend on has zeros.

// CHECK-LABEL: @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>, %arg3: tensor<5xf32>)
// CHECK-SAME: -> (tensor<f32>, tensor<2x3xf32>, tensor<3xf32>, tensor<5xf32>)
// CHECK-DAG: %[[ZERO:.*]] = tandem.constant dense<0.000000e+00> : tensor<5xf32>
// CHECK: %[[SUM:.*]] = tandem.reduce {{.*}} kind = sum dims = [0]
// CHECK: %[[OFSUB:.*]] = tandem.neg %[[SUM]]
// CHECK: %[[GX:.*]] = tandem.mul %arg1, %{{.*}} -> tensor<2x3xf32>
// CHECK: %[[OFMUL:.*]] = tandem.reduce %arg0 kind = sum dims = [0]
// CHECK: %[[GY:.*]] = tandem.add %[[OFSUB]], %[[OFMUL]]
// CHECK: return %{{.*}}, %[[GX]], %[[GY]], %[[ZERO]]

// SECOND-LABEL: @main
// SEED-LABEL: @main
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %n: tensor<i32>, %unused: tensor<5xf32>) -> tensor<f32> {
  %0 = tandem.mul %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = tandem.sub %0, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = tandem.reduce %1 kind = sum dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Three gradients of 16 bits are added in f32.

// CHECK-LABEL: @main(%arg0: tensor<f16>, %arg1: tensor<f16>)
// CHECK-COUNT-3: tandem.cast {{.*}} -> tensor<f32>
// CHECK: tandem.cast {{.*}} -> tensor<f16>
// SECOND-LABEL: @main
// SEED-LABEL: @main
func.func @main(%x: tensor<f16>, %y: tensor<f16>) -> tensor<f16> {
  %0 = tandem.exp %x : tensor<f16>
  %1 = tandem.sin %x : tensor<f16>
  %2 = tandem.mul %0, %1 : tensor<f16>
  %3 = tandem.mul %2, %x : tensor<f16>
  %4 = tandem.mul %3, %y : tensor<f16>
  return %4 : tensor<f16>
}

// -----

// A convolution's gradients are a transposed convolution, and the gradient of its weights.

// CHECK-LABEL: @main(%arg0: tensor<2x9x3xf32>, %arg1: tensor<3x3x4xf32>)
// CHECK: tandem.conv_backward_data %[[G:.*]], %arg1
// CHECK-SAME: layout = <input = "NWC", kernel = "WIO", output = "NWC"> strides = [2] pad_low = [1]
// CHECK: tandem.conv_backward_weights %arg0, %[[G]]
// CHECK-SAME: layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3] strides = [2] pad_low = [1]
// SECOND-LABEL: @main
// SEED-LABEL: @main
func.func @main(%x: tensor<2x9x3xf32>, %k: tensor<3x3x4xf32>) -> tensor<f32> {
  %0 = tandem.conv %x, %k layout = <input = "NWC", kernel = "WIO", output = "NWC"> strides = [2] pad_low = [1]
      : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x4x4xf32>
  %1 = tandem.reduce %0 kind = sum dims = [0, 1, 2] : (tensor<2x4x4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
