// Element types, and constants that are exact.

// RUN: split-file %s %t
// RUN: tandem-translate --tandem-to-cuda %t/half.mlir | FileCheck %t/half.mlir
// RUN: tandem-translate --tandem-to-cuda %t/f32.mlir \
// RUN:   | FileCheck %t/f32.mlir --implicit-check-not='#ifdef'
// RUN: tandem-translate --tandem-to-cuda %t/constants.mlir \
// RUN:   | FileCheck %t/constants.mlir
// RUN: tandem-translate --tandem-to-cuda %t/integers.mlir \
// RUN:   | FileCheck %t/integers.mlir

//--- half.mlir
// Held in 16 bits, computed in f32; the types need no header.

// CHECK-NOT: #include
// CHECK: struct f16 { unsigned short bits; };
// CHECK: (const f16* __restrict__ in0
// CHECK: const bf16* __restrict__ in1
// CHECK: f16* __restrict__ out0
// CHECK: bf16* __restrict__ out1
// CHECK-DAG: widen(
// CHECK-DAG: narrow<f16>(
// CHECK-DAG: narrow<bf16>(
func.func @main(%x: tensor<7xf16>, %y: tensor<7xbf16>)
    -> (tensor<7xf16>, tensor<7xbf16>) {
  %0 = tandem.exp %x : tensor<7xf16>
  %1 = tandem.mul %0, %x : tensor<7xf16>
  %2 = tandem.exp %y : tensor<7xbf16>
  %3 = tandem.mul %2, %y : tensor<7xbf16>
  %4 = tandem.cast %1 : (tensor<7xf16>) -> tensor<7xbf16>
  %5 = tandem.add %3, %4 : tensor<7xbf16>
  return %1, %5 : tensor<7xf16>, tensor<7xbf16>
}

//--- f32.mlir
// CHECK: double* __restrict__ out1
// CHECK-DAG: expm1f(
// CHECK-DAG: expm1(
func.func @main(%x: tensor<7xf32>, %y: tensor<7xf64>)
    -> (tensor<7xf32>, tensor<7xf64>) {
  %0 = tandem.expm1 %x : tensor<7xf32>
  %1 = tandem.neg %0 : tensor<7xf32>
  %2 = tandem.expm1 %y : tensor<7xf64>
  %3 = tandem.cast %1 : (tensor<7xf32>) -> tensor<7xf64>
  %4 = tandem.add %2, %3 : tensor<7xf64>
  return %1, %4 : tensor<7xf32>, tensor<7xf64>
}

//--- constants.mlir
// As few digits as read back as the same number; other bits as bits.

// CHECK-DAG: 0.1f
// CHECK-DAG: 16777216.0f
// CHECK-DAG: 1e-45f
// CHECK-DAG: 0.33333334f
// CHECK-DAG: __int_as_float(0x7f800000)
// CHECK-DAG: __int_as_float(0x7fc00000)
// CHECK-DAG: (-2.5f)
func.func @main(%x: tensor<7xf32>) -> tensor<7xf32> {
  %a = tandem.constant dense<0.1> : tensor<f32>
  %b = tandem.constant dense<16777216.0> : tensor<f32>
  %c = tandem.constant dense<1.4e-45> : tensor<f32>
  %d = tandem.constant dense<0.3333333433> : tensor<f32>
  %e = tandem.constant dense<0x7F800000> : tensor<f32>
  %f = tandem.constant dense<0x7FC00000> : tensor<f32>
  %g = tandem.constant dense<-2.5> : tensor<f32>
  %0 = tandem.mul %x, %a : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
  %1 = tandem.add %0, %b : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
  %2 = tandem.max %1, %c : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
  %3 = tandem.mul %2, %d : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
  %4 = tandem.sub %3, %e : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
  %5 = tandem.max %4, %f : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
  %6 = tandem.pow %5, %g : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
  return %6 : tensor<7xf32>
}

//--- integers.mlir
// Signed arithmetic wraps, so it is done on unsigned integers.

// CHECK: bool* __restrict__ out0
// CHECK: long long* __restrict__ out1
// CHECK: (int) ((unsigned) {{.*}} +
// CHECK: < {{.*}}
func.func @main(%x: tensor<7xi32>, %y: tensor<7xi64>)
    -> (tensor<7xi1>, tensor<7xi64>) {
  %0 = tandem.add %x, %x : tensor<7xi32>
  %1 = tandem.cast %0 : (tensor<7xi32>) -> tensor<7xi64>
  %2 = tandem.compare %1, %y predicate = lt
      : (tensor<7xi64>, tensor<7xi64>) -> tensor<7xi1>
  %3 = tandem.max %1, %y : tensor<7xi64>
  return %2, %3 : tensor<7xi1>, tensor<7xi64>
}
