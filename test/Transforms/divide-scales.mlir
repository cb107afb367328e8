// If sums are quantized again, tandem-contract-integers divides the scale and
// the bias of the sums instead of each sum.

// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-contract-integers))' | FileCheck %s

// CHECK-LABEL: func.func @all
// CHECK-DAG: %[[S:.*]] = tandem.constant dense<[1.000000e-01, 2.000000e-01]>
// CHECK-DAG: %[[B:.*]] = tandem.constant dense<[3.000000e+00, -4.000000e+00]>
// CHECK: %[[X:.*]] = tandem.cast %{{.*}} : (tensor<4x2xi32>) -> tensor<4x2xf32>
// CHECK: %[[SD:.*]] = tandem.div %[[S]], %{{.*}} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK: %[[M:.*]] = tandem.mul %[[X]], %[[SD]]
// CHECK: %[[BD:.*]] = tandem.div %[[B]], %{{.*}} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK: %[[A:.*]] = tandem.add %[[M]], %[[BD]]
// CHECK: %[[R:.*]] = tandem.relu %[[A]]
// CHECK: %[[I:.*]] = tandem.round %[[R]]
// CHECK: return %[[I]]
func.func @all(%sums: tensor<4x2xi32>) -> tensor<4x2xf32> {
  %s = tandem.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %b = tandem.constant dense<[3.0, -4.0]> : tensor<2xf32>
  %d = tandem.constant dense<0.05> : tensor<f32>
  %0 = tandem.cast %sums : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %1 = tandem.mul %0, %s : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = tandem.add %1, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %3 = tandem.relu %2 : tensor<4x2xf32>
  %4 = tandem.div %3, %d : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %5 = tandem.round %4 : tensor<4x2xf32>
  return %5 : tensor<4x2xf32>
}

// -----

// A quantized bias is a product of integers, whose zero points are 0, and
// scales.

// CHECK-LABEL: func.func @quantized_bias
// CHECK-NOT: tandem.div {{.*}} -> tensor<4x2xf32>
// CHECK: return
func.func @quantized_bias(%sums: tensor<4x2xi32>) -> tensor<4x2xf32> {
  %s = tandem.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %q = tandem.constant dense<[70, -80]> : tensor<2xi32>
  %z = tandem.constant dense<0.0> : tensor<2xf32>
  %d = tandem.constant dense<0.05> : tensor<f32>
  %b0 = tandem.cast %q : (tensor<2xi32>) -> tensor<2xf32>
  %b1 = tandem.sub %b0, %z : tensor<2xf32>
  %b = tandem.mul %b1, %s : tensor<2xf32>
  %0 = tandem.cast %sums : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %1 = tandem.mul %0, %s : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = tandem.add %1, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %4 = tandem.div %2, %d : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %5 = tandem.round %4 : tensor<4x2xf32>
  return %5 : tensor<4x2xf32>
}

// -----

// The quotient of the scale would be subnormal, and sums would lose bits.

// CHECK-LABEL: func.func @small
// CHECK: tandem.div {{.*}} -> tensor<4x2xf32>
func.func @small(%sums: tensor<4x2xi32>) -> tensor<4x2xf32> {
  %s = tandem.constant dense<[0.1, 2.0e-38]> : tensor<2xf32>
  %d = tandem.constant dense<8.0> : tensor<f32>
  %0 = tandem.cast %sums : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %1 = tandem.mul %0, %s : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = tandem.div %1, %d : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %3 = tandem.round %2 : tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// -----

// A negative divisor does not commute with relu, the scale may be anything, and
// the scaled sums are also a result.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: tandem.div {{.*}} -> tensor<4x2xf32>
func.func @others(%sums: tensor<4x2xi32>, %any: tensor<2xf32>)
    -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %s = tandem.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %minus = tandem.constant dense<-0.05> : tensor<f32>
  %d = tandem.constant dense<0.05> : tensor<f32>
  %0 = tandem.cast %sums : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %1 = tandem.mul %0, %s : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = tandem.relu %1 : tensor<4x2xf32>
  %3 = tandem.div %2, %minus : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %4 = tandem.round %3 : tensor<4x2xf32>
  %5 = tandem.mul %0, %any : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %6 = tandem.div %5, %d : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %7 = tandem.round %6 : tensor<4x2xf32>
  %8 = tandem.mul %0, %s : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %9 = tandem.div %8, %d : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %10 = tandem.round %9 : tensor<4x2xf32>
  return %4, %7, %8, %10 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
