// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// CHECK-LABEL: func @reshape
func.func @reshape(%x: tensor<?x2x2xf32>, %s: tensor<f32>) {
  // CHECK: tandem.reshape %{{.*}} shape = [-1, 4] : (tensor<?x2x2xf32>) -> tensor<?x4xf32>
  %0 = tandem.reshape %x shape = [-1, 4] : (tensor<?x2x2xf32>) -> tensor<?x4xf32>
  // CHECK: tandem.reshape %{{.*}} shape = [1, 1] : (tensor<f32>) -> tensor<1x1xf32>
  %1 = tandem.reshape %s shape = [1, 1] : (tensor<f32>) -> tensor<1x1xf32>
  // CHECK: tandem.reshape %{{.*}} shape = [] : (tensor<1x1xf32>) -> tensor<f32>
  %2 = tandem.reshape %1 shape = [] : (tensor<1x1xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @transpose
func.func @transpose(%x: tensor<?x4x8xf32>) {
  // CHECK: tandem.transpose %{{.*}} permutation = [0, 2, 1] : (tensor<?x4x8xf32>) -> tensor<?x8x4xf32>
  %0 = tandem.transpose %x permutation = [0, 2, 1] : (tensor<?x4x8xf32>) -> tensor<?x8x4xf32>
  return
}

// CHECK-LABEL: func @broadcast
func.func @broadcast(%x: tensor<4x1xi1>) {
  // CHECK: tandem.broadcast %{{.*}} shape = [4, 2, 8] dims = [0, 2] : (tensor<4x1xi1>) -> tensor<4x2x8xi1>
  %0 = tandem.broadcast %x shape = [4, 2, 8] dims = [0, 2] : (tensor<4x1xi1>) -> tensor<4x2x8xi1>
  return
}

// CHECK-LABEL: func @slice
func.func @slice(%x: tensor<4x8xf32>, %d: tensor<?x8xf32>) {
  // CHECK: tandem.slice %{{.*}} starts = [0, 1] limits = [2, 8] strides = [1, 2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  %0 = tandem.slice %x starts = [0, 1] limits = [2, 8] strides = [1, 2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  // Counted from the end, clamped, empty.
  // CHECK: tandem.slice %{{.*}} -> tensor<2x3xf32>
  %1 = tandem.slice %x starts = [-2, 5] limits = [100, 100] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<2x3xf32>
  // CHECK: tandem.slice %{{.*}} -> tensor<0x8xf32>
  %2 = tandem.slice %x starts = [3, 0] limits = [1, 8] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<0x8xf32>
  // CHECK: tandem.slice %{{.*}} : (tensor<?x8xf32>) -> tensor<?x7xf32>
  %3 = tandem.slice %d starts = [0, 1] limits = [2, 8] strides = [1, 1] : (tensor<?x8xf32>) -> tensor<?x7xf32>
  return
}

// CHECK-LABEL: func @pad
func.func @pad(%x: tensor<4x?xf32>, %i: tensor<3xi32>) {
  // CHECK: tandem.pad %{{.*}} low = [1, 0] high = [0, 1] interior = [0, 0] value = 0xFFF0000000000000 : (tensor<4x?xf32>) -> tensor<5x?xf32>
  %0 = tandem.pad %x low = [1, 0] high = [0, 1] interior = [0, 0] value = 0xFFF0000000000000 : (tensor<4x?xf32>) -> tensor<5x?xf32>
  // CHECK: tandem.pad %{{.*}} value = 2.000000e+00 : (tensor<3xi32>) -> tensor<8xi32>
  %1 = tandem.pad %i low = [1] high = [0] interior = [2] value = 2.0 : (tensor<3xi32>) -> tensor<8xi32>
  return
}

// CHECK-LABEL: func @concat
func.func @concat(%a: tensor<4x2xf32>, %b: tensor<4x6xf32>, %c: tensor<?x?xf32>) {
  // CHECK: tandem.concat %{{.*}}, %{{.*}} axis = 1 : (tensor<4x2xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
  %0 = tandem.concat %a, %b axis = 1 : (tensor<4x2xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
  // CHECK: tandem.concat %{{.*}} : (tensor<?x?xf32>, tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x?xf32>
  %1 = tandem.concat %c, %b, %a axis = 1 : (tensor<?x?xf32>, tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func @gather
func.func @gather(%x: tensor<100x8xf32>, %i: tensor<?x4xi64>) {
  // CHECK: tandem.gather %{{.*}}, %{{.*}} axis = 0 : (tensor<100x8xf32>, tensor<?x4xi64>) -> tensor<?x4x8xf32>
  %0 = tandem.gather %x, %i axis = 0 : (tensor<100x8xf32>, tensor<?x4xi64>) -> tensor<?x4x8xf32>
  return
}

// CHECK-LABEL: func @iota
func.func @iota() {
  // CHECK: tandem.iota axis = 1 : tensor<4x8xi32>
  %0 = tandem.iota axis = 1 : tensor<4x8xi32>
  return
}

// CHECK-LABEL: func @constant
func.func @constant() {
  // CHECK: tandem.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = tandem.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: tandem.constant dense<true> : tensor<2x2xi1>
  %1 = tandem.constant dense<true> : tensor<2x2xi1>
  // CHECK: tandem.constant dense_resource<weights> : tensor<2xf32>
  %2 = tandem.constant dense_resource<weights> : tensor<2xf32>
  return
}

{-#
  dialect_resources: {
    builtin: { weights: "0x040000000000803F00000040" }
  }
#-}

// Sizes that depend on dims of the arguments.
// CHECK-LABEL: func @symbolic_sizes
func.func @symbolic_sizes(%x: tensor<?x?x768xf32> {tandem.dims = ["n", "l", ""]},
                          %s: tensor<f32>) {
  // CHECK: tandem.reshape %{{.*}} shape = [?, ?, 12, 64] {tandem.sizes = {shape = "n, l, 12, 64"}}
  // CHECK-SAME: (tensor<?x?x768xf32>) -> tensor<?x?x12x64xf32>
  %0 = tandem.reshape %x shape = [?, ?, 12, 64] {tandem.sizes = {shape = "n, l, 12, 64"}}
      : (tensor<?x?x768xf32>) -> tensor<?x?x12x64xf32>
  // CHECK: tandem.broadcast %{{.*}} shape = [2, ?] dims = []
  %1 = tandem.broadcast %s shape = [2, ?] dims = [] {tandem.sizes = {shape = "2, l * 2 + 1"}}
      : (tensor<f32>) -> tensor<2x?xf32>
  // CHECK: tandem.slice %{{.*}} starts = [0, ?, 0] limits = [1, ?, 768] strides
  %2 = tandem.slice %x starts = [0, ?, 0] limits = [1, ?, 768] strides = [1, 1, 1]
      {tandem.sizes = {starts = "0, l floordiv 2, 0", limits = "1, l, 768"}}
      : (tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
  // CHECK: tandem.pad %{{.*}} low = [0, ?, 0] high = [0, 0, 0] interior
  %3 = tandem.pad %x low = [0, ?, 0] high = [0, 0, 0] interior = [0, 0, 0] value = 0.0
      {tandem.sizes = {low = "0, l mod 2, 0"}} : (tensor<?x?x768xf32>) -> tensor<?x?x768xf32>
  // CHECK: tandem.iota axis = 0 {tandem.sizes = {result = "n * l"}} : tensor<?xi64>
  %4 = tandem.iota axis = 0 {tandem.sizes = {result = "n * l"}} : tensor<?xi64>
  return
}
