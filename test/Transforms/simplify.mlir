// RUN: tandem-opt %s --split-input-file --tandem-simplify | FileCheck %s

// All constants: into the kernel and the bias. Factors are 2 and 4 (the
// variance is 0.25 - epsilon), shifts 1 - 1 * 2 and 2 - 0 * 4.
// CHECK-LABEL: func.func @constants
func.func @constants(%x: tensor<?x16x1xf32>) -> tensor<?x14x2xf32> {
  %w = tandem.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]> : tensor<3x1x2xf32>
  %scale = tandem.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %offset = tandem.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = tandem.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %variance = tandem.constant dense<0.125> : tensor<2xf32>
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<?x16x1xf32>, tensor<3x1x2xf32>) -> tensor<?x14x2xf32>
  %1 = tandem.batch_norm %0, %scale, %offset, %mean, %variance
      epsilon = 1.25e-1 axis = 2
      : (tensor<?x14x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>) -> tensor<?x14x2xf32>
  // CHECK-DAG: %[[W:.*]] = tandem.constant dense<{{\[\[\[}}2.000000e+00, 8.000000e+00]], {{\[\[}}6.000000e+00, 1.600000e+01]], {{\[\[}}1.000000e+01, 2.400000e+01]]]>
  // CHECK-DAG: %[[B:.*]] = tandem.constant dense<[-1.000000e+00, 2.000000e+00]>
  // CHECK: %[[R:.*]] = tandem.conv %{{.*}}, %[[W]], %[[B]]
  // CHECK-NEXT: return %[[R]]
  return %1 : tensor<?x14x2xf32>
}

// -----

// The same of resources: a kernel that is one would be scaled at each call.
// CHECK-LABEL: func.func @resources
func.func @resources(%x: tensor<?x16x1xf32>) -> tensor<?x16x2xf32> {
  %w = tandem.constant dense_resource<kernel> : tensor<1x1x2xf32>
  %scale = tandem.constant dense_resource<scale> : tensor<2xf32>
  %zero = tandem.constant dense<0.0> : tensor<2xf32>
  %one = tandem.constant dense<1.0> : tensor<2xf32>
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<?x16x1xf32>, tensor<1x1x2xf32>) -> tensor<?x16x2xf32>
  %1 = tandem.batch_norm %0, %scale, %one, %zero, %one epsilon = 0.0 axis = 2
      : (tensor<?x16x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>) -> tensor<?x16x2xf32>
  // CHECK-DAG: %[[W:.*]] = tandem.constant dense<{{\[\[\[}}3.000000e+00, 8.000000e+00]]]>
  // CHECK-DAG: %[[B:.*]] = tandem.constant dense<1.000000e+00>
  // CHECK: %[[R:.*]] = tandem.conv %{{.*}}, %[[W]], %[[B]]
  // CHECK-NEXT: return %[[R]]
  return %1 : tensor<?x16x2xf32>
}
{-# dialect_resources: { builtin: {
  kernel: "0x400000000000803F00000040",
  scale: "0x400000000000404000008040"
} } #-}

// -----

// A kernel that is an argument and small beside the output: scaled each call.
// CHECK-LABEL: func.func @small_kernel
// CHECK-SAME: (%[[X:.*]]: tensor<8x16x16x4xf32>, %[[W:.*]]: tensor<1x1x4x4xf32>
func.func @small_kernel(%x: tensor<8x16x16x4xf32>, %w: tensor<1x1x4x4xf32>,
    %bias: tensor<4xf32>) -> tensor<8x16x16x4xf32> {
  %p = tandem.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = tandem.conv %x, %w, %bias
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<8x16x16x4xf32>, tensor<1x1x4x4xf32>, tensor<4xf32>) -> tensor<8x16x16x4xf32>
  // CHECK: %[[WS:.*]] = tandem.mul %[[W]], %{{.*}} : (tensor<1x1x4x4xf32>, tensor<4xf32>)
  // CHECK: %[[R:.*]] = tandem.conv %[[X]], %[[WS]], %{{.*}}
  // CHECK-NEXT: return %[[R]]
  %1 = tandem.batch_norm %0, %p, %p, %p, %p epsilon = 1.0e-5 axis = 3
      : (tensor<8x16x16x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>) -> tensor<8x16x16x4xf32>
  return %1 : tensor<8x16x16x4xf32>
}

// -----

// Parameters that are arguments may be such that x * factor + shift cancels:
// the formula is followed, and the kernel left alone.
// CHECK-LABEL: func.func @unknown
// CHECK-SAME: (%[[X:.*]]: tensor<8x16x16x4xf32>, %[[W:.*]]: tensor<1x1x4x4xf32>, %[[P:.*]]: tensor<4xf32>
func.func @unknown(%x: tensor<8x16x16x4xf32>, %w: tensor<1x1x4x4xf32>,
                   %p: tensor<4xf32>) -> tensor<8x16x16x4xf32> {
  // CHECK: %[[C:.*]] = tandem.conv %[[X]], %[[W]] layout
  // CHECK: %[[D:.*]] = tandem.sub %[[C]], %[[P]]
  // CHECK: %[[M:.*]] = tandem.mul %[[D]]
  // CHECK: %[[R:.*]] = tandem.add %[[M]], %[[P]]
  // CHECK-NEXT: return %[[R]]
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<8x16x16x4xf32>, tensor<1x1x4x4xf32>) -> tensor<8x16x16x4xf32>
  %1 = tandem.batch_norm %0, %p, %p, %p, %p epsilon = 1.0e-5 axis = 3
      : (tensor<8x16x16x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>) -> tensor<8x16x16x4xf32>
  return %1 : tensor<8x16x16x4xf32>
}

// -----

// One channel of two cancels: mean * factor is 9, beside an offset of 1.
// CHECK-LABEL: func.func @cancels
// CHECK: %[[C:.*]] = tandem.conv
// CHECK: %[[D:.*]] = tandem.sub %[[C]]
// CHECK-NEXT: tandem.add %[[D]]
func.func @cancels(%x: tensor<4x16x1xf32>, %w: tensor<3x1x2xf32>)
    -> tensor<4x14x2xf32> {
  %one = tandem.constant dense<1.0> : tensor<2xf32>
  %mean = tandem.constant dense<[1.0, 9.0]> : tensor<2xf32>
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<4x16x1xf32>, tensor<3x1x2xf32>) -> tensor<4x14x2xf32>
  %1 = tandem.batch_norm %0, %one, %one, %mean, %one epsilon = 0.0 axis = 2
      : (tensor<4x14x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>) -> tensor<4x14x2xf32>
  return %1 : tensor<4x14x2xf32>
}

// -----

// 9 does no harm beside an offset of 2, of half precision either.
// CHECK-LABEL: func.func @harmless
// CHECK-DAG: tandem.constant dense<-7.000000e+00> : tensor<2xf32>
// CHECK: tandem.mul
// CHECK-NOT: tandem.sub
func.func @harmless(%x: tensor<4x2xbf16>) -> tensor<4x2xbf16> {
  %one = tandem.constant dense<1.0> : tensor<2xbf16>
  %two = tandem.constant dense<2.0> : tensor<2xbf16>
  %mean = tandem.constant dense<4.5> : tensor<2xbf16>
  %0 = tandem.batch_norm %x, %two, %two, %mean, %one epsilon = 0.0 axis = 1
      : (tensor<4x2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>,
         tensor<2xbf16>) -> tensor<4x2xbf16>
  return %0 : tensor<4x2xbf16>
}

// -----

// A factor that is not finite, and a kernel that would not be.
// CHECK-LABEL: func.func @infinite
// CHECK: %[[C:.*]] = tandem.conv
// CHECK: tandem.sub %[[C]]
// CHECK: %[[D:.*]] = tandem.conv
// CHECK: tandem.mul %[[D]]
func.func @infinite(%x: tensor<4x16x1xf32>)
    -> (tensor<4x14x2xf32>, tensor<4x14x2xf32>) {
  %w = tandem.constant dense<1.0e+20> : tensor<3x1x2xf32>
  %v = tandem.constant dense<1.0> : tensor<3x1x2xf32>
  %one = tandem.constant dense<1.0> : tensor<2xf32>
  %large = tandem.constant dense<1.0e+20> : tensor<2xf32>
  %zero = tandem.constant dense<0.0> : tensor<2xf32>
  %0 = tandem.conv %x, %v layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<4x16x1xf32>, tensor<3x1x2xf32>) -> tensor<4x14x2xf32>
  %1 = tandem.batch_norm %0, %one, %one, %one, %zero epsilon = 0.0 axis = 2
      : (tensor<4x14x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>) -> tensor<4x14x2xf32>
  %2 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<4x16x1xf32>, tensor<3x1x2xf32>) -> tensor<4x14x2xf32>
  %3 = tandem.batch_norm %2, %large, %one, %zero, %one epsilon = 0.0 axis = 2
      : (tensor<4x14x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>) -> tensor<4x14x2xf32>
  return %1, %3 : tensor<4x14x2xf32>, tensor<4x14x2xf32>
}

// -----

// A weight that would become 0, of which an infinity of %x would make NaN.
// CHECK-LABEL: func.func @underflow
// CHECK: %[[C:.*]] = tandem.conv
// CHECK: tandem.mul %[[C]]
func.func @underflow(%x: tensor<4x16x1xf32>) -> tensor<4x14x2xf32> {
  %w = tandem.constant dense<2.0e-38> : tensor<3x1x2xf32>
  %small = tandem.constant dense<1.0e-9> : tensor<2xf32>
  %zero = tandem.constant dense<0.0> : tensor<2xf32>
  %one = tandem.constant dense<1.0> : tensor<2xf32>
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<4x16x1xf32>, tensor<3x1x2xf32>) -> tensor<4x14x2xf32>
  %1 = tandem.batch_norm %0, %small, %one, %zero, %one epsilon = 0.0 axis = 2
      : (tensor<4x14x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>) -> tensor<4x14x2xf32>
  return %1 : tensor<4x14x2xf32>
}

// -----

// A kernel that is large beside the output stays; the factors are per channel.
// CHECK-LABEL: func.func @large_kernel
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<4x4x3x3xf32>
func.func @large_kernel(%x: tensor<1x4x4x4xf32>, %w: tensor<4x4x3x3xf32>,
                        %p: tensor<4xf32>) -> tensor<1x4x2x2xf32> {
  // CHECK: %[[C:.*]] = tandem.conv %{{.*}}, %[[W]] layout
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x4x4x4xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x2x2xf32>
  // CHECK: %[[D:.*]] = tandem.sub %[[C]]
  // CHECK: %[[F:.*]] = tandem.div
  // CHECK: %[[A:.*]] = tandem.reshape %[[F]] shape = [4, 1, 1]
  // CHECK: %[[M:.*]] = tandem.mul %[[D]], %[[A]]
  // CHECK: %[[R:.*]] = tandem.add %[[M]]
  // CHECK-NEXT: return %[[R]]
  %1 = tandem.batch_norm %0, %p, %p, %p, %p epsilon = 1.0e-5 axis = 1
      : (tensor<1x4x2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>) -> tensor<1x4x2x2xf32>
  return %1 : tensor<1x4x2x2xf32>
}

// -----

// The convolution's own result is needed: no folding.
// CHECK-LABEL: func.func @two_uses
// CHECK: %[[C:.*]] = tandem.conv
// CHECK: tandem.sub %[[C]]
func.func @two_uses(%x: tensor<4x16x1xf32>, %w: tensor<3x1x2xf32>,
    %p: tensor<2xf32>) -> (tensor<4x14x2xf32>, tensor<4x14x2xf32>) {
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<4x16x1xf32>, tensor<3x1x2xf32>) -> tensor<4x14x2xf32>
  %1 = tandem.batch_norm %0, %p, %p, %p, %p epsilon = 1.0e-5 axis = 2
      : (tensor<4x14x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>) -> tensor<4x14x2xf32>
  return %0, %1 : tensor<4x14x2xf32>, tensor<4x14x2xf32>
}

// -----

// Half precision is normalized in f32.
// CHECK-LABEL: func.func @half
func.func @half(%x: tensor<4x2xbf16>, %p: tensor<2xbf16>) -> tensor<4x2xbf16> {
  // CHECK: %[[X:.*]] = tandem.cast %{{.*}} : {{.*}} -> tensor<4x2xf32>
  // CHECK: tandem.sub %[[X]]
  // CHECK: %[[S:.*]] = tandem.add {{.*}} -> tensor<4x2xf32>
  // CHECK: %[[R:.*]] = tandem.cast %[[S]] {{.*}} -> tensor<4x2xbf16>
  // CHECK: return %[[R]]
  %0 = tandem.batch_norm %x, %p, %p, %p, %p epsilon = 1.0e-5 axis = 1
      : (tensor<4x2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>,
         tensor<2xbf16>) -> tensor<4x2xbf16>
  return %0 : tensor<4x2xbf16>
}

// -----

// CHECK-LABEL: func.func @bias
// CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<4x1x1xf32>
func.func @bias(%x: tensor<?x4x8x8xf32>, %w: tensor<4x4x1x1xf32>,
                %b: tensor<4x1x1xf32>) -> tensor<?x4x8x8xf32> {
  // CHECK: %[[V:.*]] = tandem.reshape %[[B]] shape = [4]
  // CHECK: %[[C:.*]] = tandem.conv %{{.*}}, %{{.*}}, %[[V]]
  // CHECK-NEXT: return %[[C]]
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<?x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<?x4x8x8xf32>
  %1 = tandem.add %b, %0
      : (tensor<4x1x1xf32>, tensor<?x4x8x8xf32>) -> tensor<?x4x8x8xf32>
  return %1 : tensor<?x4x8x8xf32>
}

// -----

// Along the width, not the channels.
// CHECK-LABEL: func.func @no_bias
// CHECK: tandem.conv
// CHECK: tandem.add
func.func @no_bias(%x: tensor<?x4x8x8xf32>, %w: tensor<4x4x1x1xf32>,
                   %b: tensor<8xf32>) -> tensor<?x4x8x8xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<?x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<?x4x8x8xf32>
  %1 = tandem.add %0, %b
      : (tensor<?x4x8x8xf32>, tensor<8xf32>) -> tensor<?x4x8x8xf32>
  return %1 : tensor<?x4x8x8xf32>
}

// -----

// The result of f16 may overflow before it is added to.
// CHECK-LABEL: func.func @no_bias_of_f16
// CHECK: tandem.conv
// CHECK: tandem.add
func.func @no_bias_of_f16(%x: tensor<?x4x8x8xf16>, %w: tensor<4x4x1x1xf16>,
                          %b: tensor<4x1x1xf16>) -> tensor<?x4x8x8xf16> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<?x4x8x8xf16>, tensor<4x4x1x1xf16>) -> tensor<?x4x8x8xf16>
  %1 = tandem.add %0, %b
      : (tensor<?x4x8x8xf16>, tensor<4x1x1xf16>) -> tensor<?x4x8x8xf16>
  return %1 : tensor<?x4x8x8xf16>
}

// -----

// CHECK-LABEL: func.func @algebra
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>)
func.func @algebra(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %two = tandem.constant dense<2.0> : tensor<f32>
  %four = tandem.constant dense<4.0> : tensor<f32>
  %three = tandem.constant dense<3.0> : tensor<f32>
  // CHECK-DAG: %[[QUARTER:.*]] = tandem.constant dense<2.500000e-01>
  // CHECK-DAG: %[[THREE:.*]] = tandem.constant dense<3.000000e+00>
  // CHECK: tandem.mul %[[X]], %[[X]]
  %0 = tandem.pow %x, %two : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: tandem.mul %[[X]], %[[QUARTER]]
  %1 = tandem.div %x, %four : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // A third is not exact.
  // CHECK: tandem.div %[[X]], %[[THREE]]
  %2 = tandem.div %x, %three : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @transposes
// CHECK-SAME: (%[[X:.*]]: tensor<4x1x8xf32>, %[[A:.*]]: tensor<2x8x4xf32>)
func.func @transposes(%x: tensor<4x1x8xf32>, %a: tensor<2x8x4xf32>)
    -> (tensor<1x4x8xf32>, tensor<2x4x4xf32>) {
  // CHECK: tandem.reshape %[[X]] shape = [1, 4, 8]
  %0 = tandem.transpose %x permutation = [1, 0, 2]
      : (tensor<4x1x8xf32>) -> tensor<1x4x8xf32>
  %1 = tandem.transpose %a permutation = [0, 2, 1]
      : (tensor<2x8x4xf32>) -> tensor<2x4x8xf32>
  // CHECK: tandem.matmul %[[A]], %[[A]] transpose_lhs
  %2 = tandem.matmul %1, %a
      : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  return %0, %2 : tensor<1x4x8xf32>, tensor<2x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @pool
// CHECK-SAME: (%[[Q:.*]]: tensor<1x8x8x3xui8>)
func.func @pool(%q: tensor<1x8x8x3xui8>) -> tensor<1x4x4x3xf32> {
  // CHECK: %[[P:.*]] = tandem.max_pool %[[Q]] {{.*}} -> tensor<1x4x4x3xui8>
  // CHECK: %[[C:.*]] = tandem.cast %[[P]] : (tensor<1x4x4x3xui8>) -> tensor<1x4x4x3xf32>
  // CHECK: %[[D:.*]] = tandem.sub %[[C]],
  // CHECK: tandem.mul %[[D]], {{.*}} -> tensor<1x4x4x3xf32>
  %z = tandem.constant dense<3.0> : tensor<f32>
  %s = tandem.constant dense<0.1> : tensor<f32>
  %0 = tandem.cast %q : (tensor<1x8x8x3xui8>) -> tensor<1x8x8x3xf32>
  %1 = tandem.sub %0, %z : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x8x8x3xf32>
  %2 = tandem.mul %1, %s : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x8x8x3xf32>
  %3 = tandem.max_pool %2 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return %3 : tensor<1x4x4x3xf32>
}

// -----

// A negative factor turns the order around, a sum of tensors has none, and a
// window of distant elements may lie in the padding.

// CHECK-LABEL: func.func @other_pools
// CHECK-NOT: -> tensor<1x7x7x3xi8>
func.func @other_pools(%q: tensor<1x8x8x3xi8>, %r: tensor<1x8x8x3xf32>)
    -> (tensor<1x7x7x3xf32>, tensor<1x7x7x3xf32>, tensor<1x8x8x3xf32>) {
  %s = tandem.constant dense<-0.1> : tensor<f32>
  %0 = tandem.cast %q : (tensor<1x8x8x3xi8>) -> tensor<1x8x8x3xf32>
  %1 = tandem.mul %0, %s : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x8x8x3xf32>
  %2 = tandem.max_pool %1 layout = "NHWC" window = [2, 2]
      : (tensor<1x8x8x3xf32>) -> tensor<1x7x7x3xf32>
  %3 = tandem.add %0, %r : tensor<1x8x8x3xf32>
  %4 = tandem.max_pool %3 layout = "NHWC" window = [2, 2]
      : (tensor<1x8x8x3xf32>) -> tensor<1x7x7x3xf32>
  // CHECK: tandem.max_pool {{.*}} dilations = [4, 4] : (tensor<1x8x8x3xf32>)
  %5 = tandem.max_pool %0 layout = "NHWC" window = [2, 2] pad_low = [2, 2]
      pad_high = [2, 2] dilations = [4, 4]
      : (tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32>
  return %2, %4, %5 : tensor<1x7x7x3xf32>, tensor<1x7x7x3xf32>, tensor<1x8x8x3xf32>
}

// -----

// CHECK-LABEL: func.func @cse
func.func @cse(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-COUNT-1: tandem.exp
  // CHECK-NOT: tandem.exp
  // CHECK-NOT: tandem.sin
  %0 = tandem.exp %x : tensor<4xf32>
  %1 = tandem.exp %x : tensor<4xf32>
  %dead = tandem.sin %x : tensor<4xf32>
  %2 = tandem.mul %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
