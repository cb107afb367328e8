// Each decision costs fuel, so that a wrong one can be found by bisection.
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-fuse{fusion-fuel=0}))' | FileCheck %s --check-prefix=NONE
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-fuse{fusion-fuel=1}))' | FileCheck %s --check-prefix=ONE
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-fuse))' | FileCheck %s --check-prefix=ALL

// NONE-COUNT-3: tandem.fusion
// ONE-COUNT-2: tandem.fusion
// ONE-NOT: tandem.fusion
// ALL-COUNT-1: tandem.fusion
// ALL-NOT: tandem.fusion
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tandem.exp %x : tensor<64xf32>
  %1 = tandem.neg %0 : tensor<64xf32>
  %2 = tandem.abs %1 : tensor<64xf32>
  return %2 : tensor<64xf32>
}
