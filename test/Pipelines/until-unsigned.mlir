// RUN: tandem-opt %s --until=linalg | FileCheck %s

// Kernels in linalg have signless integers. The ops that launch them keep the
// types of the graph.

// CHECK: func.func @kernel_0(%{{.*}}: tensor<4x8xi8>, %{{.*}}: tensor<f32>) -> tensor<4x8xf32>
// CHECK: arith.uitofp
// CHECK: tandem.launch @kernel_0({{.*}}) : (tensor<4x8xui8>, tensor<f32>) -> tensor<4x8xf32>
func.func @main(%x: tensor<4x8xui8>, %s: tensor<f32>) -> tensor<4x8xf32> {
  %0 = tandem.cast %x : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = tandem.mul %0, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
