// REQUIRES: nvrtc, ptxas
// Products of four bytes are one instruction, for both signs of the data.

// RUN: tandem-translate --tandem-to-ptx %s --gpu=sm_80 -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %ptxas -arch=sm_80 %t.ptx -o %t.cubin
// RUN: tandem-translate --tandem-to-ptx %s --gpu=sm_100 -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %ptxas -arch=sm_100 %t.ptx -o %t.cubin

// CHECK: .visible .entry kernel_0(
// CHECK-COUNT-32: dp4a.u32.s32
// CHECK-NOT: dp4a
// CHECK: .visible .entry kernel_1(
// CHECK-COUNT-32: dp4a.s32.s32
// CHECK-NOT: dp4a
func.func @main(%x: tensor<9x40xui8>, %y: tensor<9x37xi8>,
                %v: tensor<40x32xi8>, %w: tensor<37x32xi8>)
    -> (tensor<9x32xi32>, tensor<9x32xi32>) {
  %0 = tandem.matmul %x, %v widen
      : (tensor<9x40xui8>, tensor<40x32xi8>) -> tensor<9x32xi32>
  %1 = tandem.matmul %y, %w widen
      : (tensor<9x37xi8>, tensor<37x32xi8>) -> tensor<9x32xi32>
  return %0, %1 : tensor<9x32xi32>, tensor<9x32xi32>
}
