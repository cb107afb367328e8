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

// -----

func.func @unpack_integers_c1(%b: tensor<2x10x8xi8>) {
  // expected-error@+1 {{unpack_integers' op C1: does not double the innermost dim}}
  %0 = tandem_cpu.unpack_integers %b : (tensor<2x10x8xi8>) -> tensor<2x20x8xi8>
  return
}

// -----

func.func @unpack_integers_c1_rank(%b: tensor<i8>) {
  // expected-error@+1 {{unpack_integers' op C1: does not double the innermost dim}}
  %0 = tandem_cpu.unpack_integers %b : (tensor<i8>) -> tensor<i8>
  return
}
