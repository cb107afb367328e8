// Operands that lie across the lanes: whole tiles, what is left of them, and ops
// before and after.

// RUN: tandem-run %s --arg=random:2x3x4x5 --arg=random:2x4x5x3 --check
// RUN: tandem-run %s --arg=random:1x16x16x16 --arg=random:1x16x16x16 --check
// RUN: tandem-run %s --arg=random:3x17x5x13 --arg=random:3x5x13x17 --check
// RUN: tandem-run %s --arg=random:1x3x31x7 --arg=random:1x31x7x3 --check
// RUN: tandem-run %s --arg=random:2x64x9x15 --arg=random:2x9x15x64 --check
// RUN: tandem-run %s --arg=random:1x130x12x12 --arg=random:1x12x12x130 --check
// RUN: tandem-run %s --arg=random:1x130x12x12 --arg=random:1x12x12x130 --threads=1 --check

func.func @main(%x: tensor<?x?x?x?xf32> {tandem.dims = ["N", "C", "H", "W"]},
                %y: tensor<?x?x?x?xf32> {tandem.dims = ["N", "H", "W", "C"]})
    -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xbf16>,
        tensor<?x?x?x?xi1>) {
  // Both results of one kernel, an operand of which lies along the lanes.
  %t = tandem.tanh %x : tensor<?x?x?x?xf32>
  %0 = tandem.transpose %t permutation = [0, 2, 3, 1]
      : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %1 = tandem.sub %0, %y : tensor<?x?x?x?xf32>
  %2 = tandem.relu %1 : tensor<?x?x?x?xf32>
  // Another type, and two operands across the lanes.
  %3 = tandem.transpose %x permutation = [0, 3, 1, 2]
      : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %4 = tandem.transpose %y permutation = [0, 2, 3, 1]
      : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %5 = tandem.add %3, %4 : tensor<?x?x?x?xf32>
  %6 = tandem.cast %5 : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xbf16>
  // Truth values are bytes in memory.
  %7 = tandem.transpose %x permutation = [3, 2, 1, 0]
      : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %8 = tandem.cast %7 : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xi1>
  return %2, %1, %6, %8
      : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xbf16>,
        tensor<?x?x?x?xi1>
}
