// Poolings over integers of 8 bits that an epilogue computes from sums of bytes
// or from sums of floats.

// RUN: tandem-run %s --check
// RUN: tandem-run %s --func=floats --check

func.func @main(%x: tensor<2x17x19x3xui8>, %w: tensor<3x3x3x16xi8>,
                %s: tensor<16xf32>, %y: tensor<2x9x9x6xi8>,
                %v: tensor<8x6x3x3xi8>)
    -> (tensor<2x7x8x16xui8>, tensor<2x3x3x8xui8>) {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<2x17x19x3xui8>, tensor<3x3x3x16xi8>) -> tensor<2x15x17x16xi32>
  %1 = tandem.cast %0
      : (tensor<2x15x17x16xi32>) -> tensor<2x15x17x16xf32>
  %2 = tandem.mul %1, %s
      : (tensor<2x15x17x16xf32>, tensor<16xf32>) -> tensor<2x15x17x16xf32>
  %3 = tandem.cast %2
      : (tensor<2x15x17x16xf32>) -> tensor<2x15x17x16xui8>
  %4 = tandem.max_pool %3 layout = "NHWC" window = [3, 3] strides = [2, 2]
      : (tensor<2x15x17x16xui8>) -> tensor<2x7x8x16xui8>
  %5 = tandem.conv %y, %v
      layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      : (tensor<2x9x9x6xi8>, tensor<8x6x3x3xi8>) -> tensor<2x7x7x8xi32>
  %6 = tandem.cast %5 : (tensor<2x7x7x8xi32>) -> tensor<2x7x7x8xui8>
  %7 = tandem.max_pool %6 layout = "NHWC" window = [3, 3] strides = [2, 2]
      : (tensor<2x7x7x8xui8>) -> tensor<2x3x3x8xui8>
  return %4, %7 : tensor<2x7x8x16xui8>, tensor<2x3x3x8xui8>
}

func.func @floats(%x: tensor<2x17x19x3xf32>, %w: tensor<3x3x3x16xf32>)
    -> tensor<2x7x8x16xui8> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<2x17x19x3xf32>, tensor<3x3x3x16xf32>) -> tensor<2x15x17x16xf32>
  %1 = tandem.cast %0 : (tensor<2x15x17x16xf32>) -> tensor<2x15x17x16xui8>
  %2 = tandem.max_pool %1 layout = "NHWC" window = [3, 3] strides = [2, 2]
      : (tensor<2x15x17x16xui8>) -> tensor<2x7x8x16xui8>
  return %2 : tensor<2x7x8x16xui8>
}
