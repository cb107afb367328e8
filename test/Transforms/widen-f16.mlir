// RUN: tandem-opt %s --tandem-widen-f16 | FileCheck %s

// The result of the product is not rounded before its root is taken.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: attributes {tandem.f16_intermediates = f32}
// CHECK: %[[X:.*]] = tandem.cast %arg0 : (tensor<8xf16>) -> tensor<8xf32>
// CHECK: %[[P:.*]] = tandem.mul %[[X]], %[[X]] : tensor<8xf32>
// CHECK: %[[R:.*]] = tandem.sqrt %[[P]] : tensor<8xf32>
// CHECK: %[[N:.*]] = tandem.cast %[[R]] : (tensor<8xf32>) -> tensor<8xf16>
// CHECK: return %[[N]]
func.func @chain(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = tandem.mul %x, %x : tensor<8xf16>
  %1 = tandem.sqrt %0 : tensor<8xf16>
  return %1 : tensor<8xf16>
}

// A contraction reads and writes f16; what is between two is f32, moves
// included.
// CHECK-LABEL: func.func @between
// CHECK: %[[A:.*]] = tandem.matmul %arg0, %arg1 : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
// CHECK: %[[W:.*]] = tandem.cast %[[A]]
// CHECK: %[[E:.*]] = tandem.exp %[[W]] : tensor<4x8xf32>
// CHECK: %[[M:.*]] = tandem.max %[[E]], %{{.*}} : tensor<4x8xf32>
// CHECK: %[[T:.*]] = tandem.transpose %[[M]] {{.*}} -> tensor<8x4xf32>
// CHECK: %[[N:.*]] = tandem.cast %[[T]] : (tensor<8x4xf32>) -> tensor<8x4xf16>
// CHECK: tandem.matmul %arg1, %[[N]]
func.func @between(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> tensor<8x4xf16> {
  %0 = tandem.matmul %x, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  %1 = tandem.exp %0 : tensor<4x8xf16>
  %2 = tandem.max %1, %x : tensor<4x8xf16>
  %3 = tandem.transpose %2 permutation = [1, 0] : (tensor<4x8xf16>) -> tensor<8x4xf16>
  %4 = tandem.matmul %w, %3 : (tensor<8x8xf16>, tensor<8x4xf16>) -> tensor<8x4xf16>
  return %4 : tensor<8x4xf16>
}

// What is only moved stays f16, as does all of bf16. A cast rounds (S2).
// CHECK-LABEL: func.func @unchanged
// CHECK-NEXT: tandem.transpose %arg0 {{.*}} -> tensor<8x4xf16>
// CHECK-NEXT: tandem.mul %arg1, %arg1 : tensor<8xbf16>
// CHECK-NEXT: tandem.cast %arg2
// CHECK-NEXT: tandem.cast
// CHECK-NEXT: return
func.func @unchanged(%x: tensor<4x8xf16>, %b: tensor<8xbf16>, %f: tensor<8xf32>)
    -> (tensor<8x4xf16>, tensor<8xbf16>, tensor<8xf32>) {
  %0 = tandem.transpose %x permutation = [1, 0] : (tensor<4x8xf16>) -> tensor<8x4xf16>
  %1 = tandem.mul %b, %b : tensor<8xbf16>
  %2 = tandem.cast %f : (tensor<8xf32>) -> tensor<8xf16>
  %3 = tandem.cast %2 : (tensor<8xf16>) -> tensor<8xf32>
  return %0, %1, %3 : tensor<8x4xf16>, tensor<8xbf16>, tensor<8xf32>
}

// All results of an op are widened. Statistics are of f32 already.
// CHECK-LABEL: func.func @results
// CHECK: %[[S:.*]] = tandem.mul %{{.*}} : tensor<4x8xf32>
// CHECK: %[[Y:.*]], %[[M:.*]], %{{.*}} = tandem.layer_norm %[[S]], %{{.*}} -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
// CHECK: %[[E:.*]] = tandem.exp %[[Y]] : tensor<4x8xf32>
// CHECK: %[[N:.*]] = tandem.cast %[[E]]
// CHECK: return %[[N]], %[[M]] : tensor<4x8xf16>, tensor<4x1xf32>
func.func @results(%x: tensor<4x8xf16>, %w: tensor<8xf16>) -> (tensor<4x8xf16>, tensor<4x1xf32>) {
  %0 = tandem.mul %x, %x : tensor<4x8xf16>
  %1, %mean, %s = tandem.layer_norm %0, %w, %w epsilon = 1.0e-5 : (tensor<4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> (tensor<4x8xf16>, tensor<4x1xf32>, tensor<4x1xf32>)
  %2 = tandem.exp %1 : tensor<4x8xf16>
  return %2, %mean : tensor<4x8xf16>, tensor<4x1xf32>
}
