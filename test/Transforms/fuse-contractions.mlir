// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{contractions=cpu}))' | FileCheck %s
// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{contractions=cpu reductions}))' | FileCheck %s --check-prefix=REDUCED

// The epilogue: bias, residual, activation; an operand is read elementally.
// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME: %[[X:.*]]: tensor<64x128xf32>, %[[W:.*]]: tensor<128x256xf32>, %[[B:.*]]: tensor<256xf32>, %[[R:.*]]: tensor<64x256xf32>)
func.func @epilogue(%x: tensor<64x128xf32>, %w: tensor<128x256xf32>,
    %b: tensor<256xf32>, %r: tensor<64x256xf32>) -> tensor<64x256xf32> {
  // CHECK-NEXT: %[[F:.*]] = tandem.fusion contraction (%{{.*}} = %[[X]], %{{.*}} = %[[W]], %{{.*}} = %[[B]], %{{.*}} = %[[R]])
  // CHECK-NEXT: tandem.constant
  // CHECK-NEXT: tandem.matmul
  // CHECK-NEXT: tandem.add
  // CHECK-NEXT: tandem.add
  // CHECK-NEXT: tandem.max
  // CHECK-NEXT: tandem.yield
  // CHECK: return %[[F]]
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %0 = tandem.matmul %x, %w : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  %1 = tandem.add %0, %b : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<64x256xf32>
  %2 = tandem.add %r, %1 : tensor<64x256xf32>
  %3 = tandem.max %2, %zero : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
  return %3 : tensor<64x256xf32>
}

// -----

// Nothing follows: the hero alone.
// CHECK-LABEL: func.func @alone
// CHECK-NEXT: tandem.fusion contraction
// CHECK-NEXT: tandem.conv
// CHECK-NEXT: tandem.yield
func.func @alone(%x: tensor<8x100x64xf32>, %w: tensor<3x64x32xf32>) -> tensor<8x98x32xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x100x64xf32>, tensor<3x64x32xf32>) -> tensor<8x98x32xf32>
  return %0 : tensor<8x98x32xf32>
}

// -----

// The hero and any value of the epilogue may be results; a value of another
// type as well.
// CHECK-LABEL: func.func @results
// CHECK-NEXT: %[[F:.*]]:3 = tandem.fusion contraction
// CHECK-NEXT: %[[M:.*]] = tandem.matmul
// CHECK-NEXT: %[[T:.*]] = tandem.tanh %[[M]]
// CHECK-NEXT: %[[C:.*]] = tandem.cast %[[T]]
// CHECK-NEXT: tandem.yield %[[M]], %[[T]], %[[C]]
// CHECK: return %[[F]]#0, %[[F]]#1, %[[F]]#2
func.func @results(%x: tensor<64x128xf32>, %w: tensor<128x256xf32>)
    -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xbf16>) {
  %0 = tandem.matmul %x, %w : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  %1 = tandem.tanh %0 : tensor<64x256xf32>
  %2 = tandem.cast %1 : (tensor<64x256xf32>) -> tensor<64x256xbf16>
  return %0, %1, %2 : tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xbf16>
}

// -----

// Two contractions meet in an addition: the first takes it, if the other does
// not need the first.
// CHECK-LABEL: func.func @residual
// CHECK: %[[S:.*]] = tandem.fusion contraction
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.yield
// CHECK: tandem.fusion contraction ({{.*}} = %[[S]])
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.add
// CHECK-NEXT: tandem.relu
func.func @residual(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = tandem.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tandem.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tandem.add %0, %1 : tensor<64x64xf32>
  %3 = tandem.relu %2 : tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----

// CHECK-LABEL: func.func @chained
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.yield
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.add
// CHECK-NEXT: tandem.yield
func.func @chained(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tandem.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tandem.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tandem.add %0, %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// Views of the weights are part of it, and so is what computes the data.
// CHECK-LABEL: func.func @weights
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.exp
// CHECK-NEXT: tandem.transpose
// CHECK-NEXT: tandem.reshape
// CHECK-NEXT: tandem.conv
func.func @weights(%x: tensor<8x100x64xf32>, %w: tensor<8x64x3x4xf32>) -> tensor<8x98x32xf32> {
  %e = tandem.exp %x : tensor<8x100x64xf32>
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3] : (tensor<8x64x3x4xf32>) -> tensor<3x64x8x4xf32>
  %1 = tandem.reshape %0 shape = [3, 64, 32] : (tensor<3x64x8x4xf32>) -> tensor<3x64x32xf32>
  %2 = tandem.conv %e, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x100x64xf32>, tensor<3x64x32xf32>) -> tensor<8x98x32xf32>
  return %2 : tensor<8x98x32xf32>
}

// -----

// Not so where adjacent outputs are fewer than a vector has.
// CHECK-LABEL: func.func @weights_in_pairs
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.conv
func.func @weights_in_pairs(%x: tensor<8x100x64xf32>, %w: tensor<16x64x3x2xf32>) -> tensor<8x98x32xf32> {
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3] : (tensor<16x64x3x2xf32>) -> tensor<3x64x16x2xf32>
  %1 = tandem.reshape %0 shape = [3, 64, 32] : (tensor<3x64x16x2xf32>) -> tensor<3x64x32xf32>
  %2 = tandem.conv %x, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x100x64xf32>, tensor<3x64x32xf32>) -> tensor<8x98x32xf32>
  return %2 : tensor<8x98x32xf32>
}

// -----

// What a pre-activation network does before its next convolution is in the
// epilogue of the last one, which stores the sum and what is made of it.
// CHECK-LABEL: func.func @pre_activation
// CHECK-NEXT: %[[F:.*]]:2 = tandem.fusion contraction
// CHECK: tandem.conv
// CHECK-NEXT: %[[S:.*]] = tandem.add
// CHECK-NEXT: tandem.mul
// CHECK-NEXT: %[[R:.*]] = tandem.relu
// CHECK-NEXT: tandem.yield %[[S]], %[[R]]
// CHECK: tandem.fusion contraction (%{{.*}} = %[[F]]#1, %{{.*}} = %{{.*}}, %{{.*}} = %[[F]]#0)
// CHECK-NOT: tandem.fusion
func.func @pre_activation(%x: tensor<1x28x28x64xf32>, %w: tensor<3x3x64x64xf32>,
    %s: tensor<64xf32>) -> tensor<1x28x28x64xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x28x28x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x28x28x64xf32>
  %1 = tandem.add %0, %x : tensor<1x28x28x64xf32>
  %2 = tandem.mul %1, %s : (tensor<1x28x28x64xf32>, tensor<64xf32>) -> tensor<1x28x28x64xf32>
  %3 = tandem.relu %2 : tensor<1x28x28x64xf32>
  %4 = tandem.conv %3, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x28x28x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x28x28x64xf32>
  %5 = tandem.add %4, %1 : tensor<1x28x28x64xf32>
  return %5 : tensor<1x28x28x64xf32>
}

// -----

// Few multiply-adds per result: memory bounds it, so it stays in a loop. With
// 27 the multiply-adds do.
// CHECK-LABEL: func.func @light
// CHECK: tandem.fusion loop
// CHECK-NEXT: tandem.conv
// CHECK-NEXT: tandem.relu
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.conv
// CHECK-NEXT: tandem.relu
func.func @light(%x: tensor<8x100x1xf32>, %w: tensor<3x1x32xf32>,
    %y: tensor<1x3x258x258xf32>, %k: tensor<64x3x3x3xf32>)
    -> (tensor<8x98x32xf32>, tensor<1x64x256x256xf32>) {
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x100x1xf32>, tensor<3x1x32xf32>) -> tensor<8x98x32xf32>
  %1 = tandem.relu %0 : tensor<8x98x32xf32>
  %2 = tandem.conv %y, %k layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x3x258x258xf32>, tensor<64x3x3x3xf32>) -> tensor<1x64x256x256xf32>
  %3 = tandem.relu %2 : tensor<1x64x256x256xf32>
  return %1, %3 : tensor<8x98x32xf32>, tensor<1x64x256x256xf32>
}

// -----

// The prologue: all elementwise ops before it, of any operands; what computes
// these in another shape is not.
// CHECK-LABEL: func.func @prologue
// CHECK: tandem.fusion loop
// CHECK-NEXT: tandem.exp
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.mul
// CHECK-NEXT: tandem.add
// CHECK-NEXT: tandem.cast
// CHECK-NEXT: tandem.relu
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.tanh
// CHECK-NOT: tandem.fusion
func.func @prologue(%x: tensor<256x128xf32>, %s: tensor<128xf32>, %r: tensor<256x128xf32>,
    %w: tensor<128x64xbf16>) -> tensor<256x64xbf16> {
  %0 = tandem.exp %s : tensor<128xf32>
  %1 = tandem.mul %x, %0 : (tensor<256x128xf32>, tensor<128xf32>) -> tensor<256x128xf32>
  %2 = tandem.add %1, %r : tensor<256x128xf32>
  %3 = tandem.cast %2 : (tensor<256x128xf32>) -> tensor<256x128xbf16>
  %4 = tandem.relu %3 : tensor<256x128xbf16>
  %5 = tandem.matmul %4, %w : (tensor<256x128xbf16>, tensor<128x64xbf16>) -> tensor<256x64xbf16>
  %6 = tandem.tanh %5 : tensor<256x64xbf16>
  return %6 : tensor<256x64xbf16>
}

// -----

// What follows reads the data as well: it is computed there again.
// CHECK-LABEL: func.func @both_sides
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.relu
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.add
func.func @both_sides(%x: tensor<784x64xf32>, %w: tensor<64x64xf32>) -> tensor<784x64xf32> {
  %0 = tandem.relu %x : tensor<784x64xf32>
  %1 = tandem.matmul %0, %w : (tensor<784x64xf32>, tensor<64x64xf32>) -> tensor<784x64xf32>
  %2 = tandem.add %1, %0 : tensor<784x64xf32>
  return %2 : tensor<784x64xf32>
}

// -----

// A loop has no more lanes than there are outputs, either. With few products
// that is no loss.
// CHECK-LABEL: func.func @few_outputs
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.conv
// CHECK: tandem.fusion loop
// CHECK-NEXT: tandem.conv
func.func @few_outputs(%x: tensor<8x100x64xf32>, %w: tensor<1x64x2xf32>,
    %y: tensor<8x100x2xf32>, %k: tensor<1x2x2xf32>)
    -> (tensor<8x100x2xf32>, tensor<8x100x2xf32>) {
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x100x64xf32>, tensor<1x64x2xf32>) -> tensor<8x100x2xf32>
  %1 = tandem.conv %y, %k layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x100x2xf32>, tensor<1x2x2xf32>) -> tensor<8x100x2xf32>
  return %0, %1 : tensor<8x100x2xf32>, tensor<8x100x2xf32>
}

// -----

// An attention's second product, whose weights are cut out of those of three:
// the kernel reads them through the reshape, and the slice is a view of the
// argument.
// CHECK-LABEL: func.func @slice_of_weights
// CHECK: %[[V:.*]] = tandem.slice
// CHECK-NOT: tandem.fusion loop
// CHECK: tandem.fusion contraction ({{.*}}%[[V]]
// CHECK-NEXT: tandem.reshape
// CHECK-NEXT: tandem.matmul
func.func @slice_of_weights(%p: tensor<64x3x49x49xf32>, %qkv: tensor<3x64x3x49x32xf32>)
    -> tensor<64x3x49x32xf32> {
  %0 = tandem.slice %qkv starts = [2, 0, 0, 0, 0] limits = [3, 64, 3, 49, 32] strides = [1, 1, 1, 1, 1]
      : (tensor<3x64x3x49x32xf32>) -> tensor<1x64x3x49x32xf32>
  %1 = tandem.reshape %0 shape = [64, 3, 49, 32] : (tensor<1x64x3x49x32xf32>) -> tensor<64x3x49x32xf32>
  %2 = tandem.matmul %p, %1 : (tensor<64x3x49x49xf32>, tensor<64x3x49x32xf32>) -> tensor<64x3x49x32xf32>
  return %2 : tensor<64x3x49x32xf32>
}

// -----

// A table that the result is looked up in is part of the epilogue.
// CHECK-LABEL: func.func @lookup
// CHECK-NEXT: %[[F:.*]] = tandem.fusion contraction
// CHECK-NEXT: tandem.matmul
// CHECK-NEXT: tandem.gather
// CHECK-NEXT: tandem.cast
// CHECK-NEXT: tandem.yield
// CHECK: return %[[F]]
func.func @lookup(%x: tensor<64x128xui8>, %w: tensor<128x256xi8>, %t: tensor<256xi8>)
    -> tensor<64x256xf32> {
  %0 = tandem.matmul %x, %w widen : (tensor<64x128xui8>, tensor<128x256xi8>) -> tensor<64x256xi32>
  %1 = tandem.gather %t, %0 axis = 0 : (tensor<256xi8>, tensor<64x256xi32>) -> tensor<64x256xi8>
  %2 = tandem.cast %1 : (tensor<64x256xi8>) -> tensor<64x256xf32>
  return %2 : tensor<64x256xf32>
}

// -----

// The dequantization of a result is left to those who read it: the kernel
// returns bytes, and the second kernel makes numbers of them in its epilogue.
// CHECK-LABEL: func.func @narrow_residual
// CHECK-NEXT: %[[Q:.*]] = tandem.fusion contraction {{.*}} -> tensor<64x256xui8> {
// CHECK-NOT: (tensor<64x256xui8>) -> tensor<64x256xf32>
// CHECK: tandem.yield {{.*}} : tensor<64x256xui8>
// CHECK: %[[R:.*]] = tandem.fusion contraction ({{.*}} = %[[Q]]
// CHECK: tandem.cast {{.*}} : (tensor<64x256xui8>) -> tensor<64x256xf32>
// CHECK: tandem.matmul
// CHECK: return %[[R]]
func.func @narrow_residual(%x: tensor<64x128xui8>, %w: tensor<128x256xi8>, %v: tensor<256x256xi8>,
    %s: tensor<f32>) -> tensor<64x256xf32> {
  %0 = tandem.matmul %x, %w widen : (tensor<64x128xui8>, tensor<128x256xi8>) -> tensor<64x256xi32>
  %1 = tandem.cast %0 : (tensor<64x256xi32>) -> tensor<64x256xf32>
  %2 = tandem.mul %1, %s : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
  %q = tandem.cast %2 : (tensor<64x256xf32>) -> tensor<64x256xui8>
  %3 = tandem.cast %q : (tensor<64x256xui8>) -> tensor<64x256xf32>
  %r = tandem.mul %3, %s : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
  %4 = tandem.matmul %q, %v widen : (tensor<64x256xui8>, tensor<256x256xi8>) -> tensor<64x256xi32>
  %5 = tandem.cast %4 : (tensor<64x256xi32>) -> tensor<64x256xf32>
  %6 = tandem.add %5, %r : tensor<64x256xf32>
  return %6 : tensor<64x256xf32>
}

// -----

// A reduction reads bytes, too.
// REDUCED-LABEL: func.func @narrow_mean
// REDUCED-NEXT: %[[Q:.*]] = tandem.fusion contraction {{.*}} -> tensor<64x256xui8> {
// REDUCED: tandem.yield {{.*}} : tensor<64x256xui8>
// REDUCED: tandem.fusion reduction (%{{.*}} = %[[Q]])
// REDUCED-NEXT: tandem.cast {{.*}} : (tensor<64x256xui8>) -> tensor<64x256xi32>
// REDUCED-NEXT: tandem.reduce
func.func @narrow_mean(%x: tensor<64x128xui8>, %w: tensor<128x256xi8>, %s: tensor<f32>)
    -> (tensor<256xi32>, tensor<64x256xui8>) {
  %0 = tandem.matmul %x, %w widen : (tensor<64x128xui8>, tensor<128x256xi8>) -> tensor<64x256xi32>
  %1 = tandem.cast %0 : (tensor<64x256xi32>) -> tensor<64x256xf32>
  %2 = tandem.mul %1, %s : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
  %q = tandem.cast %2 : (tensor<64x256xf32>) -> tensor<64x256xui8>
  %3 = tandem.cast %q : (tensor<64x256xui8>) -> tensor<64x256xi32>
  %sum = tandem.reduce %3 kind = sum dims = [0] : (tensor<64x256xi32>) -> tensor<256xi32>
  return %sum, %q : tensor<256xi32>, tensor<64x256xui8>
}

// -----

// No kernel computes an argmax, so the contraction returns its operand.
// REDUCED-LABEL: func.func @argmax
// REDUCED-NEXT: %[[F:.*]] = tandem.fusion contraction {{.*}} -> tensor<64x256xf32> {
// REDUCED: tandem.reduce %[[F]] kind = argmax
func.func @argmax(%x: tensor<64x128xui8>, %w: tensor<128x256xi8>, %s: tensor<f32>)
    -> tensor<64xi64> {
  %0 = tandem.matmul %x, %w widen : (tensor<64x128xui8>, tensor<128x256xi8>) -> tensor<64x256xi32>
  %1 = tandem.cast %0 : (tensor<64x256xi32>) -> tensor<64x256xf32>
  %2 = tandem.mul %1, %s : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
  %q = tandem.cast %2 : (tensor<64x256xf32>) -> tensor<64x256xui8>
  %3 = tandem.cast %q : (tensor<64x256xui8>) -> tensor<64x256xf32>
  %4 = tandem.mul %3, %s : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
  %5 = tandem.reduce %4 kind = argmax dims = [1] : (tensor<64x256xf32>) -> tensor<64xi64>
  return %5 : tensor<64xi64>
}

// -----

// Rows of weights that lie in several dims have no one stride: they are read
// where the reshape has put them.
// CHECK-LABEL: func.func @rows_in_several_dims
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.matmul
func.func @rows_in_several_dims(%x: tensor<128x64xf32>, %w: tensor<8x64x8xf32>) -> tensor<128x64xf32> {
  %0 = tandem.transpose %w permutation = [0, 2, 1] : (tensor<8x64x8xf32>) -> tensor<8x8x64xf32>
  %1 = tandem.transpose %0 permutation = [1, 0, 2] : (tensor<8x8x64xf32>) -> tensor<8x8x64xf32>
  %2 = tandem.reshape %1 shape = [64, 64] : (tensor<8x8x64xf32>) -> tensor<64x64xf32>
  %3 = tandem.matmul %x, %2 : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  return %3 : tensor<128x64xf32>
}
