// RUN: not tandem-opt %s --until=fusion 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not tandem-opt %s --until=emitc 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not tandem-opt %s --until=fuse --device=tpu 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not tandem-opt %s --until=fuse 2>&1 | FileCheck %s --check-prefix=SHAPES
// RUN: not tandem-opt %s --until=fuse --shapes=1x2 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not tandem-opt %s --until=fuse --function=g 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not tandem-opt %s.none --until=fuse 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tandem-opt %s --shapes=8 2>&1 | FileCheck %s --check-prefix=PHASELESS

// PHASE: no phase 'fusion': there are specialize, simplify, layout, fuse, kernels, linalg, llvm
// CPU: no phase 'emitc'
// DEVICE: no device 'tpu': there are cpu, cuda
// SHAPES: [[@LINE+6]]:17: error: argument #0: dim 0 of 'tensor<?xf32>' has no size in the signature
// RANK: error: argument #0: 'tensor<1x2xf32>' does not fit 'tensor<?xf32>'
// FUNCTION: error: no function @g among @main
// FUNCTION-NOT: note:
// FILE: error: cannot open input file
// PHASELESS: tandem-opt: error: --shapes has no effect without --until
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
