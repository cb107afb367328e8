// RUN: tandem-opt %s --split-input-file --tandem-differentiate=seed --tandem-simplify | FileCheck %s

// The pool is replaced by the one with the index, of which there is one.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x8x8x3xf32>, %[[G:[a-z0-9]+]]: tensor<1x4x4x3xf32>
// CHECK: %[[R:.*]] = tandem.relu %[[X]]
// CHECK-NEXT: %[[Y:.*]], %[[I:.*]] = tandem.max_pool_with_index %[[R]] layout = "NHWC" window = [2, 2] strides = [2, 2]
// CHECK: tandem.max_pool_backward %[[G]], %[[I]] input_sizes = [8, 8] layout = "NHWC" window = [2, 2] strides = [2, 2]
// CHECK-NOT: tandem.max_pool
// CHECK: return %[[Y]]
func.func @main(%x: tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = tandem.relu %x : tensor<1x8x8x3xf32>
  %1 = tandem.max_pool %0 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return %1 : tensor<1x4x4x3xf32>
}

// -----

// The numbers of 257 taps do not fit into an index.

// CHECK-LABEL: func.func @main(
// CHECK: tandem.max_pool %{{.*}} layout = "NCW" window = [257]
// CHECK-NOT: tandem.max_pool_backward
func.func @main(%x: tensor<1x1x257xf32>) -> tensor<1x1x1xf32> {
  %0 = tandem.max_pool %x layout = "NCW" window = [257] : (tensor<1x1x257xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK: tandem.avg_pool_backward %{{.*}} count_include_pad input_sizes = [9] layout = "NCW" window = [3] strides = [2] pad_low = [1]
func.func @main(%x: tensor<1x1x9xf32>) -> tensor<1x1x4xf32> {
  %0 = tandem.avg_pool %x count_include_pad layout = "NCW" window = [3] strides = [2] pad_low = [1]
      : (tensor<1x1x9xf32>) -> tensor<1x1x4xf32>
  return %0 : tensor<1x1x4xf32>
}
