// Weights whose outputs are in blocks because of views in the graph. A vector
// of weights never crosses the border of a block. Blocks with fewer outputs
// than the narrowest vector has lanes are copied first.

// DEFINE: %{func} =
// DEFINE: %{check} = tandem-run %s --func=%{func} --check --target-option=contractions=generated
// REDEFINE: %{func} = of_2
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = of_4
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = of_6
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = of_8
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = of_24
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = of_48
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = halves_of_8
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = halves_of_2
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = matmul
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = taps
// RUN: %{check} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// CHECK: compiled {{.*}} ok

func.func @of_2(%x: tensor<1x5x8xf32>, %w: tensor<16x8x3x2xf32>) -> tensor<1x3x32xf32> {
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3]
      : (tensor<16x8x3x2xf32>) -> tensor<3x8x16x2xf32>
  %1 = tandem.reshape %0 shape = [3, 8, 32] : (tensor<3x8x16x2xf32>) -> tensor<3x8x32xf32>
  %2 = tandem.conv %x, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x5x8xf32>, tensor<3x8x32xf32>) -> tensor<1x3x32xf32>
  return %2 : tensor<1x3x32xf32>
}

func.func @of_4(%x: tensor<1x5x8xf32>, %w: tensor<9x8x3x4xf32>) -> tensor<1x3x36xf32> {
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3]
      : (tensor<9x8x3x4xf32>) -> tensor<3x8x9x4xf32>
  %1 = tandem.reshape %0 shape = [3, 8, 36] : (tensor<3x8x9x4xf32>) -> tensor<3x8x36xf32>
  %2 = tandem.conv %x, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x5x8xf32>, tensor<3x8x36xf32>) -> tensor<1x3x36xf32>
  return %2 : tensor<1x3x36xf32>
}

func.func @of_6(%x: tensor<1x5x8xf32>, %w: tensor<8x8x3x6xf32>) -> tensor<1x3x48xf32> {
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3]
      : (tensor<8x8x3x6xf32>) -> tensor<3x8x8x6xf32>
  %1 = tandem.reshape %0 shape = [3, 8, 48] : (tensor<3x8x8x6xf32>) -> tensor<3x8x48xf32>
  %2 = tandem.conv %x, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x5x8xf32>, tensor<3x8x48xf32>) -> tensor<1x3x48xf32>
  return %2 : tensor<1x3x48xf32>
}

func.func @of_8(%x: tensor<1x5x8xf32>, %w: tensor<5x8x3x8xf32>) -> tensor<1x3x40xf32> {
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3]
      : (tensor<5x8x3x8xf32>) -> tensor<3x8x5x8xf32>
  %1 = tandem.reshape %0 shape = [3, 8, 40] : (tensor<3x8x5x8xf32>) -> tensor<3x8x40xf32>
  %2 = tandem.conv %x, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x5x8xf32>, tensor<3x8x40xf32>) -> tensor<1x3x40xf32>
  return %2 : tensor<1x3x40xf32>
}

func.func @of_24(%x: tensor<1x5x8xf32>, %w: tensor<2x8x3x24xf32>) -> tensor<1x3x48xf32> {
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3]
      : (tensor<2x8x3x24xf32>) -> tensor<3x8x2x24xf32>
  %1 = tandem.reshape %0 shape = [3, 8, 48] : (tensor<3x8x2x24xf32>) -> tensor<3x8x48xf32>
  %2 = tandem.conv %x, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x5x8xf32>, tensor<3x8x48xf32>) -> tensor<1x3x48xf32>
  return %2 : tensor<1x3x48xf32>
}

func.func @of_48(%x: tensor<1x5x8xf32>, %w: tensor<2x8x3x48xf32>) -> tensor<1x3x96xf32> {
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3]
      : (tensor<2x8x3x48xf32>) -> tensor<3x8x2x48xf32>
  %1 = tandem.reshape %0 shape = [3, 8, 96] : (tensor<3x8x2x48xf32>) -> tensor<3x8x96xf32>
  %2 = tandem.conv %x, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x5x8xf32>, tensor<3x8x96xf32>) -> tensor<1x3x96xf32>
  return %2 : tensor<1x3x96xf32>
}

func.func @halves_of_8(%x: tensor<1x5x8xbf16>, %w: tensor<5x8x3x8xbf16>) -> tensor<1x3x40xbf16> {
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3]
      : (tensor<5x8x3x8xbf16>) -> tensor<3x8x5x8xbf16>
  %1 = tandem.reshape %0 shape = [3, 8, 40] : (tensor<3x8x5x8xbf16>) -> tensor<3x8x40xbf16>
  %2 = tandem.conv %x, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x5x8xbf16>, tensor<3x8x40xbf16>) -> tensor<1x3x40xbf16>
  return %2 : tensor<1x3x40xbf16>
}

func.func @halves_of_2(%x: tensor<1x5x8xf16>, %w: tensor<16x8x3x2xf16>) -> tensor<1x3x32xf16> {
  %0 = tandem.transpose %w permutation = [2, 1, 0, 3]
      : (tensor<16x8x3x2xf16>) -> tensor<3x8x16x2xf16>
  %1 = tandem.reshape %0 shape = [3, 8, 32] : (tensor<3x8x16x2xf16>) -> tensor<3x8x32xf16>
  %2 = tandem.conv %x, %1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x5x8xf16>, tensor<3x8x32xf16>) -> tensor<1x3x32xf16>
  return %2 : tensor<1x3x32xf16>
}

func.func @matmul(%x: tensor<64x8xf32>, %w: tensor<6x8x12xf32>) -> tensor<64x72xf32> {
  %0 = tandem.transpose %w permutation = [1, 0, 2] : (tensor<6x8x12xf32>) -> tensor<8x6x12xf32>
  %1 = tandem.reshape %0 shape = [8, 72] : (tensor<8x6x12xf32>) -> tensor<8x72xf32>
  %2 = tandem.matmul %x, %1 : (tensor<64x8xf32>, tensor<8x72xf32>) -> tensor<64x72xf32>
  return %2 : tensor<64x72xf32>
}

// Two dims of a window as one of the kernel's: digits of a reshaped index.
func.func @taps(%x: tensor<2x16x7x1xf32>, %w: tensor<40x2x2x3x1xf32>) -> tensor<2x13x5x40xf32> {
  %0 = tandem.reshape %w shape = [40, 4, 3, 1] : (tensor<40x2x2x3x1xf32>) -> tensor<40x4x3x1xf32>
  %1 = tandem.conv %x, %0 layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      : (tensor<2x16x7x1xf32>, tensor<40x4x3x1xf32>) -> tensor<2x13x5x40xf32>
  return %1 : tensor<2x13x5x40xf32>
}
