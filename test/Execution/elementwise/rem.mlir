// Remainders of divisions are exact, even if the quotient is not. The cases
// include large numbers, divisors that are infinite or zero, and integers that
// wrap around.

// DEFINE: %{run} = tandem-run %s --print --digits=9
// DEFINE: %{floats} = %{run} '--arg=[0.9,-0.9,1e8,-1e30,5,-5,0.0,-0.0,inf,nan,3,-4,1e-40,7]' '--arg=[0.1,0.1,3,7,inf,-inf,3,3,2,2,0,2,3e-41,nan]'
// RUN: %{floats} --tier=reference | FileCheck %s
// RUN: %{floats} --tier=eager | FileCheck %s
// RUN: %{floats} --tier=compiled | FileCheck %s
// CHECK: [0.0999999642, -0.0999999642, 1, -1, 5, -5, {{-?}}0, {{-?}}0, {{-?}}nan, {{-?}}nan, {{-?}}nan, {{-?}}0, 9.99826454e-42, {{-?}}nan]

// DEFINE: %{ints} = %{run} --func=ints '--arg=[7,-7,7,-7,5,-128,-128]' '--arg=[3,3,-3,-3,0,-1,0]'
// RUN: %{ints} --tier=reference | FileCheck %s --check-prefix=INT
// RUN: %{ints} --tier=eager | FileCheck %s --check-prefix=INT
// RUN: %{ints} --tier=compiled | FileCheck %s --check-prefix=INT
// INT: [1, -1, 1, -1, 5, 0, -128]

// DEFINE: %{unsigned} = %{run} --func=unsigned '--arg=[7,255,200,9]' '--arg=[3,16,0,255]'
// RUN: %{unsigned} --tier=reference | FileCheck %s --check-prefix=UNSIGNED
// RUN: %{unsigned} --tier=eager | FileCheck %s --check-prefix=UNSIGNED
// RUN: %{unsigned} --tier=compiled | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: [1, 15, 200, 9]

// RUN: tandem-run %s --func=halves --arg=random:7x130 --arg=random:130 --check | FileCheck %s --check-prefix=OK
// OK: eager {{.*}} ok
// OK: compiled {{.*}} ok

func.func @main(%x: tensor<14xf32>, %y: tensor<14xf32>) -> tensor<14xf32> {
  %0 = tandem.rem %x, %y : tensor<14xf32>
  return %0 : tensor<14xf32>
}
func.func @ints(%x: tensor<7xi8>, %y: tensor<7xi8>) -> tensor<7xi8> {
  %0 = tandem.rem %x, %y : tensor<7xi8>
  return %0 : tensor<7xi8>
}
func.func @unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
  %0 = tandem.rem %x, %y : tensor<4xui8>
  return %0 : tensor<4xui8>
}
func.func @halves(%x: tensor<7x130xf32>, %y: tensor<130xf32>) -> (tensor<7x130xf16>, tensor<7x130xbf16>, tensor<7x130xf64>) {
  %h = tandem.cast %x : (tensor<7x130xf32>) -> tensor<7x130xf16>
  %k = tandem.cast %y : (tensor<130xf32>) -> tensor<130xf16>
  %0 = tandem.rem %h, %k : (tensor<7x130xf16>, tensor<130xf16>) -> tensor<7x130xf16>
  %b = tandem.cast %x : (tensor<7x130xf32>) -> tensor<7x130xbf16>
  %c = tandem.cast %y : (tensor<130xf32>) -> tensor<130xbf16>
  %1 = tandem.rem %b, %c : (tensor<7x130xbf16>, tensor<130xbf16>) -> tensor<7x130xbf16>
  %d = tandem.cast %x : (tensor<7x130xf32>) -> tensor<7x130xf64>
  %e = tandem.cast %y : (tensor<130xf32>) -> tensor<130xf64>
  %2 = tandem.rem %d, %e : (tensor<7x130xf64>, tensor<130xf64>) -> tensor<7x130xf64>
  return %0, %1, %2 : tensor<7x130xf16>, tensor<7x130xbf16>, tensor<7x130xf64>
}
