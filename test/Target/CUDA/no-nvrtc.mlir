// Without NVRTC, the translation to PTX reports once that NVRTC is missing and
// how to install it. All other translations work.

// RUN: env CUDAToolkit_ROOT=%t.nowhere not tandem-translate --tandem-to-ptx %s \
// RUN:   2>&1 | FileCheck %s
// RUN: env CUDAToolkit_ROOT=%t.nowhere tandem-translate --tandem-to-cuda %s \
// RUN:   | FileCheck %s --check-prefix=SOURCE

// CHECK-COUNT-1: error: no usable NVRTC (libnvrtc.so, {{.*}}) in CUDAToolkit_ROOT={{.*}}.nowhere
// CHECK: note: install the CUDA toolkit{{.*}} and set CUDAToolkit_ROOT
// CHECK-NOT: error:

// A file that is named is used, and no other.
// RUN: env TANDEM_NVRTC=%t.nowhere not tandem-translate --tandem-to-ptx %s \
// RUN:   2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: no usable NVRTC in TANDEM_NVRTC={{.*}}.nowhere: there is no such file
// SOURCE: __global__ void kernel_0(

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tandem.exp %x : tensor<4xf32>
  %1 = tandem.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
