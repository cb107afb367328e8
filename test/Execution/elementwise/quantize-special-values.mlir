// Quantizing NaN, infinities, ties and zeros, with odd zero points. Ties are
// rounded to even before the zero point is added, and NaN becomes 0.

// DEFINE: %{args} = '--arg=[nan,inf,-inf,0.5,1.5,2.5,-0.5,-0.0,1e30,-1e30,3.4999998,254.5,-127.5,1e-45,8388609.0,-4194303.5,7.5]'
// RUN: tandem-run %s --print %{args} --tier=reference | FileCheck %s
// RUN: tandem-run %s --print %{args} --tier=eager | FileCheck %s
// RUN: tandem-run %s --print %{args} --tier=compiled | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v2 tandem-run %s --print %{args} --tier=compiled | FileCheck %s

// CHECK: [0, 255, 0, 3, 5, 5, 3, 3, 255, 0, 6, 255, 0, 3, 255, 0, 11]
// CHECK: [0, 127, -128, -5, -3, -3, -5, -5, 127, -128, -2, 127, -128, -5, 127, -128, 3]
func.func @main(%x: tensor<17xf32>) -> (tensor<17xui8>, tensor<17xi8>) {
  %3 = tandem.constant dense<3.0> : tensor<f32>
  %5 = tandem.constant dense<-5.0> : tensor<f32>
  %r = tandem.round %x : tensor<17xf32>
  %0 = tandem.add %r, %3 : (tensor<17xf32>, tensor<f32>) -> tensor<17xf32>
  %1 = tandem.cast %0 : (tensor<17xf32>) -> tensor<17xui8>
  %2 = tandem.add %r, %5 : (tensor<17xf32>, tensor<f32>) -> tensor<17xf32>
  %4 = tandem.cast %2 : (tensor<17xf32>) -> tensor<17xi8>
  return %1, %4 : tensor<17xui8>, tensor<17xi8>
}
