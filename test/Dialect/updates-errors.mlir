// RUN: tandem-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'tandem.updates' of result #0 must be the number of an argument, as i64}}
func.func @no_such_argument(%w: tensor<4xf32>) -> (tensor<4xf32> {tandem.updates = 1}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error@+1 {{'tandem.updates' of result #0 must be the number of an argument, as i64}}
func.func @no_number(%w: tensor<4xf32>) -> (tensor<4xf32> {tandem.updates = "w"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error@+1 {{'tandem.updates' of result #0 names argument #0 of type 'tensor<4xf32>', but the result is 'tensor<4xf64>'}}
func.func @other_type(%w: tensor<4xf32>, %v: tensor<4xf64>) -> (tensor<4xf64> {tandem.updates = 0}) {
  return %v : tensor<4xf64>
}

// -----

// expected-error@+1 {{'tandem.updates' of result #1 names argument #0, which result #0 updates}}
func.func @twice(%w: tensor<4xf32>)
    -> (tensor<4xf32> {tandem.updates = 0}, tensor<4xf32> {tandem.updates = 0}) {
  return %w, %w : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{'tandem.updates' belongs on a function result}}
func.func @on_argument(%w: tensor<4xf32> {tandem.updates = 0}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

func.func @on_op(%w: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tandem.updates' belongs on a function result}}
  %0 = tandem.neg %w {tandem.updates = 0} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
