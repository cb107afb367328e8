// The library's matrix product is hardly faster on two threads than on one. The
// library is chosen on one thread, and a generated kernel on two threads.

// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{device-spec=generic:1}))' | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{device-spec=generic:2}))' | FileCheck %s --check-prefixes=CHECK,TWO

// CHECK: tandem.conv
// ONE-SAME: tandem.library
// TWO-NOT: tandem.library
func.func @main(%x: tensor<8x96x56x56xf32>) -> tensor<8x24x56x56xf32> {
  %w = tandem.constant dense<0.5> : tensor<24x96x1x1xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<8x96x56x56xf32>, tensor<24x96x1x1xf32>)
      -> tensor<8x24x56x56xf32>
  return %0 : tensor<8x24x56x56xf32>
}
