// Images with few channels, which a transpose interleaves: whole tiles and
// remainders, with and without padding of the channels and of the positions.

// RUN: tandem-run %s --check | FileCheck %s --implicit-check-not=FAIL
// RUN: tandem-run %s --check --threads=3 | FileCheck %s --implicit-check-not=FAIL
// RUN: env TANDEM_CPU=x86-64-v3 tandem-run %s --check | FileCheck %s --implicit-check-not=FAIL
// RUN: env TANDEM_CPU=x86-64-v2 tandem-run %s --check | FileCheck %s --implicit-check-not=FAIL
// CHECK-COUNT-9: compiled {{.*}} ok

func.func @main(
    %x0: tensor<2x3x37x11xui8>, %x1: tensor<2x5x4x40xi8>, %x2: tensor<2x3x9x9xf32>, %x3:
    tensor<2x7x6x16xf16>, %x4: tensor<2x3x5x5xf64>, %x5: tensor<2x3x8x8xi1>, %a:
    tensor<1x3x20x33xui8>, %b: tensor<1x3x40x326xui8>, %c: tensor<1x3x17x16xf32>)
    -> (
        tensor<2x37x11x3xui8>, tensor<2x4x40x5xi8>, tensor<2x9x9x3xf32>, tensor<2x6x16x7xf16>,
        tensor<2x5x5x3xf64>, tensor<2x8x8x3xi1>, tensor<1x20x33x4xui8>, tensor<1x43x328x3xui8>,
        tensor<1x19x18x4xf32>) {
  %0 = tandem.transpose %x0 permutation = [0, 2, 3, 1]
      : (tensor<2x3x37x11xui8>) -> tensor<2x37x11x3xui8>
  %1 = tandem.transpose %x1 permutation = [0, 2, 3, 1]
      : (tensor<2x5x4x40xi8>) -> tensor<2x4x40x5xi8>
  %2 = tandem.transpose %x2 permutation = [0, 2, 3, 1]
      : (tensor<2x3x9x9xf32>) -> tensor<2x9x9x3xf32>
  %3 = tandem.transpose %x3 permutation = [0, 2, 3, 1]
      : (tensor<2x7x6x16xf16>) -> tensor<2x6x16x7xf16>
  %4 = tandem.transpose %x4 permutation = [0, 2, 3, 1]
      : (tensor<2x3x5x5xf64>) -> tensor<2x5x5x3xf64>
  %5 = tandem.transpose %x5 permutation = [0, 2, 3, 1]
      : (tensor<2x3x8x8xi1>) -> tensor<2x8x8x3xi1>
  %ta = tandem.transpose %a permutation = [0, 2, 3, 1] : (tensor<1x3x20x33xui8>) -> tensor<1x20x33x3xui8>
  %pa = tandem.pad %ta low = [0, 0, 0, 0] high = [0, 0, 0, 1] interior = [0, 0, 0, 0] value = 0.0
      : (tensor<1x20x33x3xui8>) -> tensor<1x20x33x4xui8>
  %tb = tandem.transpose %b permutation = [0, 2, 3, 1] : (tensor<1x3x40x326xui8>) -> tensor<1x40x326x3xui8>
  %pb = tandem.pad %tb low = [0, 1, 1, 0] high = [0, 2, 1, 0] interior = [0, 0, 0, 0] value = 7.0
      : (tensor<1x40x326x3xui8>) -> tensor<1x43x328x3xui8>
  %qc = tandem.tanh %c : tensor<1x3x17x16xf32>
  %pc = tandem.pad %qc low = [0, 0, 1, 1] high = [0, 1, 1, 1] interior = [0, 0, 0, 0] value = 0.5
      : (tensor<1x3x17x16xf32>) -> tensor<1x4x19x18xf32>
  %tc = tandem.transpose %pc permutation = [0, 2, 3, 1] : (tensor<1x4x19x18xf32>) -> tensor<1x19x18x4xf32>
  return %0, %1, %2, %3, %4, %5, %pa, %pb, %tc :
      tensor<2x37x11x3xui8>, tensor<2x4x40x5xi8>, tensor<2x9x9x3xf32>, tensor<2x6x16x7xf16>,
      tensor<2x5x5x3xf64>, tensor<2x8x8x3xi1>, tensor<1x20x33x4xui8>, tensor<1x43x328x3xui8>,
      tensor<1x19x18x4xf32>
}
