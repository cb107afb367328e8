// RUN: tandem-opt %s --split-input-file --verify-diagnostics --tandem-differentiate
// RUN: not tandem-opt %s --split-input-file --tandem-differentiate=wrt=7 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not tandem-opt %s --split-input-file --tandem-differentiate=wrt=1 2>&1 | FileCheck %s --check-prefix=INTEGERS
// RUN: not tandem-opt %s --split-input-file --tandem-differentiate=loss=3 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not tandem-opt %s --split-input-file --tandem-differentiate=function=train 2>&1 | FileCheck %s --check-prefix=FUNCTION

// ARGUMENT: :[[#@LINE+6]]:1: error: there is no argument 7
// INTEGERS: :[[#@LINE+5]]:1: error: argument 1 is not of floats, so it has no gradient
// RESULT: :[[#@LINE+4]]:1: error: there is no result 3
// FUNCTION: error: there is no function @train
// expected-error @+2 {{the loss, result 0, has the type 'tensor<4xf32>', which has not one element}}
// expected-note @+1 {{reduce it to its sum or mean, or differentiate with a seed}}
func.func @main(%x: tensor<4xf32>, %n: tensor<4xi32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{the loss, result 0, is not of floats}}
func.func @main(%x: tensor<4xf32>) -> tensor<i64> {
  %0 = tandem.reduce %x kind = argmax dims = [0] : (tensor<4xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
  // expected-error @+2 {{has a type that is not static, so its gradient is not known}}
  // expected-note @+1 {{run tandem-specialize first}}
  %0 = tandem.reduce %x kind = sum dims = [0] : (tensor<?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<4xf32>, %i: tensor<2xi32>, %u: tensor<2xf32>) -> tensor<f32> {
  // expected-error @+2 {{has no gradient for this kind}}
  // expected-note @+1 {{kinds 'add' and 'replace' have one}}
  %0 = tandem.scatter %x, %i, %u axis = 0 kind = max
      : (tensor<4xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = tandem.reduce %0 kind = sum dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @+2 {{has no gradient}}
  // expected-note @+1 {{register a target for the gradient of 'norm', or leave the arguments that it depends on out of 'wrt'}}
  %0 = tandem.custom_call "norm"(%x) : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
