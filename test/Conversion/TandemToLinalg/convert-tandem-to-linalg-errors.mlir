// RUN: tandem-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg))'

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{has a type that is not static}}
  %0 = tandem.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @too_large(%a: tensor<4x1024xf32>, %b: tensor<1024x4xf32>)
    -> tensor<4x4xf32> {
  // expected-error @+1 {{combines 1024 elements to one, more than the 512 that are unrolled}}
  %0 = tandem.matmul %a, %b
      : (tensor<4x1024xf32>, tensor<1024x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @softmax(%a: tensor<4x10xf32>) -> tensor<4x10xf32> {
  // expected-error @+1 {{cannot be emitted elementally}}
  %0 = tandem.softmax %a axis = 1 : tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}
