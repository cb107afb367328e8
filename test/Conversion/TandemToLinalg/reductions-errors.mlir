// RUN: tandem-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(builtin.module(func.func(convert-tandem-to-linalg)))'

module {
module @k attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  // expected-error @+1 {{is of kind reduction and has none}}
  func.func @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tandem.exp %x : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
}

// -----

module {
module @k attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<4x8xf32>) -> tensor<4xi64> {
    // expected-error @+1 {{combines pairs of an element and its index}}
    %0 = tandem.reduce %x kind = argmax dims = [1]
        : (tensor<4x8xf32>) -> tensor<4xi64>
    return %0 : tensor<4xi64>
  }
}
}

// -----

module {
module @k attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<4x0xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{has no elements to combine}}
    %0 = tandem.reduce %x kind = sum dims = [1]
        : (tensor<4x0xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
}

// -----

module {
module @k attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<4x1xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{combines one element to one}}
    %0 = tandem.reduce %x kind = sum dims = [1]
        : (tensor<4x1xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
}

// -----

module {
module @k attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = tandem.reduce %x kind = sum dims = [1]
        : (tensor<4x4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{reduces another shape or other dims than the kernel's first}}
    %1 = tandem.reduce %x kind = sum dims = [0]
        : (tensor<4x4xf32>) -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}
}

// -----

module {
module @k attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<4x8xf32>) -> tensor<3x4xf32> {
    %0 = tandem.reduce %x kind = sum dims = [1]
        : (tensor<4x8xf32>) -> tensor<4xf32>
    %1 = tandem.broadcast %0 shape = [3, 4] dims = [1]
        : (tensor<4xf32>) -> tensor<3x4xf32>
    // expected-error @+1 {{neither of the shape that is reduced nor of the reductions' results}}
    return %1 : tensor<3x4xf32>
  }
}
}

// -----

// A row's value is there while the row is computed, not for other rows.

module {
module @k attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<600x600xf32>) -> tensor<600x600xf32> {
    // expected-error @+1 {{combines 600 elements to one}}
    %0 = tandem.reduce %x kind = sum dims = [1]
        : (tensor<600x600xf32>) -> tensor<600xf32>
    %1 = tandem.sub %x, %0
        : (tensor<600x600xf32>, tensor<600xf32>) -> tensor<600x600xf32>
    return %1 : tensor<600x600xf32>
  }
}
}

// -----

// expected-error @+1 {{'tandem.kind' is a fusion kind on a module}}
module attributes {tandem.kind = "reduction"} {}
