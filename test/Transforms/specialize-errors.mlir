// RUN: tandem-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(tandem-specialize{shapes=8x4})'
// RUN: not tandem-opt %s --split-input-file --pass-pipeline='builtin.module(tandem-specialize{shapes=8xcat})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TEXT
// RUN: not tandem-opt %s --split-input-file --pass-pipeline='builtin.module(tandem-specialize{shapes=4611686018427387904x5})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BYTES
// RUN: not tandem-opt %s --split-input-file --pass-pipeline='builtin.module(tandem-specialize{function=other})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FUNCTION

// TEXT: error: argument #0: '8xcat' is no list of dims, as 1000x100x1
// BYTES: error: the bytes of 'tensor<4611686018427387904x5xf32>' overflow
// FUNCTION: error: no function @other among @main

// expected-error @+1 {{argument #0: dim 1 is 4, but its type 'tensor<?x5xf32>' says 5}}
func.func @main(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {
  return %x : tensor<?x5xf32>
}

// -----

// expected-error @+1 {{argument #0: 'tensor<8x4xf32>' does not fit 'tensor<?xf32>'}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?x4xf32> {tandem.dims = ["N", ""]},
    // expected-error @+1 {{argument #1: dim 0 ("N") is 3, but in argument #0 it is 8}}
                %y: tensor<3xf32> {tandem.dims = ["N"]}) -> tensor<3xf32> {
  return %y : tensor<3xf32>
}

// -----

func.func @main(%x: tensor<?x4xf32>,
    // expected-error @+1 {{argument #1: dim 0 of 'tensor<?xf32>' has no size in the signature}}
                %y: tensor<?xf32>) -> tensor<?xf32> {
  return %y : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?x?xf32>, %y: tensor<5xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{add C}}
  %0 = tandem.add %x, %y : (tensor<?x?xf32>, tensor<5xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{@main has 0 arguments, but 1 shapes are given}}
func.func @main() {
  return
}

// -----

// expected-error @+1 {{argument #0: only tensors can be specialized, not 'index'}}
func.func @main(%x: index) {
  return
}

// -----

func.func @main(%x: tensor<?x?xf32>) -> tensor<3x?xf32> {
  %0 = tandem.exp %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{gives 'tensor<8x4xf32>' for these shapes, but is declared 'tensor<3x?xf32>'}}
  %1 = tandem.exp %0 : (tensor<?x?xf32>) -> tensor<3x?xf32>
  return %1 : tensor<3x?xf32>
}

// -----

func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{custom_call "f" has a result of unknown size, and no function is registered that infers it}}
  %0 = tandem.custom_call "f"(%x) : (tensor<?x?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?x?xf32> {tandem.dims = ["n", "l"]}) -> tensor<?xf32> {
  // expected-error @+1 {{has no shape for these sizes of the arguments}}
  %0 = tandem.reshape %x shape = [?] {tandem.sizes = {shape = "n floordiv (n - 8)"}}
      : (tensor<?x?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?x?xf32> {tandem.dims = ["n", "l"]}) -> tensor<?xi64> {
  // expected-error @+1 {{has no result for these sizes of the arguments}}
  %0 = tandem.iota axis = 0 {tandem.sizes = {result = "l - n"}} : tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

func.func @main(%x: tensor<?x?xf32> {tandem.dims = ["n", "l"]}) -> tensor<?xf32> {
  // expected-error @+1 {{reshape C2: tensor<8x4xf32> does not have the elements of 5}}
  %0 = tandem.reshape %x shape = [?] {tandem.sizes = {shape = "l + 1"}}
      : (tensor<?x?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
