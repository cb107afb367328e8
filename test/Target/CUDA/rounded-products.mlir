// REQUIRES: nvrtc
// A product is rounded before it is added to, as in every other tier: NVRTC
// would fuse them by itself. Those of a contraction are fused by name.

// RUN: split-file %s %t
// RUN: tandem-translate --tandem-to-ptx %t/sum.mlir | FileCheck %t/sum.mlir --implicit-check-not=fma
// RUN: tandem-translate --tandem-to-cuda %t/conv.mlir | FileCheck %t/conv.mlir

//--- sum.mlir
// CHECK: .visible .entry kernel_0(
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tandem.mul %x, %y : tensor<64xf32>
  %1 = tandem.add %0, %y : tensor<64xf32>
  return %1 : tensor<64xf32>
}

//--- conv.mlir
// CHECK: fmaf({{.*}}, fmaf({{.*}}, in0_1 * in1_{{[0-9]}})),
func.func @main(%x: tensor<1x16x1xf32>) -> tensor<1x14x2xf32> {
  %k = tandem.constant dense<[[[1.5, 2.5]], [[3.5, 4.5]], [[5.5, 6.5]]]> : tensor<3x1x2xf32>
  %0 = tandem.conv %x, %k layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<1x16x1xf32>, tensor<3x1x2xf32>) -> tensor<1x14x2xf32>
  %1 = tandem.relu %0 : tensor<1x14x2xf32>
  return %1 : tensor<1x14x2xf32>
}
