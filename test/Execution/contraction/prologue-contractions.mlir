// Convolutions and products whose data is computed by elementwise ops in the
// same kernel, by register tiles and by Winograd's method. Padding is zero; the
// ops are not applied to it.

// RUN: %python %S/../Inputs/vary-constants.py %s > %t.mlir
// RUN: tandem-run %t.mlir --arg=random:1x16x24x32 --check
// RUN: tandem-run %t.mlir --arg=random:8x31x57x32 --check
// RUN: tandem-run %t.mlir --arg=random:1x16x24x32 --target-option=winograd=always --check
// RUN: tandem-run %t.mlir --arg=random:8x31x57x32 --target-option=winograd=always --check
// RUN: tandem-run %t.mlir --arg=random:3x33x45x32 --target-option=winograd=always --threads=1 --check
// RUN: tandem-run %t.mlir --func=product --arg=random:1030x96 --arg=random:96x40 --check
// RUN: tandem-run %t.mlir --func=product --arg=random:7x96 --arg=random:96x3 --check

// RUN: tandem-opt %t.mlir --until=fuse --shapes=8x56x56x32 --target-option=winograd=always --device-spec=generic | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK: tandem.fusion contraction
// CHECK: tandem.neg
// CHECK: tandem.max
// CHECK: tandem_cpu.winograd_kernel
// CHECK: tandem.conv
// CHECK-NOT: tandem.fusion
// CHECK-LABEL: func.func @product

// A kernel that cannot be compiled runs op by op.
// RUN: tandem-run %t.mlir --arg=random:8x31x57x32 --target-option=winograd=always --fallback --check '--fail-kernels=kernel_.*' --reproducer-dir=%t 2>&1 | FileCheck %s --check-prefix=FALLBACK
// FALLBACK: warning: kernel_
// FALLBACK: compiled{{.*}}ok

func.func @main(%x: tensor<?x?x?x32xf32>) -> tensor<?x?x?x24xf32> {
  %half = tandem.constant dense<0.5> : tensor<f32>
  %w = tandem.constant dense<0.125> : tensor<3x3x32x24xf32>
  %0 = tandem.neg %x : tensor<?x?x?x32xf32>
  %1 = tandem.max %0, %half
      : (tensor<?x?x?x32xf32>, tensor<f32>) -> tensor<?x?x?x32xf32>
  %2 = tandem.conv %1, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x?x?x32xf32>, tensor<3x3x32x24xf32>) -> tensor<?x?x?x24xf32>
  return %2 : tensor<?x?x?x24xf32>
}

func.func @product(%x: tensor<?x96xf32>, %w: tensor<96x?xf32>)
    -> tensor<?x?xf32> {
  %0 = tandem.relu %x : tensor<?x96xf32>
  %1 = tandem.matmul %0, %w
      : (tensor<?x96xf32>, tensor<96x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
