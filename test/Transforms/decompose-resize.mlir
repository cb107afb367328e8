// RUN: tandem-opt %s --tandem-decompose-resize | FileCheck %s
// RUN: tandem-opt %s --tandem-decompose-resize=for-cpu | FileCheck %s --check-prefix=CPU

// The end of the dim has one tap, which is taken twice.

// CHECK-LABEL: func @linear
// CHECK-SAME: (%[[X:.*]]: tensor<4x2xf32>)
// CHECK-DAG: %[[I:.*]] = tandem.constant dense<[0, 0, 1]> : tensor<3xi64>
// CHECK-DAG: %[[J:.*]] = tandem.constant dense<[0, 1, 1]> : tensor<3xi64>
// CHECK-DAG: %[[A:.*]] = tandem.gather %[[X]], %[[I]] axis = 1
// CHECK-DAG: %[[B:.*]] = tandem.gather %[[X]], %[[J]] axis = 1
// CHECK-DAG: %[[C:.*]] = tandem.mul %[[A]], %{{.*}} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK-DAG: %[[D:.*]] = tandem.mul %[[B]], %{{.*}} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK: tandem.add %[[C]], %[[D]]
// CPU-LABEL: func @linear
// CPU: tandem.resize
func.func @linear(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %0 = tandem.resize %x mode = linear dims = [1] sizes = [3] coordinates = align_corners : (tensor<4x2xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Nearest elements need no weights, and fuse with what follows.

// CHECK-LABEL: func @nearest
// CHECK-NOT: tandem.mul
// CHECK: tandem.gather %{{.*}} axis = 3
// CHECK: tandem.gather %{{.*}} axis = 2
// CHECK-NOT: tandem.mul
// CPU-LABEL: func @nearest
// CPU-COUNT-2: tandem.gather
// CPU-NOT: tandem.resize
// CPU: return
func.func @nearest(%x: tensor<1x3x4x4xi8>) -> tensor<1x3x8x8xi8> {
  %0 = tandem.resize %x mode = nearest dims = [2, 3] scales = [2.0, 2.0] : (tensor<1x3x4x4xi8>) -> tensor<1x3x8x8xi8>
  %1 = tandem.relu %0 : tensor<1x3x8x8xi8>
  return %1 : tensor<1x3x8x8xi8>
}

// Integers are rounded to multiples of 2^-32 before they are cut off.

// CHECK-LABEL: func @integers
// CHECK: tandem.cast %{{.*}} : (tensor<3xui8>) -> tensor<3xf64>
// CHECK: tandem.round
// CHECK: tandem.cast %{{.*}} : (tensor<7xf64>) -> tensor<7xui8>
func.func @integers(%x: tensor<3xui8>) -> tensor<7xui8> {
  %0 = tandem.resize %x mode = linear dims = [0] sizes = [7] : (tensor<3xui8>) -> tensor<7xui8>
  return %0 : tensor<7xui8>
}

// The extrapolation value of integers is rounded.

// CHECK-LABEL: func @crop
// CHECK: tandem.select
// CPU-LABEL: func @crop
// CPU: tandem.resize
func.func @crop(%x: tensor<5xi32>) -> tensor<5xi32> {
  %0 = tandem.resize %x mode = nearest dims = [0] sizes = [5] coordinates = tf_crop_and_resize starts = [-0.5] ends = [1.0] extrapolation_value = 2.5 : (tensor<5xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}

// Linear interpolation to many results fuses on CPUs.

// CPU-LABEL: func @growth
// CPU-NOT: tandem.resize
// CPU: return
func.func @growth(%x: tensor<1x8x8xf32>) -> tensor<1x64x64xf32> {
  %0 = tandem.resize %x mode = linear dims = [1, 2] sizes = [64, 64] : (tensor<1x8x8xf32>) -> tensor<1x64x64xf32>
  %1 = tandem.sigmoid %0 : tensor<1x64x64xf32>
  return %1 : tensor<1x64x64xf32>
}

// Ops that stay: of dynamic shape, without elements, with positions without
// taps, and with too many taps.

// CHECK-LABEL: func @unchanged
// CHECK-COUNT-4: tandem.resize
// CHECK-NOT: tandem.gather
func.func @unchanged(%x: tensor<?xf32>, %none: tensor<0x4xf32>, %y: tensor<4xf32>, %long: tensor<200xf32>)
    -> (tensor<?xf32>, tensor<0x8xf32>, tensor<8xf32>, tensor<3xf32>) {
  %0 = tandem.resize %x mode = linear dims = [0] scales = [2.0] : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tandem.resize %none mode = linear dims = [1] scales = [2.0] : (tensor<0x4xf32>) -> tensor<0x8xf32>
  %2 = tandem.resize %y mode = linear dims = [0] sizes = [8] scales = [0.5] coordinates = asymmetric exclude_outside : (tensor<4xf32>) -> tensor<8xf32>
  %3 = tandem.resize %long mode = linear dims = [0] sizes = [3] antialias : (tensor<200xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<0x8xf32>, tensor<8xf32>, tensor<3xf32>
}
