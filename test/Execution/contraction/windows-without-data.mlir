// The last windows of the outermost dim lie behind the end of the data. With AMX,
// oneDNN read memory that was not there, for bytes and for bf16.

// RUN: tandem-run %s --check --func=bytes
// RUN: tandem-run %s --check --func=bytes --target-option=contractions=library
// RUN: tandem-run %s --check --func=halves
// RUN: tandem-run %s --check --func=halves --target-option=contractions=library

func.func @bytes(%x: tensor<1x17x4x12xui8>, %w: tensor<2x3x12x16xi8>) -> tensor<1x7x2x16xi32> {
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      strides = [3, 1] pad_high = [3, 0]
      : (tensor<1x17x4x12xui8>, tensor<2x3x12x16xi8>) -> tensor<1x7x2x16xi32>
  return %0 : tensor<1x7x2x16xi32>
}

func.func @halves(%x: tensor<1x17x4x12xbf16>, %w: tensor<2x3x12x16xbf16>) -> tensor<1x7x2x16xbf16> {
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      strides = [3, 1] pad_high = [3, 0]
      : (tensor<1x17x4x12xbf16>, tensor<2x3x12x16xbf16>) -> tensor<1x7x2x16xbf16>
  return %0 : tensor<1x7x2x16xbf16>
}
