// Resizing needs no memory besides the operand and the result, in either tier.

// RUN: tandem-run %s --tier=eager --repeat=2 | FileCheck %s
// RUN: tandem-run %s --tier=compiled --repeat=2 | FileCheck %s

func.func @main(%x: tensor<1x4x128x128xf32>) -> tensor<1x4x256x256xf32> {
  %0 = tandem.resize %x mode = cubic dims = [2, 3] scales = [2.0, 2.0]
      : (tensor<1x4x128x128xf32>) -> tensor<1x4x256x256xf32>
  return %0 : tensor<1x4x256x256xf32>
}

// CHECK: peak 1.00 MiB
