// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse))' | FileCheck %s

// A chain is one kernel; a splat constant moves into it.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>, %[[Y:.*]]: tensor<64xf32>)
func.func @chain(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %one = tandem.constant dense<1.0> : tensor<f32>
  // CHECK-NEXT: %[[F:.*]] = tandem.fusion loop (%[[A:.*]] = %[[X]], %[[B:.*]] = %[[Y]])
  // CHECK-NEXT: %[[C:.*]] = tandem.constant
  // CHECK-NEXT: %[[M:.*]] = tandem.mul %[[A]], %[[B]]
  // CHECK-NEXT: %[[S:.*]] = tandem.add %[[M]], %[[C]]
  // CHECK-NEXT: tandem.yield %[[S]]
  // CHECK: return %[[F]]
  %0 = tandem.mul %x, %y : tensor<64xf32>
  %1 = tandem.add %0, %one : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

// A convolution with few multiply-adds is part of the loop; its epilogue too.
// CHECK-LABEL: func.func @small_conv
func.func @small_conv(%x: tensor<8x100x1xf32>, %w: tensor<3x1x32xf32>)
    -> tensor<8x98x32xf32> {
  // CHECK-NEXT: tandem.fusion loop
  // CHECK-NEXT: tandem.conv
  // CHECK-NEXT: tandem.relu
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x100x1xf32>, tensor<3x1x32xf32>) -> tensor<8x98x32xf32>
  %1 = tandem.relu %0 : tensor<8x98x32xf32>
  return %1 : tensor<8x98x32xf32>
}

// -----

// In the loop of a transpose a depthwise convolution would read its data across:
// 78 in place of 10 us, on a Zen 5.
// CHECK-LABEL: func.func @transposed_depthwise
func.func @transposed_depthwise(%x: tensor<1x7x7x1152xf32>, %w: tensor<3x3x1x1152xf32>)
    -> tensor<1x1152x7x7xf32> {
  // CHECK-NEXT: tandem.fusion loop
  // CHECK-NEXT: tandem.conv
  // CHECK-NEXT: tandem.yield
  // CHECK: tandem.fusion loop
  // CHECK-NEXT: tandem.transpose
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1] groups = 1152
      : (tensor<1x7x7x1152xf32>, tensor<3x3x1x1152xf32>) -> tensor<1x7x7x1152xf32>
  %1 = tandem.transpose %0 permutation = [0, 3, 1, 2]
      : (tensor<1x7x7x1152xf32>) -> tensor<1x1152x7x7xf32>
  return %1 : tensor<1x1152x7x7xf32>
}

// -----

// A heavy one is an op step between kernels.
// CHECK-LABEL: func.func @heavy_conv
func.func @heavy_conv(%x: tensor<8x100x64xf32>, %w: tensor<3x64x32xf32>)
    -> tensor<8x98x32xf32> {
  // CHECK-NEXT: %[[N:.*]] = tandem.fusion loop
  // CHECK: %[[C:.*]] = tandem.conv %[[N]]
  // CHECK-NEXT: tandem.fusion loop (%{{.*}} = %[[C]])
  %n = tandem.neg %x : tensor<8x100x64xf32>
  %0 = tandem.conv %n, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x100x64xf32>, tensor<3x64x32xf32>) -> tensor<8x98x32xf32>
  %1 = tandem.relu %0 : tensor<8x98x32xf32>
  return %1 : tensor<8x98x32xf32>
}

// -----

// Needed by an op step and by the kernel: one more result, not computed twice.
// CHECK-LABEL: func.func @multi_output
func.func @multi_output(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  // CHECK-NEXT: %[[F:.*]]:2 = tandem.fusion loop
  // CHECK-NEXT: %[[E:.*]] = tandem.exp
  // CHECK-NEXT: %[[T:.*]] = tandem.tanh
  // CHECK-NEXT: tandem.yield %[[E]], %[[T]]
  // CHECK: %[[S:.*]] = tandem.softmax %[[F]]#0
  // CHECK: return %[[S]], %[[F]]#1
  %0 = tandem.exp %x : tensor<64xf32>
  %1 = tandem.softmax %0 axis = 0 : tensor<64xf32>
  %2 = tandem.tanh %0 : tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}

// -----

// A cycle would result if `exp` became one more result of the kernel that needs
// the result of softmax.
// CHECK-LABEL: func.func @no_cycle
func.func @no_cycle(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK-NEXT: %[[E:.*]] = tandem.fusion loop
  // CHECK-NEXT: tandem.exp
  // CHECK: %[[S:.*]] = tandem.softmax %[[E]]
  // CHECK-NEXT: tandem.fusion loop (%{{.*}} = %[[E]], %{{.*}} = %[[S]])
  %0 = tandem.exp %x : tensor<64xf32>
  %1 = tandem.softmax %0 axis = 0 : tensor<64xf32>
  %2 = tandem.add %0, %1 : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// Kernels over one space that read one value are joined, and then the value's
// producer is computed once.
// CHECK-LABEL: func.func @siblings
func.func @siblings(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  // CHECK-NEXT: %[[F:.*]]:2 = tandem.fusion loop
  // CHECK-NEXT: tandem.exp
  // CHECK-NEXT: tandem.neg
  // CHECK-NEXT: tandem.abs
  // CHECK: return %[[F]]#0, %[[F]]#1
  %0 = tandem.exp %x : tensor<64xf32>
  %1 = tandem.neg %0 : tensor<64xf32>
  %2 = tandem.abs %0 : tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Siblings of which one needs the other, through an op step, stay apart.
// CHECK-LABEL: func.func @dependent_siblings
// CHECK-COUNT-2: tandem.fusion
// CHECK-NOT: tandem.fusion
func.func @dependent_siblings(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tandem.neg %x : tensor<64xf32>
  %1 = tandem.softmax %0 axis = 0 : tensor<64xf32>
  %2 = tandem.add %1, %x : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// Cheap, and read by two kernels that loop over different spaces: computed in
// both.
// CHECK-LABEL: func.func @recompute
func.func @recompute(%x: tensor<64x32xf32>) -> (tensor<32xf32>, tensor<64x32xf32>) {
  // CHECK: tandem.fusion loop
  // CHECK-NEXT: tandem.neg
  // CHECK-NEXT: tandem.slice
  // CHECK: tandem.fusion loop
  // CHECK-NEXT: tandem.neg
  // CHECK-NEXT: tandem.abs
  %0 = tandem.neg %x : tensor<64x32xf32>
  %1 = tandem.slice %0 starts = [3, 0] limits = [4, 32] strides = [1, 1]
      : (tensor<64x32xf32>) -> tensor<1x32xf32>
  %2 = tandem.reshape %1 shape = [32] : (tensor<1x32xf32>) -> tensor<32xf32>
  %3 = tandem.abs %0 : tensor<64x32xf32>
  return %2, %3 : tensor<32xf32>, tensor<64x32xf32>
}

// -----

// A cheap producer is computed again for each window.
// CHECK-LABEL: func.func @window
func.func @window(%x: tensor<8x64x64x16xf32>) -> tensor<8x62x62x16xf32> {
  // CHECK-NEXT: tandem.fusion loop
  // CHECK-NEXT: tandem.relu
  // CHECK-NEXT: tandem.max_pool
  %0 = tandem.relu %x : tensor<8x64x64x16xf32>
  %1 = tandem.max_pool %0 layout = "NHWC" window = [3, 3]
      : (tensor<8x64x64x16xf32>) -> tensor<8x62x62x16xf32>
  return %1 : tensor<8x62x62x16xf32>
}

// -----

// An expensive one is not; and as fusing the cheap op with it saves more than
// with the window, it goes there.
// CHECK-LABEL: func.func @ranked
func.func @ranked(%x: tensor<8x64x64x16xf32>) -> tensor<8x62x62x16xf32> {
  // CHECK-NEXT: %[[E:.*]] = tandem.fusion loop
  // CHECK-NEXT: tandem.exp
  // CHECK-NEXT: tandem.relu
  // CHECK: tandem.fusion loop (%{{.*}} = %[[E]])
  // CHECK-NEXT: tandem.max_pool
  %0 = tandem.exp %x : tensor<8x64x64x16xf32>
  %1 = tandem.relu %0 : tensor<8x64x64x16xf32>
  %2 = tandem.max_pool %1 layout = "NHWC" window = [3, 3]
      : (tensor<8x64x64x16xf32>) -> tensor<8x62x62x16xf32>
  return %2 : tensor<8x62x62x16xf32>
}

// -----

// Per-channel values that take a square root are computed once, not per
// element; the kernel's operand is the small vector.
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%x: tensor<4096x1024xf32>, %v: tensor<1024xf32>)
    -> tensor<4096x1024xf32> {
  // CHECK-NEXT: %[[S:.*]] = tandem.fusion loop
  // CHECK-NEXT: tandem.sqrt
  // CHECK: tandem.fusion loop (%{{.*}} = %{{.*}}, %{{.*}} = %[[S]])
  // CHECK-NEXT: tandem.mul
  %0 = tandem.sqrt %v : tensor<1024xf32>
  %1 = tandem.mul %x, %0
      : (tensor<4096x1024xf32>, tensor<1024xf32>) -> tensor<4096x1024xf32>
  return %1 : tensor<4096x1024xf32>
}

// -----

// Shape ops are changes of the index.
// CHECK-LABEL: func.func @shape_ops
func.func @shape_ops(%x: tensor<4x8xf32>, %i: tensor<3xi32>) -> tensor<6x4xf32> {
  // CHECK-NEXT: tandem.fusion loop
  // CHECK-NEXT: tandem.transpose
  // CHECK-NEXT: tandem.gather
  // CHECK-NEXT: tandem.concat
  // CHECK-NEXT: tandem.neg
  %0 = tandem.transpose %x permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = tandem.gather %0, %i axis = 0 : (tensor<8x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  %2 = tandem.concat %1, %1 axis = 0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
  %3 = tandem.neg %2 : tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}

// -----

// A reshape at a kernel's edge is a view.
// CHECK-LABEL: func.func @view
func.func @view(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  // CHECK-NEXT: %[[F:.*]] = tandem.fusion loop
  // CHECK-NEXT: tandem.neg
  // CHECK-NEXT: tandem.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[R:.*]] = tandem.reshape %[[F]]
  // CHECK-NEXT: return %[[R]]
  %0 = tandem.neg %x : tensor<4x8xf32>
  %1 = tandem.reshape %0 shape = [32] : (tensor<4x8xf32>) -> tensor<32xf32>
  return %1 : tensor<32xf32>
}

// -----

// Each producer of a concat is computed in its slice of it.
// CHECK-LABEL: func.func @concat
func.func @concat(%x: tensor<64x32xf32>, %y: tensor<64x16xf32>, %z: tensor<64x8xf32>)
    -> tensor<64x56xf32> {
  // CHECK-NEXT: tandem.fusion loop
  // CHECK-NEXT: tandem.neg
  // CHECK-NEXT: tandem.relu
  // CHECK-NEXT: tandem.abs
  // CHECK-NEXT: tandem.concat
  // CHECK-NEXT: tandem.yield
  %0 = tandem.neg %x : tensor<64x32xf32>
  %1 = tandem.relu %y : tensor<64x16xf32>
  %2 = tandem.abs %z : tensor<64x8xf32>
  %3 = tandem.concat %0, %1, %2 axis = 1
      : (tensor<64x32xf32>, tensor<64x16xf32>, tensor<64x8xf32>) -> tensor<64x56xf32>
  return %3 : tensor<64x56xf32>
}

// -----

// Slices are changes of the index: both halves of a value are computed where
// they are needed, in one kernel.
// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<64x32xf32>) -> tensor<64x16xf32> {
  // CHECK-NEXT: tandem.fusion loop
  // CHECK-NEXT: tandem.relu
  // CHECK-NEXT: tandem.slice
  // CHECK-NEXT: tandem.slice
  // CHECK-NEXT: tandem.mul
  // CHECK-NEXT: tandem.yield
  %0 = tandem.relu %x : tensor<64x32xf32>
  %1 = tandem.slice %0 starts = [0, 0] limits = [64, 16] strides = [1, 1]
      : (tensor<64x32xf32>) -> tensor<64x16xf32>
  %2 = tandem.slice %0 starts = [0, 16] limits = [64, 32] strides = [1, 1]
      : (tensor<64x32xf32>) -> tensor<64x16xf32>
  %3 = tandem.mul %1, %2 : tensor<64x16xf32>
  return %3 : tensor<64x16xf32>
}

// -----

// A chain of several ops, needed at two places of two spaces, goes to both as
// one.
// CHECK-LABEL: func.func @chain_into_two
func.func @chain_into_two(%x: tensor<64x32xf32>) -> (tensor<32x32xf32>, tensor<64x16xf32>) {
  // CHECK-COUNT-2: tandem.fusion loop
  // CHECK-NOT: tandem.fusion
  %0 = tandem.relu %x : tensor<64x32xf32>
  %1 = tandem.neg %0 : tensor<64x32xf32>
  %2 = tandem.slice %1 starts = [0, 0] limits = [32, 32] strides = [1, 1]
      : (tensor<64x32xf32>) -> tensor<32x32xf32>
  %3 = tandem.slice %1 starts = [0, 0] limits = [64, 16] strides = [1, 1]
      : (tensor<64x32xf32>) -> tensor<64x16xf32>
  return %2, %3 : tensor<32x32xf32>, tensor<64x16xf32>
}

// -----

// Read in order in a kernel of its own, eight operands would each be read
// across a row in that of the transpose: that costs more than to store the sum.
// CHECK-LABEL: func.func @strided
func.func @strided(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>, %c: tensor<2048x2048xf32>,
    %d: tensor<2048x2048xf32>, %e: tensor<2048x2048xf32>, %f: tensor<2048x2048xf32>,
    %g: tensor<2048x2048xf32>, %h: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  // CHECK: tandem.fusion loop
  // CHECK-COUNT-7: tandem.add
  // CHECK-NEXT: tandem.yield
  // CHECK: tandem.fusion loop
  // CHECK-NEXT: tandem.transpose
  %0 = tandem.add %a, %b : tensor<2048x2048xf32>
  %1 = tandem.add %0, %c : tensor<2048x2048xf32>
  %2 = tandem.add %1, %d : tensor<2048x2048xf32>
  %3 = tandem.add %2, %e : tensor<2048x2048xf32>
  %4 = tandem.add %3, %f : tensor<2048x2048xf32>
  %5 = tandem.add %4, %g : tensor<2048x2048xf32>
  %6 = tandem.add %5, %h : tensor<2048x2048xf32>
  %7 = tandem.transpose %6 permutation = [1, 0] : (tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %7 : tensor<2048x2048xf32>
}

// -----

// One operand is transposed on the way.
// CHECK-LABEL: func.func @transposed
func.func @transposed(%a: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  // CHECK-NEXT: tandem.fusion loop
  // CHECK-NEXT: tandem.neg
  // CHECK-NEXT: tandem.transpose
  // CHECK-NEXT: tandem.relu
  %0 = tandem.neg %a : tensor<2048x2048xf32>
  %1 = tandem.transpose %0 permutation = [1, 0] : (tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %2 = tandem.relu %1 : tensor<2048x2048xf32>
  return %2 : tensor<2048x2048xf32>
}

// -----

// A pad of a transposed value would read it element by element.
// CHECK-LABEL: func.func @padded
func.func @padded(%a: tensor<3x320x320xui8>) -> tensor<320x320x4xui8> {
  // CHECK-NEXT: tandem.fusion loop
  // CHECK-NEXT: tandem.transpose
  // CHECK-NEXT: tandem.yield
  // CHECK: tandem.fusion loop
  // CHECK-NEXT: tandem.pad
  // CHECK-NEXT: tandem.yield
  %0 = tandem.transpose %a permutation = [1, 2, 0] : (tensor<3x320x320xui8>) -> tensor<320x320x3xui8>
  %1 = tandem.pad %0 low = [0, 0, 0] high = [0, 0, 1] interior = [0, 0, 0] value = 0.0
      : (tensor<320x320x3xui8>) -> tensor<320x320x4xui8>
  return %1 : tensor<320x320x4xui8>
}
