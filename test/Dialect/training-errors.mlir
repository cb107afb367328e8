// RUN: tandem-opt %s --split-input-file --verify-diagnostics

func.func @max_pool_with_index_c2(%x: tensor<1x1x4xi8>) {
  // expected-error@+1 {{'tandem.max_pool_with_index' op operand #0 must be tensor}}
  %0, %1 = tandem.max_pool_with_index %x layout = "NCW" window = [2] : (tensor<1x1x4xi8>) -> (tensor<1x1x3xi8>, tensor<1x1x3xui8>)
  return
}

// -----

func.func @max_pool_with_index_c6(%x: tensor<1x1x20x20xf32>) {
  // expected-error@+1 {{max_pool_with_index C6: a window of more than 256 elements, whose numbers do not fit into ui8}}
  %0, %1 = tandem.max_pool_with_index %x layout = "NCHW" window = [16, 17] : (tensor<1x1x20x20xf32>) -> (tensor<1x1x5x4xf32>, tensor<1x1x5x4xui8>)
  return
}

// -----

func.func @max_pool_with_index_of_256_elements(%x: tensor<1x1x20x20xf32>) {
  %0, %1 = tandem.max_pool_with_index %x layout = "NCHW" window = [16, 16] : (tensor<1x1x20x20xf32>) -> (tensor<1x1x5x5xf32>, tensor<1x1x5x5xui8>)
  return
}

// -----

func.func @max_pool_backward_c5(%g: tensor<1x1x3xf32>, %i: tensor<1x1x3xui8>) {
  // expected-error@+1 {{max_pool_backward C5: a window of 2 with dilation 1 does not fit into 1 elements padded by 0 and 0}}
  %0 = tandem.max_pool_backward %g, %i input_sizes = [1] layout = "NCW" window = [2] : (tensor<1x1x3xf32>, tensor<1x1x3xui8>) -> tensor<1x1x1xf32>
  return
}

// -----

func.func @max_pool_backward_c7(%g: tensor<1x1x3xf32>, %i: tensor<1x1x3xui8>) {
  // expected-error@+1 {{max_pool_backward C7: a pool of 5 elements has 4 windows, and the gradient has 3}}
  %0 = tandem.max_pool_backward %g, %i input_sizes = [5] layout = "NCW" window = [2] : (tensor<1x1x3xf32>, tensor<1x1x3xui8>) -> tensor<1x1x5xf32>
  return
}

// -----

func.func @avg_pool_backward_c7_count(%g: tensor<1x1x3xf32>) {
  // expected-error@+1 {{avg_pool_backward C7: 2 input sizes for 1 spatial dims}}
  %0 = tandem.avg_pool_backward %g input_sizes = [4, 4] layout = "NCW" window = [2] : (tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @avg_pool_backward_c7_negative(%g: tensor<1x1x3xf32>) {
  // expected-error@+1 {{avg_pool_backward C7: input size -1}}
  %0 = tandem.avg_pool_backward %g input_sizes = [-1] layout = "NCW" window = [2] : (tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @max_pool_backward_c8(%g: tensor<1x1x3xf32>, %i: tensor<1x1x4xui8>) {
  // expected-error@+1 {{max_pool_backward C8: an index of type tensor<1x1x4xui8> for a gradient of type tensor<1x1x3xf32>}}
  %0 = tandem.max_pool_backward %g, %i input_sizes = [4] layout = "NCW" window = [2] : (tensor<1x1x3xf32>, tensor<1x1x4xui8>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @moments_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{moments C1: dim 1 is out of range or named twice}}
  %0, %1 = tandem.moments %x dims = [1, 1] : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @random_c1(%key: tensor<2xui64>, %counter: tensor<ui64>) {
  // expected-error@+1 {{random C1: a key or counter of type tensor<2xui64>}}
  %0 = tandem.random %key, %counter shape = [2] : (tensor<2xui64>, tensor<ui64>) -> tensor<2xui32>
  return
}

// -----

func.func @random_c2(%key: tensor<ui64>, %counter: tensor<ui64>) {
  // expected-error@+1 {{random C2: size -3 in shape}}
  %0 = tandem.random %key, %counter shape = [-3] : (tensor<ui64>, tensor<ui64>) -> tensor<3xui32>
  return
}

// -----

func.func @random_c2_rank(%key: tensor<ui64>, %counter: tensor<ui64>) {
  // expected-error@+1 {{random C2: rank 9 is over 8}}
  %0 = tandem.random %key, %counter shape = [1, 1, 1, 1, 1, 1, 1, 1, 1] : (tensor<ui64>, tensor<ui64>) -> tensor<1xui32>
  return
}
