// If sums are quantized again, tandem-contract-integers divides the scale and
// the bias of the sums instead of each sum. It also divides the scales of two
// quantized numbers instead of each sum of these.

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

// -----

// Another op uses one of the products.

// CHECK-LABEL: func.func @residual
// CHECK-DAG: %[[SA:.*]] = tandem.constant dense<1.000000e-01>
// CHECK-DAG: %[[SB:.*]] = tandem.constant dense<2.000000e-01>
// CHECK-DAG: %[[A:.*]] = tandem.cast %arg0
// CHECK-DAG: %[[B:.*]] = tandem.cast %arg1
// CHECK: %[[C:.*]] = tandem.sub %[[B]]
// CHECK: %[[OTHER:.*]] = tandem.mul %[[C]], %[[SB]]
// CHECK: %[[AD:.*]] = tandem.div %[[SA]], %{{.*}} : tensor<f32>
// CHECK: %[[AM:.*]] = tandem.mul %[[A]], %[[AD]]
// CHECK: %[[BD:.*]] = tandem.div %[[SB]], %{{.*}} : tensor<f32>
// CHECK: %[[BM:.*]] = tandem.mul %[[C]], %[[BD]]
// CHECK: %[[SUM:.*]] = tandem.add %[[AM]], %[[BM]]
// CHECK: %[[RELU:.*]] = tandem.relu %[[SUM]]
// CHECK: %[[I:.*]] = tandem.round %[[RELU]]
// CHECK: return %[[I]], %[[OTHER]]
func.func @residual(%a: tensor<4x2xui8>, %b: tensor<4x2xi8>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %sa = tandem.constant dense<0.1> : tensor<f32>
  %sb = tandem.constant dense<0.2> : tensor<f32>
  %zb = tandem.constant dense<3.0> : tensor<f32>
  %d = tandem.constant dense<0.05> : tensor<f32>
  %0 = tandem.cast %a : (tensor<4x2xui8>) -> tensor<4x2xf32>
  %1 = tandem.mul %0, %sa : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %2 = tandem.cast %b : (tensor<4x2xi8>) -> tensor<4x2xf32>
  %3 = tandem.sub %2, %zb : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %4 = tandem.mul %3, %sb : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %5 = tandem.add %1, %4 : tensor<4x2xf32>
  %6 = tandem.relu %5 : tensor<4x2xf32>
  %7 = tandem.div %6, %d : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %8 = tandem.round %7 : tensor<4x2xf32>
  return %8, %4 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// The pass does not change sums with a number of f32, divisors that are not
// constant, and scales whose quotients would be subnormal.

// CHECK-LABEL: func.func @other_additions
// CHECK-COUNT-3: tandem.div {{.*}} -> tensor<4x2xf32>
func.func @other_additions(%a: tensor<4x2xui8>, %x: tensor<4x2xf32>, %e: tensor<f32>)
    -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %s = tandem.constant dense<0.1> : tensor<f32>
  %t = tandem.constant dense<1.0e-38> : tensor<f32>
  %d = tandem.constant dense<5.0> : tensor<f32>
  %0 = tandem.cast %a : (tensor<4x2xui8>) -> tensor<4x2xf32>
  %1 = tandem.mul %0, %s : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %2 = tandem.mul %x, %s : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %3 = tandem.add %1, %2 : tensor<4x2xf32>
  %4 = tandem.div %3, %d : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %5 = tandem.round %4 : tensor<4x2xf32>
  %6 = tandem.add %1, %1 : tensor<4x2xf32>
  %7 = tandem.div %6, %e : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %8 = tandem.round %7 : tensor<4x2xf32>
  %9 = tandem.mul %0, %t : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %10 = tandem.add %1, %9 : tensor<4x2xf32>
  %11 = tandem.div %10, %d : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %12 = tandem.round %11 : tensor<4x2xf32>
  return %5, %8, %12 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
