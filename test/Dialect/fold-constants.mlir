// RUN: tandem-opt %s --canonicalize --split-input-file | FileCheck %s
//
// Constants fold through the scalar code of each op, so this tests what the
// elementwise ops mean, at special values above all.

// CHECK-LABEL: func @float_unary
func.func @float_unary() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // -1.5, -0.0, NaN, 2.5
  %x = tandem.constant dense<[-1.5, -0.0, 0x7FC00000, 2.5]> : tensor<4xf32>
  // CHECK-DAG: %[[NEG:.*]] = tandem.constant dense<[1.500000e+00, 0.000000e+00, 0xFFC00000, -2.500000e+00]>
  %neg = tandem.neg %x : tensor<4xf32>
  // CHECK-DAG: %[[ABS:.*]] = tandem.constant dense<[1.500000e+00, 0.000000e+00, 0x7FC00000, 2.500000e+00]>
  %abs = tandem.abs %x : tensor<4xf32>
  // CHECK-DAG: %[[SIGN:.*]] = tandem.constant dense<[-1.000000e+00, -0.000000e+00, 0x7FC00000, 1.000000e+00]>
  %sign = tandem.sign %x : tensor<4xf32>
  // CHECK-DAG: %[[RELU:.*]] = tandem.constant dense<[0.000000e+00, -0.000000e+00, 0x7FC00000, 2.500000e+00]>
  %relu = tandem.relu %x : tensor<4xf32>
  // CHECK-DAG: %[[ROUND:.*]] = tandem.constant dense<[-2.000000e+00, -0.000000e+00, 0x7FC00000, 2.000000e+00]>
  %round = tandem.round %x : tensor<4xf32>
  %floor = tandem.floor %x : tensor<4xf32>
  // CHECK: return %[[NEG]], %[[ABS]], %[[SIGN]], %[[RELU]], %[[ROUND]], %[[ROUND]]
  return %neg, %abs, %sign, %relu, %round, %floor : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @float_functions
func.func @float_functions() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = tandem.constant dense<1.0> : tensor<f64>
  // CHECK-DAG: dense<2.71828182845904{{[0-9]*}}>
  %0 = tandem.exp %x : tensor<f64>
  // CHECK-DAG: dense<0.731058578630004{{[0-9]*}}>
  %1 = tandem.sigmoid %x : tensor<f64>
  // CHECK-DAG: dense<0.841344746068542{{[0-9]*}}>
  %2 = tandem.gelu %x : tensor<f64>
  // CHECK-DAG: dense<0.84119199060827{{[0-9]*}}>
  %3 = tandem.gelu %x approximate_tanh : tensor<f64>
  // CHECK-DAG: dense<0.76159415595576{{[0-9]*}}>
  %4 = tandem.tanh %x : tensor<f64>
  // CHECK-NOT: tandem.exp
  return %0, %1, %2, %3, %4 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// -----

// CHECK-LABEL: func @nan
func.func @nan() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) {
  %x = tandem.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %y = tandem.constant dense<[2.0, 0x7FC00000]> : tensor<2xf32>
  // CHECK: %[[NAN:.*]] = tandem.constant dense<0x7FC00000> : tensor<2xf32>
  %0 = tandem.max %x, %y : tensor<2xf32>
  %1 = tandem.min %x, %y : tensor<2xf32>
  %2 = tandem.clamp %x, %y, %y : tensor<2xf32>
  // CHECK: %[[ONE:.*]] = tandem.constant dense<1.000000e+00> : tensor<f32>
  %n = tandem.constant dense<0x7FC00000> : tensor<f32>
  %z = tandem.constant dense<0.0> : tensor<f32>
  %3 = tandem.pow %n, %z : tensor<f32>
  // CHECK: return %[[NAN]], %[[NAN]], %[[NAN]], %[[ONE]]
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: func @compare_nan
func.func @compare_nan() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %x = tandem.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  // CHECK-DAG: %[[EQ:.*]] = tandem.constant dense<[false, true]>
  %0 = tandem.compare %x, %x predicate = eq : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK-DAG: %[[NE:.*]] = tandem.constant dense<[true, false]>
  %1 = tandem.compare %x, %x predicate = ne : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = tandem.compare %x, %x predicate = ge : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: return %[[EQ]], %[[NE]], %[[EQ]]
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// -----

// Truth values are ordered as false < true; integers are signed.
// CHECK-LABEL: func @compare_order
func.func @compare_order() -> (tensor<2xi1>, tensor<2xi1>) {
  %p = tandem.constant dense<[false, true]> : tensor<2xi1>
  %q = tandem.constant dense<[true, false]> : tensor<2xi1>
  %0 = tandem.compare %p, %q predicate = lt : tensor<2xi1>
  %i = tandem.constant dense<[-1, 1]> : tensor<2xi8>
  %j = tandem.constant dense<[1, -1]> : tensor<2xi8>
  %1 = tandem.compare %i, %j predicate = lt : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
  // CHECK: %[[LT:.*]] = tandem.constant dense<[true, false]>
  // CHECK: return %[[LT]], %[[LT]]
  return %0, %1 : tensor<2xi1>, tensor<2xi1>
}

// -----

// CHECK-LABEL: func @int_unary
func.func @int_unary() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>) {
  %x = tandem.constant dense<[-128, 0, 5]> : tensor<3xi8>
  // CHECK-DAG: %[[NEG:.*]] = tandem.constant dense<[-128, 0, -5]>
  %0 = tandem.neg %x : tensor<3xi8>
  // CHECK-DAG: %[[ABS:.*]] = tandem.constant dense<[-128, 0, 5]>
  %1 = tandem.abs %x : tensor<3xi8>
  // CHECK-DAG: %[[SIGN:.*]] = tandem.constant dense<[-1, 0, 1]>
  %2 = tandem.sign %x : tensor<3xi8>
  // CHECK-DAG: %[[RELU:.*]] = tandem.constant dense<[0, 0, 5]>
  %3 = tandem.relu %x : tensor<3xi8>
  // CHECK: return %[[NEG]], %[[ABS]], %[[SIGN]], %[[RELU]]
  return %0, %1, %2, %3 : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>
}

// -----

// x / 0 is -1, the least value / -1 is itself; truncation is towards zero.
// CHECK-LABEL: func @int_div
func.func @int_div() -> tensor<6xi32> {
  %x = tandem.constant dense<[7, -7, 7, 0, -2147483648, -2147483648]> : tensor<6xi32>
  %y = tandem.constant dense<[2, 2, 0, 0, -1, 0]> : tensor<6xi32>
  // CHECK: dense<[3, -3, -1, -1, -2147483648, -1]>
  %0 = tandem.div %x, %y : tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

// CHECK-LABEL: func @int_pow
func.func @int_pow() -> (tensor<8xi32>, tensor<2xi8>) {
  %x = tandem.constant dense<[3, -2, 0, 2, 1, -1, -1, 0]> : tensor<8xi32>
  %y = tandem.constant dense<[4, 31, 0, -1, -5, -3, -2, -1]> : tensor<8xi32>
  // CHECK-DAG: dense<[81, -2147483648, 1, 0, 1, -1, 1, 0]>
  %0 = tandem.pow %x, %y : tensor<8xi32>
  // 3**5 = 243, which is -13 in 8 bits; 3**127 is 3**-1 modulo 256.
  // CHECK-DAG: dense<[-13, -85]>
  %a = tandem.constant dense<[3, 3]> : tensor<2xi8>
  %b = tandem.constant dense<[5, 127]> : tensor<2xi8>
  %1 = tandem.pow %a, %b : tensor<2xi8>
  return %0, %1 : tensor<8xi32>, tensor<2xi8>
}

// -----

// CHECK-LABEL: func @cast_saturates
func.func @cast_saturates() -> (tensor<6xi8>, tensor<6xi32>, tensor<6xi64>, tensor<6xi1>) {
  // 127.9, -128.9, NaN, inf, -inf, -0.5
  %x = tandem.constant dense<[127.9, -128.9, 0x7FC00000, 0x7F800000, 0xFF800000, -0.5]> : tensor<6xf32>
  // CHECK-DAG: %[[I8:.*]] = tandem.constant dense<[127, -128, 0, 127, -128, 0]>
  %0 = tandem.cast %x : (tensor<6xf32>) -> tensor<6xi8>
  // CHECK-DAG: %[[I32:.*]] = tandem.constant dense<[127, -128, 0, 2147483647, -2147483648, 0]>
  %1 = tandem.cast %x : (tensor<6xf32>) -> tensor<6xi32>
  // CHECK-DAG: %[[I64:.*]] = tandem.constant dense<[127, -128, 0, 9223372036854775807, -9223372036854775808, 0]>
  %2 = tandem.cast %x : (tensor<6xf32>) -> tensor<6xi64>
  // CHECK-DAG: %[[I1:.*]] = tandem.constant dense<true>
  %3 = tandem.cast %x : (tensor<6xf32>) -> tensor<6xi1>
  // CHECK: return %[[I8]], %[[I32]], %[[I64]], %[[I1]]
  return %0, %1, %2, %3 : tensor<6xi8>, tensor<6xi32>, tensor<6xi64>, tensor<6xi1>
}

// -----

// CHECK-LABEL: func @cast_others
func.func @cast_others() -> (tensor<2xi8>, tensor<2xf32>, tensor<2xi32>, tensor<2xbf16>, tensor<2xf16>) {
  // CHECK-DAG: dense<[44, -1]> : tensor<2xi8>
  %i = tandem.constant dense<[300, -1]> : tensor<2xi32>
  %0 = tandem.cast %i : (tensor<2xi32>) -> tensor<2xi8>
  // CHECK-DAG: dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf32>
  %p = tandem.constant dense<[true, false]> : tensor<2xi1>
  %1 = tandem.cast %p : (tensor<2xi1>) -> tensor<2xf32>
  // CHECK-DAG: dense<[1, 0]> : tensor<2xi32>
  %2 = tandem.cast %p : (tensor<2xi1>) -> tensor<2xi32>
  // CHECK-DAG: dense<[1.000000e+00, 1.015630e+00]> : tensor<2xbf16>
  %x = tandem.constant dense<[1.00390625, 1.01171875]> : tensor<2xf32>
  %3 = tandem.cast %x : (tensor<2xf32>) -> tensor<2xbf16>
  // CHECK-DAG: dense<[1.003910e+00, 1.015630e+00]> : tensor<2xf16>
  %h = tandem.constant dense<[1.00390625, 1.015625]> : tensor<2xf32>
  %4 = tandem.cast %h : (tensor<2xf32>) -> tensor<2xf16>
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xf32>, tensor<2xi32>, tensor<2xbf16>, tensor<2xf16>
}

// -----

// Operands broadcast; splats stay splats, of any size.
// CHECK-LABEL: func @broadcasting
func.func @broadcasting() -> (tensor<2x3xf32>, tensor<1000x1000xf32>) {
  %a = tandem.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %b = tandem.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  // CHECK-DAG{LITERAL}: dense<[[1.100000e+01, 2.100000e+01, 3.100000e+01], [1.200000e+01, 2.200000e+01, 3.200000e+01]]>
  %0 = tandem.add %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %c = tandem.constant dense<2.0> : tensor<1000x1000xf32>
  %d = tandem.constant dense<3.0> : tensor<f32>
  // CHECK-DAG: dense<6.000000e+00> : tensor<1000x1000xf32>
  %1 = tandem.mul %c, %d : (tensor<1000x1000xf32>, tensor<f32>) -> tensor<1000x1000xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<1000x1000xf32>
}

// -----

// Half floats are computed in f32, and rounded once.
// CHECK-LABEL: func @halfs
func.func @halfs() -> (tensor<f16>, tensor<2xbf16>) {
  %x = tandem.constant dense<1.0> : tensor<f16>
  // CHECK-DAG: dense<2.718750e+00> : tensor<f16>
  %0 = tandem.exp %x : tensor<f16>
  // CHECK-DAG: dense<[2.000000e+00, 0x7F80]> : tensor<2xbf16>
  %y = tandem.constant dense<[1.0, 0x7F80]> : tensor<2xbf16>
  %1 = tandem.add %y, %y : tensor<2xbf16>
  return %0, %1 : tensor<f16>, tensor<2xbf16>
}

// -----

// CHECK-LABEL: func @index_ops
func.func @index_ops() -> (tensor<3x2xi32>, tensor<2x2xi32>, tensor<6xi32>, tensor<2x2x3xi32>) {
  %x = tandem.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // CHECK-DAG{LITERAL}: dense<[[1, 4], [2, 5], [3, 6]]>
  %0 = tandem.transpose %x permutation = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  // CHECK-DAG{LITERAL}: dense<[[1, 3], [4, 6]]>
  %1 = tandem.slice %x starts = [0, 0] limits = [2, 3] strides = [1, 2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  // CHECK-DAG: dense<[1, 2, 3, 4, 5, 6]>
  %2 = tandem.reshape %x shape = [6] : (tensor<2x3xi32>) -> tensor<6xi32>
  // CHECK-DAG{LITERAL}: dense<[[[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4, 5, 6]]]>
  %3 = tandem.broadcast %x shape = [2, 2, 3] dims = [1, 2] : (tensor<2x3xi32>) -> tensor<2x2x3xi32>
  return %0, %1, %2, %3 : tensor<3x2xi32>, tensor<2x2xi32>, tensor<6xi32>, tensor<2x2x3xi32>
}

// -----

// A constant that would grow much is left alone.
// CHECK-LABEL: func @large
func.func @large() -> tensor<100x2xf32> {
  %x = tandem.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: tandem.broadcast
  %0 = tandem.broadcast %x shape = [100, 2] dims = [1] : (tensor<2xf32>) -> tensor<100x2xf32>
  return %0 : tensor<100x2xf32>
}

// -----

// CHECK-LABEL: func @empty
func.func @empty() -> tensor<0xf32> {
  %x = tandem.constant dense<> : tensor<0xf32>
  // CHECK: tandem.exp
  %0 = tandem.exp %x : tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// Without a sign, -1 is the largest value.
// CHECK-LABEL: func @unsigned
func.func @unsigned() -> (tensor<2xui8>, tensor<2xui8>, tensor<2xi1>, tensor<2xf32>, tensor<2xi16>, tensor<2xui8>) {
  %x = tandem.constant dense<[200, 7]> : tensor<2xui8>
  %y = tandem.constant dense<[3, 0]> : tensor<2xui8>
  // CHECK-DAG: %[[DIV:.*]] = tandem.constant dense<[66, 255]> : tensor<2xui8>
  %div = tandem.div %x, %y : tensor<2xui8>
  // CHECK-DAG: %[[MAX:.*]] = tandem.constant dense<[200, 7]> : tensor<2xui8>
  %max = tandem.max %x, %y : tensor<2xui8>
  // CHECK-DAG: %[[GREATER:.*]] = tandem.constant dense<true> : tensor<2xi1>
  %greater = tandem.compare %x, %y predicate = gt : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  // CHECK-DAG: %[[REAL:.*]] = tandem.constant dense<[2.000000e+02, 7.000000e+00]> : tensor<2xf32>
  %real = tandem.cast %x : (tensor<2xui8>) -> tensor<2xf32>
  // CHECK-DAG: %[[WIDE:.*]] = tandem.constant dense<[200, 7]> : tensor<2xi16>
  %wide = tandem.cast %x : (tensor<2xui8>) -> tensor<2xi16>
  // CHECK-DAG: %[[RIGHT:.*]] = tandem.constant dense<[25, 7]> : tensor<2xui8>
  %right = tandem.shift_right %x, %y : tensor<2xui8>
  // CHECK: return %[[DIV]], %[[MAX]], %[[GREATER]], %[[REAL]], %[[WIDE]], %[[RIGHT]]
  return %div, %max, %greater, %real, %wide, %right : tensor<2xui8>, tensor<2xui8>, tensor<2xi1>, tensor<2xf32>, tensor<2xi16>, tensor<2xui8>
}

// -----

// Indices out of range are clamped.
// CHECK-LABEL: func @gather
func.func @gather() -> (tensor<2x2x2xi32>, tensor<3xf32>, tensor<2xf32>) {
  %x = tandem.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = tandem.constant dense<[[2, 0], [-1, 7]]> : tensor<2x2xi64>
  // CHECK-DAG: %[[COLUMNS:.*]] = tandem.constant dense<{{\[\[}}[3, 1], [1, 3]], {{\[\[}}6, 4], [4, 6]]]> : tensor<2x2x2xi32>
  %columns = tandem.gather %x, %i axis = 1 : (tensor<2x3xi32>, tensor<2x2xi64>) -> tensor<2x2x2xi32>
  // CHECK-DAG: %[[SPLAT:.*]] = tandem.constant dense<5.000000e-01> : tensor<3xf32>
  %s = tandem.constant dense<0.5> : tensor<9xf32>
  %j = tandem.constant dense<4> : tensor<3xi32>
  %splat = tandem.gather %s, %j axis = 0 : (tensor<9xf32>, tensor<3xi32>) -> tensor<3xf32>
  // CHECK-DAG: %[[REVERSED:.*]] = tandem.constant dense<[8.000000e+00, 7.000000e+00]> : tensor<2xf32>
  %y = tandem.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %k = tandem.constant dense<[1, 0]> : tensor<2xi64>
  %reversed = tandem.gather %y, %k axis = 0 : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  // CHECK: return %[[COLUMNS]], %[[SPLAT]], %[[REVERSED]]
  return %columns, %splat, %reversed : tensor<2x2x2xi32>, tensor<3xf32>, tensor<2xf32>
}
