// Reductions, windows and shape ops of unsigned integers. The smallest value is
// 0, and indices, padding and constants above 127 keep their value.

// DEFINE: %{run} = tandem-run %s --print '--arg=[200,100,3,0,255,1,254,128,7,7,250,9]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled --no-fallback | FileCheck %s --match-full-lines

func.func @main(%x: tensor<3x4xui8>)
    -> (tensor<3xui8>, tensor<4xui8>, tensor<3xui8>, tensor<3xi64>, tensor<6xui16>) {
  %max = tandem.reduce %x kind = max dims = [1] : (tensor<3x4xui8>) -> tensor<3xui8>
  %min = tandem.reduce %x kind = min dims = [0] : (tensor<3x4xui8>) -> tensor<4xui8>
  %sum = tandem.reduce %x kind = sum dims = [1] : (tensor<3x4xui8>) -> tensor<3xui8>
  %at = tandem.reduce %x kind = argmax dims = [1] : (tensor<3x4xui8>) -> tensor<3xi64>
  %iota = tandem.iota axis = 0 : tensor<6xui16>
  return %max, %min, %sum, %at, %iota : tensor<3xui8>, tensor<4xui8>, tensor<3xui8>, tensor<3xi64>, tensor<6xui16>
}

// CHECK: output 0: tensor<3xui8>
// CHECK-NEXT: [200, 255, 250]
// CHECK-NEXT: output 1: tensor<4xui8>
// CHECK-NEXT: [7, 1, 3, 0]
// CHECK-NEXT: output 2: tensor<3xui8>
// CHECK-NEXT: [47, 126, 17]
// CHECK-NEXT: output 3: tensor<3xi64>
// CHECK-NEXT: [0, 0, 2]
// CHECK-NEXT: output 4: tensor<6xui16>
// CHECK-NEXT: [0, 1, 2, 3, 4, 5]
