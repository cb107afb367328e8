// Convolutions with poolings, by register tiles and by Winograd's method. There
// are several images, which do or do not consist of whole tiles, in both
// layouts.

// RUN: %python %S/../Inputs/vary-constants.py %s > %t.mlir
// RUN: tandem-run %t.mlir --arg=random:1x16x24x16 --check
// RUN: tandem-run %t.mlir --arg=random:3x31x17x16 --check
// RUN: tandem-run %t.mlir --arg=random:1x16x24x16 --target-option=winograd=always --check
// RUN: tandem-run %t.mlir --arg=random:2x31x17x16 --target-option=winograd=always --check
// RUN: tandem-run %t.mlir --arg=random:2x33x45x16 --target-option=winograd=always --threads=1 --check
// RUN: tandem-run %t.mlir --func=first --arg=random:2x16x33x45 --check
// RUN: tandem-run %t.mlir --func=first --arg=random:1x16x16x16 --target-option=winograd=always --check

// All three are kernels that pool, two of them by Winograd's method.
// RUN: tandem-opt %t.mlir --until=fuse --shapes=2x32x32x16 --target-option=winograd=always --device-spec=generic | FileCheck %s
// RUN: tandem-opt %t.mlir --until=fuse --shapes=2x32x32x16 --target-option=winograd=always --device-spec=generic | FileCheck %s --check-prefix=WINOGRAD
// CHECK-LABEL: func.func @main
// CHECK-COUNT-3: tandem.fusion contraction
// CHECK-NOT: tandem.fusion
// CHECK-LABEL: func.func @first
// WINOGRAD-COUNT-2: tandem_cpu.winograd_kernel
// WINOGRAD-NOT: tandem_cpu.winograd_kernel

// A kernel that cannot be compiled runs op by op.
// RUN: tandem-run %t.mlir --arg=random:1x16x24x16 --target-option=winograd=always --fallback --check '--fail-kernels=kernel_.*' --reproducer-dir=%t 2>&1 | FileCheck %s --check-prefix=FALLBACK
// FALLBACK-COUNT-3: warning: kernel_
// FALLBACK: compiled{{.*}}ok

func.func @main(%x: tensor<?x?x?x16xf32>)
    -> (tensor<?x?x?x33xf32>, tensor<?x?x?x16xf32>, tensor<?x?x?x8xf32>) {
  %half = tandem.constant dense<0.5> : tensor<f32>
  %w1 = tandem.constant dense<0.125> : tensor<3x3x16x33xf32>
  %0 = tandem.conv %x, %w1
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x?x?x16xf32>, tensor<3x3x16x33xf32>) -> tensor<?x?x?x33xf32>
  %1 = tandem.relu %0 : tensor<?x?x?x33xf32>
  %2 = tandem.max_pool %1 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<?x?x?x33xf32>) -> tensor<?x?x?x33xf32>
  // Windows of 4 that reach beyond the image, followed by elementwise ops.
  %w2 = tandem.constant dense<-0.25> : tensor<3x3x16x16xf32>
  %3 = tandem.conv %x, %w2
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<?x?x?x16xf32>, tensor<3x3x16x16xf32>) -> tensor<?x?x?x16xf32>
  %4 = tandem.avg_pool %3 layout = "NHWC" window = [4, 2] strides = [4, 2]
      pad_high = [3, 1] : (tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  %5 = tandem.mul %4, %half
      : (tensor<?x?x?x16xf32>, tensor<f32>) -> tensor<?x?x?x16xf32>
  %w3 = tandem.constant dense<0.5> : tensor<5x5x16x8xf32>
  %6 = tandem.conv %x, %w3
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<?x?x?x16xf32>, tensor<5x5x16x8xf32>) -> tensor<?x?x?x8xf32>
  %7 = tandem.max_pool %6 layout = "NHWC" window = [2, 3] strides = [2, 3]
      : (tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  return %2, %5, %7
      : tensor<?x?x?x33xf32>, tensor<?x?x?x16xf32>, tensor<?x?x?x8xf32>
}

func.func @first(%x: tensor<?x16x?x?xf32>) -> tensor<?x24x?x?xf32> {
  %w = tandem.constant dense<0.125> : tensor<24x16x3x3xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x16x?x?xf32>, tensor<24x16x3x3xf32>) -> tensor<?x24x?x?xf32>
  %1 = tandem.relu %0 : tensor<?x24x?x?xf32>
  %2 = tandem.max_pool %1 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32>
  return %2 : tensor<?x24x?x?xf32>
}
