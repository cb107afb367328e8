// Convolutions that are given with channels first but run with channels last,
// and the ops between and around them, with sizes that do not fill a vector.

// RUN: tandem-run %s --arg=random:1x3x65x67 --check
// RUN: tandem-run %s --arg=random:2x3x33x41 --check
// RUN: tandem-run %s --arg=random:3x3x29x129 --check
// RUN: tandem-run %s --arg=random:5x3x31x31 --check

func.func @main(%x: tensor<?x3x?x?xf32>, %w1: tensor<33x3x3x3xf32>,
                %b1: tensor<33xf32>, %w2: tensor<35x33x3x3xf32>,
                %scale: tensor<35x1x1xf32>, %w3: tensor<16x5x1x1xf32>,
                %w4: tensor<64x16x3xf32>)
    -> (tensor<?x35x?x?xf32>, tensor<?x70xf32>, tensor<?x16x?x?xf32>,
        tensor<?x64x?xf32>) {
  // An image, an activation, a window.
  %0 = tandem.conv %x, %w1, %b1
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x3x?x?xf32>, tensor<33x3x3x3xf32>, tensor<33xf32>)
      -> tensor<?x33x?x?xf32>
  %1 = tandem.relu %0 : tensor<?x33x?x?xf32>
  %2 = tandem.max_pool %1 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<?x33x?x?xf32>) -> tensor<?x33x?x?xf32>
  // Strides and dilation; broadcast along the last dim of one layout.
  %3 = tandem.conv %2, %w2
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2] dilations = [2, 1] pad_low = [2, 0] pad_high = [1, 1]
      : (tensor<?x33x?x?xf32>, tensor<35x33x3x3xf32>) -> tensor<?x35x?x?xf32>
  %small = tandem.constant dense<0.03125> : tensor<f32>
  %s = tandem.mul %3, %small
      : (tensor<?x35x?x?xf32>, tensor<f32>) -> tensor<?x35x?x?xf32>
  %4 = tandem.mul %s, %scale
      : (tensor<?x35x?x?xf32>, tensor<35x1x1xf32>) -> tensor<?x35x?x?xf32>
  %5 = tandem.concat %4, %s axis = 1
      : (tensor<?x35x?x?xf32>, tensor<?x35x?x?xf32>) -> tensor<?x70x?x?xf32>
  %6 = tandem.reduce %5 kind = mean dims = [2, 3]
      : (tensor<?x70x?x?xf32>) -> tensor<?x70xf32>
  // A slice of channels, padding, and groups.
  %7 = tandem.slice %5 starts = [0, 31, 0, 1] limits = [100, 41, 100, 100]
      strides = [1, 1, 1, 1]
      : (tensor<?x70x?x?xf32>) -> tensor<?x10x?x?xf32>
  %8 = tandem.pad %7 low = [0, 0, 1, 2] high = [0, 0, 3, 0]
      interior = [0, 0, 1, 0] value = 0.5
      : (tensor<?x10x?x?xf32>) -> tensor<?x10x?x?xf32>
  %9 = tandem.conv %8, %w3
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> groups = 2
      : (tensor<?x10x?x?xf32>, tensor<16x5x1x1xf32>) -> tensor<?x16x?x?xf32>
  %10 = tandem.tanh %9 : tensor<?x16x?x?xf32>
  // One spatial dim.
  %11 = tandem.reduce %10 kind = max dims = [2]
      : (tensor<?x16x?x?xf32>) -> tensor<?x16x?xf32>
  %12 = tandem.conv %11, %w4
      layout = <input = "NCW", kernel = "OIW", output = "NCW">
      : (tensor<?x16x?xf32>, tensor<64x16x3xf32>) -> tensor<?x64x?xf32>
  return %4, %6, %10, %12
      : tensor<?x35x?x?xf32>, tensor<?x70xf32>, tensor<?x16x?x?xf32>,
        tensor<?x64x?xf32>
}
