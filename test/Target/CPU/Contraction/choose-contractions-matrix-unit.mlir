// Only the library multiplies bf16 with a matrix unit, so such products are
// left to it. If the number of inputs is odd, the library computes in f32, and
// kernels are generated.

// RUN: tandem-opt %s --tandem-cpu-choose-contractions=device-spec=%S/Inputs/matrix-unit.json | FileCheck %s
// RUN: tandem-opt %s --tandem-cpu-choose-contractions=device-spec=generic | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: func.func @even
// CHECK: tandem.matmul {{.*}}tandem.library
// NONE-LABEL: func.func @even
// NONE-NOT: tandem.library
func.func @even(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %0 = tandem.matmul %x, %y : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}

// CHECK-LABEL: func.func @odd
// CHECK-NOT: tandem.library
// NONE-LABEL: func.func @odd
// NONE-NOT: tandem.library
func.func @odd(%x: tensor<256x255xbf16>, %y: tensor<255x256xbf16>) -> tensor<256x256xbf16> {
  %0 = tandem.matmul %x, %y : (tensor<256x255xbf16>, tensor<255x256xbf16>) -> tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}

// CHECK-LABEL: func.func @single
// CHECK-NOT: tandem.library
// CHECK: return
func.func @single(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = tandem.matmul %x, %y : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
