// Poolings of small convolutions, which a kernel on a GPU computes together
// with the convolution. They have both layouts, one to three dims, and all
// types, and windows that overlap, skip positions, or extend beyond the result.

// RUN: tandem-run %s --arg=random:2x3x31x33 --arg=random:16x3x3x3 --arg=random:2x16x15x16 --arg=random:12x3x3x3 --check
// RUN: tandem-run %s --arg=random:1x3x8x9 --arg=random:16x3x3x3 --arg=random:1x16x4x4 --arg=random:12x3x3x3 --check
// RUN: tandem-run %s --func=halves --check
// RUN: tandem-run %s --func=lines --check
// RUN: tandem-run %s --func=volume --check

// On an H200 no pooling is a kernel of its own.
// RUN: tandem-opt %s --fuse --device=cuda --device-spec=h200 --shapes=2x3x31x33,16x3x3x3,2x16x15x16,12x3x3x3 | FileCheck %s

// CHECK-COUNT-8: tandem.fusion contraction
// CHECK-NOT: tandem.fusion loop

func.func @main(%x: tensor<?x3x?x?xf32>, %w: tensor<16x3x3x3xf32>,
                %z: tensor<?x16x?x?xf32>, %v: tensor<12x3x3x3xf32>)
    -> (tensor<?x16x?x?xf32>, tensor<?x?x?x16xf32>, tensor<?x12x?x?xf32>) {
  // Followed by what reads another tensor.
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x3x?x?xf32>, tensor<16x3x3x3xf32>) -> tensor<?x16x?x?xf32>
  %1 = tandem.relu %0 : tensor<?x16x?x?xf32>
  %2 = tandem.max_pool %1 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %3 = tandem.add %2, %z : tensor<?x16x?x?xf32>
  // Windows that overlap, behind what reads a bias.
  %b = tandem.constant dense<[0.5, 1.5, -0.5, 2.5, 0.0, 1.0, 2.0, 3.0,
                              -1.0, -2.0, -3.0, 0.25, 4.0, 0.75, 7.0, 9.0]>
      : tensor<16xf32>
  %4 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NHWC">
      : (tensor<?x3x?x?xf32>, tensor<16x3x3x3xf32>) -> tensor<?x?x?x16xf32>
  %5 = tandem.add %4, %b
      : (tensor<?x?x?x16xf32>, tensor<16xf32>) -> tensor<?x?x?x16xf32>
  %6 = tandem.max_pool %5 layout = "NHWC" window = [3, 3] strides = [2, 2]
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  // Averages with what lies beyond, of strided and dilated taps.
  %7 = tandem.conv %x, %v
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 1] dilations = [1, 2]
      : (tensor<?x3x?x?xf32>, tensor<12x3x3x3xf32>) -> tensor<?x12x?x?xf32>
  %8 = tandem.avg_pool %7 layout = "NCHW" window = [2, 3] strides = [1, 2]
      pad_low = [1, 0] pad_high = [0, 1]
      : (tensor<?x12x?x?xf32>) -> tensor<?x12x?x?xf32>
  return %3, %6, %8
      : tensor<?x16x?x?xf32>, tensor<?x?x?x16xf32>, tensor<?x12x?x?xf32>
}

func.func @halves(%x: tensor<2x21x19x3xf16>, %w: tensor<3x3x3x24xf16>,
                  %y: tensor<1x3x40x17xbf16>, %v: tensor<8x3x2x3xbf16>)
    -> (tensor<2x6x6x24xf16>, tensor<1x8x10x9xbf16>) {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<2x21x19x3xf16>, tensor<3x3x3x24xf16>) -> tensor<2x19x17x24xf16>
  %1 = tandem.gelu %0 : tensor<2x19x17x24xf16>
  %2 = tandem.max_pool %1 layout = "NHWC" window = [2, 2] strides = [3, 3]
      : (tensor<2x19x17x24xf16>) -> tensor<2x6x6x24xf16>
  %3 = tandem.conv %y, %v
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [0, 1] pad_high = [1, 1]
      : (tensor<1x3x40x17xbf16>, tensor<8x3x2x3xbf16>) -> tensor<1x8x40x17xbf16>
  %4 = tandem.max_pool %3 layout = "NCHW" window = [4, 2] strides = [4, 2]
      pad_high = [3, 1] : (tensor<1x8x40x17xbf16>) -> tensor<1x8x10x9xbf16>
  return %2, %4 : tensor<2x6x6x24xf16>, tensor<1x8x10x9xbf16>
}

func.func @lines(%x: tensor<3x300x3xf32>, %w: tensor<9x3x32xf32>,
                 %y: tensor<2x2x77xf64>, %v: tensor<20x2x9xf64>)
    -> (tensor<3x145x32xf32>, tensor<2x20x39xf64>) {
  %0 = tandem.conv %x, %w
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<3x300x3xf32>, tensor<9x3x32xf32>) -> tensor<3x292x32xf32>
  %1 = tandem.relu %0 : tensor<3x292x32xf32>
  %2 = tandem.max_pool %1 layout = "NWC" window = [3] strides = [2]
      : (tensor<3x292x32xf32>) -> tensor<3x145x32xf32>
  %3 = tandem.conv %y, %v
      layout = <input = "NCW", kernel = "OIW", output = "NCW">
      pad_low = [4] pad_high = [4]
      : (tensor<2x2x77xf64>, tensor<20x2x9xf64>) -> tensor<2x20x77xf64>
  %4 = tandem.avg_pool %3 count_include_pad layout = "NCW" window = [3]
      strides = [2] pad_low = [1] pad_high = [1]
      : (tensor<2x20x77xf64>) -> tensor<2x20x39xf64>
  return %2, %4 : tensor<3x145x32xf32>, tensor<2x20x39xf64>
}

func.func @volume(%x: tensor<1x7x9x11x2xf32>, %w: tensor<3x2x3x2x8xf32>)
    -> tensor<1x8x2x4x4xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NDHWC", kernel = "DHWIO", output = "NCDHW">
      : (tensor<1x7x9x11x2xf32>, tensor<3x2x3x2x8xf32>)
      -> tensor<1x8x5x8x9xf32>
  %1 = tandem.max_pool %0 layout = "NCDHW" window = [2, 2, 2]
      strides = [2, 2, 2] : (tensor<1x8x5x8x9xf32>) -> tensor<1x8x2x4x4xf32>
  return %1 : tensor<1x8x2x4x4xf32>
}
