// Poolings that are not fused into kernels of contractions, and the reasons.
// RUN: tandem-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(tandem-fuse{remarks=1 contractions=cpu}))'

// Another op reads what would not be stored.
func.func @skip(%x: tensor<1x58x58x64xf32>, %w: tensor<3x3x64x64xf32>)
    -> (tensor<1x56x56x64xf32>, tensor<1x28x28x64xf32>) {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  // expected-remark @+2 {{not part of the kernel of 'tandem.conv': the value is needed outside as well [NeededOutside]}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %1 = tandem.max_pool %0 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x56x56x64xf32>) -> tensor<1x28x28x64xf32>
  return %0, %1 : tensor<1x56x56x64xf32>, tensor<1x28x28x64xf32>
}

// -----

// Whole windows would be computed several times by a contraction that is heavy.
func.func @overlap(%x: tensor<1x30x30x256xf32>, %w: tensor<3x3x256x256xf32>) -> tensor<1x14x14x256xf32> {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x30x30x256xf32>, tensor<3x3x256x256xf32>) -> tensor<1x28x28x256xf32>
  // expected-remark @+2 {{not part of the kernel of 'tandem.conv': computing it there costs}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %1 = tandem.max_pool %0 layout = "NHWC" window = [3, 3] strides = [2, 2] pad_low = [1, 1]
      : (tensor<1x28x28x256xf32>) -> tensor<1x14x14x256xf32>
  return %1 : tensor<1x14x14x256xf32>
}

// -----

// Windows across Winograd's tiles, which take half of the time.
func.func @across_tiles(%x: tensor<1x58x58x64xf32>) -> tensor<1x18x18x64xf32> {
  %w = tandem.constant dense<1.0> : tensor<3x3x64x64xf32>
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  // expected-remark @+2 {{not part of the kernel of 'tandem.conv': computing it there costs}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %1 = tandem.max_pool %0 layout = "NHWC" window = [3, 3] strides = [3, 3]
      : (tensor<1x56x56x64xf32>) -> tensor<1x18x18x64xf32>
  return %1 : tensor<1x18x18x64xf32>
}

// -----

// A long row, all of which would have to be kept.
func.func @line(%x: tensor<1x65538x8xf32>, %w: tensor<3x8x64xf32>) -> tensor<1x32768x64xf32> {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x65538x8xf32>, tensor<3x8x64xf32>) -> tensor<1x65536x64xf32>
  // expected-remark @+2 {{each task would have to keep 16777216 bytes for it, more than 524288 [PartTooLarge]}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %1 = tandem.max_pool %0 layout = "NWC" window = [2] strides = [2]
      : (tensor<1x65536x64xf32>) -> tensor<1x32768x64xf32>
  return %1 : tensor<1x32768x64xf32>
}

// -----

// Channels are in several tiles, images in several tasks.
func.func @channels(%x: tensor<4x9x9x64xf32>, %w: tensor<3x3x64x128xf32>) -> tensor<4x7x7xf32> {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<4x9x9x64xf32>, tensor<3x3x64x128xf32>) -> tensor<4x7x7x128xf32>
  // expected-remark @+2 {{it reads what several tasks of the kernel compute: it combines channels, which are in several tiles [AcrossTiles]}}
  // expected-remark @+1 {{TooManyReads}}
  %1 = tandem.reduce %0 kind = max dims = [3] : (tensor<4x7x7x128xf32>) -> tensor<4x7x7xf32>
  return %1 : tensor<4x7x7xf32>
}

// -----

func.func @images(%x: tensor<4x9x9x64xf32>, %w: tensor<3x3x64x128xf32>) -> tensor<7x7x128xf32> {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<4x9x9x64xf32>, tensor<3x3x64x128xf32>) -> tensor<4x7x7x128xf32>
  // expected-remark @+2 {{it combines what is of several batches [AcrossTiles]}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %1 = tandem.reduce %0 kind = sum dims = [0] : (tensor<4x7x7x128xf32>) -> tensor<7x7x128xf32>
  return %1 : tensor<7x7x128xf32>
}

// -----

// One pooling for each contraction.
func.func @twice(%x: tensor<1x114x114x3xf32>, %w: tensor<3x3x3x64xf32>) -> tensor<1x28x28x64xf32> {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x114x114x3xf32>, tensor<3x3x3x64xf32>) -> tensor<1x112x112x64xf32>
  %1 = tandem.max_pool %0 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x112x112x64xf32>) -> tensor<1x56x56x64xf32>
  // expected-remark @+2 {{it is not elementwise [NotElementwiseOp]}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %2 = tandem.max_pool %1 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x56x56x64xf32>) -> tensor<1x28x28x64xf32>
  return %2 : tensor<1x28x28x64xf32>
}
