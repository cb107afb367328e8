// Convolutions that the graph gives with channels first. The costs of all ways
// to compute them, including the library and loop kernels, determine which
// layouts and contractions are chosen.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-assign-layouts{device-spec=generic:1},tandem-cpu-choose-contractions{device-spec=generic:1},tandem-fuse{contractions=cpu device-spec=generic:1}))' | FileCheck %s

// A stem with strides and padding is no loop, whose lanes would gather.

// CHECK-LABEL: func.func @stem
// CHECK: tandem.fusion contraction
// CHECK: tandem.conv
func.func @stem(%x: tensor<1x3x224x224xf32>) -> tensor<1x32x112x112xf32> {
  %w = tandem.constant dense<0.5> : tensor<32x3x3x3xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2] pad_high = [1, 1]
      : (tensor<1x3x224x224xf32>, tensor<32x3x3x3xf32>)
      -> tensor<1x32x112x112xf32>
  %1 = tandem.relu %0 : tensor<1x32x112x112xf32>
  return %1 : tensor<1x32x112x112xf32>
}

// -----

// Strides beyond what is picked, and a layout that is not transposed: a loop
// would gather, and the library multiplies matrices. What follows is a kernel.

// CHECK-LABEL: func.func @wide_strides
// CHECK: tandem.conv {{.*}}tandem.library
// CHECK: tandem.fusion loop
// CHECK: tandem.tanh
func.func @wide_strides(%x: tensor<3x1x224x224xf32>, %w: tensor<32x3x3x3xf32>)
    -> tensor<32x1x45x45xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW">
      strides = [5, 5] pad_high = [1, 1]
      : (tensor<3x1x224x224xf32>, tensor<32x3x3x3xf32>)
      -> tensor<32x1x45x45xf32>
  %1 = tandem.tanh %0 : tensor<32x1x45x45xf32>
  return %1 : tensor<32x1x45x45xf32>
}

// -----

// One tap of many inputs: rows come in short pieces, and a product of matrices
// is faster. With nine taps each piece is used nine times.

// CHECK-LABEL: func.func @pointwise
// CHECK: tandem.conv {{.*}}tandem.library
func.func @pointwise(%x: tensor<1x128x28x28xf32>) -> tensor<1x128x28x28xf32> {
  %w = tandem.constant dense<0.5> : tensor<128x128x1x1xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x128x28x28xf32>, tensor<128x128x1x1xf32>)
      -> tensor<1x128x28x28xf32>
  return %0 : tensor<1x128x28x28xf32>
}

// CHECK-LABEL: func.func @window
// CHECK: tandem.fusion contraction
func.func @window(%x: tensor<1x64x112x112xf32>, %w: tensor<64x64x3x3xf32>)
    -> tensor<1x64x112x112xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x64x112x112xf32>, tensor<64x64x3x3xf32>)
      -> tensor<1x64x112x112xf32>
  return %0 : tensor<1x64x112x112xf32>
}

// -----

// A loop with nothing to gather stays one: the library would leave a pass over
// the result to its activation.

// CHECK-LABEL: func.func @light
// CHECK: tandem.fusion loop
// CHECK: tandem.conv
// CHECK: tandem.relu
func.func @light(%x: tensor<8x1000x1xf32>, %w: tensor<3x1x32xf32>)
    -> tensor<8x998x32xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x1000x1xf32>, tensor<3x1x32xf32>) -> tensor<8x998x32xf32>
  %1 = tandem.relu %0 : tensor<8x998x32xf32>
  return %1 : tensor<8x998x32xf32>
}

// -----

// A kernel of groups that is known is transposed with its convolution: its
// groups then lie side by side.

// CHECK-LABEL: func.func @depthwise
// CHECK: tandem.constant {{.*}} tensor<5x5x1x240xf32>
// CHECK: tandem.fusion contraction
// CHECK: tandem.conv {{.*}}<input = "NHWC", kernel = "HWIO", output = "NHWC">
func.func @depthwise(%x: tensor<1x240x28x28xf32>) -> tensor<1x240x28x28xf32> {
  %w = tandem.constant dense<0.5> : tensor<240x1x5x5xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> groups = 240
      pad_low = [2, 2] pad_high = [2, 2]
      : (tensor<1x240x28x28xf32>, tensor<240x1x5x5xf32>)
      -> tensor<1x240x28x28xf32>
  return %0 : tensor<1x240x28x28xf32>
}

// -----

// The library would reorder both images, which the second-level cache does not
// hold in both formats.

// CHECK-LABEL: func.func @strided_depthwise
// CHECK-NOT: tandem.library
// CHECK: tandem.fusion contraction
// CHECK: tandem.conv {{.*}}<input = "NHWC", kernel = "HWIO", output = "NHWC">
func.func @strided_depthwise(%x: tensor<1x128x28x28xf32>) -> tensor<1x128x14x14xf32> {
  %w = tandem.constant dense<0.5> : tensor<128x1x3x3xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> groups = 128
      strides = [2, 2] pad_low = [1, 1]
      : (tensor<1x128x28x28xf32>, tensor<128x1x3x3xf32>)
      -> tensor<1x128x14x14xf32>
  return %0 : tensor<1x128x14x14xf32>
}

// -----

// The library that reads channels last and writes them first reorders the
// result: a narrow projection is no place to change layouts.

// CHECK-LABEL: func.func @projection
// CHECK: tandem.conv {{.*}}<input = "NCHW", kernel = "OIHW", output = "NHWC">
// CHECK-NOT: {{NCHW|transpose}}
// CHECK: tandem.conv {{.*}}tensor<1x56x56x24xf32>
// CHECK-NOT: {{NCHW|transpose}}
// CHECK: groups = 72
// CHECK: tandem.transpose %{{.*}} permutation = [0, 3, 1, 2]
func.func @projection(%x: tensor<1x3x224x224xf32>) -> tensor<1x72x28x28xf32> {
  %stem = tandem.constant dense<0.5> : tensor<64x3x3x3xf32>
  %project = tandem.constant dense<0.5> : tensor<24x64x1x1xf32>
  %expand = tandem.constant dense<0.5> : tensor<72x24x1x1xf32>
  %each = tandem.constant dense<0.5> : tensor<72x1x3x3xf32>
  %0 = tandem.conv %x, %stem
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [4, 4] pad_low = [1, 1]
      : (tensor<1x3x224x224xf32>, tensor<64x3x3x3xf32>)
      -> tensor<1x64x56x56xf32>
  %1 = tandem.conv %0, %project
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x64x56x56xf32>, tensor<24x64x1x1xf32>)
      -> tensor<1x24x56x56xf32>
  %2 = tandem.conv %1, %expand
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x24x56x56xf32>, tensor<72x24x1x1xf32>)
      -> tensor<1x72x56x56xf32>
  %3 = tandem.relu %2 : tensor<1x72x56x56xf32>
  %4 = tandem.conv %3, %each
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2] pad_low = [1, 1] groups = 72
      : (tensor<1x72x56x56xf32>, tensor<72x1x3x3xf32>)
      -> tensor<1x72x28x28xf32>
  return %4 : tensor<1x72x28x28xf32>
}

// -----

// An activation in a convolution's kernel is no loop to transpose the result
// in: a transpose would be a kernel of its own, for more than it saves.

// CHECK-LABEL: func.func @activation
// CHECK-NOT: transpose
// CHECK: tandem.conv {{.*}}<input = "NCHW", kernel = "OIHW", output = "NCHW">
// CHECK-NEXT: tandem.relu
func.func @activation(%x: tensor<1x16x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %w = tandem.constant dense<0.5> : tensor<64x16x1x1xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x16x56x56xf32>, tensor<64x16x1x1xf32>)
      -> tensor<1x64x56x56xf32>
  %1 = tandem.relu %0 : tensor<1x64x56x56xf32>
  return %1 : tensor<1x64x56x56xf32>
}

// -----

// What the library leaves to do counts where layouts are chosen, too: as given
// there would be a pass for the activation, which can as well transpose a
// result that has its channels last.

// CHECK-LABEL: func.func @leftover
// CHECK-NOT: tandem.library
// CHECK: tandem.conv {{.*}}<input = "NHWC", kernel = "OIHW", output = "NHWC">
// CHECK: tandem.transpose
// CHECK-NEXT: tandem.relu
func.func @leftover(%x: tensor<1x48x56x56xf32>) -> tensor<1x128x56x56xf32> {
  %w = tandem.constant dense<0.5> : tensor<128x48x1x1xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x48x56x56xf32>, tensor<128x48x1x1xf32>)
      -> tensor<1x128x56x56xf32>
  %1 = tandem.relu %0 : tensor<1x128x56x56xf32>
  return %1 : tensor<1x128x56x56xf32>
}

// -----

// Weights that are an argument: each tap of a kernel would load all lines of
// the weights, of which it uses an element in nine, for every row of positions.

// CHECK-LABEL: func.func @weights_apart
// CHECK: tandem.conv {{.*}}tandem.library
func.func @weights_apart(%x: tensor<8x512x2x2xf32>, %w: tensor<512x512x3x3xf32>)
    -> tensor<8x512x2x2xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<8x512x2x2xf32>, tensor<512x512x3x3xf32>)
      -> tensor<8x512x2x2xf32>
  return %0 : tensor<8x512x2x2xf32>
}
