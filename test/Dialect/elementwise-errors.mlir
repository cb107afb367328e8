// RUN: tandem-opt %s -split-input-file -verify-diagnostics

// What the op's own declaration says about element types (C1).
func.func @float_only(%x: tensor<4xi32>) {
  // expected-error@+1 {{operand #0 must be tensor of at most 8 dims, without encoding, of 32-bit float}}
  %0 = tandem.exp %x : tensor<4xi32>
  return
}

// -----

func.func @no_truth_values(%x: tensor<4xi1>) {
  // expected-error@+1 {{'tandem.add' op operand #0 must be tensor of at most 8 dims}}
  %0 = tandem.add %x, %x : tensor<4xi1>
  return
}

// -----

func.func @truth_values_only(%x: tensor<4xi8>) {
  // expected-error@+1 {{operand #0 must be tensor of at most 8 dims, without encoding, of 1-bit signless integer values}}
  %0 = tandem.logical_not %x : tensor<4xi8>
  return
}

// -----

func.func @select_c1(%p: tensor<4xi8>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.select' op operand #0 must be}}
  %0 = tandem.select %p, %x, %x : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unknown_element_type(%x: tensor<4xi4>) {
  // expected-error@+1 {{'tandem.neg' op operand #0 must be}}
  %0 = tandem.neg %x : tensor<4xi4>
  return
}

// -----

func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1xf32>) {
  // expected-error@+1 {{'tandem.neg' op operand #0 must be tensor of at most 8 dims}}
  %0 = tandem.neg %x : tensor<1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @no_rank(%x: tensor<*xf32>) {
  // expected-error@+1 {{'tandem.neg' op operand #0 must be tensor of at most 8 dims}}
  %0 = tandem.neg %x : tensor<*xf32>
  return
}

// -----

func.func @encoding(%x: tensor<4xf32, "blocked">) {
  // expected-error@+1 {{'tandem.neg' op operand #0 must be tensor of at most 8 dims, without encoding}}
  %0 = tandem.neg %x : tensor<4xf32, "blocked">
  return
}

// -----

func.func @add_c2(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error@+1 {{add C2: operands must have one element type, not f32 and f64}}
  %0 = tandem.add %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c2(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{select C2: }}
  %0 = tandem.select %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @mul_c3(%a: tensor<4x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{mul C3: shapes 4x3 and 4 do not broadcast}}
  %0 = tandem.mul %a, %b : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @clamp_c3(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{clamp C3: }}
  %0 = tandem.clamp %a, %b, %b : (tensor<4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result_shape(%a: tensor<4x1xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'tandem.add' op result type 'tensor<4xf32>' does not fit the inferred type 'tensor<4x8xf32>'}}
  %0 = tandem.add %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result_element_type(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.neg' op result type 'tensor<4xf64>' does not fit the inferred type 'tensor<4xf32>'}}
  %0 = tandem.neg %a : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @signature(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected 2 operand types and 1 result type}}
  %0 = tandem.add %a, %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @predicate(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected one of [eq, ne, lt, le, gt, ge] for predicate of a comparison, got: near}}
  // expected-error@+1 {{failed to parse Tandem_ComparePredicateAttr}}
  %0 = tandem.compare %a, %a predicate = near : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @generic_cast(%a: tensor<4xf32>) {
  // expected-error@+1 {{attribute 'dtype' failed to satisfy constraint: any type attribute of a Tandem tensor's element type}}
  %0 = "tandem.cast"(%a) {dtype = i4} : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @generic_operands(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.add' op expected 2 operands, but found 1}}
  %0 = "tandem.add"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @generic_attributes(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.compare' op requires attribute 'predicate'}}
  %0 = "tandem.compare"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @too_large(%a: tensor<4294967296x1xf32>, %b: tensor<1x4294967296xf32>) {
  // expected-error@+1 {{add: result }}
  %0 = tandem.add %a, %b : (tensor<4294967296x1xf32>, tensor<1x4294967296xf32>) -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @bits_of_floats(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.bitwise_and' op operand #0 must be tensor of at most 8 dims}}
  %0 = tandem.bitwise_and %a, %a : tensor<4xf32>
  return
}

// -----

func.func @signs_differ(%a: tensor<4xi8>, %b: tensor<4xui8>) {
  // expected-error@+1 {{add C2: operands must have one element type, not i8 and ui8}}
  %0 = tandem.add %a, %b : (tensor<4xi8>, tensor<4xui8>) -> tensor<4xi8>
  return
}

// -----

func.func @bitcast_sizes(%a: tensor<4xf32>) {
  // expected-error@+1 {{bitcast C1: cannot take f32 for i16: their sizes differ}}
  %0 = tandem.bitcast %a : (tensor<4xf32>) -> tensor<4xi16>
  return
}

// -----

func.func @bitcast_truth(%a: tensor<4xi1>) {
  // expected-error@+1 {{bitcast C1: cannot take i1 for ui8: only one is a truth value}}
  %0 = tandem.bitcast %a : (tensor<4xi1>) -> tensor<4xui8>
  return
}
