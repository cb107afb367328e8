// A mask selects the elements that are reduced, by columns. A lane of a mask is
// a byte, so that a row of the mask has only six bytes.

// RUN: tandem-run %s --check --no-fallback | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 tandem-run %s --check --no-fallback | FileCheck %s
// CHECK: compiled {{.*}} ok

func.func @main(%m: tensor<40x6xi1>, %x: tensor<40x6xf64>) -> tensor<6xf64> {
  %zero = tandem.constant dense<0.0> : tensor<f64>
  %0 = tandem.select %m, %x, %zero : (tensor<40x6xi1>, tensor<40x6xf64>, tensor<f64>) -> tensor<40x6xf64>
  %1 = tandem.reduce %0 kind = sum dims = [0] : (tensor<40x6xf64>) -> tensor<6xf64>
  return %1 : tensor<6xf64>
}
