// RUN: tandem-opt %s -split-input-file -verify-diagnostics

func.func @conv_c1(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{conv C1: layout "NWX" does not name N, C and W, HW or DHW once each}}
  %0 = tandem.conv %x, %w layout = <input = "NWX", kernel = "WIO", output = "NWC"> : (tensor<1x8x1xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_c1_kernel(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{conv C1: layout "NWC" does not name O, I and}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "NWC", output = "NWC"> : (tensor<1x8x1xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_c1_spatial(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{conv C1: layouts NWC, WIO and NHWC differ in their spatial dims}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NHWC"> : (tensor<1x8x1xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_c1_rank(%x: tensor<1x8x8x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{conv C1: layout NWC for tensor<1x8x8x1xf32>}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> : (tensor<1x8x8x1xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_c2(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf64>) {
  // expected-error@+1 {{conv C2: f32 and f64}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> : (tensor<1x8x1xf32>, tensor<3x1x4xf64>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_c3(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{conv C3: strides, pads and dilations must have 1 entries each}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> strides = [1, 1] : (tensor<1x8x1xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_c3_stride(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{conv C3: stride 0, dilation 1, pads 0 and 0 of spatial dim 0}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> strides = [0] : (tensor<1x8x1xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<1x8x2xf32>, %w: tensor<3x1x3xf32>) {
  // expected-error@+1 {{conv C4: 3 output channels in 2 groups}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> groups = 2 : (tensor<1x8x2xf32>, tensor<3x1x3xf32>) -> tensor<1x6x3xf32>
  return
}

// -----

func.func @conv_c4_none(%x: tensor<1x8x2xf32>, %w: tensor<3x1x3xf32>) {
  // expected-error@+1 {{conv C4: groups is 0}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> groups = 0 : (tensor<1x8x2xf32>, tensor<3x1x3xf32>) -> tensor<1x6x3xf32>
  return
}

// -----

func.func @conv_c5(%x: tensor<1x8x2xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{conv C5: 2 input channels, but the kernel has 1 in each of 1 groups}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> : (tensor<1x8x2xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_c6(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>, %b: tensor<1x4xf32>) {
  // expected-error@+1 {{conv C6: bias tensor<1x4xf32> for 4 output channels}}
  %0 = tandem.conv %x, %w, %b layout = <input = "NWC", kernel = "WIO", output = "NWC"> : (tensor<1x8x1xf32>, tensor<3x1x4xf32>, tensor<1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_c7(%x: tensor<1x2x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{conv C7: a window of 3 with dilation 1 does not fit into 2 elements padded by 0 and 0}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> : (tensor<1x2x1xf32>, tensor<3x1x4xf32>) -> tensor<1x0x4xf32>
  return
}

// -----

func.func @conv_backward_weights_c1(%x: tensor<1x8x2xf32>, %g: tensor<1x6x4xf32>) {
  // expected-error@+1 {{conv_backward_weights C1: layouts NWC, HWIO and NWC differ in their spatial dims}}
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "HWIO", output = "NWC"> window = [3] : (tensor<1x8x2xf32>, tensor<1x6x4xf32>) -> tensor<3x2x4xf32>
  return
}

// -----

func.func @conv_backward_weights_c3(%x: tensor<1x8x2xf32>, %g: tensor<1x6x4xf32>) {
  // expected-error@+1 {{conv_backward_weights C3: window, strides, pads and dilations must have 1 entries each}}
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3, 3] : (tensor<1x8x2xf32>, tensor<1x6x4xf32>) -> tensor<3x2x4xf32>
  return
}

// -----

func.func @conv_backward_weights_c3_window(%x: tensor<1x8x2xf32>, %g: tensor<1x6x4xf32>) {
  // expected-error@+1 {{conv_backward_weights C3: window 0 of spatial dim 0}}
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [0] : (tensor<1x8x2xf32>, tensor<1x6x4xf32>) -> tensor<0x2x4xf32>
  return
}

// -----

func.func @conv_backward_weights_c4(%x: tensor<1x8x2xf32>, %g: tensor<1x6x3xf32>) {
  // expected-error@+1 {{conv_backward_weights C4: 3 output channels in 2 groups}}
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3] groups = 2 : (tensor<1x8x2xf32>, tensor<1x6x3xf32>) -> tensor<3x1x3xf32>
  return
}

// -----

func.func @conv_backward_weights_c5(%x: tensor<1x8x3xf32>, %g: tensor<1x6x4xf32>) {
  // expected-error@+1 {{conv_backward_weights C5: 3 input channels in 2 groups}}
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3] groups = 2 : (tensor<1x8x3xf32>, tensor<1x6x4xf32>) -> tensor<3x1x4xf32>
  return
}

// -----

func.func @conv_backward_weights_c6(%x: tensor<1x8x2xf32>, %g: tensor<2x6x4xf32>) {
  // expected-error@+1 {{conv_backward_weights C6: 1 images, but the gradient has 2}}
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3] : (tensor<1x8x2xf32>, tensor<2x6x4xf32>) -> tensor<3x2x4xf32>
  return
}

// -----

func.func @conv_backward_weights_c7(%x: tensor<1x8x2xf32>, %g: tensor<1x6x4xf32>) {
  // expected-error@+1 {{conv_backward_weights C7: a window of 9 with dilation 1 does not fit into 8 elements padded by 0 and 0}}
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [9] : (tensor<1x8x2xf32>, tensor<1x6x4xf32>) -> tensor<9x2x4xf32>
  return
}

// -----

func.func @conv_backward_weights_c7_sizes(%x: tensor<1x8x2xf32>, %g: tensor<1x5x4xf32>) {
  // expected-error@+1 {{conv_backward_weights C7: spatial dim 0: conv has 6 positions, but the gradient has 5}}
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3] : (tensor<1x8x2xf32>, tensor<1x5x4xf32>) -> tensor<3x2x4xf32>
  return
}

// -----

func.func @conv_backward_weights_no_window(%x: tensor<1x8x2xf32>, %g: tensor<1x6x4xf32>) {
  // expected-error@+1 {{expected 'window = [...]'}}
  %0 = tandem.conv_backward_weights %x, %g layout = <input = "NWC", kernel = "WIO", output = "NWC">  : (tensor<1x8x2xf32>, tensor<1x6x4xf32>) -> tensor<3x2x4xf32>
  return
}

// -----

func.func @conv_keyword(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{unknown attribute 'padding'}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> padding = [1] : (tensor<1x8x1xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_keyword_twice(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{'strides' is given twice}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> strides = [1] strides = [1] : (tensor<1x8x1xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_no_layout(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>) {
  // expected-error@+1 {{expected 'layout'}}
  %0 = tandem.conv %x, %w strides = [1] : (tensor<1x8x1xf32>, tensor<3x1x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @conv_backward_data_c3(%x: tensor<1x1x8xf32>, %w: tensor<1x4x3xf32>) {
  // expected-error@+1 {{conv_backward_data C3: output_padding -1 of spatial dim 0}}
  %0 = tandem.conv_backward_data %x, %w layout = <input = "NCW", kernel = "OIW", output = "NCW"> output_padding = [-1] : (tensor<1x1x8xf32>, tensor<1x4x3xf32>) -> tensor<1x4x9xf32>
  return
}

// -----

func.func @conv_backward_data_c5(%x: tensor<1x2x8xf32>, %w: tensor<1x4x3xf32>) {
  // expected-error@+1 {{conv_backward_data C5: 2 input channels, but the kernel has 1 output channels}}
  %0 = tandem.conv_backward_data %x, %w layout = <input = "NCW", kernel = "OIW", output = "NCW"> : (tensor<1x2x8xf32>, tensor<1x4x3xf32>) -> tensor<1x4x10xf32>
  return
}

// -----

func.func @conv_backward_data_c7(%x: tensor<1x1x2xf32>, %w: tensor<1x4x1xf32>) {
  // expected-error@+1 {{conv_backward_data C7: spatial dim 0: no result for 2 elements with stride 1, a window of 1 with dilation 1, pads 3 and 0 and output_padding 0}}
  %0 = tandem.conv_backward_data %x, %w layout = <input = "NCW", kernel = "OIW", output = "NCW"> pad_low = [3] : (tensor<1x1x2xf32>, tensor<1x4x1xf32>) -> tensor<1x4x0xf32>
  return
}

// -----

func.func @matmul_c1(%a: tensor<4xf32>, %b: tensor<4x2xf32>) {
  // expected-error@+1 {{matmul C1: ranks are 1 and 2}}
  %0 = tandem.matmul %a, %b : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<4x4xf32>, %b: tensor<4x2xf16>) {
  // expected-error@+1 {{matmul C2: f32 and f16}}
  %0 = tandem.matmul %a, %b : (tensor<4x4xf32>, tensor<4x2xf16>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<4x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error@+1 {{matmul C3: contracted dims are 3 and 4}}
  %0 = tandem.matmul %a, %b : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c4(%a: tensor<2x4x3xf32>, %b: tensor<3x3x2xf32>) {
  // expected-error@+1 {{matmul C4: batch dims of 2x4x3 and 3x3x2 do not broadcast}}
  %0 = tandem.matmul %a, %b : (tensor<2x4x3xf32>, tensor<3x3x2xf32>) -> tensor<2x4x2xf32>
  return
}
