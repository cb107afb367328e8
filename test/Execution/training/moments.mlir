// Means and variances: infinities, no elements, a large mean, 16-bit floats.

// DEFINE: %{run} = tandem-run %s --print --no-fallback \
// DEFINE:   '--arg=[1,2,3,4,5,9]' '--arg=[inf,1,1]' '--arg=[100000,100001,100002]' '--arg=[60000,-0,60000]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<2x3xf32>, %inf: tensor<3xf32>, %large: tensor<3xf32>, %half: tensor<3xf16>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f16>,
        tensor<3xf32>, tensor<3xf32>) {
  %0, %1 = tandem.moments %x dims = [1] : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %columns, %variances = tandem.moments %x dims = [0] : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %2, %3 = tandem.moments %inf dims = [0] : (tensor<3xf32>) -> (tensor<f32>, tensor<f32>)
  %4, %5 = tandem.moments %large dims = [0] : (tensor<3xf32>) -> (tensor<f32>, tensor<f32>)
  %6, %overflow = tandem.moments %half dims = [0] : (tensor<3xf16>) -> (tensor<f16>, tensor<f16>)
  %none = tandem.slice %x starts = [0, 0] limits = [0, 3] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<0x3xf32>
  %7, %8 = tandem.moments %none dims = [0] : (tensor<0x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0, %1, %variances, %2, %3, %4, %5, %6, %7, %8 : tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<f32>,
      tensor<f32>, tensor<f32>, tensor<f32>, tensor<f16>, tensor<3xf32>, tensor<3xf32>
}

// CHECK: output 0: tensor<2xf32>
// CHECK-NEXT: [2, 6]
// CHECK-NEXT: output 1: tensor<2xf32>
// CHECK-NEXT: [0.66667, 4.6667]
// CHECK-NEXT: output 2: tensor<3xf32>
// CHECK-NEXT: [2.25, 2.25, 9]
// CHECK-NEXT: output 3: tensor<f32>
// CHECK-NEXT: inf
// CHECK-NEXT: output 4: tensor<f32>
// CHECK-NEXT: {{-?}}nan
// CHECK-NEXT: output 5: tensor<f32>
// CHECK-NEXT: 1e+05
// CHECK-NEXT: output 6: tensor<f32>
// CHECK-NEXT: 0.66667
// CHECK-NEXT: output 7: tensor<f16>
// CHECK-NEXT: 4{{.*}}
// CHECK-NEXT: output 8: tensor<3xf32>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan]
// CHECK-NEXT: output 9: tensor<3xf32>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan]
