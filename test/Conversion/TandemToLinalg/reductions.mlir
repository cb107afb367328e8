// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(builtin.module(func.func(convert-tandem-to-linalg)))' \
// RUN:   | FileCheck %s

// Softmax: reductions of one level share a loop; the exponential is stored for
// the loop that needs it again.

// CHECK-LABEL: module @softmax
// CHECK: %[[X:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]]
// CHECK: %[[FIRST:.*]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK-SAME: outs({{.*}} : tensor<32xf32>, tensor<32xf32>)
// CHECK: arith.maximumf
// CHECK: arith.addf
// CHECK: %[[SECOND:.*]]:2 = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK-SAME: ins(%{{.*}}, %[[FIRST]]#0 : tensor<32x100xf32>, tensor<32xf32>)
// CHECK-SAME: outs({{.*}} : tensor<32xf32>, tensor<32x100xf32>)
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %[[E]]
// CHECK: linalg.yield %[[S]], %[[E]]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK-SAME: ins(%[[FIRST]]#1
// CHECK: arith.constant 1.000000e+02
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-SAME: ins(%[[SECOND]]#1, %[[SECOND]]#0 : tensor<32x100xf32>, tensor<32xf32>)
// CHECK-NOT: math.exp
// CHECK: return
module {
module @softmax attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @softmax(%x: tensor<4x8x100xf32>)
      -> (tensor<4x8x100xf32>, tensor<4x8xf32>) {
    %m = tandem.reduce %x kind = max dims = [2] keep_dims
        : (tensor<4x8x100xf32>) -> tensor<4x8x1xf32>
    %d = tandem.sub %x, %m
        : (tensor<4x8x100xf32>, tensor<4x8x1xf32>) -> tensor<4x8x100xf32>
    %e = tandem.exp %d : tensor<4x8x100xf32>
    %s = tandem.reduce %e kind = sum dims = [2] keep_dims
        : (tensor<4x8x100xf32>) -> tensor<4x8x1xf32>
    %r = tandem.div %e, %s
        : (tensor<4x8x100xf32>, tensor<4x8x1xf32>) -> tensor<4x8x100xf32>
    %mean = tandem.reduce %x kind = mean dims = [2]
        : (tensor<4x8x100xf32>) -> tensor<4x8xf32>
    return %r, %mean : tensor<4x8x100xf32>, tensor<4x8xf32>
  }
}
}

// -----

// Reduced dims in front become the inner loop; half precision is summed in f32.

// CHECK-DAG: #[[T:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: module @columns
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<100xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[T]], #[[ROW]]]
// CHECK-SAME: ins(%{{.*}} : tensor<64x100xbf16>) outs(%{{.*}} : tensor<100xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[T]], #[[ROW]], #[[T]]]
// CHECK-SAME: ins(%{{.*}}, %[[SUM]] : tensor<64x100xbf16>, tensor<100xf32>)
// CHECK-SAME: outs(%{{.*}} : tensor<64x100xbf16>)
module {
module @columns attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @columns(%x: tensor<8x8x1x100xbf16>) -> tensor<8x8x1x100xbf16> {
    %s = tandem.reduce %x kind = sum dims = [0, 1, 2]
        : (tensor<8x8x1x100xbf16>) -> tensor<100xbf16>
    %r = tandem.sub %x, %s
        : (tensor<8x8x1x100xbf16>, tensor<100xbf16>) -> tensor<8x8x1x100xbf16>
    return %r : tensor<8x8x1x100xbf16>
  }
}
}

// -----

// A row that is long is computed again.

// CHECK-LABEL: module @long
// CHECK-COUNT-2: math.exp
module {
module @long attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @long(%x: tensor<2x50000000xf32>) -> tensor<2x50000000xf32> {
    %e = tandem.exp %x : tensor<2x50000000xf32>
    %s = tandem.reduce %e kind = max dims = [1] keep_dims
        : (tensor<2x50000000xf32>) -> tensor<2x1xf32>
    %r = tandem.sub %e, %s
        : (tensor<2x50000000xf32>, tensor<2x1xf32>) -> tensor<2x50000000xf32>
    return %r : tensor<2x50000000xf32>
  }
}
}

// -----

// Nothing that is read tells how many elements there are: an empty tensor does.

// CHECK-LABEL: module @uncovered
// CHECK: %[[E:.*]] = tensor.empty() : tensor<7xi1>
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[E]] : tensor<7xi1>)
// CHECK: linalg.index 0
module {
module @uncovered attributes {tandem.kernel, tandem.kind = #tandem<fusion_kind reduction>} {
  func.func @uncovered() -> tensor<i32> {
    %i = tandem.iota axis = 0 : tensor<7xi32>
    %s = tandem.reduce %i kind = prod dims = [0]
        : (tensor<7xi32>) -> tensor<i32>
    return %s : tensor<i32>
  }
}
}
