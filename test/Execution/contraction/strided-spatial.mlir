// Positions with strides along the lanes. The lanes of a vector are picked from
// two to four vectors that are loaded. These loads must not go beyond the data
// and must not read padding. Rows fill vectors, end within a vector, or are
// narrower than a vector. (The layout is one that the compiler does not
// change.)

// RUN: tandem-run %s --check --target-option=contractions=generated --arg=random:17x2x23x64
// RUN: tandem-run %s --check --target-option=contractions=generated --arg=random:17x1x9x129
// RUN: tandem-run %s --check --target-option=contractions=generated --arg=random:17x1x7x11
// RUN: env TANDEM_CPU=x86-64-v3 tandem-run %s --check --target-option=contractions=generated --arg=random:17x1x9x131

func.func @main(%x: tensor<17x?x?x?xf32>, %w: tensor<24x17x3x3xf32>,
                %v: tensor<40x17x1x1xf32>, %g: tensor<17x1x3x5xf32>,
                %b: tensor<24xf32>)
    -> (tensor<24x?x?x?xf32>, tensor<40x?x?x?xf32>, tensor<24x?x?x?xf32>,
        tensor<17x?x?x?xf32>, tensor<40x?x?x?xbf16>) {
  // Padding on both sides, a bias and an epilogue.
  %0 = tandem.conv %x, %w, %b
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW">
      strides = [2, 2] pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<17x?x?x?xf32>, tensor<24x17x3x3xf32>, tensor<24xf32>)
      -> tensor<24x?x?x?xf32>
  %1 = tandem.relu %0 : tensor<24x?x?x?xf32>
  // The last element of a row may be the last of all.
  %2 = tandem.conv %x, %v
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW">
      strides = [1, 2]
      : (tensor<17x?x?x?xf32>, tensor<40x17x1x1xf32>) -> tensor<40x?x?x?xf32>
  // More than two vectors, and taps apart.
  %3 = tandem.conv %x, %w
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW">
      strides = [1, 3] dilations = [1, 2] pad_low = [0, 3] pad_high = [1, 0]
      : (tensor<17x?x?x?xf32>, tensor<24x17x3x3xf32>) -> tensor<24x?x?x?xf32>
  %4 = tandem.conv %x, %g
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW"> groups = 17
      strides = [2, 4] pad_low = [1, 2] pad_high = [1, 2]
      : (tensor<17x?x?x?xf32>, tensor<17x1x3x5xf32>) -> tensor<17x?x?x?xf32>
  // Halves are widened as they are read.
  %5 = tandem.cast %x : (tensor<17x?x?x?xf32>) -> tensor<17x?x?x?xbf16>
  %6 = tandem.cast %v : (tensor<40x17x1x1xf32>) -> tensor<40x17x1x1xbf16>
  %7 = tandem.conv %5, %6
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW">
      strides = [2, 2] pad_low = [0, 1]
      : (tensor<17x?x?x?xbf16>, tensor<40x17x1x1xbf16>)
      -> tensor<40x?x?x?xbf16>
  return %1, %2, %3, %4, %7
      : tensor<24x?x?x?xf32>, tensor<40x?x?x?xf32>, tensor<24x?x?x?xf32>,
        tensor<17x?x?x?xf32>, tensor<40x?x?x?xbf16>
}
