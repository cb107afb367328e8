// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{reductions=1}))' | FileCheck %s

// Softmax: two reductions of rows, and what is between and after them.
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: %[[F:.*]] = tandem.fusion reduction
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.sub
// CHECK-NEXT: tandem.exp
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.div
// CHECK-NEXT: tandem.yield
// CHECK: return %[[F]]
func.func @softmax(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %0 = tandem.reduce %x kind = max dims = [1] keep_dims : (tensor<64x1000xf32>) -> tensor<64x1xf32>
  %1 = tandem.sub %x, %0 : (tensor<64x1000xf32>, tensor<64x1xf32>) -> tensor<64x1000xf32>
  %2 = tandem.exp %1 : tensor<64x1000xf32>
  %3 = tandem.reduce %2 kind = sum dims = [1] keep_dims : (tensor<64x1000xf32>) -> tensor<64x1xf32>
  %4 = tandem.div %2, %3 : (tensor<64x1000xf32>, tensor<64x1xf32>) -> tensor<64x1000xf32>
  return %4 : tensor<64x1000xf32>
}

// -----

// Layer norm with a residual before, which is needed later as well; the
// statistics lose their dim and get it back.
// CHECK-LABEL: func.func @layer_norm
// CHECK-NEXT: %[[F:.*]]:2 = tandem.fusion reduction
// CHECK-NEXT: tandem.constant
// CHECK-NEXT: %[[S:.*]] = tandem.add
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.reshape
// CHECK-NEXT: tandem.sub
// CHECK-NEXT: tandem.mul
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.add
// CHECK-NEXT: tandem.rsqrt
// CHECK-NEXT: tandem.mul
// CHECK-NEXT: %[[Y:.*]] = tandem.mul
// CHECK-NEXT: tandem.yield %[[S]], %[[Y]]
// CHECK: return %[[F]]#1, %[[F]]#0
func.func @layer_norm(%x: tensor<64x768xf32>, %r: tensor<64x768xf32>, %gamma: tensor<768xf32>)
    -> (tensor<64x768xf32>, tensor<64x768xf32>) {
  %eps = tandem.constant dense<1.0e-5> : tensor<f32>
  %s = tandem.add %x, %r : tensor<64x768xf32>
  %0 = tandem.reduce %s kind = mean dims = [1] : (tensor<64x768xf32>) -> tensor<64xf32>
  %1 = tandem.reshape %0 shape = [64, 1] : (tensor<64xf32>) -> tensor<64x1xf32>
  %2 = tandem.sub %s, %1 : (tensor<64x768xf32>, tensor<64x1xf32>) -> tensor<64x768xf32>
  %3 = tandem.mul %2, %2 : tensor<64x768xf32>
  %4 = tandem.reduce %3 kind = mean dims = [1] keep_dims : (tensor<64x768xf32>) -> tensor<64x1xf32>
  %5 = tandem.add %4, %eps : (tensor<64x1xf32>, tensor<f32>) -> tensor<64x1xf32>
  %6 = tandem.rsqrt %5 : tensor<64x1xf32>
  %7 = tandem.mul %2, %6 : (tensor<64x768xf32>, tensor<64x1xf32>) -> tensor<64x768xf32>
  %8 = tandem.mul %7, %gamma : (tensor<64x768xf32>, tensor<768xf32>) -> tensor<64x768xf32>
  return %8, %s : tensor<64x768xf32>, tensor<64x768xf32>
}

// -----

// Statistics of columns: two reductions of one operand.
// CHECK-LABEL: func.func @statistics
// CHECK-NEXT: %[[F:.*]]:2 = tandem.fusion reduction
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.mul
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.mul
// CHECK-NEXT: tandem.sub
// CHECK: return %[[F]]#0, %[[F]]#1
func.func @statistics(%x: tensor<4096x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = tandem.reduce %x kind = mean dims = [0] : (tensor<4096x64xf32>) -> tensor<64xf32>
  %1 = tandem.mul %x, %x : tensor<4096x64xf32>
  %2 = tandem.reduce %1 kind = mean dims = [0] : (tensor<4096x64xf32>) -> tensor<64xf32>
  %3 = tandem.mul %0, %0 : tensor<64xf32>
  %4 = tandem.sub %2, %3 : tensor<64xf32>
  return %0, %4 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Few elements: a loop, unless something is given back to them.
// CHECK-LABEL: func.func @small
// CHECK-NEXT: tandem.fusion loop
// CHECK-NEXT: tandem.reduce
// CHECK: tandem.fusion reduction
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.broadcast
// CHECK-NEXT: tandem.div
func.func @small(%x: tensor<64x8xf32>, %y: tensor<64x8xf32>) -> (tensor<64xf32>, tensor<64x8xf32>) {
  %0 = tandem.reduce %x kind = sum dims = [1] : (tensor<64x8xf32>) -> tensor<64xf32>
  %1 = tandem.reduce %y kind = sum dims = [1] : (tensor<64x8xf32>) -> tensor<64xf32>
  %2 = tandem.broadcast %1 shape = [64, 8] dims = [0] : (tensor<64xf32>) -> tensor<64x8xf32>
  %3 = tandem.div %y, %2 : tensor<64x8xf32>
  return %0, %3 : tensor<64xf32>, tensor<64x8xf32>
}

// -----

// A reshape at the kernel's edge is a view outside it.
// CHECK-LABEL: func.func @view
// CHECK-NEXT: %[[F:.*]] = tandem.fusion reduction
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.yield
// CHECK-NEXT: }
// CHECK-NEXT: tandem.reshape %[[F]]
func.func @view(%x: tensor<64x768xf32>) -> tensor<8x8xf32> {
  %0 = tandem.reduce %x kind = mean dims = [1] : (tensor<64x768xf32>) -> tensor<64xf32>
  %1 = tandem.reshape %0 shape = [8, 8] : (tensor<64xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// What a broadcast permutes is computed before the kernel where it is returned
// as well, and so is what only that leads to; else within.
// CHECK-LABEL: func.func @permuted
// CHECK-NEXT: %[[A:.*]]:2 = tandem.fusion loop
// CHECK-NEXT: tandem.abs
// CHECK-NEXT: tandem.exp
// CHECK-NEXT: tandem.yield
// CHECK: %[[S:.*]] = tandem.fusion reduction
// CHECK-NEXT: tandem.broadcast
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.sub
// CHECK: %[[T:.*]] = tandem.fusion reduction
// CHECK-NEXT: tandem.neg
// CHECK-NEXT: tandem.broadcast
// CHECK-NEXT: tandem.reduce
// CHECK-NEXT: tandem.sub
// CHECK: return %[[A]]#0, %[[A]]#1, %[[S]], %[[T]]
func.func @permuted(%x: tensor<50x70xf32>)
    -> (tensor<50x70xf32>, tensor<50x70xf32>, tensor<70x50xf32>, tensor<70x50xf32>) {
  %0 = tandem.abs %x : tensor<50x70xf32>
  %1 = tandem.exp %0 : tensor<50x70xf32>
  %2 = tandem.broadcast %0 shape = [70, 50] dims = [1, 0] : (tensor<50x70xf32>) -> tensor<70x50xf32>
  %3 = tandem.reduce %2 kind = max dims = [0] keep_dims : (tensor<70x50xf32>) -> tensor<1x50xf32>
  %4 = tandem.sub %2, %3 : (tensor<70x50xf32>, tensor<1x50xf32>) -> tensor<70x50xf32>
  %5 = tandem.neg %x : tensor<50x70xf32>
  %6 = tandem.broadcast %5 shape = [70, 50] dims = [1, 0] : (tensor<50x70xf32>) -> tensor<70x50xf32>
  %7 = tandem.reduce %6 kind = max dims = [0] keep_dims : (tensor<70x50xf32>) -> tensor<1x50xf32>
  %8 = tandem.sub %6, %7 : (tensor<70x50xf32>, tensor<1x50xf32>) -> tensor<70x50xf32>
  return %0, %1, %4, %8 : tensor<50x70xf32>, tensor<50x70xf32>, tensor<70x50xf32>, tensor<70x50xf32>
}
