// Groups of one output with positions along the lanes. A tile computes several
// groups, each from its own data. Rows are narrower than a vector, end within a
// vector, or have several vectors. Groups do or do not fill tiles. (The layout
// is one that the compiler does not change.)

// RUN: tandem-run %s --check --target-option=contractions=generated --arg=random:37x2x7x7
// RUN: tandem-run %s --check --target-option=contractions=generated --arg=random:37x1x5x14 --threads=2
// RUN: tandem-run %s --check --target-option=contractions=generated --arg=random:37x1x4x131
// RUN: env TANDEM_CPU=x86-64-v3 tandem-run %s --check --target-option=contractions=generated --arg=random:37x2x6x9
// RUN: env TANDEM_CPU=x86-64-v2 tandem-run %s --check --target-option=contractions=generated --arg=random:37x1x14x14

func.func @main(%x: tensor<37x?x?x?xf32>, %w: tensor<37x1x3x3xf32>,
                %v: tensor<37x1x1x1xf32>, %u: tensor<12x3x2x3xf32>,
                %b: tensor<37xf32>)
    -> (tensor<37x?x?x?xf32>, tensor<37x?x?x?xf32>, tensor<37x?x?x?xf32>,
        tensor<12x?x?x?xf32>, tensor<37x?x?x?xf16>) {
  // Padding on both sides, a bias and an epilogue.
  %0 = tandem.conv %x, %w, %b
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW"> groups = 37
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<37x?x?x?xf32>, tensor<37x1x3x3xf32>, tensor<37xf32>)
      -> tensor<37x?x?x?xf32>
  %1 = tandem.gelu %0 : tensor<37x?x?x?xf32>
  // Strides and taps apart.
  %2 = tandem.conv %x, %w
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW"> groups = 37
      strides = [1, 2] dilations = [2, 1] pad_low = [2, 1] pad_high = [2, 1]
      : (tensor<37x?x?x?xf32>, tensor<37x1x3x3xf32>) -> tensor<37x?x?x?xf32>
  // All positions are one dim.
  %3 = tandem.conv %x, %v
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW"> groups = 37
      : (tensor<37x?x?x?xf32>, tensor<37x1x1x1xf32>) -> tensor<37x?x?x?xf32>
  // Groups of several inputs.
  %4 = tandem.slice %x starts = [1, 0, 0, 0] limits = [37, 999, 999, 999] strides = [1, 1, 1, 1]
      : (tensor<37x?x?x?xf32>) -> tensor<36x?x?x?xf32>
  %5 = tandem.conv %4, %u
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW"> groups = 12
      pad_low = [1, 1] pad_high = [0, 1]
      : (tensor<36x?x?x?xf32>, tensor<12x3x2x3xf32>) -> tensor<12x?x?x?xf32>
  // Halves are widened as they are read.
  %6 = tandem.cast %x : (tensor<37x?x?x?xf32>) -> tensor<37x?x?x?xf16>
  %7 = tandem.cast %w : (tensor<37x1x3x3xf32>) -> tensor<37x1x3x3xf16>
  %8 = tandem.conv %6, %7
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW"> groups = 37
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<37x?x?x?xf16>, tensor<37x1x3x3xf16>) -> tensor<37x?x?x?xf16>
  return %1, %2, %3, %5, %8
      : tensor<37x?x?x?xf32>, tensor<37x?x?x?xf32>, tensor<37x?x?x?xf32>,
        tensor<12x?x?x?xf32>, tensor<37x?x?x?xf16>
}
