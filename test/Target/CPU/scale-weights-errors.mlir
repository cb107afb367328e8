// RUN: tandem-opt %s -split-input-file -verify-diagnostics

func.func @scale_weights_c1_blocks(%q: tensor<10x4xi8>, %s: tensor<2x4xf32>) {
  // expected-error@+1 {{scale_weights' op C1: does not pair IxO with ceil(I / block)xO}}
  %0 = tandem_cpu.scale_weights %q, %s block = 4 : (tensor<10x4xi8>, tensor<2x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scale_weights_c1_outputs(%q: tensor<10x4xi8>, %s: tensor<3x5xf32>) {
  // expected-error@+1 {{scale_weights' op C1: does not pair IxO with ceil(I / block)xO}}
  %0 = tandem_cpu.scale_weights %q, %s block = 4 : (tensor<10x4xi8>, tensor<3x5xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scale_weights_c1_result(%q: tensor<10x4xi8>, %s: tensor<3x4xf32>) {
  // expected-error@+1 {{scale_weights' op C1: does not pair IxO with ceil(I / block)xO}}
  %0 = tandem_cpu.scale_weights %q, %s block = 4 : (tensor<10x4xi8>, tensor<3x4xf32>) -> tensor<4x10xf32>
  return
}

// -----

func.func @scale_weights_c2(%q: tensor<10x4xi8>, %s: tensor<3x4xf32>) {
  // expected-error@+1 {{scale_weights' op C2: block must be positive}}
  %0 = tandem_cpu.scale_weights %q, %s block = 0 : (tensor<10x4xi8>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}
