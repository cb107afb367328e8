// On the fake driver, loops agree with the reference tier: 16-byte vectors of
// every type, several vectors per thread, several types in one kernel, and a
// single rounding to 16-bit floats.

// RUN: split-file %s %t
// RUN: %fake-cuda tandem-run %t/vectors.mlir --device=cuda --check | FileCheck %s
// RUN: %fake-cuda tandem-run %t/steps.mlir --device=cuda --check | FileCheck %s
// RUN: %fake-cuda tandem-run %t/rounding.mlir --device=cuda --check | FileCheck %s
// RUN: tandem-translate --tandem-to-cuda %t/steps.mlir | FileCheck %s --check-prefix=STEPS
// CHECK: compiled (cuda){{.*}} ok
// CHECK-NOT: FAIL
// STEPS: for (int step = 0; step < 2; step += 1) {

//--- vectors.mlir
func.func @main(%h: tensor<64x64xf16>, %b: tensor<64x64xbf16>,
                %c: tensor<128x64xi8>, %d: tensor<33x64xf64>,
                %s: tensor<64x1xf16>, %r: tensor<64xbf16>)
    -> (tensor<64x64xf16>, tensor<64x64xbf16>, tensor<128x64xi8>,
        tensor<33x64xf64>, tensor<33x64xf32>, tensor<128x64xi1>) {
  %h0 = tandem.exp %h : tensor<64x64xf16>
  %h1 = tandem.mul %h0, %s
      : (tensor<64x64xf16>, tensor<64x1xf16>) -> tensor<64x64xf16>
  %b0 = tandem.add %b, %r
      : (tensor<64x64xbf16>, tensor<64xbf16>) -> tensor<64x64xbf16>
  %b1 = tandem.relu %b0 : tensor<64x64xbf16>
  %c0 = tandem.abs %c : tensor<128x64xi8>
  %c1 = tandem.neg %c0 : tensor<128x64xi8>
  %c2 = tandem.compare %c1, %c predicate = lt
      : (tensor<128x64xi8>, tensor<128x64xi8>) -> tensor<128x64xi1>
  %d0 = tandem.tanh %d : tensor<33x64xf64>
  %d1 = tandem.neg %d0 : tensor<33x64xf64>
  %f = tandem.cast %d1 : (tensor<33x64xf64>) -> tensor<33x64xf32>
  return %h1, %b1, %c1, %d1, %f, %c2
      : tensor<64x64xf16>, tensor<64x64xbf16>, tensor<128x64xi8>,
        tensor<33x64xf64>, tensor<33x64xf32>, tensor<128x64xi1>
}

//--- steps.mlir
func.func @main(%x: tensor<2048x2048xf16>) -> tensor<2048x2048xf16> {
  %0 = tandem.neg %x : tensor<2048x2048xf16>
  %1 = tandem.relu %0 : tensor<2048x2048xf16>
  return %1 : tensor<2048x2048xf16>
}

//--- rounding.mlir
func.func @main(%d: tensor<1031xf64>, %f: tensor<1031xf32>)
    -> (tensor<1031xbf16>, tensor<1031xf16>, tensor<1031xbf16>) {
  %0 = tandem.neg %d : tensor<1031xf64>
  %1 = tandem.cast %0 : (tensor<1031xf64>) -> tensor<1031xbf16>
  %2 = tandem.cast %0 : (tensor<1031xf64>) -> tensor<1031xf16>
  %3 = tandem.neg %f : tensor<1031xf32>
  %4 = tandem.cast %3 : (tensor<1031xf32>) -> tensor<1031xbf16>
  return %1, %2, %4 : tensor<1031xbf16>, tensor<1031xf16>, tensor<1031xbf16>
}
