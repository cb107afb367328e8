// RUN: tandem-opt %s --tandem-decompose-layer-norm | FileCheck %s

// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<4x10xf32>, %[[W:.*]]: tensor<10xf32>, %[[B:.*]]: tensor<10xf32>)
// CHECK: %[[MEAN:.*]] = tandem.reduce %[[X]] kind = mean dims = [1] keep_dims
// CHECK: %[[C:.*]] = tandem.sub %[[X]], %[[MEAN]]
// CHECK: %[[SQUARES:.*]] = tandem.mul %[[C]], %[[C]]
// CHECK: %[[VARIANCE:.*]] = tandem.reduce %[[SQUARES]] kind = mean dims = [1] keep_dims
// CHECK: %[[EPSILON:.*]] = tandem.constant dense<9.99999974E-6> : tensor<f32>
// CHECK: %[[SUM:.*]] = tandem.add %[[VARIANCE]], %[[EPSILON]]
// CHECK: %[[S:.*]] = tandem.rsqrt %[[SUM]]
// CHECK: %[[N:.*]] = tandem.mul %[[C]], %[[S]]
// CHECK: %[[P:.*]] = tandem.mul %[[N]], %[[W]]
// CHECK: %[[Y:.*]] = tandem.add %[[P]], %[[B]]
// CHECK: return %[[Y]], %[[MEAN]], %[[S]]
func.func @rows(%x: tensor<4x10xf32>, %w: tensor<10xf32>, %b: tensor<10xf32>) -> (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %0, %1, %2 = tandem.layer_norm %x, %w, %b epsilon = 1.0e-5 : (tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>) -> (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  return %0, %1, %2 : tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// Only the first result is rounded to half precision.

// CHECK-LABEL: func @half
// CHECK: tandem.cast %{{.*}} : (tensor<4x3x5xbf16>) -> tensor<4x3x5xf32>
// CHECK: tandem.reduce %{{.*}} kind = mean dims = [1, 2] keep_dims
// CHECK: %[[Y:.*]] = tandem.add {{.*}} -> tensor<4x3x5xf32>
// CHECK: %[[H:.*]] = tandem.cast %[[Y]] : (tensor<4x3x5xf32>) -> tensor<4x3x5xbf16>
// CHECK: return %[[H]], %{{.*}} : tensor<4x3x5xbf16>, tensor<4x1x1xf32>
func.func @half(%x: tensor<4x3x5xbf16>, %w: tensor<3x5xbf16>) -> (tensor<4x3x5xbf16>, tensor<4x1x1xf32>) {
  %0, %1, %2 = tandem.layer_norm %x, %w, %w epsilon = 0.0 : (tensor<4x3x5xbf16>, tensor<3x5xbf16>, tensor<3x5xbf16>) -> (tensor<4x3x5xbf16>, tensor<4x1x1xf32>, tensor<4x1x1xf32>)
  return %0, %1 : tensor<4x3x5xbf16>, tensor<4x1x1xf32>
}

// CHECK-LABEL: func @backward
// CHECK-SAME: (%[[G:.*]]: tensor<4x10xf32>, %[[X:.*]]: tensor<4x10xf32>, %[[W:.*]]: tensor<10xf32>, %[[MEAN:.*]]: tensor<4x1xf32>, %[[S:.*]]: tensor<4x1xf32>)
// CHECK: %[[C:.*]] = tandem.sub %[[X]], %[[MEAN]]
// CHECK: %[[N:.*]] = tandem.mul %[[C]], %[[S]]
// CHECK: %[[H:.*]] = tandem.mul %[[G]], %[[W]]
// CHECK: %[[A:.*]] = tandem.reduce %[[H]] kind = mean dims = [1] keep_dims
// CHECK: %[[D:.*]] = tandem.sub %[[H]], %[[A]]
// CHECK: %[[HN:.*]] = tandem.mul %[[H]], %[[N]]
// CHECK: %[[SLOPE:.*]] = tandem.reduce %[[HN]] kind = mean dims = [1] keep_dims
// CHECK: %[[P:.*]] = tandem.mul %[[N]], %[[SLOPE]]
// CHECK: %[[E:.*]] = tandem.sub %[[D]], %[[P]]
// CHECK: %[[DX:.*]] = tandem.mul %[[E]], %[[S]]
// CHECK: %[[GN:.*]] = tandem.mul %[[G]], %[[N]]
// CHECK: %[[DW:.*]] = tandem.reduce %[[GN]] kind = sum dims = [0]
// CHECK: %[[DB:.*]] = tandem.reduce %[[G]] kind = sum dims = [0]
// CHECK: return %[[DX]], %[[DW]], %[[DB]]
func.func @backward(%g: tensor<4x10xf32>, %x: tensor<4x10xf32>, %w: tensor<10xf32>, %m: tensor<4x1xf32>, %s: tensor<4x1xf32>) -> (tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>) {
  %0, %1, %2 = tandem.layer_norm_backward %g, %x, %w, %m, %s : (tensor<4x10xf32>, tensor<4x10xf32>, tensor<10xf32>, tensor<4x1xf32>, tensor<4x1xf32>) -> (tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>)
  return %0, %1, %2 : tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>
}

// CHECK-LABEL: func @dynamic
// CHECK: tandem.layer_norm
func.func @dynamic(%x: tensor<?x10xf32>, %w: tensor<10xf32>) -> tensor<?x10xf32> {
  %0, %1, %2 = tandem.layer_norm %x, %w, %w epsilon = 1.0e-5 : (tensor<?x10xf32>, tensor<10xf32>, tensor<10xf32>) -> (tensor<?x10xf32>, tensor<?x1xf32>, tensor<?x1xf32>)
  return %0 : tensor<?x10xf32>
}
