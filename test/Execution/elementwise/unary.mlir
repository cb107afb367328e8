// Elementwise ops of one operand.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[-2,-1,-0.5,0.25,1,2]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %neg = tandem.neg %x : tensor<2x3xf32>
  %abs = tandem.abs %x : tensor<2x3xf32>
  %sign = tandem.sign %x : tensor<2x3xf32>
  %exp = tandem.exp %x : tensor<2x3xf32>
  %expm1 = tandem.expm1 %x : tensor<2x3xf32>
  %tanh = tandem.tanh %x : tensor<2x3xf32>
  %sigmoid = tandem.sigmoid %x : tensor<2x3xf32>
  %relu = tandem.relu %x : tensor<2x3xf32>
  %gelu = tandem.gelu %x : tensor<2x3xf32>
  %erf = tandem.erf %x : tensor<2x3xf32>
  %sin = tandem.sin %x : tensor<2x3xf32>
  %cos = tandem.cos %x : tensor<2x3xf32>
  %floor = tandem.floor %x : tensor<2x3xf32>
  %ceil = tandem.ceil %x : tensor<2x3xf32>
  %round = tandem.round %x : tensor<2x3xf32>
  %softplus = tandem.softplus %x : tensor<2x3xf32>
  %asin = tandem.asin %x : tensor<2x3xf32>
  %acos = tandem.acos %x : tensor<2x3xf32>
  %atan = tandem.atan %x : tensor<2x3xf32>
  return %neg, %abs, %sign, %exp, %expm1, %tanh, %sigmoid, %relu, %gelu, %erf, %sin, %cos, %floor, %ceil, %round, %softplus, %asin, %acos, %atan : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK: output 0: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[2, 1, 0.5],
// CHECK-NEXT:  [-0.25, -1, -2]]
// CHECK-NEXT: output 1: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[2, 1, 0.5],
// CHECK-NEXT:  [0.25, 1, 2]]
// CHECK-NEXT: output 2: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-1, -1, -1],
// CHECK-NEXT:  [1, 1, 1]]
// CHECK-NEXT: output 3: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0.13534, 0.36788, 0.60653],
// CHECK-NEXT:  [1.284, 2.7183, 7.3891]]
// CHECK-NEXT: output 4: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-0.86466, -0.63212, -0.39347],
// CHECK-NEXT:  [0.28403, 1.7183, 6.3891]]
// CHECK-NEXT: output 5: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-0.96403, -0.76159, -0.46212],
// CHECK-NEXT:  [0.24492, 0.76159, 0.96403]]
// CHECK-NEXT: output 6: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0.1192, 0.26894, 0.37754],
// CHECK-NEXT:  [0.56218, 0.73106, 0.8808]]
// CHECK-NEXT: output 7: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0, 0, 0],
// CHECK-NEXT:  [0.25, 1, 2]]
// CHECK-NEXT: output 8: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-0.0455, -0.15866, -0.15427],
// CHECK-NEXT:  [0.14968, 0.84134, 1.9545]]
// CHECK-NEXT: output 9: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-0.99532, -0.8427, -0.5205],
// CHECK-NEXT:  [0.27633, 0.8427, 0.99532]]
// CHECK-NEXT: output 10: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-0.9093, -0.84147, -0.47943],
// CHECK-NEXT:  [0.2474, 0.84147, 0.9093]]
// CHECK-NEXT: output 11: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-0.41615, 0.5403, 0.87758],
// CHECK-NEXT:  [0.96891, 0.5403, -0.41615]]
// CHECK-NEXT: output 12: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-2, -1, -1],
// CHECK-NEXT:  [0, 1, 2]]
// CHECK-NEXT: output 13: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-2, -1, 0],
// CHECK-NEXT:  [1, 1, 2]]
// CHECK-NEXT: output 14: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-2, -1, 0],
// CHECK-NEXT:  [0, 1, 2]]
// CHECK-NEXT: output 15: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0.12693, 0.31326, 0.47408],
// CHECK-NEXT:  [0.82594, 1.3133, 2.1269]]
// CHECK-NEXT: output 16: tensor<2x3xf32>
// CHECK-NEXT: {{\[\[-?}}nan, -1.5708, -0.5236],
// CHECK-NEXT:  [0.25268, 1.5708, {{-?}}nan]]
// CHECK-NEXT: output 17: tensor<2x3xf32>
// CHECK-NEXT: {{\[\[-?}}nan, 3.1416, 2.0944],
// CHECK-NEXT:  [1.3181, 0, {{-?}}nan]]
// CHECK-NEXT: output 18: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[-1.1071, -0.7854, -0.46365],
// CHECK-NEXT:  [0.24498, 0.7854, 1.1071]]
