// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// CHECK-LABEL: func @winograd_kernel
func.func @winograd_kernel(%k: tensor<3x3x2x4xf32>, %u: tensor<6x6x2x4xf32>) -> tensor<3x3x2x4xf32> {
  // CHECK: tandem_cpu.winograd_kernel %{{.*}}, %{{.*}} largest_data = 2.500000e-01 : (tensor<3x3x2x4xf32>, tensor<6x6x2x4xf32>) -> tensor<3x3x2x4xf32>
  %0 = tandem_cpu.winograd_kernel %k, %u largest_data = 0.25 : (tensor<3x3x2x4xf32>, tensor<6x6x2x4xf32>) -> tensor<3x3x2x4xf32>
  return %0 : tensor<3x3x2x4xf32>
}
