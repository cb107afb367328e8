// Batch norm and softmax.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[1,2,3,-1,0,4]' \
// DEFINE:   '--arg=[1,2,0.5]' \
// DEFINE:   '--arg=[0,2,3]' \
// DEFINE:   '--arg=[0.5,1,2]' \
// DEFINE:   '--arg=[1,4,0.25]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<2x3xf32>, %scale: tensor<3xf32>,
                %offset: tensor<3xf32>, %mean: tensor<3xf32>,
                %variance: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %norm = tandem.batch_norm %x, %scale, %offset, %mean, %variance
      epsilon = 1.0e-5 axis = 1
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
         tensor<3xf32>) -> tensor<2x3xf32>
  %rows = tandem.softmax %x axis = 1 : tensor<2x3xf32>
  %columns = tandem.softmax %x axis = 0 : tensor<2x3xf32>
  return %norm, %rows, %columns : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK: output 0: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0.5, 3, 4],
// CHECK-NEXT:  [-1.5, 1, 5]]
// CHECK-NEXT: output 1: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0.090031, 0.24473, 0.66524],
// CHECK-NEXT:  [0.0065733, 0.017868, 0.97556]]
// CHECK-NEXT: output 2: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0.8808, 0.8808, 0.26894],
// CHECK-NEXT:  [0.1192, 0.1192, 0.73106]]
