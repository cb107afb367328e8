// RUN: tandem-opt %s --split-input-file --verify-diagnostics

func.func @layer_norm_c1(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>, %h: tensor<3xf16>) {
  // expected-error@+1 {{layer_norm C1: operands of types f32, f16 and f32}}
  %0, %1, %2 = tandem.layer_norm %x, %h, %w epsilon = 1.0e-5 : (tensor<2x3xf32>, tensor<3xf16>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>, %h: tensor<2xf32>) {
  // expected-error@+1 {{layer_norm C2: a scale of type tensor<2xf32> for an input of type tensor<2x3xf32>}}
  %0, %1, %2 = tandem.layer_norm %x, %h, %w epsilon = 1.0e-5 : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @layer_norm_c2_scalar(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>, %h: tensor<f32>) {
  // expected-error@+1 {{layer_norm C2: a scale of type tensor<f32> for an input of type tensor<2x3xf32>}}
  %0, %1, %2 = tandem.layer_norm %x, %h, %h epsilon = 1.0e-5 : (tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>, %h: tensor<1xf32>) {
  // expected-error@+1 {{layer_norm C3: an offset of type tensor<1xf32> for a scale of type tensor<3xf32>}}
  %0, %1, %2 = tandem.layer_norm %x, %w, %h epsilon = 1.0e-5 : (tensor<2x3xf32>, tensor<3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @layer_norm_c4(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>) {
  // expected-error@+1 {{layer_norm C4: epsilon is NaN}}
  %0, %1, %2 = tandem.layer_norm %x, %w, %w epsilon = 0x7FF8000000000000 : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @layer_norm_result(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>) {
  // expected-error@+1 {{'tandem.layer_norm' op result type 'tensor<2xf32>' does not fit the inferred type 'tensor<2x1xf32>'}}
  %0, %1, %2 = tandem.layer_norm %x, %w, %w epsilon = 1.0e-5 : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @layer_norm_backward_c1(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>, %h: tensor<2x3xf16>) {
  // expected-error@+1 {{layer_norm_backward C1: operands of types f16, f32 and f32}}
  %0, %1, %2 = tandem.layer_norm_backward %h, %x, %w, %s, %s : (tensor<2x3xf16>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @layer_norm_backward_c2(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>) {
  // expected-error@+1 {{layer_norm_backward C2: a gradient of type tensor<2x1xf32> for an input of type tensor<2x3xf32>}}
  %0, %1, %2 = tandem.layer_norm_backward %s, %x, %w, %s, %s : (tensor<2x1xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @layer_norm_backward_c3(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>) {
  // expected-error@+1 {{layer_norm_backward C3: a scale of type tensor<2x1xf32> for an input of type tensor<2x3xf32>}}
  %0, %1, %2 = tandem.layer_norm_backward %x, %x, %s, %s, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @layer_norm_backward_c4(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<2x1xf32>, %h: tensor<2xf32>) {
  // expected-error@+1 {{layer_norm_backward C4: statistics of type tensor<2xf32> instead of tensor<2x1xf32>}}
  %0, %1, %2 = tandem.layer_norm_backward %x, %x, %w, %h, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
