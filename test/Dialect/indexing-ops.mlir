// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s | tandem-opt | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// CHECK-LABEL: func @scatter
func.func @scatter(%x: tensor<?x8xf32>, %i: tensor<2x3xi32>,
                   %u: tensor<?x2x3xf32>) {
  // CHECK: tandem.scatter %{{.*}}, %{{.*}}, %{{.*}} axis = 1 kind = replace : (tensor<?x8xf32>, tensor<2x3xi32>, tensor<?x2x3xf32>) -> tensor<?x8xf32>
  %0 = tandem.scatter %x, %i, %u axis = 1 kind = replace : (tensor<?x8xf32>, tensor<2x3xi32>, tensor<?x2x3xf32>) -> tensor<?x8xf32>
  // CHECK: kind = add
  %1 = tandem.scatter %x, %i, %u axis = 1 kind = add : (tensor<?x8xf32>, tensor<2x3xi32>, tensor<?x2x3xf32>) -> tensor<?x8xf32>
  // CHECK: kind = mul
  %2 = tandem.scatter %x, %i, %u axis = 1 kind = mul : (tensor<?x8xf32>, tensor<2x3xi32>, tensor<?x2x3xf32>) -> tensor<?x8xf32>
  // CHECK: kind = min
  %3 = tandem.scatter %x, %i, %u axis = 1 kind = min : (tensor<?x8xf32>, tensor<2x3xi32>, tensor<?x2x3xf32>) -> tensor<?x8xf32>
  // CHECK: kind = max
  %4 = tandem.scatter %x, %i, %u axis = 1 kind = max : (tensor<?x8xf32>, tensor<2x3xi32>, tensor<?x2x3xf32>) -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: func @topk
func.func @topk(%x: tensor<?x8xf32>) {
  // CHECK: tandem.topk %{{.*}} k = 3 axis = 1 : (tensor<?x8xf32>) -> (tensor<?x3xf32>, tensor<?x3xi64>)
  %0:2 = tandem.topk %x k = 3 axis = 1 : (tensor<?x8xf32>) -> (tensor<?x3xf32>, tensor<?x3xi64>)
  // CHECK: tandem.topk %{{.*}} k = 5 axis = 0 ascending : (tensor<?x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xi64>)
  %1:2 = tandem.topk %x k = 5 axis = 0 ascending : (tensor<?x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xi64>)
  return
}

// CHECK-LABEL: func @sort
func.func @sort(%x: tensor<?x8xf16>) {
  // CHECK: tandem.sort %{{.*}} axis = 0 : (tensor<?x8xf16>) -> (tensor<?x8xf16>, tensor<?x8xi64>)
  %0:2 = tandem.sort %x axis = 0 : (tensor<?x8xf16>) -> (tensor<?x8xf16>, tensor<?x8xi64>)
  // CHECK: tandem.sort %{{.*}} axis = 1 descending :
  %1:2 = tandem.sort %x axis = 1 descending : (tensor<?x8xf16>) -> (tensor<?x8xf16>, tensor<?x8xi64>)
  return
}
