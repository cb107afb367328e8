// RUN: tandem-opt %s --tandem-decompose-softmax | FileCheck %s

// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<4x10xf32>)
// CHECK: %[[M:.*]] = tandem.reduce %[[X]] kind = max dims = [1] keep_dims
// CHECK: %[[D:.*]] = tandem.sub %[[X]], %[[M]]
// CHECK: %[[E:.*]] = tandem.exp %[[D]]
// CHECK: %[[S:.*]] = tandem.reduce %[[E]] kind = sum dims = [1] keep_dims
// CHECK: %[[ONE:.*]] = tandem.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[R:.*]] = tandem.div %[[ONE]], %[[S]]
// CHECK: %[[P:.*]] = tandem.mul %[[E]], %[[R]]
// CHECK: return %[[P]]
func.func @rows(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %0 = tandem.softmax %x axis = 1 : tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// Only the result is rounded to half precision.

// CHECK-LABEL: func @half
// CHECK: %[[X:.*]] = tandem.cast %{{.*}} : (tensor<4x10xbf16>) -> tensor<4x10xf32>
// CHECK: tandem.reduce %[[X]] kind = max dims = [0] keep_dims
// CHECK: %[[P:.*]] = tandem.mul {{.*}} -> tensor<4x10xf32>
// CHECK: %[[Y:.*]] = tandem.cast %[[P]] : (tensor<4x10xf32>) -> tensor<4x10xbf16>
// CHECK: return %[[Y]]
func.func @half(%x: tensor<4x10xbf16>) -> tensor<4x10xbf16> {
  %0 = tandem.softmax %x axis = 0 : tensor<4x10xbf16>
  return %0 : tensor<4x10xbf16>
}

// CHECK-LABEL: func @backward
// CHECK-SAME: (%[[Y:.*]]: tensor<4x10xf32>, %[[G:.*]]: tensor<4x10xf32>)
// CHECK: %[[P:.*]] = tandem.mul %[[G]], %[[Y]]
// CHECK: %[[S:.*]] = tandem.reduce %[[P]] kind = sum dims = [1] keep_dims
// CHECK: %[[D:.*]] = tandem.sub %[[G]], %[[S]]
// CHECK: %[[R:.*]] = tandem.mul %[[Y]], %[[D]]
// CHECK: return %[[R]]
func.func @backward(%y: tensor<4x10xf32>, %g: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %0 = tandem.softmax_backward %y, %g axis = 1 : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// CHECK-LABEL: func @half_backward
// CHECK-COUNT-2: tandem.cast {{.*}} : (tensor<4x10xf16>) -> tensor<4x10xf32>
// CHECK: tandem.mul %{{.*}} : tensor<4x10xf32>
// CHECK: tandem.reduce {{.*}} dims = [0] keep_dims
// CHECK: %[[H:.*]] = tandem.cast %{{.*}} : (tensor<4x10xf32>) -> tensor<4x10xf16>
// CHECK: return %[[H]]
func.func @half_backward(%y: tensor<4x10xf16>, %g: tensor<4x10xf16>) -> tensor<4x10xf16> {
  %0 = tandem.softmax_backward %y, %g axis = 0 : (tensor<4x10xf16>, tensor<4x10xf16>) -> tensor<4x10xf16>
  return %0 : tensor<4x10xf16>
}

// What is in a fusion stays as it is.

// CHECK-LABEL: func @fused
// CHECK: tandem.softmax
func.func @fused(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tandem.fusion reduction (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = tandem.softmax %a axis = 1 : tensor<4x8xf32>
    tandem.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @empty
// CHECK: tandem.softmax
func.func @empty(%x: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %0 = tandem.softmax %x axis = 1 : tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}

// CHECK-LABEL: func @dynamic
// CHECK: tandem.softmax
func.func @dynamic(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = tandem.softmax %x axis = 1 : tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
