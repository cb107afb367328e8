// Scans in both directions, fused producers and consumers around them, and integers that wrap.

// DEFINE: %{run} = tandem-run %s --print --no-fallback \
// DEFINE:   '--arg=[5,1,-2,7,nan,1]' '--arg=[100,100,3,-128]' '--arg=[1,2,3,4,5,6]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<6xf32>, %i: tensor<4xi8>, %y: tensor<2x3xf16>)
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4xi8>, tensor<4xi8>, tensor<2x3xf16>, tensor<2x3xf16>, tensor<0x3xf16>) {
  %double = tandem.add %x, %x : tensor<6xf32>
  %sums = tandem.scan %double kind = sum axis = 0 : tensor<6xf32>
  %0 = tandem.neg %sums : tensor<6xf32>
  %1 = tandem.scan %x kind = prod axis = 0 exclusive : tensor<6xf32>
  %2 = tandem.scan %x kind = max axis = 0 reverse : tensor<6xf32>
  %3 = tandem.scan %x kind = min axis = 0 exclusive reverse : tensor<6xf32>
  %4 = tandem.scan %i kind = sum axis = 0 : tensor<4xi8>
  %5 = tandem.scan %i kind = max axis = 0 exclusive : tensor<4xi8>
  %6 = tandem.scan %y kind = sum axis = 1 : tensor<2x3xf16>
  %7 = tandem.scan %y kind = prod axis = 0 reverse : tensor<2x3xf16>
  %none = tandem.slice %y starts = [0, 0] limits = [0, 3] strides = [1, 1] : (tensor<2x3xf16>) -> tensor<0x3xf16>
  %8 = tandem.scan %none kind = log_sum_exp axis = 0 : tensor<0x3xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4xi8>, tensor<4xi8>, tensor<2x3xf16>, tensor<2x3xf16>, tensor<0x3xf16>
}

// CHECK: output 0: tensor<6xf32>
// CHECK-NEXT: [-10, -12, -8, -22, {{-?}}nan, {{-?}}nan]
// CHECK-NEXT: output 1: tensor<6xf32>
// CHECK-NEXT: [1, 5, 5, -10, -70, {{-?}}nan]
// CHECK-NEXT: output 2: tensor<6xf32>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, {{-?}}nan, {{-?}}nan, 1]
// CHECK-NEXT: output 3: tensor<6xf32>
// CHECK-NEXT: [{{-?}}nan, {{-?}}nan, {{-?}}nan, {{-?}}nan, 1, inf]
// CHECK-NEXT: output 4: tensor<4xi8>
// CHECK-NEXT: [100, -56, -53, 75]
// CHECK-NEXT: output 5: tensor<4xi8>
// CHECK-NEXT: [-128, 100, 100, 100]
// CHECK-NEXT: output 6: tensor<2x3xf16>
// CHECK-NEXT{LITERAL}: [[1, 3, 6],
// CHECK-NEXT: [4, 9, 15]]
// CHECK-NEXT: output 7: tensor<2x3xf16>
// CHECK-NEXT{LITERAL}: [[4, 10, 18],
// CHECK-NEXT: [4, 5, 6]]
// CHECK-NEXT: output 8: tensor<0x3xf16>
