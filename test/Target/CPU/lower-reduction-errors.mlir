// RUN: tandem-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(tandem-cpu-lower-kernel)'

module @k attributes {tandem.kind = #tandem<fusion_kind reduction>} {
  // expected-error @+1 {{has no op that reduces}}
  func.func @k() {
    return
  }
}

// -----

#full = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module @k attributes {tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<3x4xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    // expected-error @+1 {{starts from other than a constant}}
    %0 = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<3x4xf32>) outs(%y : tensor<3xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %o, %a : f32
      linalg.yield %s : f32
    } -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

#full = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module @k attributes {tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<3x4xf32>) -> tensor<3xf32> {
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3xf32>
    %i = linalg.fill ins(%c : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    // expected-error @+1 {{combines elements in an unknown way}}
    %0 = linalg.generic {indexing_maps = [#full, #row],
                         iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<3x4xf32>) outs(%i : tensor<3xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.subf %o, %a : f32
      linalg.yield %s : f32
    } -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

#full = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
module @k attributes {tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<3x4xf32>) -> tensor<4xf32> {
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %i = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{does not reduce the kernel's last loops}}
    %0 = linalg.generic {indexing_maps = [#full, #column],
                         iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<3x4xf32>) outs(%i : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %o, %a : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

#full = affine_map<(d0, d1) -> (d0, d1)>
module @k attributes {tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @k(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %e = tensor.empty() : tensor<3x4xf32>
    // expected-error @+1 {{does not reduce the kernel's last loops}}
    %0 = linalg.generic {indexing_maps = [#full, #full],
                         iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
