// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// CHECK-LABEL: func @pools
func.func @pools(%x: tensor<?x32x33x8xf32>, %y: tensor<2x8x?xf32>, %i: tensor<1x1x4x4xi8>) {
  // CHECK: tandem.max_pool %{{.*}} layout = "NHWC" window = [2, 2] strides = [2, 2] : (tensor<?x32x33x8xf32>) -> tensor<?x16x16x8xf32>
  %0 = tandem.max_pool %x layout = "NHWC" strides = [2, 2] window = [2, 2] pad_low = [0, 0] : (tensor<?x32x33x8xf32>) -> tensor<?x16x16x8xf32>
  // CHECK: tandem.max_pool %{{.*}} layout = "NCHW" window = [3, 3] pad_low = [1, 1] pad_high = [1, 1] : (tensor<1x1x4x4xi8>) -> tensor<1x1x4x4xi8>
  %1 = tandem.max_pool %i layout = "NCHW" window = [3, 3] pad_low = [1, 1] pad_high = [1, 1] : (tensor<1x1x4x4xi8>) -> tensor<1x1x4x4xi8>
  // CHECK: tandem.avg_pool %{{[^ ]*}} layout = "NCW" window = [3] dilations = [2] : (tensor<2x8x?xf32>) -> tensor<2x8x?xf32>
  %2 = tandem.avg_pool %y layout = "NCW" window = [3] dilations = [2] : (tensor<2x8x?xf32>) -> tensor<2x8x?xf32>
  // CHECK: tandem.avg_pool %{{.*}} count_include_pad layout = "NCW" window = [2] pad_high = [1] : (tensor<2x8x?xf32>) -> tensor<2x8x?xf32>
  %3 = tandem.avg_pool %y count_include_pad layout = "NCW" window = [2] pad_high = [1] : (tensor<2x8x?xf32>) -> tensor<2x8x?xf32>
  return
}

// CHECK-LABEL: func @reduce
func.func @reduce(%x: tensor<?x4x8xf32>, %i: tensor<3x5xi32>) {
  // CHECK: tandem.reduce %{{.*}} kind = mean dims = [1, 2] keep_dims : (tensor<?x4x8xf32>) -> tensor<?x1x1xf32>
  %0 = tandem.reduce %x kind = mean dims = [1, 2] keep_dims : (tensor<?x4x8xf32>) -> tensor<?x1x1xf32>
  // CHECK: tandem.reduce %{{.*}} kind = sum dims = [0] : (tensor<?x4x8xf32>) -> tensor<4x8xf32>
  %1 = tandem.reduce %x kind = sum dims = [0] : (tensor<?x4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tandem.reduce %{{.*}} kind = argmax dims = [1] : (tensor<3x5xi32>) -> tensor<3xi64>
  %2 = tandem.reduce %i kind = argmax dims = [1] : (tensor<3x5xi32>) -> tensor<3xi64>
  // CHECK: tandem.reduce %{{.*}} kind = prod dims = [1, 0] : (tensor<3x5xi32>) -> tensor<i32>
  %3 = tandem.reduce %i kind = prod dims = [1, 0] : (tensor<3x5xi32>) -> tensor<i32>
  return
}

// CHECK-LABEL: func @batch_norm
func.func @batch_norm(%x: tensor<?x8x4xf32>, %s: tensor<8xf32>) {
  // CHECK: tandem.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon = 1.000000e-05 axis = 1 : (tensor<?x8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8x4xf32>
  %0 = tandem.batch_norm %x, %s, %s, %s, %s epsilon = 1.0e-5 axis = 1 : (tensor<?x8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8x4xf32>
  return
}

// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<?x10xf32>) {
  // CHECK: tandem.softmax %{{.*}} axis = 1 : tensor<?x10xf32>
  %0 = tandem.softmax %x axis = 1 : tensor<?x10xf32>
  return
}

// CHECK-LABEL: func @softmax_backward
func.func @softmax_backward(%y: tensor<?x10xf32>, %g: tensor<4x10xf32>) {
  // CHECK: tandem.softmax_backward %{{.*}}, %{{.*}} axis = 1 : (tensor<?x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
  %0 = tandem.softmax_backward %y, %g axis = 1 : (tensor<?x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
  return
}

// CHECK-LABEL: func @resize
func.func @resize(%x: tensor<?x8x16x?xf32>, %y: tensor<4xi1>, %z: tensor<5x?xui8>) {
  // CHECK: tandem.resize %{{.*}} mode = linear dims = [2, 3] scales = [2.000000e+00, 2.000000e+00] : (tensor<?x8x16x?xf32>) -> tensor<?x8x32x?xf32>
  %0 = tandem.resize %x mode = linear dims = [2, 3] scales = [2.0, 2.0] coordinates = half_pixel cubic_coeff_a = -0.75
      : (tensor<?x8x16x?xf32>) -> tensor<?x8x32x?xf32>
  // CHECK: tandem.resize %{{.*}} mode = nearest dims = [0] sizes = [7] coordinates = asymmetric rounding = floor : (tensor<4xi1>) -> tensor<7xi1>
  %1 = tandem.resize %y mode = nearest dims = [0] sizes = [7] coordinates = asymmetric rounding = floor : (tensor<4xi1>) -> tensor<7xi1>
  // CHECK: tandem.resize %{{.*}} mode = cubic dims = [0, 1] sizes = [3, 9] scales = [6.000000e-01, 2.000000e+00] coordinates = tf_crop_and_resize cubic_coeff_a = -5.000000e-01 antialias exclude_outside starts = [0.000000e+00, 1.000000e-01] ends = [1.000000e+00, 1.500000e+00] extrapolation_value = 2.500000e+00 : (tensor<5x?xui8>) -> tensor<3x9xui8>
  %2 = tandem.resize %z mode = cubic dims = [0, 1] sizes = [3, 9] scales = [0.6, 2.0] coordinates = tf_crop_and_resize
      cubic_coeff_a = -0.5 antialias exclude_outside starts = [0.0, 0.1] ends = [1.0, 1.5] extrapolation_value = 2.5
      : (tensor<5x?xui8>) -> tensor<3x9xui8>
  // CHECK: tandem.resize %{{.*}} mode = nearest dims = [] : (tensor<4xi1>) -> tensor<4xi1>
  %3 = tandem.resize %y mode = nearest dims = [] : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// Scales keep all their digits.
// CHECK-LABEL: func @resize_by_a_fraction
func.func @resize_by_a_fraction(%x: tensor<36xf32>) -> tensor<39xf32> {
  // CHECK: scales = [1.0833333333333333]
  %0 = tandem.resize %x mode = linear dims = [0] scales = [1.0833333333333333] : (tensor<36xf32>) -> tensor<39xf32>
  return %0 : tensor<39xf32>
}
