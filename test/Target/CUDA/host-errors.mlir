// Without a host compiler, or with one that fails.

// RUN: env TANDEM_HOST_CXX=no-such-compiler not tandem-run %s \
// RUN:   --device=cuda-host --check 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: TANDEM_HOST_CXX: there is no program 'no-such-compiler'

// RUN: env TANDEM_HOST_CXX=false not tandem-run %s \
// RUN:   --device=cuda-host --check 2>&1 | FileCheck %s --check-prefix=FALSE
// FALSE: /false cannot compile the kernels for the host

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tandem.exp %x : tensor<4xf32>
  %1 = tandem.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
