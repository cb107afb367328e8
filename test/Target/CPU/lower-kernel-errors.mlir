// RUN: tandem-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(tandem-cpu-lower-kernel)'

module @k {
  // expected-error @+1 {{returns what no op of it computes}}
  func.func @k(%x: tensor<3xf32>) -> tensor<3xf32> {
    return %x : tensor<3xf32>
  }
}

// -----

#id = affine_map<(d0) -> (d0)>
module @k {
  func.func @k(%x: tensor<3xf32>) -> tensor<3xf32> {
    %e = tensor.empty() : tensor<3xf32>
    %0 = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel"]}
        ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<3xf32>
    // expected-error @+1 {{has a result that the kernel does not return}}
    %1 = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel"]}
        ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

#id = affine_map<(d0) -> (d0)>
module @k {
  func.func @k(%x: tensor<3xf32>) -> tensor<3xf32> {
    %e = tensor.empty() : tensor<3xf32>
    // expected-error @+1 {{reads what it writes}}
    %0 = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel"]}
        ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %o : f32
    } -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

#id = affine_map<(d0) -> (d0)>
module @k {
  func.func @k(%x: tensor<3xf32>) -> tensor<3xindex> {
    %c0 = arith.constant 0 : index
    %e = tensor.empty() : tensor<3xindex>
    %0 = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel"]}
        ins(%x : tensor<3xf32>) outs(%e : tensor<3xindex>) {
    ^bb0(%a: f32, %o: index):
      // expected-error @+1 {{has no place in the body of a kernel}}
      %d = tensor.dim %x, %c0 : tensor<3xf32>
      linalg.yield %d : index
    } -> tensor<3xindex>
    return %0 : tensor<3xindex>
  }
}

// -----

module @k {
  func.func @k(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-error @+1 {{has no dim that its operands and its result have adjacent in memory}}
    %0 = tandem.matmul %x, %x transpose_lhs transpose_rhs
        : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

module @k {
  func.func @k(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
    // expected-error @+1 {{is of none of f32, f16, bf16 and integers of 8 bits}}
    %0 = tandem.matmul %x, %x
        : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    return %0 : tensor<8x8xf64>
  }
}

// -----

module @k {
  // expected-error @+1 {{a kernel takes and returns tensors of known shapes, not 'tensor<?xf32>'}}
  func.func @k(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}
