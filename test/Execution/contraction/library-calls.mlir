// Contractions with residual, bias and activation, which libraries compute in
// one call. NaN passes through relu, and infinities and zeros are preserved.

// RUN: tandem-run %s --check --arg=random --arg=random --arg=random --arg=random | FileCheck %s
// RUN: tandem-run %s --func=conv --check | FileCheck %s
// RUN: tandem-run %s --func=halves --check | FileCheck %s
// RUN: tandem-run %s --func=orders --check | FileCheck %s
// CHECK: compiled {{.*}} ok
// CHECK-NOT: FAIL

// RUN: tandem-run %s --func=special --tier=compiled --print --arg=[-1] \
// RUN:   --arg=[1] --arg='[nan,inf,-inf,-0.0,64,65]' | FileCheck %s --check-prefix=SPECIAL
// RUN: tandem-run %s --func=special --tier=eager --print --arg=[-1] \
// RUN:   --arg=[1] --arg='[nan,inf,-inf,-0.0,64,65]' | FileCheck %s --check-prefix=SPECIAL
// SPECIAL: [{{-?}}nan, inf, {{-?}}0, {{-?}}0, {{-?}}0, 1]
func.func @special(%s: tensor<1xf32>, %t: tensor<1xf32>, %b: tensor<6xf32>) -> tensor<1x6xf32> {
  %x = tandem.broadcast %s shape = [1, 64] dims = [1] : (tensor<1xf32>) -> tensor<1x64xf32>
  %w = tandem.broadcast %t shape = [64, 6] dims = [1] : (tensor<1xf32>) -> tensor<64x6xf32>
  %0 = tandem.matmul %x, %w : (tensor<1x64xf32>, tensor<64x6xf32>) -> tensor<1x6xf32>
  %1 = tandem.add %0, %b : (tensor<1x6xf32>, tensor<6xf32>) -> tensor<1x6xf32>
  %2 = tandem.relu %1 : tensor<1x6xf32>
  return %2 : tensor<1x6xf32>
}

func.func @main(%x: tensor<3x37x80xf32>, %w: tensor<50x80xf32>, %r: tensor<3x37x50xf32>,
                %b: tensor<1x1x50xf32>) -> (tensor<3x37x50xf32>, tensor<3x37x50xf32>) {
  %0 = tandem.matmul %x, %w transpose_rhs
      : (tensor<3x37x80xf32>, tensor<50x80xf32>) -> tensor<3x37x50xf32>
  %1 = tandem.add %b, %0 : (tensor<1x1x50xf32>, tensor<3x37x50xf32>) -> tensor<3x37x50xf32>
  %2 = tandem.add %1, %r : tensor<3x37x50xf32>
  %3 = tandem.gelu %2 approximate_tanh : tensor<3x37x50xf32>
  %4 = tandem.matmul %x, %w transpose_rhs
      : (tensor<3x37x80xf32>, tensor<50x80xf32>) -> tensor<3x37x50xf32>
  %5 = tandem.add %4, %3 : tensor<3x37x50xf32>
  %6 = tandem.relu %5 : tensor<3x37x50xf32>
  return %3, %6 : tensor<3x37x50xf32>, tensor<3x37x50xf32>
}

// Convolutions of each layout: with a bias per channel, with weights that are
// transposed ahead of time, and with the block's own input as the residual.
func.func @conv(%x: tensor<2x16x9x11xf32>, %w: tensor<16x16x3x3xf32>, %b: tensor<16x1x1xf32>,
                %y: tensor<2x9x11x16xf32>, %c: tensor<16xf32>) -> (tensor<2x16x9x11xf32>, tensor<2x9x11x16xf32>) {
  %0 = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x16x9x11xf32>, tensor<16x16x3x3xf32>) -> tensor<2x16x9x11xf32>
  %1 = tandem.add %0, %b : (tensor<2x16x9x11xf32>, tensor<16x1x1xf32>) -> tensor<2x16x9x11xf32>
  %2 = tandem.add %1, %x : tensor<2x16x9x11xf32>
  %3 = tandem.relu %2 : tensor<2x16x9x11xf32>
  %k = tandem.constant dense<0.25> : tensor<3x3x16x16xf32>
  %4 = tandem.conv %y, %k, %c layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x9x11x16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>) -> tensor<2x9x11x16xf32>
  %5 = tandem.add %y, %4 : tensor<2x9x11x16xf32>
  %6 = tandem.relu %5 : tensor<2x9x11x16xf32>
  return %3, %6 : tensor<2x16x9x11xf32>, tensor<2x9x11x16xf32>
}

// Sums of halves are not rounded in between, in kernels and libraries alike.
func.func @halves(%x: tensor<19x80xf16>, %w: tensor<80x24xf16>, %b: tensor<24xf16>, %r: tensor<19x24xf16>,
                  %v: tensor<19x80xbf16>, %u: tensor<80x24xbf16>, %c: tensor<24xbf16>)
    -> (tensor<19x24xf16>, tensor<19x24xbf16>) {
  %0 = tandem.matmul %x, %w : (tensor<19x80xf16>, tensor<80x24xf16>) -> tensor<19x24xf16>
  %1 = tandem.add %0, %b : (tensor<19x24xf16>, tensor<24xf16>) -> tensor<19x24xf16>
  %2 = tandem.add %1, %r : tensor<19x24xf16>
  %3 = tandem.relu %2 : tensor<19x24xf16>
  %4 = tandem.matmul %v, %u : (tensor<19x80xbf16>, tensor<80x24xbf16>) -> tensor<19x24xbf16>
  %5 = tandem.add %4, %c : (tensor<19x24xbf16>, tensor<24xbf16>) -> tensor<19x24xbf16>
  %6 = tandem.relu %5 : tensor<19x24xbf16>
  return %3, %6 : tensor<19x24xf16>, tensor<19x24xbf16>
}

// A residual that nearly cancels the bias: in which order they are added shows.
func.func @orders(%x: tensor<5x80xf32>, %w: tensor<80x24xf32>) -> tensor<5x24xf32> {
  %b = tandem.constant dense<1.0e+06> : tensor<24xf32>
  %r = tandem.constant dense<-1.0e+06> : tensor<5x24xf32>
  %0 = tandem.matmul %x, %w : (tensor<5x80xf32>, tensor<80x24xf32>) -> tensor<5x24xf32>
  %1 = tandem.add %0, %b : (tensor<5x24xf32>, tensor<24xf32>) -> tensor<5x24xf32>
  %2 = tandem.add %1, %r : tensor<5x24xf32>
  return %2 : tensor<5x24xf32>
}
