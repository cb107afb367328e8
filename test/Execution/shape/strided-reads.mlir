// Operands that are read in blocks across their rows: with remainders, on
// several threads, and after other ops.

// RUN: tandem-run %s --arg=random:2717x9x8 --arg=random:40x30x7x5 --arg=random:3x4001x6 --check
// RUN: tandem-run %s --arg=random:2717x9x8 --arg=random:40x30x7x5 --arg=random:3x4001x6 --check --threads=2
// RUN: tandem-run %s --arg=random:1x9x8 --arg=random:1x1x7x5 --arg=random:3x0x6 --check

func.func @main(%x: tensor<?x9x8xf32>, %y: tensor<?x?x7x5xf32>, %z: tensor<3x?x6xbf16>)
    -> (tensor<9x?x8xf32>, tensor<7x?x?x5xf32>, tensor<?x3x6xbf16>) {
  %0 = tandem.transpose %x permutation = [1, 0, 2] : (tensor<?x9x8xf32>) -> tensor<9x?x8xf32>
  %1 = tandem.exp %0 : tensor<9x?x8xf32>
  %2 = tandem.transpose %y permutation = [2, 0, 1, 3] : (tensor<?x?x7x5xf32>) -> tensor<7x?x?x5xf32>
  %3 = tandem.neg %2 : tensor<7x?x?x5xf32>
  %4 = tandem.transpose %z permutation = [1, 0, 2] : (tensor<3x?x6xbf16>) -> tensor<?x3x6xbf16>
  %5 = tandem.abs %4 : tensor<?x3x6xbf16>
  return %1, %3, %5 : tensor<9x?x8xf32>, tensor<7x?x?x5xf32>, tensor<?x3x6xbf16>
}
