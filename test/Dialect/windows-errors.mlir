// RUN: tandem-opt %s -split-input-file -verify-diagnostics

func.func @pool_c1(%x: tensor<1x8x8x1xf32>) {
  // expected-error@+1 {{max_pool C1: }}
  %0 = tandem.max_pool %x layout = "NWC" window = [2] : (tensor<1x8x8x1xf32>) -> tensor<1x7x1xf32>
  return
}

// -----

func.func @pool_c1_layout(%x: tensor<1x8x1xf32>) {
  // expected-error@+1 {{avg_pool C1: layout "OIW" does not name}}
  %0 = tandem.avg_pool %x layout = "OIW" window = [2] : (tensor<1x8x1xf32>) -> tensor<1x7x1xf32>
  return
}

// -----

func.func @avg_pool_c2(%x: tensor<1x8x1xi32>) {
  // expected-error@+1 {{'tandem.avg_pool' op operand #0 must be tensor}}
  %0 = tandem.avg_pool %x layout = "NWC" window = [2] : (tensor<1x8x1xi32>) -> tensor<1x7x1xi32>
  return
}

// -----

func.func @pool_c3(%x: tensor<1x8x1xf32>) {
  // expected-error@+1 {{max_pool C3: }}
  %0 = tandem.max_pool %x layout = "NWC" window = [2, 2] : (tensor<1x8x1xf32>) -> tensor<1x7x1xf32>
  return
}

// -----

func.func @pool_c3_window(%x: tensor<1x8x1xf32>) {
  // expected-error@+1 {{max_pool C3: window 0, stride 1, dilation 1, pads 0 and 0 of spatial dim 0}}
  %0 = tandem.max_pool %x layout = "NWC" window = [0] : (tensor<1x8x1xf32>) -> tensor<1x7x1xf32>
  return
}

// -----

func.func @pool_c4(%x: tensor<1x8x1xf32>) {
  // expected-error@+1 {{max_pool C4: pads 2 and 0 of spatial dim 0 for a window of 2 with dilation 1}}
  %0 = tandem.max_pool %x layout = "NWC" window = [2] pad_low = [2] : (tensor<1x8x1xf32>) -> tensor<1x9x1xf32>
  return
}

// -----

func.func @pool_c5(%x: tensor<1x2x1xf32>) {
  // expected-error@+1 {{max_pool C5: }}
  %0 = tandem.max_pool %x layout = "NWC" window = [3] : (tensor<1x2x1xf32>) -> tensor<1x0x1xf32>
  return
}

// -----

func.func @pool_no_window(%x: tensor<1x8x1xf32>) {
  // expected-error@+1 {{expected 'window = [...]'}}
  %0 = tandem.max_pool %x layout = "NWC" : (tensor<1x8x1xf32>) -> tensor<1x7x1xf32>
  return
}

// -----

func.func @reduce_c1(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{reduce C1: }}
  %0 = tandem.reduce %x kind = sum dims = [1, 1] : (tensor<4x2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<4x2xi32>) {
  // expected-error@+1 {{reduce C2: }}
  %0 = tandem.reduce %x kind = mean dims = [1] : (tensor<4x2xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @reduce_c3(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{reduce C3: }}
  %0 = tandem.reduce %x kind = argmax dims = [0, 1] : (tensor<4x2xf32>) -> tensor<i64>
  return
}

// -----

func.func @reduce_c4(%x: tensor<4x0xf32>) {
  // expected-error@+1 {{reduce C4: }}
  %0 = tandem.reduce %x kind = max dims = [1] : (tensor<4x0xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<2x8xf32>, %s: tensor<8xf64>) {
  // expected-error@+1 {{batch_norm C1: }}
  %0 = tandem.batch_norm %x, %s, %s, %s, %s epsilon = 0.0 axis = 1 : (tensor<2x8xf32>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>) -> tensor<2x8xf32>
  return
}

// -----

func.func @batch_norm_c2(%x: tensor<2x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{batch_norm C2: }}
  %0 = tandem.batch_norm %x, %s, %s, %s, %s epsilon = 0.0 axis = 2 : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @batch_norm_c3(%x: tensor<2x8xf32>, %s: tensor<8xf32>, %m: tensor<2xf32>) {
  // expected-error@+1 {{batch_norm C3: }}
  %0 = tandem.batch_norm %x, %s, %s, %m, %s epsilon = 0.0 axis = 1 : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @batch_norm_c4(%x: tensor<2x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{batch_norm C4: }}
  %0 = tandem.batch_norm %x, %s, %s, %s, %s epsilon = -1.0 axis = 1 : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<2x8xi32>) {
  // expected-error@+1 {{'tandem.softmax' op operand #0 must be}}
  %0 = tandem.softmax %x axis = 1 : tensor<2x8xi32>
  return
}

// -----

func.func @softmax_c2(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{softmax C2: }}
  %0 = tandem.softmax %x axis = 2 : tensor<2x8xf32>
  return
}

// -----

func.func @softmax_backward_c1(%y: tensor<2x8xf32>, %g: tensor<2x8xf64>) {
  // expected-error@+1 {{softmax_backward C1: }}
  %0 = tandem.softmax_backward %y, %g axis = 1 : (tensor<2x8xf32>, tensor<2x8xf64>) -> tensor<2x8xf32>
  return
}

// -----

func.func @softmax_backward_c2(%y: tensor<2x8xf32>) {
  // expected-error@+1 {{softmax_backward C2: }}
  %0 = tandem.softmax_backward %y, %y axis = 2 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @softmax_backward_c3(%y: tensor<2x8xf32>, %g: tensor<2x1xf32>) {
  // expected-error@+1 {{softmax_backward C3: }}
  %0 = tandem.softmax_backward %y, %g axis = 1 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @resize_c1(%x: tensor<4xi1>) {
  // expected-error@+1 {{resize C1: interpolates numbers, not i1}}
  %0 = tandem.resize %x mode = linear dims = [0] sizes = [8] : (tensor<4xi1>) -> tensor<8xi1>
  return
}

// -----

func.func @resize_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C2: dim 1 of tensor<4xf32>}}
  %0 = tandem.resize %x mode = linear dims = [1] sizes = [8] : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_c2_order(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{resize C2: dim 0 of tensor<4x4xf32>; dims must increase}}
  %0 = tandem.resize %x mode = linear dims = [1, 0] sizes = [8, 8] : (tensor<4x4xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @resize_c3(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{resize C3: 1 sizes and 0 scales for 2 dims}}
  %0 = tandem.resize %x mode = linear dims = [0, 1] sizes = [8] : (tensor<4x4xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @resize_c3_none(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C3: 0 sizes and 0 scales for 1 dims}}
  %0 = tandem.resize %x mode = linear dims = [0] : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_c3_region(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C3: 1 starts and 0 ends, not 1}}
  %0 = tandem.resize %x mode = linear dims = [0] sizes = [8] coordinates = tf_crop_and_resize starts = [0.0] : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_c4_size(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C4: size 0}}
  %0 = tandem.resize %x mode = linear dims = [0] sizes = [0] : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @resize_c4_zero(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C4: scale 0}}
  %0 = tandem.resize %x mode = linear dims = [0] scales = [0.0] : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @resize_c4_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C4: scale -2}}
  %0 = tandem.resize %x mode = linear dims = [0] scales = [-2.0] : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @resize_c4_nan(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C4: scale nan}}
  %0 = tandem.resize %x mode = linear dims = [0] scales = [0x7FF8000000000000] : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @resize_c4_inf(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C4: scale inf}}
  %0 = tandem.resize %x mode = linear dims = [0] scales = [0x7FF0000000000000] : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @resize_c5(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C5: a region from or to 1e+10}}
  %0 = tandem.resize %x mode = linear dims = [0] sizes = [4] coordinates = tf_crop_and_resize starts = [0.0] ends = [1.0e10] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @resize_c5_cubic(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C5: cubic_coeff_a is inf}}
  %0 = tandem.resize %x mode = cubic dims = [0] sizes = [4] cubic_coeff_a = 0x7FF0000000000000 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @resize_c6(%x: tensor<0xf32>) {
  // expected-error@+1 {{resize C6: dim 0 is empty}}
  %0 = tandem.resize %x mode = linear dims = [0] sizes = [4] : (tensor<0xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @resize_c7(%x: tensor<65536xf32>) {
  // expected-error@+1 {{resize C7: dim 0 needs a table of 33554432 elements; at most 16777216 are supported}}
  %0 = tandem.resize %x mode = linear dims = [0] sizes = [16777216] : (tensor<65536xf32>) -> tensor<16777216xf32>
  return
}

// -----

func.func @resize_c7_scale(%x: tensor<4xf32>) {
  // expected-error@+1 {{resize C7: dim 0 needs a table of 4611686018427387904 elements}}
  %0 = tandem.resize %x mode = nearest dims = [0] scales = [1.0e300] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @resize_large(%x: tensor<8x8x8xf64>) {
  // expected-error@+1 {{too large}}
  %0 = tandem.resize %x mode = nearest dims = [0, 1, 2] sizes = [16777216, 16777216, 16777216] : (tensor<8x8x8xf64>) -> tensor<16777216x16777216x16777216xf64>
  return
}
