// RUN: tandem-opt %s --split-input-file --verify-diagnostics

func.func @scatter_c1(%x: tensor<8xi1>, %i: tensor<2xi32>, %u: tensor<2xi1>) {
  // expected-error@+1 {{scatter C1: tensor<8xi1> and tensor<2xi1>}}
  %0 = tandem.scatter %x, %i, %u axis = 0 kind = add : (tensor<8xi1>, tensor<2xi32>, tensor<2xi1>) -> tensor<8xi1>
  return
}

// -----

func.func @scatter_c2(%x: tensor<8xf32>, %i: tensor<2xi8>, %u: tensor<2xf32>) {
  // expected-error@+1 {{operand #1 must be tensor of at most 8 dims}}
  %0 = tandem.scatter %x, %i, %u axis = 0 kind = add : (tensor<8xf32>, tensor<2xi8>, tensor<2xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @scatter_c3(%x: tensor<8xf32>, %i: tensor<2xi32>, %u: tensor<2xf32>) {
  // expected-error@+1 {{scatter C3: axis 1 of tensor<8xf32>}}
  %0 = tandem.scatter %x, %i, %u axis = 1 kind = add : (tensor<8xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @scatter_c4(%x: tensor<8x3xf32>, %i: tensor<2xi32>, %u: tensor<2xf32>) {
  // expected-error@+1 {{scatter C4: updates tensor<2xf32> for indices tensor<2xi32> along dim 0 of tensor<8x3xf32>}}
  %0 = tandem.scatter %x, %i, %u axis = 0 kind = add : (tensor<8x3xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @topk_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{topk C2: axis 1 of tensor<8xf32>}}
  %0:2 = tandem.topk %x k = 1 axis = 1 : (tensor<8xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}

// -----

func.func @topk_c3(%x: tensor<8xf32>) {
  // expected-error@+1 {{topk C3: k of 9 along dim 0 of tensor<8xf32>}}
  %0:2 = tandem.topk %x k = 9 axis = 0 : (tensor<8xf32>) -> (tensor<9xf32>, tensor<9xi64>)
  return
}

// -----

func.func @sort_c2(%x: tensor<8xf32>) {
  // expected-error@+1 {{sort C2: axis 1 of tensor<8xf32>}}
  %0:2 = tandem.sort %x axis = 1 : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  return
}

// -----

// The second result is verified like the first.
func.func @sort_indices(%x: tensor<8xf32>) {
  // expected-error@+1 {{result type 'tensor<7xi64>' does not fit the inferred type 'tensor<8xi64>'}}
  %0:2 = tandem.sort %x axis = 0 : (tensor<8xf32>) -> (tensor<8xf32>, tensor<7xi64>)
  return
}
