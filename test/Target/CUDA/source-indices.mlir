// Index arithmetic of shape ops, windows and convolutions.

// RUN: split-file %s %t
// RUN: tandem-translate --tandem-to-cuda %t/transpose.mlir \
// RUN:   | FileCheck %t/transpose.mlir
// RUN: tandem-translate --tandem-to-cuda %t/pad.mlir | FileCheck %t/pad.mlir
// RUN: tandem-translate --tandem-to-cuda %t/conv.mlir | FileCheck %t/conv.mlir

//--- transpose.mlir
// CHECK: in0[i / 3 + (i % 3) * 5];
// CHECK-NOT: floor_div
func.func @main(%x: tensor<3x5xf32>) -> tensor<5x3xf32> {
  %0 = tandem.transpose %x permutation = [1, 0]
      : (tensor<3x5xf32>) -> tensor<5x3xf32>
  %1 = tandem.exp %0 : tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

//--- pad.mlir
// What is outside is not read.

// CHECK: const int [[P:.*]] = {{.*}} - 1;
// CHECK: if ({{.*}}) {
// CHECK: in0[[[P]]]
// CHECK: } else {
// CHECK:   [[R:.*]] = 0.5f;
// CHECK: }
func.func @main(%x: tensor<5xf32>) -> tensor<8xf32> {
  %0 = tandem.pad %x low = [1] high = [2] interior = [0] value = 5.0e-01
      : (tensor<5xf32>) -> tensor<8xf32>
  %1 = tandem.exp %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

//--- conv.mlir
// Four channels a thread: weights are vectors, and what all four read is read
// once.

// CHECK: const int first = (block * 256 + thread) * 4;
// CHECK: = load<4>(in1 + [[C:.*]]);
// CHECK: const float [[X:in0.*]] = in0[
// CHECK: = load<4>(in1 + ([[C]] + 32));
// CHECK: = load<4>(in1 + ([[C]] + 64));
// CHECK: for (int lane = 0; lane < 4; lane += 1) {
// CHECK:   out_v[lane] = maximum({{.*}},
// CHECK-NEXT: 0.0f);
func.func @main(%x: tensor<10x100x1xf32>, %k: tensor<3x1x32xf32>)
    -> tensor<10x98x32xf32> {
  %0 = tandem.conv %x, %k
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<10x100x1xf32>, tensor<3x1x32xf32>) -> tensor<10x98x32xf32>
  %1 = tandem.relu %0 : tensor<10x98x32xf32>
  return %1 : tensor<10x98x32xf32>
}
