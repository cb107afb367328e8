// Products of bytes by the matrix unit of AMX, if the processor has one. All
// tiers compute the same bits, with or without the matrix unit. Rows of data
// are padded, begin at multiples of a stride, or belong to groups. Taps and
// inputs are or are not adjacent. The last rows and outputs do not fill a tile.

// RUN: tandem-run %s --check --target-option=contractions=generated --func=main
// RUN: tandem-run %s --check --target-option=contractions=generated --func=large --threads=3
// RUN: tandem-run %s --check --target-option=contractions=generated --func=few
// RUN: tandem-run %s --check --target-option=contractions=generated --func=padded --threads=3
// RUN: tandem-run %s --check --target-option=contractions=generated --func=uneven
// RUN: tandem-run %s --check --target-option=contractions=generated --func=strided --threads=3
// RUN: tandem-run %s --check --target-option=contractions=generated --func=dilated
// RUN: tandem-run %s --check --target-option=contractions=generated --func=grouped
// RUN: tandem-run %s --check --target-option=contractions=generated --func=long --threads=3
// RUN: tandem-run %s --check --target-option=contractions=generated --func=volume
// RUN: tandem-run %s --check --target-option=contractions=generated --func=first
// RUN: tandem-run %s --check --target-option=contractions=generated --func=far

// Four tiles of 16 rows, and one of 3. Steps of 28 inputs; 40 outputs.
func.func @main(%x: tensor<67x84xui8>) -> tensor<67x40xi32> {
  %i = tandem.iota axis = 0 : tensor<3360xi32>
  %f = tandem.constant dense<41> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<3360xi32>, tensor<i32>) -> tensor<3360xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<3360xi32>, tensor<i32>) -> tensor<3360xi32>
  %2 = tandem.sub %1, %o : (tensor<3360xi32>, tensor<i32>) -> tensor<3360xi32>
  %3 = tandem.cast %2 : (tensor<3360xi32>) -> tensor<3360xi8>
  %w = tandem.reshape %3 shape = [84, 40] : (tensor<3360xi8>) -> tensor<84x40xi8>
  %r = tandem.matmul %x, %w widen : (tensor<67x84xui8>, tensor<84x40xi8>) -> tensor<67x40xi32>
  return %r : tensor<67x40xi32>
}

// Weights that do not stay in the first-level cache; signed data.
func.func @large(%x: tensor<150x1024xi8>) -> tensor<150x200xi32> {
  %i = tandem.iota axis = 0 : tensor<204800xi32>
  %f = tandem.constant dense<41> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<204800xi32>, tensor<i32>) -> tensor<204800xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<204800xi32>, tensor<i32>) -> tensor<204800xi32>
  %2 = tandem.sub %1, %o : (tensor<204800xi32>, tensor<i32>) -> tensor<204800xi32>
  %3 = tandem.cast %2 : (tensor<204800xi32>) -> tensor<204800xi8>
  %w = tandem.reshape %3 shape = [1024, 200] : (tensor<204800xi8>) -> tensor<1024x200xi8>
  %r = tandem.matmul %x, %w widen : (tensor<150x1024xi8>, tensor<1024x200xi8>) -> tensor<150x200xi32>
  return %r : tensor<150x200xi32>
}

// Fewer rows than a tile register has.
func.func @few(%x: tensor<5x64xui8>) -> tensor<5x48xi32> {
  %i = tandem.iota axis = 0 : tensor<3072xi32>
  %f = tandem.constant dense<41> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<3072xi32>, tensor<i32>) -> tensor<3072xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<3072xi32>, tensor<i32>) -> tensor<3072xi32>
  %2 = tandem.sub %1, %o : (tensor<3072xi32>, tensor<i32>) -> tensor<3072xi32>
  %3 = tandem.cast %2 : (tensor<3072xi32>) -> tensor<3072xi8>
  %w = tandem.reshape %3 shape = [64, 48] : (tensor<3072xi8>) -> tensor<64x48xi8>
  %r = tandem.matmul %x, %w widen : (tensor<5x64xui8>, tensor<64x48xi8>) -> tensor<5x48xi32>
  return %r : tensor<5x48xi32>
}

// The inputs of three taps are adjacent, in rows with padding.
func.func @padded(%x: tensor<2x13x19x16xui8>) -> tensor<2x13x19x48xi32> {
  %i = tandem.iota axis = 0 : tensor<6912xi32>
  %f = tandem.constant dense<37> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<6912xi32>, tensor<i32>) -> tensor<6912xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<6912xi32>, tensor<i32>) -> tensor<6912xi32>
  %2 = tandem.sub %1, %o : (tensor<6912xi32>, tensor<i32>) -> tensor<6912xi32>
  %3 = tandem.cast %2 : (tensor<6912xi32>) -> tensor<6912xi8>
  %w = tandem.reshape %3 shape = [3, 3, 16, 48] : (tensor<6912xi8>) -> tensor<3x3x16x48xi8>
  %r = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> pad_low = [1, 1] pad_high = [1, 1] : (tensor<2x13x19x16xui8>, tensor<3x3x16x48xi8>) -> tensor<2x13x19x48xi32>
  return %r : tensor<2x13x19x48xi32>
}

// More padding at one end; signed data.
func.func @uneven(%x: tensor<1x9x14x20xi8>) -> tensor<1x9x14x32xi32> {
  %i = tandem.iota axis = 0 : tensor<5120xi32>
  %f = tandem.constant dense<37> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<5120xi32>, tensor<i32>) -> tensor<5120xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<5120xi32>, tensor<i32>) -> tensor<5120xi32>
  %2 = tandem.sub %1, %o : (tensor<5120xi32>, tensor<i32>) -> tensor<5120xi32>
  %3 = tandem.cast %2 : (tensor<5120xi32>) -> tensor<5120xi8>
  %w = tandem.reshape %3 shape = [2, 4, 20, 32] : (tensor<5120xi8>) -> tensor<2x4x20x32xi8>
  %r = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> pad_low = [1, 0] pad_high = [0, 3] : (tensor<1x9x14x20xi8>, tensor<2x4x20x32xi8>) -> tensor<1x9x14x32xi32>
  return %r : tensor<1x9x14x32xi32>
}

// A stride of 2, and a last position without data for all taps.
func.func @strided(%x: tensor<2x15x16x32xui8>) -> tensor<2x8x8x24xi32> {
  %i = tandem.iota axis = 0 : tensor<19200xi32>
  %f = tandem.constant dense<37> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<19200xi32>, tensor<i32>) -> tensor<19200xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<19200xi32>, tensor<i32>) -> tensor<19200xi32>
  %2 = tandem.sub %1, %o : (tensor<19200xi32>, tensor<i32>) -> tensor<19200xi32>
  %3 = tandem.cast %2 : (tensor<19200xi32>) -> tensor<19200xi8>
  %w = tandem.reshape %3 shape = [5, 5, 32, 24] : (tensor<19200xi8>) -> tensor<5x5x32x24xi8>
  %r = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> strides = [2, 2] pad_low = [2, 2] pad_high = [2, 2] : (tensor<2x15x16x32xui8>, tensor<5x5x32x24xi8>) -> tensor<2x8x8x24xi32>
  return %r : tensor<2x8x8x24xi32>
}

// Taps that are not adjacent.
func.func @dilated(%x: tensor<1x17x40x32xui8>) -> tensor<1x17x40x16xi32> {
  %i = tandem.iota axis = 0 : tensor<4608xi32>
  %f = tandem.constant dense<37> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<4608xi32>, tensor<i32>) -> tensor<4608xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<4608xi32>, tensor<i32>) -> tensor<4608xi32>
  %2 = tandem.sub %1, %o : (tensor<4608xi32>, tensor<i32>) -> tensor<4608xi32>
  %3 = tandem.cast %2 : (tensor<4608xi32>) -> tensor<4608xi8>
  %w = tandem.reshape %3 shape = [3, 3, 32, 16] : (tensor<4608xi8>) -> tensor<3x3x32x16xi8>
  %r = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> pad_low = [2, 2] pad_high = [2, 2] dilations = [2, 2] : (tensor<1x17x40x32xui8>, tensor<3x3x32x16xi8>) -> tensor<1x17x40x16xi32>
  return %r : tensor<1x17x40x16xi32>
}

// Two groups of 36 inputs and 20 outputs.
func.func @grouped(%x: tensor<1x14x14x72xui8>) -> tensor<1x14x14x40xi32> {
  %i = tandem.iota axis = 0 : tensor<12960xi32>
  %f = tandem.constant dense<37> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<12960xi32>, tensor<i32>) -> tensor<12960xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<12960xi32>, tensor<i32>) -> tensor<12960xi32>
  %2 = tandem.sub %1, %o : (tensor<12960xi32>, tensor<i32>) -> tensor<12960xi32>
  %3 = tandem.cast %2 : (tensor<12960xi32>) -> tensor<12960xi8>
  %w = tandem.reshape %3 shape = [3, 3, 36, 40] : (tensor<12960xi8>) -> tensor<3x3x36x40xi8>
  %r = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> pad_low = [1, 1] pad_high = [1, 1] groups = 2 : (tensor<1x14x14x72xui8>, tensor<3x3x36x40xi8>) -> tensor<1x14x14x40xi32>
  return %r : tensor<1x14x14x40xi32>
}

// Rows of one spatial dim, several to a task.
func.func @long(%x: tensor<6x37x12xui8>) -> tensor<6x37x32xi32> {
  %i = tandem.iota axis = 0 : tensor<2688xi32>
  %f = tandem.constant dense<37> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<2688xi32>, tensor<i32>) -> tensor<2688xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<2688xi32>, tensor<i32>) -> tensor<2688xi32>
  %2 = tandem.sub %1, %o : (tensor<2688xi32>, tensor<i32>) -> tensor<2688xi32>
  %3 = tandem.cast %2 : (tensor<2688xi32>) -> tensor<2688xi8>
  %w = tandem.reshape %3 shape = [7, 12, 32] : (tensor<2688xi8>) -> tensor<7x12x32xi8>
  %r = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> pad_low = [3] pad_high = [3] : (tensor<6x37x12xui8>, tensor<7x12x32xi8>) -> tensor<6x37x32xi32>
  return %r : tensor<6x37x32xi32>
}

// Three spatial dims.
func.func @volume(%x: tensor<1x4x6x10x16xui8>) -> tensor<1x4x6x10x16xi32> {
  %i = tandem.iota axis = 0 : tensor<6912xi32>
  %f = tandem.constant dense<37> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<6912xi32>, tensor<i32>) -> tensor<6912xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<6912xi32>, tensor<i32>) -> tensor<6912xi32>
  %2 = tandem.sub %1, %o : (tensor<6912xi32>, tensor<i32>) -> tensor<6912xi32>
  %3 = tandem.cast %2 : (tensor<6912xi32>) -> tensor<6912xi8>
  %w = tandem.reshape %3 shape = [3, 3, 3, 16, 16] : (tensor<6912xi8>) -> tensor<3x3x3x16x16xi8>
  %r = tandem.conv %x, %w layout = <input = "NDHWC", kernel = "DHWIO", output = "NDHWC"> pad_low = [1, 1, 1] pad_high = [1, 1, 1] : (tensor<1x4x6x10x16xui8>, tensor<3x3x3x16x16xi8>) -> tensor<1x4x6x10x16xi32>
  return %r : tensor<1x4x6x10x16xi32>
}

// Three channels, to which zeros are added.
func.func @first(%x: tensor<1x3x30x30xui8>) -> tensor<1x32x15x15xi32> {
  %i = tandem.iota axis = 0 : tensor<864xi32>
  %f = tandem.constant dense<37> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<864xi32>, tensor<i32>) -> tensor<864xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<864xi32>, tensor<i32>) -> tensor<864xi32>
  %2 = tandem.sub %1, %o : (tensor<864xi32>, tensor<i32>) -> tensor<864xi32>
  %3 = tandem.cast %2 : (tensor<864xi32>) -> tensor<864xi8>
  %w = tandem.reshape %3 shape = [32, 3, 3, 3] : (tensor<864xi8>) -> tensor<32x3x3x3xi8>
  %r = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW"> strides = [2, 2] pad_low = [1, 1] pad_high = [1, 1] : (tensor<1x3x30x30xui8>, tensor<32x3x3x3xi8>) -> tensor<1x32x15x15xi32>
  return %r : tensor<1x32x15x15xi32>
}

// More padding than data.
func.func @far(%x: tensor<1x9x12x16xui8>) -> tensor<1x9x204x32xi32> {
  %i = tandem.iota axis = 0 : tensor<4608xi32>
  %f = tandem.constant dense<37> : tensor<i32>
  %o = tandem.constant dense<128> : tensor<i32>
  %m = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %i, %f : (tensor<4608xi32>, tensor<i32>) -> tensor<4608xi32>
  %1 = tandem.bitwise_and %0, %m : (tensor<4608xi32>, tensor<i32>) -> tensor<4608xi32>
  %2 = tandem.sub %1, %o : (tensor<4608xi32>, tensor<i32>) -> tensor<4608xi32>
  %3 = tandem.cast %2 : (tensor<4608xi32>) -> tensor<4608xi8>
  %w = tandem.reshape %3 shape = [3, 3, 16, 32] : (tensor<4608xi8>) -> tensor<3x3x16x32xi8>
  %r = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> pad_low = [1, 97] pad_high = [1, 97] : (tensor<1x9x12x16xui8>, tensor<3x3x16x32xi8>) -> tensor<1x9x204x32xi32>
  return %r : tensor<1x9x204x32xi32>
}
