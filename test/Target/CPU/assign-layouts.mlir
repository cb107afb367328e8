// RUN: tandem-opt %s --tandem-assign-layouts --split-input-file | FileCheck %s

// Between two convolutions all ops follow: no transpose is left but where the
// result is written. A scalar stays; what broadcasts along a dim gets it last.
// (With such strides along the width only channels can be the lanes.)

// CHECK-LABEL: func.func @chain
// CHECK-SAME: -> tensor<1x64x6x6xf32>
// CHECK: %[[A:.*]] = tandem.conv {{.*}} output = "NHWC"> strides = [5, 5] {{.*}} -> tensor<1x56x56x64xf32>
// CHECK-NEXT: %[[B:.*]] = tandem.relu %[[A]] : tensor<1x56x56x64xf32>
// CHECK-NEXT: %[[S:.*]] = tandem.reshape %arg2 shape = [1, 1, 1, 64]
// CHECK-NEXT: %[[C:.*]] = tandem.mul %[[B]], %[[S]] : (tensor<1x56x56x64xf32>, tensor<1x1x1x64xf32>)
// CHECK-NEXT: %[[D:.*]] = tandem.add %[[C]], %arg3 : (tensor<1x56x56x64xf32>, tensor<f32>)
// CHECK-NEXT: %[[E:.*]] = tandem.max_pool %[[D]] layout = "NHWC" window = [2, 2] strides = [2, 2]
// CHECK-NEXT: %[[F:.*]] = tandem.conv %[[E]], %arg1 layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
// CHECK-NEXT: %[[G:.*]] = tandem.transpose %[[F]] permutation = [0, 3, 1, 2]
// CHECK-NEXT: %[[H:.*]] = tandem.tanh %[[G]] : tensor<1x64x6x6xf32>
// CHECK-NEXT: return %[[H]]
func.func @chain(%x: tensor<1x64x278x278xf32>, %w: tensor<64x64x3x3xf32>,
                 %scale: tensor<64x1x1xf32>, %shift: tensor<f32>)
    -> tensor<1x64x6x6xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [5, 5]
      : (tensor<1x64x278x278xf32>, tensor<64x64x3x3xf32>)
      -> tensor<1x64x56x56xf32>
  %1 = tandem.relu %0 : tensor<1x64x56x56xf32>
  %2 = tandem.mul %1, %scale
      : (tensor<1x64x56x56xf32>, tensor<64x1x1xf32>) -> tensor<1x64x56x56xf32>
  %3 = tandem.add %2, %shift
      : (tensor<1x64x56x56xf32>, tensor<f32>) -> tensor<1x64x56x56xf32>
  %4 = tandem.max_pool %3 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<1x64x56x56xf32>) -> tensor<1x64x28x28xf32>
  %5 = tandem.conv %4, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [5, 5]
      : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>)
      -> tensor<1x64x6x6xf32>
  %6 = tandem.tanh %5 : tensor<1x64x6x6xf32>
  return %6 : tensor<1x64x6x6xf32>
}

// -----

// Attributes that name dims name the new ones; a constant changes its order
// here; a reduction of all spatial dims ends the region at no cost.

// CHECK-LABEL: func.func @attributes
// CHECK-DAG: %[[K:.*]] = tandem.constant dense<{{.*}}> : tensor<1x4x2x64xf32>
// CHECK: tandem.conv {{.*}} output = "NHWC"
// CHECK: tandem.pad {{.*}} low = [0, 1, 2, 3] high = [0, 4, 5, 6] interior = [0, 0, 1, 0] value = 0.000000e+00 : (tensor<1x14x14x64xf32>) -> tensor<1x19x34x73xf32>
// CHECK: tandem.slice {{.*}} starts = [0, 2, 3, 1] limits = [1, 6, 5, 65] strides = [1, 1, 1, 1] : (tensor<1x19x34x73xf32>) -> tensor<1x4x2x64xf32>
// CHECK: tandem.concat %{{.*}}, %[[K]] axis = 3 : {{.*}} -> tensor<1x4x2x128xf32>
// CHECK: tandem.softmax {{.*}} axis = 3 : tensor<1x4x2x128xf32>
// CHECK: tandem.batch_norm {{.*}} axis = 3
// CHECK: tandem.reduce {{.*}} dims = [3] keep_dims : (tensor<1x4x2x128xf32>) -> tensor<1x4x2x1xf32>
// CHECK: tandem.reduce {{.*}} dims = [1, 2] : (tensor<1x4x2x1xf32>) -> tensor<1x1xf32>
func.func @attributes(%x: tensor<1x64x14x14xf32>, %w: tensor<64x64x3x3xf32>,
                      %p: tensor<128xf32>) -> tensor<1x1xf32> {
  %k = tandem.constant dense<1.0> : tensor<1x64x4x2xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2] pad_low = [8, 8] pad_high = [7, 7]
      : (tensor<1x64x14x14xf32>, tensor<64x64x3x3xf32>)
      -> tensor<1x64x14x14xf32>
  %1 = tandem.pad %0 low = [0, 3, 1, 2] high = [0, 6, 4, 5]
      interior = [0, 0, 0, 1] value = 0.0
      : (tensor<1x64x14x14xf32>) -> tensor<1x73x19x34xf32>
  %2 = tandem.slice %1 starts = [0, 1, 2, 3] limits = [1, 65, 6, 5]
      strides = [1, 1, 1, 1]
      : (tensor<1x73x19x34xf32>) -> tensor<1x64x4x2xf32>
  %3 = tandem.concat %2, %k axis = 1
      : (tensor<1x64x4x2xf32>, tensor<1x64x4x2xf32>) -> tensor<1x128x4x2xf32>
  %4 = tandem.softmax %3 axis = 1 : tensor<1x128x4x2xf32>
  %5 = tandem.batch_norm %4, %p, %p, %p, %p epsilon = 1.0e-5 axis = 1
      : (tensor<1x128x4x2xf32>, tensor<128xf32>, tensor<128xf32>,
         tensor<128xf32>, tensor<128xf32>) -> tensor<1x128x4x2xf32>
  %6 = tandem.reduce %5 kind = sum dims = [1] keep_dims
      : (tensor<1x128x4x2xf32>) -> tensor<1x1x4x2xf32>
  %7 = tandem.reduce %6 kind = mean dims = [2, 3]
      : (tensor<1x1x4x2xf32>) -> tensor<1x1xf32>
  return %7 : tensor<1x1xf32>
}

// -----

// Transposes that the graph brings along cancel: the ops between them change
// their layout instead. Both kinds, and one value read in both layouts.

// CHECK-LABEL: func.func @given
// CHECK-NOT: tandem.transpose
// CHECK: tandem.conv %arg0, %arg1 layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
// CHECK-NEXT: tandem.relu %{{.*}} : tensor<1x12x12x64xf32>
// CHECK-NEXT: tandem.conv {{.*}} layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
// CHECK-NEXT: return
func.func @given(%x: tensor<1x14x14x64xf32>, %w: tensor<3x3x64x64xf32>)
    -> tensor<1x10x10x64xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x14x14x64xf32>, tensor<3x3x64x64xf32>)
      -> tensor<1x12x12x64xf32>
  %1 = tandem.transpose %0 permutation = [0, 3, 1, 2]
      : (tensor<1x12x12x64xf32>) -> tensor<1x64x12x12xf32>
  %2 = tandem.relu %1 : tensor<1x64x12x12xf32>
  %3 = tandem.transpose %2 permutation = [0, 2, 3, 1]
      : (tensor<1x64x12x12xf32>) -> tensor<1x12x12x64xf32>
  %4 = tandem.conv %3, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x12x12x64xf32>, tensor<3x3x64x64xf32>)
      -> tensor<1x10x10x64xf32>
  return %4 : tensor<1x10x10x64xf32>
}

// -----

// One and three spatial dims.

// CHECK-LABEL: func.func @ranks
// CHECK: tandem.conv {{.*}} kernel = "OIW", output = "NWC">
// CHECK: tandem.conv {{.*}} kernel = "OIDHW", output = "NDHWC">
func.func @ranks(%x: tensor<8x64x99xf32>, %w: tensor<64x64x3xf32>,
                 %y: tensor<1x64x9x9x19xf32>, %v: tensor<64x64x2x2x2xf32>)
    -> (tensor<8x64xf32>, tensor<1x64xf32>) {
  %0 = tandem.conv %x, %w
      layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [2]
      : (tensor<8x64x99xf32>, tensor<64x64x3xf32>) -> tensor<8x64x49xf32>
  %1 = tandem.reduce %0 kind = mean dims = [2]
      : (tensor<8x64x49xf32>) -> tensor<8x64xf32>
  %2 = tandem.conv %y, %v
      layout = <input = "NCDHW", kernel = "OIDHW", output = "NCDHW">
      strides = [1, 1, 2]
      : (tensor<1x64x9x9x19xf32>, tensor<64x64x2x2x2xf32>)
      -> tensor<1x64x8x8x9xf32>
  %3 = tandem.reduce %2 kind = mean dims = [2, 3, 4]
      : (tensor<1x64x8x8x9xf32>) -> tensor<1x64xf32>
  return %1, %3 : tensor<8x64xf32>, tensor<1x64xf32>
}

// -----

// Few input channels are read as they are given.

// CHECK-LABEL: func.func @image
// CHECK-NOT: tandem.transpose
// CHECK: tandem.conv %arg0, %arg1 layout = <input = "NCHW", kernel = "OIHW", output = "NHWC">
// CHECK-NOT: tandem.transpose
// CHECK: tandem.reduce {{.*}} dims = [1, 2]
func.func @image(%x: tensor<1x3x56x56xf32>, %w: tensor<64x3x7x7xf32>)
    -> tensor<1x64xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2]
      : (tensor<1x3x56x56xf32>, tensor<64x3x7x7xf32>) -> tensor<1x64x25x25xf32>
  %1 = tandem.reduce %0 kind = mean dims = [2, 3]
      : (tensor<1x64x25x25xf32>) -> tensor<1x64xf32>
  return %1 : tensor<1x64xf32>
}

// -----

// A weight is brought into its layout when compiling, not by a step.

// CHECK-LABEL: func.func @factors
// CHECK: tandem.constant dense_resource<factors> : tensor<1x1x1x64xf32>
// CHECK-NOT: tandem.reshape
func.func @factors(%x: tensor<1x64x278x278xf32>, %w: tensor<64x64x3x3xf32>)
    -> tensor<1x64x11x11xf32> {
  %f = tandem.constant dense_resource<factors> : tensor<64x1x1xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [5, 5] : (tensor<1x64x278x278xf32>, tensor<64x64x3x3xf32>)
      -> tensor<1x64x56x56xf32>
  %1 = tandem.mul %0, %f
      : (tensor<1x64x56x56xf32>, tensor<64x1x1xf32>) -> tensor<1x64x56x56xf32>
  %2 = tandem.conv %1, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [5, 5] : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>)
      -> tensor<1x64x11x11xf32>
  return %2 : tensor<1x64x11x11xf32>
}

{-#
  dialect_resources: {
    builtin: { factors: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F" }
  }
#-}

// -----

// Indices of a table have the layout of what is looked up.

// CHECK-LABEL: func.func @lookup
// CHECK: %[[A:.*]] = tandem.conv {{.*}} output = "NHWC"> {{.*}} -> tensor<1x56x56x64xf32>
// CHECK-NEXT: %[[I:.*]] = tandem.cast %[[A]] : (tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xi32>
// CHECK-NEXT: %[[B:.*]] = tandem.gather %arg2, %[[I]] axis = 0 : (tensor<256xf32>, tensor<1x56x56x64xi32>) -> tensor<1x56x56x64xf32>
// CHECK-NEXT: tandem.conv %[[B]]
func.func @lookup(%x: tensor<1x64x278x278xf32>, %w: tensor<64x64x3x3xf32>,
                  %table: tensor<256xf32>) -> tensor<1x64x11x11xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> strides = [5, 5]
      : (tensor<1x64x278x278xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  %1 = tandem.cast %0 : (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xi32>
  %2 = tandem.gather %table, %1 axis = 0
      : (tensor<256xf32>, tensor<1x64x56x56xi32>) -> tensor<1x64x56x56xf32>
  %3 = tandem.conv %2, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> strides = [5, 5]
      : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x11x11xf32>
  return %3 : tensor<1x64x11x11xf32>
}

// -----

// The first convolution of a network of bytes. The eager tier takes longer to
// copy three channels of many positions than to multiply them.

// CHECK-LABEL: func.func @bytes
// CHECK: tandem.conv {{.*}} output = "NHWC"> {{.*}} -> tensor<1x112x112x32xi32>
func.func @bytes(%x: tensor<1x3x226x226xui8>, %s: tensor<1x32x1x1xf32>)
    -> tensor<1x32x112x112xui8> {
  %w = tandem.constant dense<1> : tensor<32x3x3x3xi8>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> strides = [2, 2]
      : (tensor<1x3x226x226xui8>, tensor<32x3x3x3xi8>) -> tensor<1x32x112x112xi32>
  %1 = tandem.cast %0 : (tensor<1x32x112x112xi32>) -> tensor<1x32x112x112xf32>
  %2 = tandem.mul %1, %s
      : (tensor<1x32x112x112xf32>, tensor<1x32x1x1xf32>) -> tensor<1x32x112x112xf32>
  %3 = tandem.cast %2 : (tensor<1x32x112x112xf32>) -> tensor<1x32x112x112xui8>
  return %3 : tensor<1x32x112x112xui8>
}

// -----

// The kernel of a depthwise convolution that is channels last as given.

// CHECK-LABEL: func.func @given_last
// CHECK: %[[W:.*]] = tandem.constant {{.*}} : tensor<3x3x1x2xf32>
// CHECK: tandem.conv %arg0, %[[W]] layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
func.func @given_last(%x: tensor<1x8x8x2xf32>) -> tensor<1x6x6x2xf32> {
  %w = tandem.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]],
                              [[[1.5, 2.5, 3.5], [4.5, 5.5, 6.5], [7.5, 8.5, 9.5]]]]> : tensor<2x1x3x3xf32>
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "OIHW", output = "NHWC"> groups = 2
      : (tensor<1x8x8x2xf32>, tensor<2x1x3x3xf32>) -> tensor<1x6x6x2xf32>
  return %0 : tensor<1x6x6x2xf32>
}

// -----

// A gather of a list of positions follows, and its axis moves. A gather whose
// indices have two dims would add a dim, and stays.

// CHECK-LABEL: func.func @positions
// CHECK: %[[A:.*]] = tandem.conv {{.*}} output = "NHWC">
// CHECK: %[[B:.*]] = tandem.gather %[[A]], %arg2 axis = 1 : (tensor<1x56x56x64xf32>, tensor<112xi64>) -> tensor<1x112x56x64xf32>
// CHECK-NEXT: %[[C:.*]] = tandem.gather %[[B]], %arg2 axis = 2 : (tensor<1x112x56x64xf32>, tensor<112xi64>) -> tensor<1x112x112x64xf32>
// CHECK-NEXT: %[[D:.*]] = tandem.conv %[[C]], %arg1 layout = <input = "NHWC"
// CHECK-NEXT: %[[E:.*]] = tandem.transpose %[[D]] permutation = [0, 3, 1, 2]
// CHECK-NEXT: tandem.gather %[[E]], %arg3 axis = 2
func.func @positions(%x: tensor<1x64x278x278xf32>, %w: tensor<64x64x3x3xf32>,
                     %rows: tensor<112xi64>, %pairs: tensor<4x2xi64>)
    -> tensor<1x64x4x2x22xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [5, 5]
      : (tensor<1x64x278x278xf32>, tensor<64x64x3x3xf32>)
      -> tensor<1x64x56x56xf32>
  %1 = tandem.gather %0, %rows axis = 2
      : (tensor<1x64x56x56xf32>, tensor<112xi64>) -> tensor<1x64x112x56xf32>
  %2 = tandem.gather %1, %rows axis = 3
      : (tensor<1x64x112x56xf32>, tensor<112xi64>) -> tensor<1x64x112x112xf32>
  %3 = tandem.conv %2, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [5, 5]
      : (tensor<1x64x112x112xf32>, tensor<64x64x3x3xf32>)
      -> tensor<1x64x22x22xf32>
  %4 = tandem.gather %3, %pairs axis = 2
      : (tensor<1x64x22x22xf32>, tensor<4x2xi64>) -> tensor<1x64x4x2x22xf32>
  return %4 : tensor<1x64x4x2x22xf32>
}
