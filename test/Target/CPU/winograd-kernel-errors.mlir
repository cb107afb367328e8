// RUN: tandem-opt %s -split-input-file -verify-diagnostics

func.func @winograd_kernel_c1(%k: tensor<3x3x2x4xf32>, %u: tensor<5x5x2x4xf32>) {
  // expected-error@+1 {{winograd_kernel' op C1: does not pair 3x3xIxO with 6x6xIxO}}
  %0 = tandem_cpu.winograd_kernel %k, %u largest_data = 1.0 : (tensor<3x3x2x4xf32>, tensor<5x5x2x4xf32>) -> tensor<3x3x2x4xf32>
  return
}

// -----

func.func @winograd_kernel_c1_channels(%k: tensor<3x3x4x2xf32>, %u: tensor<6x6x2x4xf32>) {
  // expected-error@+1 {{winograd_kernel' op C1: does not pair 3x3xIxO with 6x6xIxO}}
  %0 = tandem_cpu.winograd_kernel %k, %u largest_data = 1.0 : (tensor<3x3x4x2xf32>, tensor<6x6x2x4xf32>) -> tensor<3x3x4x2xf32>
  return
}

// -----

func.func @winograd_kernel_c1_result(%k: tensor<3x3x2x4xf32>, %u: tensor<6x6x2x4xf32>) {
  // expected-error@+1 {{winograd_kernel' op C1: does not pair 3x3xIxO with 6x6xIxO}}
  %0 = tandem_cpu.winograd_kernel %k, %u largest_data = 1.0 : (tensor<3x3x2x4xf32>, tensor<6x6x2x4xf32>) -> tensor<3x3x2x8xf32>
  return
}

// -----

func.func @winograd_kernel_c2(%k: tensor<3x3x2x4xf32>, %u: tensor<6x6x2x4xf32>) {
  // expected-error@+1 {{winograd_kernel' op C2: largest_data must be finite and positive}}
  %0 = tandem_cpu.winograd_kernel %k, %u largest_data = 0x7F800000 : (tensor<3x3x2x4xf32>, tensor<6x6x2x4xf32>) -> tensor<3x3x2x4xf32>
  return
}
