// Scattering and sorting. Two indices are out of range, two are the same.

// DEFINE: %{run} = tandem-run %s --print --no-fallback \
// DEFINE:   '--arg=[5,1,-2,7,nan,1]' \
// DEFINE:   '--arg=[2,-1,0,2,99]' \
// DEFINE:   '--arg=[10,20,30,-40,50]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

// Producers and consumers are fused around them.
func.func @main(%x: tensor<6xf32>, %i: tensor<5xi32>, %u: tensor<5xf32>)
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi64>, tensor<3xi64>, tensor<3xf32>, tensor<5xf32>, tensor<5xi64>) {
  %0 = tandem.scatter %x, %i, %u axis = 0 kind = replace : (tensor<6xf32>, tensor<5xi32>, tensor<5xf32>) -> tensor<6xf32>
  %double = tandem.add %u, %u : tensor<5xf32>
  %1 = tandem.scatter %x, %i, %double axis = 0 kind = add : (tensor<6xf32>, tensor<5xi32>, tensor<5xf32>) -> tensor<6xf32>
  %2 = tandem.scatter %x, %i, %u axis = 0 kind = mul : (tensor<6xf32>, tensor<5xi32>, tensor<5xf32>) -> tensor<6xf32>
  %3 = tandem.scatter %x, %i, %u axis = 0 kind = min : (tensor<6xf32>, tensor<5xi32>, tensor<5xf32>) -> tensor<6xf32>
  %4 = tandem.scatter %x, %i, %u axis = 0 kind = max : (tensor<6xf32>, tensor<5xi32>, tensor<5xf32>) -> tensor<6xf32>
  %all, %5 = tandem.topk %x k = 6 axis = 0 : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xi64>)
  %7, %6 = tandem.topk %x k = 3 axis = 0 ascending : (tensor<6xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  // What is sorted is computed by a kernel, and kernels read both results.
  %8, %places = tandem.sort %double axis = 0 descending : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  %halves = tandem.sub %8, %u : tensor<5xf32>
  %one = tandem.constant dense<1> : tensor<i64>
  %9 = tandem.add %places, %one : (tensor<5xi64>, tensor<i64>) -> tensor<5xi64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %halves, %9 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi64>, tensor<3xi64>, tensor<3xf32>, tensor<5xf32>, tensor<5xi64>
}

// CHECK: output 0: tensor<6xf32>
// CHECK-NEXT: [30, 1, -40, 7, {{-?}}nan, 1]
// CHECK-NEXT: output 1: tensor<6xf32>
// CHECK-NEXT: [65, 1, -62, 7, {{-?}}nan, 1]
// CHECK-NEXT: output 2: tensor<6xf32>
// CHECK-NEXT: [150, 1, 800, 7, {{-?}}nan, 1]
// CHECK-NEXT: output 3: tensor<6xf32>
// CHECK-NEXT: [5, 1, -40, 7, {{-?}}nan, 1]
// CHECK-NEXT: output 4: tensor<6xf32>
// CHECK-NEXT: [30, 1, 10, 7, {{-?}}nan, 1]
// CHECK-NEXT: output 5: tensor<6xi64>
// CHECK-NEXT: [4, 3, 0, 1, 5, 2]
// CHECK-NEXT: output 6: tensor<3xi64>
// CHECK-NEXT: [2, 1, 5]
// CHECK-NEXT: output 7: tensor<3xf32>
// CHECK-NEXT: [-2, 1, 1]
// CHECK-NEXT: output 8: tensor<5xf32>
// CHECK-NEXT: [90, 40, 10, 60, -130]
// CHECK-NEXT: output 9: tensor<5xi64>
// CHECK-NEXT: [5, 3, 2, 1, 4]
