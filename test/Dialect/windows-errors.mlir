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
