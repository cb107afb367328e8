// Gradients at kinks, at ties and at the ends of the range, as rule G1 in the
// description of each op defines them. The loss is
// the sum of all results.

// RUN: tandem-opt %s --tandem-differentiate > %t.mlir
// DEFINE: %{run} = tandem-run %t.mlir --print '--arg=[-1,0,2,-inf,inf]' '--arg=[-1,0,2,-inf,inf]' \
// DEFINE:   '--arg=[-inf,inf,0]' '--arg=[-inf,inf,0]' '--arg=[1,2,3]' '--arg=[2,2,1]' '--arg=[-1,0,0.5,1,2]' \
// DEFINE:   '--arg=[1,3,3,2]' '--arg=[1,1,2,3,nan,5]' '--arg=[0,0,2]' '--arg=[0,2,2]' '--arg=[1,2,3,4]' \
// DEFINE:   '--arg=[1,nan,3]'
// RUN: %{run} --tier=reference | FileCheck %s
// RUN: %{run} --tier=eager | FileCheck %s
// RUN: %{run} --tier=compiled | FileCheck %s

// CHECK: output 1
// CHECK-NEXT: [0, 0, 1, 0, 1]
// CHECK: output 2
// CHECK-NEXT: [-1, 0, 1, -1, 1]
// CHECK: output 3
// CHECK-NEXT: [0, 1, 0.5]
// CHECK: output 4
// CHECK-NEXT: [0, 1, 0.5]
// CHECK: output 5
// CHECK-NEXT: [0, 0.5, 1]
// CHECK: output 6
// CHECK-NEXT: [1, 0.5, 0]
// CHECK: output 7
// CHECK-NEXT: [0, 0, 1, 0, 0]
// CHECK: output 8
// CHECK-NEXT: [0, 0.5, 0.5, 0]
// CHECK: output 9
// CHECK-NEXT: [1, 0, 0, 1, 1, 0]
// CHECK: output 10
// CHECK-NEXT: [0, 0, 4]
// CHECK: output 11
// CHECK-NEXT: [0, 0, 2.7726]
// The index 1 is replaced twice, the last time by update 2; index 9 is out of range.
// CHECK: output 12
// CHECK-NEXT: [1, 0, 1, 0]
// CHECK: output 13
// CHECK-NEXT: [nan, nan, nan]
func.func @main(%relu: tensor<5xf32>, %abs: tensor<5xf32>, %gelu: tensor<3xf32>, %tanh: tensor<3xf32>,
                %left: tensor<3xf32>, %right: tensor<3xf32>, %clamp: tensor<5xf32>, %largest: tensor<4xf32>,
                %pool: tensor<1x1x6xf32>, %base: tensor<3xf32>, %exponent: tensor<3xf32>,
                %updates: tensor<4xf32>, %nan: tensor<3xf32>) -> tensor<f32> {
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %one = tandem.constant dense<1.0> : tensor<f32>
  %indices = tandem.constant dense<[0, 1, 1, 9]> : tensor<4xi32>
  %0 = tandem.relu %relu : tensor<5xf32>
  %1 = tandem.abs %abs : tensor<5xf32>
  %2 = tandem.gelu %gelu : tensor<3xf32>
  %3 = tandem.gelu %tanh approximate_tanh : tensor<3xf32>
  %4 = tandem.max %left, %right : tensor<3xf32>
  %5 = tandem.clamp %clamp, %zero, %one : (tensor<5xf32>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
  %6 = tandem.reduce %largest kind = max dims = [0] keep_dims : (tensor<4xf32>) -> tensor<1xf32>
  %7 = tandem.max_pool %pool layout = "NCW" window = [2] strides = [2] : (tensor<1x1x6xf32>) -> tensor<1x1x3xf32>
  %8 = tandem.reshape %7 shape = [3] : (tensor<1x1x3xf32>) -> tensor<3xf32>
  %9 = tandem.pow %base, %exponent : tensor<3xf32>
  %zeros = tandem.constant dense<0.0> : tensor<2xf32>
  %10 = tandem.scatter %zeros, %indices, %updates axis = 0 kind = replace
      : (tensor<2xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<2xf32>
  %11 = tandem.reduce %nan kind = min dims = [0] keep_dims : (tensor<3xf32>) -> tensor<1xf32>
  %all = tandem.concat %0, %1, %2, %3, %4, %5, %6, %8, %9, %10, %11 axis = 0
      : (tensor<5xf32>, tensor<5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xf32>, tensor<1xf32>,
         tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<34xf32>
  %loss = tandem.reduce %all kind = sum dims = [0] : (tensor<34xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
