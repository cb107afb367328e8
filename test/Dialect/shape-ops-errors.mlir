// RUN: tandem-opt %s -split-input-file -verify-diagnostics

func.func @reshape_c1(%x: tensor<?x2xf32>) {
  // expected-error@+1 {{reshape C1: more than one -1 in shape}}
  %0 = tandem.reshape %x shape = [-1, -1] : (tensor<?x2xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape_c1_negative(%x: tensor<?x2xf32>) {
  // expected-error@+1 {{reshape C1: size -2 in shape}}
  %0 = tandem.reshape %x shape = [-2] : (tensor<?x2xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @reshape_c1_rank(%x: tensor<1xf32>) {
  // expected-error@+1 {{reshape C1: rank 9}}
  %0 = tandem.reshape %x shape = [1, 1, 1, 1, 1, 1, 1, 1, 1] : (tensor<1xf32>) -> tensor<1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{reshape C2: tensor<4x2xf32> does not have the elements of 3x-1}}
  %0 = tandem.reshape %x shape = [3, -1] : (tensor<4x2xf32>) -> tensor<3x?xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{transpose C1: }}
  %0 = tandem.transpose %x permutation = [0, 0] : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @transpose_c1_length(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{transpose C1: }}
  %0 = tandem.transpose %x permutation = [0] : (tensor<4x2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{broadcast C1: }}
  %0 = tandem.broadcast %x shape = [4, 4] dims = [2] : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{broadcast C2: }}
  %0 = tandem.broadcast %x shape = [8, 2] dims = [0] : (tensor<4xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{slice C1: 1 starts, 2 limits and 2 strides for rank 2}}
  %0 = tandem.slice %x starts = [0] limits = [1, 1] strides = [1, 1] : (tensor<4x2xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{slice C2: stride 0 of dim 0}}
  %0 = tandem.slice %x starts = [0] limits = [1] strides = [0] : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{pad C1: }}
  %0 = tandem.pad %x low = [0, 0] high = [0] interior = [0] value = 0.0 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{pad C2: low -1, high 0, interior 0 of dim 0}}
  %0 = tandem.pad %x low = [-1] high = [0] interior = [0] value = 0.0 : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_c2_overflow(%x: tensor<4xi8>) {
  // expected-error@+1 {{pad C2: the size of result dim 0 overflows}}
  %0 = tandem.pad %x low = [9223372036854775807] high = [0] interior = [0] value = 0.0 : (tensor<4xi8>) -> tensor<?xi8>
  return
}

// -----

func.func @pad_c3(%x: tensor<4xi1>) {
  // expected-error@+1 {{pad C3: }}
  %0 = tandem.pad %x low = [0] high = [0] interior = [0] value = 0.0 : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @concat_none() {
  // expected-error@+1 {{concat takes at least 1 operands, not 0}}
  %0 = tandem.concat axis = 0 : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_c1(%a: tensor<4xf32>, %b: tensor<4x1xf32>) {
  // expected-error@+1 {{concat C1: tensor<4xf32> and tensor<4x1xf32>}}
  %0 = tandem.concat %a, %b axis = 0 : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{concat C2: axis -1 of tensor<4xf32>}}
  %0 = tandem.concat %a, %a axis = -1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_c3(%a: tensor<4x2xf32>, %b: tensor<5x2xf32>) {
  // expected-error@+1 {{concat C3: dim 0 is 4 and 5}}
  %0 = tandem.concat %a, %b axis = 1 : (tensor<4x2xf32>, tensor<5x2xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<4xf32>, %i: tensor<2xi8>) {
  // expected-error@+1 {{'tandem.gather' op operand #1 must be tensor}}
  %0 = tandem.gather %x, %i axis = 0 : (tensor<4xf32>, tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{gather C2: axis 1 of tensor<4xf32>}}
  %0 = tandem.gather %x, %i axis = 1 : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<1x1x1x1x1xf32>, %i: tensor<1x1x1x1x1xi32>) {
  // expected-error@+1 {{gather C3: rank 9}}
  %0 = tandem.gather %x, %i axis = 0 : (tensor<1x1x1x1x1xf32>, tensor<1x1x1x1x1xi32>) -> tensor<1x1x1x1xf32>
  return
}

// -----

func.func @gather_c4(%x: tensor<0xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{gather C4: dim 0 of tensor<0xf32> is empty}}
  %0 = tandem.gather %x, %i axis = 0 : (tensor<0xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error@+1 {{has an unknown size in result, for which 'tandem.sizes' has no expression}}
  %0 = tandem.iota axis = 0 : tensor<?xi32>
  return
}

// -----

func.func @iota_c2() {
  // expected-error@+1 {{iota C2: axis 1 of tensor<4xi32>}}
  %0 = tandem.iota axis = 1 : tensor<4xi32>
  return
}

// -----

func.func @constant_type() {
  // expected-error@+1 {{'tandem.constant' op result #0 must be tensor of at most 8 dims}}
  %0 = tandem.constant dense<1> : tensor<4xi4>
  return
}

// -----

func.func @unknown_size(%x: tensor<?xf32>) {
  // expected-error@+1 {{has an unknown size in shape, for which 'tandem.sizes' has no expression}}
  %0 = tandem.reshape %x shape = [?, 2] : (tensor<?xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @unknown_name(%x: tensor<?xf32> {tandem.dims = ["n"]}) {
  // expected-error@+1 {{shape: "m, 2" is no list of expressions of named dims: use of undeclared identifier}}
  %0 = tandem.reshape %x shape = [?, 2] {tandem.sizes = {shape = "m, 2"}} : (tensor<?xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @too_few_expressions(%x: tensor<?xf32> {tandem.dims = ["n"]}) {
  // expected-error@+1 {{shape: the expressions "n" do not fit the entries, of which unknown ones are '?'}}
  %0 = tandem.reshape %x shape = [?, 2] {tandem.sizes = {shape = "n"}} : (tensor<?xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @expression_of_known_entry(%x: tensor<?xf32> {tandem.dims = ["n"]}) {
  // expected-error@+1 {{do not fit the entries}}
  %0 = tandem.reshape %x shape = [?, 2] {tandem.sizes = {shape = "n, n"}} : (tensor<?xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @no_such_attribute(%x: tensor<?xf32> {tandem.dims = ["n"]}) {
  // expected-error@+1 {{has no attribute "axis" with sizes that may be unknown}}
  %0 = tandem.softmax %x axis = 0 {tandem.sizes = {axis = "n"}} : tensor<?xf32>
  return
}

// -----

func.func @sizes_in_loop(%x: tensor<?x4xf32> {tandem.dims = ["n", ""]}) -> tensor<?x2x2xf32> {
  %0 = tandem.loop scanned (%row = %x) : (tensor<?x4xf32>) -> tensor<?x2x2xf32> {
    // expected-error@+1 {{'tandem.sizes' is a dictionary of strings on an op in the body of a function}}
    %1 = tandem.reshape %row shape = [2, ?] {tandem.sizes = {shape = "2, 2"}} : (tensor<4xf32>) -> tensor<2x?xf32>
    tandem.yield %1 : tensor<2x?xf32>
  }
  return %0 : tensor<?x2x2xf32>
}
