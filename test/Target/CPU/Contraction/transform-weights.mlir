// Kernels of 3x3 taps, transformed for Winograd's method.

// RUN: tandem-opt %s --tandem-cpu-transform-weights=how=always | FileCheck %s
// RUN: tandem-opt %s --tandem-cpu-transform-weights=how=never | FileCheck %s --check-prefix=NEVER
// RUN: not tandem-opt %s --tandem-cpu-transform-weights=how=often 2>&1 | FileCheck %s --check-prefix=OFTEN

// NEVER-NOT: tandem_cpu.winograd_kernel
// OFTEN: Cannot find option named 'often'!

// One block of 16 outputs; the plain kernel is there in blocks, too.

// CHECK-LABEL: func.func @block
// CHECK-NOT: tandem.constant {{.*}} : tensor<3x3x8x16xf32>
// CHECK: %[[P:.*]] = tandem.constant dense<{{.*}}> : tensor<1x3x3x8x16xf32>
// CHECK-NEXT: %[[U:.*]] = tandem.constant dense<{{.*}}> : tensor<1x6x6x8x16xf32>
// CHECK-NEXT: tandem.fusion contraction (%[[X:.*]] = %{{.*}}, %[[K:.*]] = %[[P]], %[[B:.*]] = %[[U]])
// CHECK-NEXT: %[[KT:.*]] = tandem.transpose %[[K]] permutation = [1, 2, 3, 0, 4]
// CHECK-NEXT: %[[KR:.*]] = tandem.reshape %[[KT]] shape = [3, 3, 8, 16]
// CHECK-NEXT: %[[T:.*]] = tandem.transpose %[[B]] permutation = [1, 2, 3, 0, 4]
// CHECK-NEXT: %[[R:.*]] = tandem.reshape %[[T]] shape = [6, 6, 8, 16]
// CHECK-NEXT: %[[W:.*]] = tandem_cpu.winograd_kernel %[[KR]], %[[R]] largest_data = 1.84467441E+19
// CHECK-NEXT: tandem.conv %[[X]], %[[W]] layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
func.func @block(%x: tensor<1x8x8x8xf32>) -> tensor<1x6x6x16xf32> {
  %w = tandem.constant dense<1.0> : tensor<3x3x8x16xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x8x8x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x6x6x16xf32> {
    %1 = tandem.conv %a, %b
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x8x8x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x6x6x16xf32>
    tandem.yield %1 : tensor<1x6x6x16xf32>
  }
  return %0 : tensor<1x6x6x16xf32>
}

// Kernels in another order, and splats within the fusion; the last of two
// blocks is cut.

// CHECK-LABEL: func.func @ordered
// CHECK: tandem.fusion contraction
// CHECK: tandem.slice {{.*}} limits = [3, 3, 8, 120]
// CHECK: tandem.slice {{.*}} limits = [6, 6, 8, 120]
// CHECK-NEXT: tandem_cpu.winograd_kernel {{.*}} -> tensor<3x3x8x120xf32>
// CHECK-NEXT: tandem.conv {{.*}} layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
func.func @ordered(%x: tensor<1x8x8x8xf32>) -> tensor<1x6x6x120xf32> {
  %0 = tandem.fusion contraction (%a = %x)
      : (tensor<1x8x8x8xf32>) -> tensor<1x6x6x120xf32> {
    %w = tandem.constant dense<0.5> : tensor<120x8x3x3xf32>
    %1 = tandem.conv %a, %w
        layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
        : (tensor<1x8x8x8xf32>, tensor<120x8x3x3xf32>)
        -> tensor<1x6x6x120xf32>
    tandem.yield %1 : tensor<1x6x6x120xf32>
  }
  return %0 : tensor<1x6x6x120xf32>
}
