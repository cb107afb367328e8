// RUN: tandem-opt %s --canonicalize | FileCheck %s
//
// A result type that says less than is inferred becomes the inferred one,
// unless the type is seen outside the dialect's ops.

// CHECK-LABEL: func @elementwise
func.func @elementwise(%x: tensor<?x1xf32>, %y: tensor<4x?xf32>, %z: tensor<8xf32>) -> tensor<i1> {
  // An unknown dim meets a size other than 1 as that size.
  // CHECK: tandem.add {{.*}} -> tensor<4x?xf32>
  %0 = tandem.add %x, %y : (tensor<?x1xf32>, tensor<4x?xf32>) -> tensor<?x?xf32>
  // CHECK: tandem.compare {{.*}} -> tensor<4x8xi1>
  %1 = tandem.compare %0, %z predicate = lt : (tensor<?x?xf32>, tensor<8xf32>) -> tensor<?x?xi1>
  // CHECK: tandem.select {{.*}} -> tensor<4x8xf32>
  %2 = tandem.select %1, %x, %z : (tensor<?x?xi1>, tensor<?x1xf32>, tensor<8xf32>) -> tensor<?x?xf32>
  %3 = tandem.custom_call "sink"(%2) : (tensor<?x?xf32>) -> tensor<i1>
  return %3 : tensor<i1>
}

// CHECK-LABEL: func @shape_ops
func.func @shape_ops(%x: tensor<4x6x?xf32>, %i: tensor<2x?xi32>) -> tensor<i1> {
  // CHECK: tandem.transpose {{.*}} -> tensor<?x4x6xf32>
  %0 = tandem.transpose %x permutation = [2, 0, 1] : (tensor<4x6x?xf32>) -> tensor<?x?x?xf32>
  // CHECK: tandem.slice {{.*}} -> tensor<?x2x3xf32>
  %1 = tandem.slice %0 starts = [0, -2, 0] limits = [1, 100, 6] strides = [1, 1, 2] : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // CHECK: tandem.pad {{.*}} -> tensor<?x6x3xf32>
  %2 = tandem.pad %1 low = [1, 1, 0] high = [0, 2, 0] interior = [0, 1, 0] value = 0.0 : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // CHECK: tandem.concat {{.*}} -> tensor<?x12x3xf32>
  %3 = tandem.concat %2, %2 axis = 1 : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // CHECK: tandem.gather {{.*}} -> tensor<?x2x?x3xf32>
  %4 = tandem.gather %3, %i axis = 1 : (tensor<?x?x?xf32>, tensor<2x?xi32>) -> tensor<?x?x?x?xf32>
  // CHECK: tandem.reshape {{.*}} -> tensor<?x3xf32>
  %5 = tandem.reshape %4 shape = [-1, 3] : (tensor<?x?x?x?xf32>) -> tensor<?x?xf32>
  %6 = tandem.custom_call "sink"(%5) : (tensor<?x?xf32>) -> tensor<i1>
  return %6 : tensor<i1>
}

// CHECK-LABEL: func @windows
func.func @windows(%x: tensor<?x100x1xf32>, %w: tensor<3x1x32xf32>, %m: tensor<32x10xf32>, %s: tensor<10xf32>) -> tensor<i1> {
  // CHECK: tandem.conv {{.*}} -> tensor<?x98x32xf32>
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> : (tensor<?x100x1xf32>, tensor<3x1x32xf32>) -> tensor<?x?x?xf32>
  // CHECK: tandem.max_pool {{.*}} -> tensor<?x49x32xf32>
  %1 = tandem.max_pool %0 layout = "NWC" window = [2] strides = [2] : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // CHECK: tandem.avg_pool {{.*}} -> tensor<?x49x32xf32>
  %2 = tandem.avg_pool %1 layout = "NWC" window = [3] pad_low = [1] pad_high = [1] : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  // CHECK: tandem.matmul {{.*}} -> tensor<?x49x10xf32>
  %3 = tandem.matmul %2, %m : (tensor<?x?x?xf32>, tensor<32x10xf32>) -> tensor<?x?x?xf32>
  // CHECK: tandem.batch_norm {{.*}} -> tensor<?x49x10xf32>
  %4 = tandem.batch_norm %3, %s, %s, %s, %s epsilon = 1.0e-5 axis = 2 : (tensor<?x?x?xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<?x?x?xf32>
  // CHECK: tandem.softmax %{{.*}} axis = 2 : tensor<?x49x10xf32>
  %5 = tandem.softmax %4 axis = 2 : tensor<?x?x?xf32>
  // CHECK: tandem.reduce {{.*}} -> tensor<?x1x10xi64>
  %6 = tandem.reduce %5 kind = argmax dims = [1] keep_dims : (tensor<?x?x?xf32>) -> tensor<?x?x?xi64>
  %7 = tandem.custom_call "sink"(%6) : (tensor<?x?x?xi64>) -> tensor<i1>
  return %7 : tensor<i1>
}

// CHECK-LABEL: func @returned
func.func @returned(%x: tensor<4xf32>) -> tensor<?xf32> {
  // CHECK: tandem.exp %{{.*}} : (tensor<4xf32>) -> tensor<?xf32>
  %0 = tandem.exp %x : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
