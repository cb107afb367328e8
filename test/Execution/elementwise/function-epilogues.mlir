// If an epilogue has functions whose code is long, it is applied to the sums of
// a tile in a loop.

// RUN: %python %S/../Inputs/vary-constants.py %s > %t.mlir
// RUN: tandem-run %t.mlir --check --arg=random:1x64 | FileCheck %s
// RUN: tandem-run %t.mlir --check --arg=random:67x64 | FileCheck %s
// RUN: tandem-run %t.mlir --check --arg=random:131x64 --threads=1 | FileCheck %s
// RUN: tandem-run %t.mlir --func=image --check | FileCheck %s
// RUN: tandem-run %t.mlir --func=groups --check | FileCheck %s
// CHECK: compiled {{.*}} ok
// CHECK-NOT: FAIL

// One erf for whole tiles and one for the last, however many vectors they have.
// RUN: tandem-opt %t.mlir --until=linalg --shapes=131x64 | tandem-opt --pass-pipeline='builtin.module(builtin.module(tandem-cpu-lower-kernel{vector-bits=512}))' | FileCheck %s --check-prefix=LOOP
// LOOP-LABEL: llvm.func internal @kernel_0.body
// LOOP: llvm.alloca
// LOOP-COUNT-2: math.erf
// LOOP-NOT: math.erf

func.func @main(%x: tensor<?x64xf32>) -> tensor<?x37xf32> {
  %w = tandem.constant dense<0.0625> : tensor<64x37xf32>
  %0 = tandem.matmul %x, %w
      : (tensor<?x64xf32>, tensor<64x37xf32>) -> tensor<?x37xf32>
  %1 = tandem.gelu %0 : tensor<?x37xf32>
  return %1 : tensor<?x37xf32>
}

// Positions along the lanes, rows that end within a vector, a residual, and
// the sums as a result of their own.
func.func @image(%x: tensor<2x16x19x45xf32>, %w: tensor<21x16x3x3xf32>,
                 %r: tensor<2x21x17x43xf32>)
    -> (tensor<2x21x17x43xf32>, tensor<2x21x17x43xf32>) {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<2x16x19x45xf32>, tensor<21x16x3x3xf32>)
      -> tensor<2x21x17x43xf32>
  %1 = tandem.add %0, %r : tensor<2x21x17x43xf32>
  %2 = tandem.tanh %1 : tensor<2x21x17x43xf32>
  return %0, %2 : tensor<2x21x17x43xf32>, tensor<2x21x17x43xf32>
}

func.func @groups(%x: tensor<1x9x23x72xbf16>, %w: tensor<3x3x36x98xbf16>,
                  %b: tensor<98xbf16>) -> tensor<1x7x21x98xbf16> {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> groups = 2
      : (tensor<1x9x23x72xbf16>, tensor<3x3x36x98xbf16>, tensor<98xbf16>)
      -> tensor<1x7x21x98xbf16>
  %1 = tandem.sigmoid %0 : tensor<1x7x21x98xbf16>
  return %1 : tensor<1x7x21x98xbf16>
}
