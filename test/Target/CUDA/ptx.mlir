// REQUIRES: nvrtc, ptxas
// PTX for a device by architecture, by name and by file, as ptxas takes it.

// RUN: tandem-translate --tandem-to-ptx %s --gpu=sm_80 -o %t.ptx
// RUN: FileCheck %s --check-prefixes=CHECK,SM80 < %t.ptx
// RUN: %ptxas -arch=sm_80 %t.ptx -o %t.cubin
// RUN: tandem-translate --tandem-to-ptx %s --gpu=h200 -o %t.ptx
// RUN: FileCheck %s --check-prefixes=CHECK,SM90 < %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: tandem-translate --tandem-to-ptx %s --gpu=%gpu-specs/sm_100_b200.json \
// RUN:   -o %t.ptx
// RUN: FileCheck %s --check-prefixes=CHECK,SM100 < %t.ptx
// RUN: %ptxas -arch=sm_100 %t.ptx -o %t.cubin

// SM80: .target sm_80
// SM90: .target sm_90
// SM100: .target sm_100
// CHECK: .visible .entry kernel_0(
// One vector each, through the read-only path.
// CHECK-COUNT-2: ld.global.nc.v4
// CHECK: ex2.approx
// CHECK: st.global.v4
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %0 = tandem.mul %x, %y : tensor<64x64xf32>
  %1 = tandem.exp %0 : tensor<64x64xf32>
  %2 = tandem.sub %1, %y : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
