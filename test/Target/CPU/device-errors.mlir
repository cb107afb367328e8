// RUN: sed 's/"cores"/"library_tyles": 0.9, "cores"/' %src/utils/cpu-specs/generic.json > %t.json
// RUN: not tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{device-spec=%t.json}))' 2>&1 | FileCheck %s
// RUN: not tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-pack-weights{device-spec=%t.json}))' 2>&1 | FileCheck %s

// The numbers that a description has for the target are the target's to check.
// CHECK: the description of device 'generic': 'library_tyles' is not part of a description; utils/cpu-specs/ has examples of device descriptions
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = tandem.matmul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
