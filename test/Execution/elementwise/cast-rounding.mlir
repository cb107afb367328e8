// A cast rounds once, even from integers that have more digits than f32 or f64
// (cast S1). It also rounds if a cast back follows (cast S2). Indices that a
// 16-bit float cannot represent are rounded as by a cast (iota S1).

// The i32 are a little more than the middle between neighbors of bf16, the i64
// 2^62 + 2^54 + 1 = 2^54 * 257 + 1 and its negation.

// DEFINE: %{run} = tandem-run %s --print --digits=9 \
// DEFINE:   '--arg=[1077936129,16842753,-16842753,16842752,2147483647,3]' \
// DEFINE:   '--arg=[257,-257]' '--arg=[1.001,70000,1e-8]' \
// DEFINE:   '--arg=[1.0004882812509,-1.0004882812509,1.00048828125,65519.9999999,65520,2.980232238769532e-8,2.98023223876953125e-8,nan]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<6xi32>, %y: tensor<2xi64>, %z: tensor<3xf32>, %d: tensor<8xf64>) -> (tensor<6xbf16>, tensor<6xf16>, tensor<2xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<2xbf16>, tensor<2x20xi1>, tensor<6xf16>, tensor<8xf16>) {
  %0 = tandem.cast %x : (tensor<6xi32>) -> tensor<6xbf16>
  %1 = tandem.cast %x : (tensor<6xi32>) -> tensor<6xf16>
  %power = tandem.constant dense<18014398509481984> : tensor<i64>
  %product = tandem.mul %y, %power : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  %sign = tandem.sign %y : tensor<2xi64>
  %beyond = tandem.add %product, %sign : tensor<2xi64>
  %2 = tandem.cast %beyond : (tensor<2xi64>) -> tensor<2xbf16>
  %b = tandem.cast %z : (tensor<3xf32>) -> tensor<3xbf16>
  %3 = tandem.cast %b : (tensor<3xbf16>) -> tensor<3xf32>
  %h = tandem.cast %z : (tensor<3xf32>) -> tensor<3xf16>
  %4 = tandem.cast %h : (tensor<3xf16>) -> tensor<3xf32>
  // Folded.
  %known = tandem.constant dense<[1077936129, 16842753]> : tensor<2xi32>
  %5 = tandem.cast %known : (tensor<2xi32>) -> tensor<2xbf16>
  // Both 256 and 257 are 256.
  %i = tandem.iota axis = 0 : tensor<270xbf16>
  %part = tandem.slice %i starts = [250] limits = [270] strides = [1] : (tensor<270xbf16>) -> tensor<20xbf16>
  %k = tandem.constant dense<[[257.0], [260.0]]> : tensor<2x1xbf16>
  %6 = tandem.compare %part, %k predicate = eq : (tensor<20xbf16>, tensor<2x1xbf16>) -> tensor<2x20xi1>
  %j = tandem.iota axis = 0 : tensor<65536xf16>
  %7 = tandem.slice %j starts = [2049] limits = [65535] strides = [12697] : (tensor<65536xf16>) -> tensor<6xf16>
  // Beyond the middle of two neighbors by less than f32 tells; the middle, where
  // the even one is taken; the smallest subnormal number, and half of it.
  %8 = tandem.cast %d : (tensor<8xf64>) -> tensor<8xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<6xbf16>, tensor<6xf16>, tensor<2xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<2xbf16>, tensor<2x20xi1>, tensor<6xf16>, tensor<8xf16>
}

// CHECK: output 0: tensor<6xbf16>
// CHECK-NEXT: [1.08213043e+09, 16908288, -16908288, 16777216, 2.14748365e+09, 3]
// CHECK-NEXT: output 1: tensor<6xf16>
// CHECK-NEXT: [inf, inf, -inf, inf, inf, 3]
// CHECK-NEXT: output 2: tensor<2xbf16>
// CHECK-NEXT: [4.64771482e+18, -4.64771482e+18]
// CHECK-NEXT: output 3: tensor<3xf32>
// CHECK-NEXT: [1, 70144, 1.00117177e-08]
// CHECK-NEXT: output 4: tensor<3xf32>
// CHECK-NEXT: [1.00097656, inf, 0]
// CHECK-NEXT: output 5: tensor<2xbf16>
// CHECK-NEXT: [1.08213043e+09, 16908288]
// CHECK-NEXT: output 6: tensor<2x20xi1>
// CHECK-NEXT{LITERAL}: [[0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
// CHECK-NEXT: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]]
// CHECK-NEXT: output 7: tensor<6xf16>
// CHECK-NEXT: [2048, 14744, 27440, 40128, 52832, inf]
// CHECK-NEXT: output 8: tensor<8xf16>
// CHECK-NEXT: [1.00097656, -1.00097656, 1, 65504, inf, 5.96046448e-08, 0, nan]
