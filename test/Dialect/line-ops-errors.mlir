// RUN: tandem-opt %s --split-input-file --verify-diagnostics

func.func @scan_c1(%x: tensor<8xi1>) {
  // expected-error@+1 {{operand #0 must be tensor of at most 8 dims}}
  %0 = tandem.scan %x kind = sum axis = 0 : tensor<8xi1>
  return
}

// -----

func.func @scan_log_sum_exp_c1(%x: tensor<8xi32>) {
  // expected-error@+1 {{scan C1: log_sum_exp of i32}}
  %0 = tandem.scan %x kind = log_sum_exp axis = 0 : tensor<8xi32>
  return
}

// -----

func.func @scan_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{scan C2: axis 1 of tensor<8xf32>}}
  %0 = tandem.scan %x kind = sum axis = 1 : tensor<8xf32>
  return
}

// -----

func.func @fft_c1(%x: tensor<8xi32>) {
  // expected-error@+1 {{operand #0 must be tensor of at most 8 dims}}
  %0 = tandem.fft %x kind = rfft axis = 0 : (tensor<8xi32>) -> tensor<5x2xi32>
  return
}

// -----

func.func @fft_c2(%x: tensor<8x2xf32>) {
  // expected-error@+1 {{fft C2: axis 1 of tensor<8x2xf32>}}
  %0 = tandem.fft %x kind = fft axis = 1 : (tensor<8x2xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @fft_c3(%x: tensor<8x3xf32>) {
  // expected-error@+1 {{fft C3: the last dim of tensor<8x3xf32> does not hold a real and an imaginary part}}
  %0 = tandem.fft %x kind = ifft axis = 0 : (tensor<8x3xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @fft_c4(%x: tensor<0xf32>) {
  // expected-error@+1 {{fft C4: no elements along dim 0 of tensor<0xf32>}}
  %0 = tandem.fft %x kind = rfft axis = 0 : (tensor<0xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @fft_c5(%x: tensor<5x2xf32>) {
  // expected-error@+1 {{fft C5: a length of 7 for 5 elements: an irfft of length n has n / 2 + 1}}
  %0 = tandem.fft %x kind = irfft axis = 0 length = 7 : (tensor<5x2xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @fft_length_c5(%x: tensor<5xf32>) {
  // expected-error@+1 {{fft C5: rfft has the length of its operand, not 8}}
  %0 = tandem.fft %x kind = rfft axis = 0 length = 8 : (tensor<5xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @fft_c6(%x: tensor<1x1x1x1x1x1x1x1xf32>) {
  // expected-error@+1 {{fft C6: a result with 9 dims}}
  %0 = tandem.fft %x kind = rfft axis = 0 : (tensor<1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x2xf32>
  return
}
