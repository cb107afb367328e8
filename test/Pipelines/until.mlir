// RUN: tandem-opt %s --until=specialize --shapes=8x100x1 | FileCheck %s --check-prefixes=CHECK,SPECIALIZE
// RUN: tandem-opt %s --until=simplify --shapes=8x100x1 | FileCheck %s --check-prefixes=CHECK,SIMPLIFY
// RUN: tandem-opt %s --until=fuse --shapes=8x100x1 | FileCheck %s --check-prefixes=CHECK,FUSE
// RUN: tandem-opt %s --until=kernels --shapes=8x100x1 | FileCheck %s --check-prefix=KERNELS
// RUN: tandem-opt %s --until=linalg --shapes=8x100x1 | FileCheck %s --check-prefix=LINALG
// RUN: tandem-opt %s --until=llvm --shapes=8x100x1 | FileCheck %s --check-prefix=LLVM
// RUN: tandem-opt %s --until=emitc --device=cuda --shapes=8x100x1 | FileCheck %s --check-prefix=EMITC
// RUN: tandem-opt %s --tandem-compile='shapes=8x100x1 until=fuse fusion-fuel=0' | FileCheck %s --check-prefix=FUEL

// CHECK: func.func @main(%{{.*}}: tensor<8x100x1xf32>
// SPECIALIZE: tandem.batch_norm
// SIMPLIFY-NOT: tandem.batch_norm
// FUSE: tandem.fusion loop
// KERNELS: module @kernel_0 attributes {tandem.kernel}
// KERNELS: func.func @kernel_0
// KERNELS: tandem.launch @kernel_0
// LINALG: module @kernel_0
// LINALG: linalg.generic
// LINALG: tandem.launch @kernel_0
// LLVM: module @kernel_0
// LLVM: llvm.func
// EMITC: module @kernel_0
// EMITC: emitc.func @kernel_0
// FUEL-COUNT-2: tandem.fusion
func.func @main(%x: tensor<?x100x1xf32>) -> tensor<?x98x4xf32> {
  %w = tandem.constant dense<0.5> : tensor<3x1x4xf32>
  %p = tandem.constant dense<1.0> : tensor<4xf32>
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<?x100x1xf32>, tensor<3x1x4xf32>) -> tensor<?x98x4xf32>
  %1 = tandem.batch_norm %0, %p, %p, %p, %p epsilon = 1.0e-5 axis = 2
      : (tensor<?x98x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>) -> tensor<?x98x4xf32>
  %2 = tandem.relu %1 : tensor<?x98x4xf32>
  return %2 : tensor<?x98x4xf32>
}
