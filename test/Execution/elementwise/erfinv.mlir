// The inverse error function, in both float types, at the ends of its domain and
// beyond, and where its three polynomials meet.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[-1,1,1.5,nan,-inf,-0.5,0.25,0.999,-0.99999994,1e-40]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines
// RUN: tandem-run %s --check --arg=random:10

func.func @main(%x: tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf64>, tensor<10xf64>, tensor<10xf32>) {
  %0 = tandem.erfinv %x : tensor<10xf32>
  %d = tandem.cast %x : (tensor<10xf32>) -> tensor<10xf64>
  %1 = tandem.erfinv %d : tensor<10xf64>
  // Numbers so close to 1 that only f64 has them.
  %scale = tandem.constant dense<1.0e-10> : tensor<f64>
  %one = tandem.constant dense<1.0> : tensor<f64>
  %small = tandem.mul %d, %scale : (tensor<10xf64>, tensor<f64>) -> tensor<10xf64>
  %near = tandem.sub %one, %small : (tensor<f64>, tensor<10xf64>) -> tensor<10xf64>
  %2 = tandem.erfinv %near : tensor<10xf64>
  // The signs of zeros.
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %zeros = tandem.mul %x, %zero : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  %3 = tandem.erfinv %zeros : tensor<10xf32>
  %one32 = tandem.constant dense<1.0> : tensor<f32>
  %inverse = tandem.div %one32, %3 : (tensor<f32>, tensor<10xf32>) -> tensor<10xf32>
  return %0, %1, %2, %inverse : tensor<10xf32>, tensor<10xf64>, tensor<10xf64>, tensor<10xf32>
}

// CHECK: output 0: tensor<10xf32>
// CHECK-NEXT: [-inf, inf, {{-?}}nan, {{-?}}nan, {{-?}}nan, -0.47694, 0.22531, 2.3268, -3.8325, 8.8622e-41]
// CHECK-NEXT: output 1: tensor<10xf64>
// CHECK-NEXT: [-inf, inf, {{-?}}nan, {{-?}}nan, {{-?}}nan, -0.47694, 0.22531, 2.3268, -3.8325, 8.8622e-41]
// CHECK-NEXT: output 2: tensor<10xf64>
// CHECK-NEXT: [{{-?}}nan, 4.5728, 4.5293, {{-?}}nan, {{-?}}nan, {{-?}}nan, 4.7188, 4.5729, {{-?}}nan, inf]
// CHECK-NEXT: output 3: tensor<10xf32>
// CHECK-NEXT: [-inf, inf, inf, {{-?}}nan, {{-?}}nan, -inf, inf, inf, -inf, inf]
