// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// CHECK-LABEL: func @pools
func.func @pools(%x: tensor<?x32x33x8xf32>, %g: tensor<?x16x16x8xf32>, %w: tensor<2x8x10xf16>) {
  // CHECK: tandem.max_pool_with_index %{{.*}} layout = "NHWC" window = [2, 2] strides = [2, 2] : (tensor<?x32x33x8xf32>) -> (tensor<?x16x16x8xf32>, tensor<?x16x16x8xui8>)
  %y, %index = tandem.max_pool_with_index %x layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<?x32x33x8xf32>) -> (tensor<?x16x16x8xf32>, tensor<?x16x16x8xui8>)
  // CHECK: tandem.max_pool_backward %{{.*}}, %{{.*}} input_sizes = [32, 33] layout = "NHWC" window = [2, 2] strides = [2, 2] : (tensor<?x16x16x8xf32>, tensor<?x16x16x8xui8>) -> tensor<?x32x33x8xf32>
  %0 = tandem.max_pool_backward %g, %index input_sizes = [32, 33] layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<?x16x16x8xf32>, tensor<?x16x16x8xui8>) -> tensor<?x32x33x8xf32>
  // CHECK: tandem.avg_pool_backward %{{.*}} count_include_pad input_sizes = [10] layout = "NCW" window = [3] pad_low = [1] pad_high = [1] : (tensor<2x8x10xf16>) -> tensor<2x8x10xf16>
  %1 = tandem.avg_pool_backward %w count_include_pad input_sizes = [10] layout = "NCW" window = [3] pad_low = [1] pad_high = [1]
      : (tensor<2x8x10xf16>) -> tensor<2x8x10xf16>
  return
}

// CHECK-LABEL: func @moments
func.func @moments(%x: tensor<?x4x8xf32>) {
  // CHECK: tandem.moments %{{.*}} dims = [0, 1] : (tensor<?x4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %mean, %variance = tandem.moments %x dims = [0, 1] : (tensor<?x4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  // CHECK: tandem.moments %{{.*}} dims = [2] keep_dims : (tensor<?x4x8xf32>) -> (tensor<?x4x1xf32>, tensor<?x4x1xf32>)
  %0, %1 = tandem.moments %x dims = [2] keep_dims : (tensor<?x4x8xf32>) -> (tensor<?x4x1xf32>, tensor<?x4x1xf32>)
  return
}

// CHECK-LABEL: func @random
func.func @random(%key: tensor<ui64>, %counter: tensor<ui64>) {
  // CHECK: tandem.random %{{.*}}, %{{.*}} shape = [2, 3] : (tensor<ui64>, tensor<ui64>) -> tensor<2x3xui32>
  %0 = tandem.random %key, %counter shape = [2, 3] : (tensor<ui64>, tensor<ui64>) -> tensor<2x3xui32>
  return
}

// CHECK-LABEL: func @stop_gradient
func.func @stop_gradient(%x: tensor<?x3xf32>, %p: tensor<i1>) {
  // CHECK: tandem.stop_gradient %{{.*}} : tensor<?x3xf32>
  %0 = tandem.stop_gradient %x : tensor<?x3xf32>
  // CHECK: tandem.stop_gradient %{{.*}} : tensor<i1>
  %1 = tandem.stop_gradient %p : tensor<i1>
  return
}
