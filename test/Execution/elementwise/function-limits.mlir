// Functions of infinities, NaN, zeros, large and subnormal numbers. Functions
// on f64 have polynomials of their own. The last five results show the signs of
// zeros.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[-inf,inf,nan,-0.0,0,1e30,-1e30,1e-40,-1]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf32>, tensor<9xf64>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>) {
  %d = tandem.cast %x : (tensor<9xf32>) -> tensor<9xf64>
  %one = tandem.constant dense<1.0> : tensor<f64>
  %exp = tandem.exp %x : tensor<9xf32>
  %expm1 = tandem.expm1 %x : tensor<9xf32>
  %log = tandem.log %x : tensor<9xf32>
  %log1p = tandem.log1p %x : tensor<9xf32>
  %tanh = tandem.tanh %x : tensor<9xf32>
  %erf = tandem.erf %x : tensor<9xf32>
  %sin = tandem.sin %x : tensor<9xf32>
  %cos = tandem.cos %x : tensor<9xf32>
  %sigmoid = tandem.sigmoid %x : tensor<9xf32>
  %exp64 = tandem.exp %d : tensor<9xf64>
  %expm164 = tandem.expm1 %d : tensor<9xf64>
  %log64 = tandem.log %d : tensor<9xf64>
  %log1p64 = tandem.log1p %d : tensor<9xf64>
  %tanh64 = tandem.tanh %d : tensor<9xf64>
  %erf64 = tandem.erf %d : tensor<9xf64>
  %sin64 = tandem.sin %d : tensor<9xf64>
  %cos64 = tandem.cos %d : tensor<9xf64>
  %sigmoid64 = tandem.sigmoid %d : tensor<9xf64>
  %inverse_expm1 = tandem.div %one, %expm164 : (tensor<f64>, tensor<9xf64>) -> tensor<9xf64>
  %inverse_log1p = tandem.div %one, %log1p64 : (tensor<f64>, tensor<9xf64>) -> tensor<9xf64>
  %inverse_tanh = tandem.div %one, %tanh64 : (tensor<f64>, tensor<9xf64>) -> tensor<9xf64>
  %inverse_erf = tandem.div %one, %erf64 : (tensor<f64>, tensor<9xf64>) -> tensor<9xf64>
  %inverse_sin = tandem.div %one, %sin64 : (tensor<f64>, tensor<9xf64>) -> tensor<9xf64>
  %softplus = tandem.softplus %x : tensor<9xf32>
  %softplus64 = tandem.softplus %d : tensor<9xf64>
  %asin = tandem.asin %x : tensor<9xf32>
  %acos = tandem.acos %x : tensor<9xf32>
  %atan = tandem.atan %x : tensor<9xf32>
  %asin64 = tandem.asin %d : tensor<9xf64>
  %acos64 = tandem.acos %d : tensor<9xf64>
  %atan64 = tandem.atan %d : tensor<9xf64>
  return %exp, %expm1, %log, %log1p, %tanh, %erf, %sin, %cos, %sigmoid, %exp64, %expm164, %log64, %log1p64, %tanh64, %erf64, %sin64, %cos64, %sigmoid64, %inverse_expm1, %inverse_log1p, %inverse_tanh, %inverse_erf, %inverse_sin, %softplus, %softplus64, %asin, %acos, %atan, %asin64, %acos64, %atan64 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf32>, tensor<9xf64>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>
}

// CHECK: output 0: tensor<9xf32>
// CHECK-NEXT: [0, inf, {{-?}}nan, 1, 1, inf, 0, 1, 0.36788]
// CHECK-NEXT: output 1: tensor<9xf32>
// CHECK-NEXT: [-1, inf, {{-?}}nan, 0, 0, inf, -1, 9.9999e-41, -0.63212]
// CHECK-NEXT: output 2: tensor<9xf32>
// CHECK-NEXT: [{{-?}}nan, inf, {{-?}}nan, -inf, -inf, 69.078, {{-?}}nan, -92.103, {{-?}}nan]
// CHECK-NEXT: output 3: tensor<9xf32>
// CHECK-NEXT: [{{-?}}nan, inf, {{-?}}nan, 0, 0, 69.078, {{-?}}nan, 9.9999e-41, -inf]
// CHECK-NEXT: output 4: tensor<9xf32>
// CHECK-NEXT: [-1, 1, {{-?}}nan, 0, 0, 1, -1, 9.9999e-41, -0.76159]
// CHECK-NEXT: output 5: tensor<9xf32>
// CHECK-NEXT: [-1, 1, {{-?}}nan, 0, 0, 1, -1, 1.1284e-40, -0.8427]
// CHECK-NEXT: output 6: tensor<9xf32>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, 0, 0, -0.79116, 0.79116, 9.9999e-41, -0.84147]
// CHECK-NEXT: output 7: tensor<9xf32>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, 1, 1, -0.6116, -0.6116, 1, 0.5403]
// CHECK-NEXT: output 8: tensor<9xf32>
// CHECK-NEXT: [0, 1, {{-?}}nan, 0.5, 0.5, 1, 0, 0.5, 0.26894]
// CHECK-NEXT: output 9: tensor<9xf64>
// CHECK-NEXT: [0, inf, {{-?}}nan, 1, 1, inf, 0, 1, 0.36788]
// CHECK-NEXT: output 10: tensor<9xf64>
// CHECK-NEXT: [-1, inf, {{-?}}nan, 0, 0, inf, -1, 9.9999e-41, -0.63212]
// CHECK-NEXT: output 11: tensor<9xf64>
// CHECK-NEXT: [{{-?}}nan, inf, {{-?}}nan, -inf, -inf, 69.078, {{-?}}nan, -92.103, {{-?}}nan]
// CHECK-NEXT: output 12: tensor<9xf64>
// CHECK-NEXT: [{{-?}}nan, inf, {{-?}}nan, 0, 0, 69.078, {{-?}}nan, 9.9999e-41, -inf]
// CHECK-NEXT: output 13: tensor<9xf64>
// CHECK-NEXT: [-1, 1, {{-?}}nan, 0, 0, 1, -1, 9.9999e-41, -0.76159]
// CHECK-NEXT: output 14: tensor<9xf64>
// CHECK-NEXT: [-1, 1, {{-?}}nan, 0, 0, 1, -1, 1.1284e-40, -0.8427]
// CHECK-NEXT: output 15: tensor<9xf64>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, 0, 0, -0.79116, 0.79116, 9.9999e-41, -0.84147]
// CHECK-NEXT: output 16: tensor<9xf64>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, 1, 1, -0.6116, -0.6116, 1, 0.5403]
// CHECK-NEXT: output 17: tensor<9xf64>
// CHECK-NEXT: [0, 1, {{-?}}nan, 0.5, 0.5, 1, 0, 0.5, 0.26894]
// CHECK-NEXT: output 18: tensor<9xf64>
// CHECK-NEXT: [-1, 0, {{-?}}nan, -inf, inf, 0, -1, 1e+40, -1.582]
// CHECK-NEXT: output 19: tensor<9xf64>
// CHECK-NEXT: [{{-?}}nan, 0, {{-?}}nan, -inf, inf, 0.014476, {{-?}}nan, 1e+40, 0]
// CHECK-NEXT: output 20: tensor<9xf64>
// CHECK-NEXT: [-1, 1, {{-?}}nan, -inf, inf, 1, -1, 1e+40, -1.313]
// CHECK-NEXT: output 21: tensor<9xf64>
// CHECK-NEXT: [-1, 1, {{-?}}nan, -inf, inf, 1, -1, 8.8623e+39, -1.1867]
// CHECK-NEXT: output 22: tensor<9xf64>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, -inf, inf, -1.264, 1.264, 1e+40, -1.1884]
// CHECK-NEXT: output 23: tensor<9xf32>
// CHECK-NEXT: [0, inf, {{-?}}nan, 0.69315, 0.69315, 1e+30, 0, 0.69315, 0.31326]
// CHECK-NEXT: output 24: tensor<9xf64>
// CHECK-NEXT: [0, inf, {{-?}}nan, 0.69315, 0.69315, 1e+30, 0, 0.69315, 0.31326]
// CHECK-NEXT: output 25: tensor<9xf32>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, 0, 0, {{-?}}nan, {{-?}}nan, 9.9999e-41, -1.5708]
// CHECK-NEXT: output 26: tensor<9xf32>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, 1.5708, 1.5708, {{-?}}nan, {{-?}}nan, 1.5708, 3.1416]
// CHECK-NEXT: output 27: tensor<9xf32>
// CHECK-NEXT: [-1.5708, 1.5708, {{-?}}nan, 0, 0, 1.5708, -1.5708, 9.9999e-41, -0.7854]
// CHECK-NEXT: output 28: tensor<9xf64>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, 0, 0, {{-?}}nan, {{-?}}nan, 9.9999e-41, -1.5708]
// CHECK-NEXT: output 29: tensor<9xf64>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, 1.5708, 1.5708, {{-?}}nan, {{-?}}nan, 1.5708, 3.1416]
// CHECK-NEXT: output 30: tensor<9xf64>
// CHECK-NEXT: [-1.5708, 1.5708, {{-?}}nan, 0, 0, 1.5708, -1.5708, 9.9999e-41, -0.7854]
