// The op has no step in a Program, and no kernel.

// RUN: tandem-run %s --print --tier=reference --arg=[1,-2,nan] | FileCheck %s
// RUN: tandem-run %s --print --tier=eager --arg=[1,-2,nan] | FileCheck %s
// RUN: tandem-run %s --print --tier=compiled --no-fallback --arg=[1,-2,nan] | FileCheck %s

func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = tandem.stop_gradient %x : tensor<3xf32>
  %1 = tandem.relu %0 : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// CHECK: [1, -2, {{-?}}nan]
// CHECK: [1, 0, {{-?}}nan]
