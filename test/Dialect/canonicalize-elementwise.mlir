// RUN: tandem-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @twice(%arg0
func.func @twice(%x: tensor<?xf32>, %p: tensor<4xi1>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<4xi1>) {
  %0 = tandem.neg %x : tensor<?xf32>
  %neg = tandem.neg %0 : tensor<?xf32>
  // CHECK-DAG: %[[ABS:.*]] = tandem.abs %arg0
  %1 = tandem.abs %0 : tensor<?xf32>
  %abs = tandem.abs %1 : tensor<?xf32>
  // CHECK-DAG: %[[RELU:.*]] = tandem.relu %arg0
  %2 = tandem.relu %x : tensor<?xf32>
  %relu = tandem.relu %2 : tensor<?xf32>
  // CHECK-DAG: %[[FLOOR:.*]] = tandem.floor %arg0
  %3 = tandem.floor %x : tensor<?xf32>
  %4 = tandem.round %3 : tensor<?xf32>
  %ceil = tandem.ceil %4 : tensor<?xf32>
  %5 = tandem.logical_not %p : tensor<4xi1>
  %not = tandem.logical_not %5 : tensor<4xi1>
  // CHECK: return %arg0, %[[ABS]], %[[RELU]], %[[FLOOR]], %arg1
  return %neg, %abs, %relu, %ceil, %not : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<4xi1>
}

// The negation of an unsigned integer is no smaller in magnitude.
// CHECK-LABEL: func @unsigned_magnitudes
func.func @unsigned_magnitudes(%x: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xui8>) {
  // CHECK: %[[NEG:.*]] = tandem.neg %arg0
  %0 = tandem.neg %x : tensor<4xui8>
  %1 = tandem.abs %0 : tensor<4xui8>
  %2 = tandem.relu %x : tensor<4xui8>
  // CHECK: return %[[NEG]], %arg0
  return %1, %2 : tensor<4xui8>, tensor<4xui8>
}

// A chain of casts is one where the first keeps every value.
// CHECK-LABEL: func @unsigned_casts
func.func @unsigned_casts(%x: tensor<4xui8>, %y: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK: %[[REAL:.*]] = tandem.cast %arg0 : (tensor<4xui8>) -> tensor<4xf32>
  %0 = tandem.cast %x : (tensor<4xui8>) -> tensor<4xi16>
  %1 = tandem.cast %0 : (tensor<4xi16>) -> tensor<4xf32>
  // CHECK: %[[WRAPPED:.*]] = tandem.cast %arg1 : (tensor<4xi8>) -> tensor<4xui16>
  // CHECK: %[[WIDE:.*]] = tandem.cast %[[WRAPPED]] : (tensor<4xui16>) -> tensor<4xi32>
  %2 = tandem.cast %y : (tensor<4xi8>) -> tensor<4xui16>
  %3 = tandem.cast %2 : (tensor<4xui16>) -> tensor<4xi32>
  // CHECK: return %[[REAL]], %[[WIDE]]
  return %1, %3 : tensor<4xf32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func @casts(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xf64>)
func.func @casts(%x: tensor<4xf32>, %i: tensor<4xi32>, %d: tensor<4xf64>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf16>, tensor<4xf64>, tensor<4xi8>) {
  %same = tandem.cast %x : tensor<4xf32>
  %0 = tandem.cast %x : (tensor<4xf32>) -> tensor<4xf64>
  %back = tandem.cast %0 : (tensor<4xf64>) -> tensor<4xf32>
  %1 = tandem.cast %i : (tensor<4xi32>) -> tensor<4xf64>
  %int = tandem.cast %1 : (tensor<4xf64>) -> tensor<4xi32>
  // CHECK-DAG: %[[HALF:.*]] = tandem.cast %arg0 : (tensor<4xf32>) -> tensor<4xf16>
  %half = tandem.cast %0 : (tensor<4xf64>) -> tensor<4xf16>
  // f64 to f32 loses digits.
  // CHECK-DAG: %[[LESS:.*]] = tandem.cast %arg2 : (tensor<4xf64>) -> tensor<4xf32>
  // CHECK-DAG: %[[KEPT:.*]] = tandem.cast %[[LESS]] : (tensor<4xf32>) -> tensor<4xf64>
  %2 = tandem.cast %d : (tensor<4xf64>) -> tensor<4xf32>
  %kept = tandem.cast %2 : (tensor<4xf32>) -> tensor<4xf64>
  // f64 to i8 saturates, i32 to i8 wraps around.
  // CHECK-DAG: %[[WIDE:.*]] = tandem.cast %arg1 : (tensor<4xi32>) -> tensor<4xf64>
  // CHECK-DAG: %[[SATURATED:.*]] = tandem.cast %[[WIDE]] : (tensor<4xf64>) -> tensor<4xi8>
  %saturated = tandem.cast %1 : (tensor<4xf64>) -> tensor<4xi8>
  // CHECK: return %arg0, %arg0, %arg1, %[[HALF]], %[[KEPT]], %[[SATURATED]]
  return %same, %back, %int, %half, %kept, %saturated : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf16>, tensor<4xf64>, tensor<4xi8>
}

// -----

// CHECK-LABEL: func @int_identities(%arg0
func.func @int_identities(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = tandem.constant dense<0> : tensor<i32>
  %one = tandem.constant dense<1> : tensor<4xi32>
  // CHECK: %[[ZERO:.*]] = tandem.constant dense<0> : tensor<4xi32>
  %add = tandem.add %zero, %x : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %sub = tandem.sub %x, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %mul = tandem.mul %x, %one : tensor<4xi32>
  %div = tandem.div %x, %one : tensor<4xi32>
  %none = tandem.mul %x, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %self = tandem.sub %x, %x : tensor<4xi32>
  // CHECK: return %arg0, %arg0, %arg0, %arg0, %[[ZERO]], %[[ZERO]]
  return %add, %sub, %mul, %div, %none, %self : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// x * 0 may be NaN, x + 0.0 turns -0.0 to 0.0, x - x may be NaN.
// CHECK-LABEL: func @float_identities(%arg0
func.func @float_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %negzero = tandem.constant dense<-0.0> : tensor<f32>
  %one = tandem.constant dense<1.0> : tensor<f32>
  %0 = tandem.add %x, %negzero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = tandem.sub %0, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = tandem.mul %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = tandem.div %2, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = tandem.max %3, %3 : tensor<4xf32>
  %5 = tandem.min %4, %4 : tensor<4xf32>
  // CHECK: %[[ADD:.*]] = tandem.add %arg0
  %add = tandem.add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: %[[MUL:.*]] = tandem.mul %arg0
  %mul = tandem.mul %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: %[[SUB:.*]] = tandem.sub %arg0, %arg0
  %sub = tandem.sub %x, %x : tensor<4xf32>
  // CHECK: return %arg0, %arg0, %arg0, %[[ADD]], %[[MUL]], %[[SUB]]
  return %2, %3, %5, %add, %mul, %sub : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The result is broadcast, or its type says more: not the operand itself.
// CHECK-LABEL: func @not_the_operand
func.func @not_the_operand(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<2x4xf32>, tensor<4xf32>) {
  %one = tandem.constant dense<1.0> : tensor<2x4xf32>
  // CHECK: tandem.mul %{{.*}} : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = tandem.mul %x, %one : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: tandem.max %{{.*}} : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  %1 = tandem.max %y, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @pow(%arg0
func.func @pow(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: %[[C1:.*]] = tandem.constant dense<1.000000e+00> : tensor<f32>
  %c1 = tandem.constant dense<1.0> : tensor<f32>
  %c2 = tandem.constant dense<2.0> : tensor<f32>
  %c3 = tandem.constant dense<3.0> : tensor<f32>
  %cm1 = tandem.constant dense<-1.0> : tensor<f32>
  %half = tandem.constant dense<0.5> : tensor<f32>
  %0 = tandem.pow %x, %c1 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: %[[SQUARE:.*]] = tandem.mul %arg0, %arg0
  %1 = tandem.pow %x, %c2 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: %[[SQUARE2:.*]] = tandem.mul %arg0, %arg0
  // CHECK: %[[CUBE:.*]] = tandem.mul %[[SQUARE2]], %arg0
  %2 = tandem.pow %x, %c3 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: %[[INVERSE:.*]] = tandem.div %[[C1]], %arg0
  %3 = tandem.pow %x, %cm1 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // pow(-inf, 0.5) is inf.
  // CHECK: %[[POW:.*]] = tandem.pow
  %4 = tandem.pow %x, %half : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: return %arg0, %[[SQUARE]], %[[CUBE]], %[[INVERSE]], %[[POW]]
  return %0, %1, %2, %3, %4 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func @roots(%arg0
func.func @roots(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
  %half = tandem.constant dense<0.5> : tensor<f32>
  %mhalf = tandem.constant dense<-0.5> : tensor<f32>
  %epsilon = tandem.constant dense<1.0e-5> : tensor<f32>
  %0 = tandem.mul %x, %x : tensor<8x4xf32>
  %1 = tandem.reduce %0 kind = mean dims = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %2 = tandem.add %1, %epsilon : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: tandem.sqrt
  %3 = tandem.pow %2, %half : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %4 = tandem.abs %x : tensor<8x4xf32>
  // CHECK: tandem.rsqrt
  %5 = tandem.pow %4, %mhalf : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return %3, %5 : tensor<8xf32>, tensor<8x4xf32>
}

// -----

// relu keeps -0.0, of which the power is inf and the root -inf; a signed
// integer may be the least one, which is its own absolute value.
// CHECK-LABEL: func @no_roots(%arg0
func.func @no_roots(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %mhalf = tandem.constant dense<-0.5> : tensor<f32>
  %0 = tandem.relu %x : tensor<4xf32>
  // CHECK: tandem.pow
  %1 = tandem.pow %0, %mhalf : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = tandem.abs %i : tensor<4xi32>
  %3 = tandem.cast %2 : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK: tandem.pow
  %4 = tandem.pow %3, %mhalf : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1, %4 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @div(%arg0
func.func @div(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: %[[QUARTER:.*]] = tandem.constant dense<2.500000e-01> : tensor<f32>
  %four = tandem.constant dense<4.0> : tensor<f32>
  %three = tandem.constant dense<3.0> : tensor<f32>
  // CHECK: tandem.mul %arg0, %[[QUARTER]]
  %0 = tandem.div %x, %four : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: tandem.div
  %1 = tandem.div %x, %three : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func @limits(%arg0: tensor<4xf32>, %arg1: tensor<f32>)
func.func @limits(%x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %inf = tandem.constant dense<0x7F800000> : tensor<f32>
  %minf = tandem.constant dense<0xFF800000> : tensor<f32>
  // CHECK-DAG: %[[RELU:.*]] = tandem.relu %arg0
  %0 = tandem.max %zero, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-DAG: %[[RELU2:.*]] = tandem.relu %arg0
  %1 = tandem.clamp %x, %zero, %inf : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-DAG: %[[MIN:.*]] = tandem.min %arg0, %arg1
  %2 = tandem.clamp %x, %minf, %y : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-DAG: %[[CLAMP:.*]] = tandem.clamp %arg0
  %3 = tandem.clamp %x, %zero, %y : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %4 = tandem.clamp %3, %zero, %y : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: return %[[RELU]], %[[RELU2]], %[[MIN]], %[[CLAMP]]
  return %0, %1, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The infinite limit is what the value is broadcast to.
// CHECK-LABEL: func @broadcast_limit
func.func @broadcast_limit(%x: tensor<1xf32>, %low: tensor<f32>) -> tensor<4xf32> {
  %inf = tandem.constant dense<0x7F800000> : tensor<4xf32>
  // CHECK: tandem.clamp
  %0 = tandem.clamp %x, %low, %inf : (tensor<1xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @logic(%arg0: tensor<4xi1>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>)
func.func @logic(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %true = tandem.constant dense<true> : tensor<i1>
  %false = tandem.constant dense<false> : tensor<i1>
  // CHECK-DAG: %[[FALSE:.*]] = tandem.constant dense<false> : tensor<4xi1>
  // CHECK-DAG: %[[TRUE:.*]] = tandem.constant dense<true> : tensor<4xi1>
  %0 = tandem.logical_and %p, %true : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %1 = tandem.logical_and %p, %false : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %2 = tandem.logical_or %p, %true : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %3 = tandem.select %true, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = tandem.select %false, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = tandem.select %p, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = tandem.compare %p, %p predicate = le : tensor<4xi1>
  // CHECK: return %arg0, %[[FALSE]], %[[TRUE]], %arg1, %arg2, %arg1, %[[TRUE]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}
