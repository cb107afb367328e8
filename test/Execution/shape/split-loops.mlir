// Loops over rows of pads and concats are split at the indices at which
// elements begin to come from another operand or from padding. The cases are a
// row that several threads share, rows of one thread, tails, and columns.

// RUN: tandem-run %s --func=line --arg=random --arg=random --check --threads=1 | FileCheck %s
// RUN: tandem-run %s --func=line --arg=random --arg=random --check --threads=3 | FileCheck %s
// RUN: tandem-run %s --func=rows --arg=random --arg=random --arg=random --check --threads=1 | FileCheck %s
// RUN: tandem-run %s --func=rows --arg=random --arg=random --arg=random --check --threads=3 | FileCheck %s
// RUN: tandem-run %s --func=frames --arg=random --check --threads=2 | FileCheck %s
// RUN: tandem-run %s --func=windows --arg=random --arg=random --check --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 tandem-run %s --func=windows --arg=random --arg=random --check --threads=1 | FileCheck %s
// CHECK: compiled {{.*}}0: {{.*}} ok
// CHECK: compiled {{.*}}1: {{.*}} ok

func.func @line(%a: tensor<100003xf32>, %b: tensor<50001xf32>) -> (tensor<150004xf32>, tensor<100012xf32>) {
  %0 = tandem.concat %a, %b axis = 0 : (tensor<100003xf32>, tensor<50001xf32>) -> tensor<150004xf32>
  %1 = tandem.pad %a low = [7] high = [2] interior = [0] value = 0.5 : (tensor<100003xf32>) -> tensor<100012xf32>
  %2 = tandem.exp %1 : tensor<100012xf32>
  return %0, %2 : tensor<150004xf32>, tensor<100012xf32>
}

func.func @rows(%a: tensor<33x37xf32>, %b: tensor<33x64xf32>, %c: tensor<33x5xf32>) -> (tensor<33x106xf32>, tensor<99x64xbf16>) {
  %0 = tandem.concat %a, %b, %c axis = 1 : (tensor<33x37xf32>, tensor<33x64xf32>, tensor<33x5xf32>) -> tensor<33x106xf32>
  %1 = tandem.cast %b : (tensor<33x64xf32>) -> tensor<33x64xbf16>
  %2 = tandem.neg %1 : tensor<33x64xbf16>
  %3 = tandem.concat %1, %2, %1 axis = 0 : (tensor<33x64xbf16>, tensor<33x64xbf16>, tensor<33x64xbf16>) -> tensor<99x64xbf16>
  return %0, %3 : tensor<33x106xf32>, tensor<99x64xbf16>
}

func.func @frames(%a: tensor<3x17x50xf32>) -> (tensor<6x20x71xf32>, tensor<3x21x149xf32>) {
  %0 = tandem.pad %a low = [1, 2, 16] high = [2, 1, 5] interior = [0, 0, 0] value = -1.0 : (tensor<3x17x50xf32>) -> tensor<6x20x71xf32>
  %1 = tandem.pad %a low = [0, 3, 48] high = [0, 1, 2] interior = [0, 0, 1] value = 2.0 : (tensor<3x17x50xf32>) -> tensor<3x21x149xf32>
  return %0, %1 : tensor<6x20x71xf32>, tensor<3x21x149xf32>
}

// Windows two apart, with padding on both sides and rows of all remainders.
func.func @windows(%a: tensor<2x3x29x47xbf16>, %b: tensor<2x3x9x11xf32>) -> (tensor<2x3x15x24xbf16>, tensor<2x3x4x5xf32>) {
  %0 = tandem.avg_pool %a layout = "NCHW" window = [3, 3] strides = [2, 2] pad_low = [1, 1] pad_high = [1, 1] : (tensor<2x3x29x47xbf16>) -> tensor<2x3x15x24xbf16>
  %1 = tandem.max_pool %b layout = "NCHW" window = [3, 3] strides = [2, 2] pad_low = [0, 1] pad_high = [0, 0] : (tensor<2x3x9x11xf32>) -> tensor<2x3x4x5xf32>
  return %0, %1 : tensor<2x3x15x24xbf16>, tensor<2x3x4x5xf32>
}
