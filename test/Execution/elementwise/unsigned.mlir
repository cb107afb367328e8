// Unsigned integers. Arithmetic wraps around, comparisons and quotients are
// unsigned, and a quotient by 0 is the largest value.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[0,1,2,100,127,128,200,254,255]' \
// DEFINE:   '--arg=[0,2,255,3,128,127,9,254,1]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled --no-fallback | FileCheck %s --match-full-lines

func.func @main(%a: tensor<9xui8>, %b: tensor<9xui8>)
    -> (tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xi1>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>) {
  %low = tandem.constant dense<100> : tensor<ui8>
  %high = tandem.constant dense<200> : tensor<ui8>
  %sum = tandem.add %a, %b : tensor<9xui8>
  %difference = tandem.sub %a, %b : tensor<9xui8>
  %product = tandem.mul %a, %b : tensor<9xui8>
  %quotient = tandem.div %a, %b : tensor<9xui8>
  %largest = tandem.max %a, %b : tensor<9xui8>
  %least = tandem.min %a, %b : tensor<9xui8>
  %power = tandem.pow %a, %b : tensor<9xui8>
  %less = tandem.compare %a, %b predicate = lt : (tensor<9xui8>, tensor<9xui8>) -> tensor<9xi1>
  %negated = tandem.neg %a : tensor<9xui8>
  %magnitude = tandem.abs %a : tensor<9xui8>
  %sign = tandem.sign %a : tensor<9xui8>
  %positive = tandem.relu %a : tensor<9xui8>
  %clamped = tandem.clamp %a, %low, %high : (tensor<9xui8>, tensor<ui8>, tensor<ui8>) -> tensor<9xui8>
  return %sum, %difference, %product, %quotient, %largest, %least, %power, %less, %negated, %magnitude, %sign, %positive, %clamped : tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xi1>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>, tensor<9xui8>
}

// CHECK: output 0: tensor<9xui8>
// CHECK-NEXT: [0, 3, 1, 103, 255, 255, 209, 252, 0]
// CHECK-NEXT: output 1: tensor<9xui8>
// CHECK-NEXT: [0, 255, 3, 97, 255, 1, 191, 0, 254]
// CHECK-NEXT: output 2: tensor<9xui8>
// CHECK-NEXT: [0, 2, 254, 44, 128, 128, 8, 4, 255]
// CHECK-NEXT: output 3: tensor<9xui8>
// CHECK-NEXT: [255, 0, 0, 33, 0, 1, 22, 1, 255]
// CHECK-NEXT: output 4: tensor<9xui8>
// CHECK-NEXT: [0, 2, 255, 100, 128, 128, 200, 254, 255]
// CHECK-NEXT: output 5: tensor<9xui8>
// CHECK-NEXT: [0, 1, 2, 3, 127, 127, 9, 254, 1]
// CHECK-NEXT: output 6: tensor<9xui8>
// CHECK-NEXT: [1, 1, 0, 64, 1, 0, 0, 0, 255]
// CHECK-NEXT: output 7: tensor<9xi1>
// CHECK-NEXT: [0, 1, 1, 0, 1, 0, 0, 0, 0]
// CHECK-NEXT: output 8: tensor<9xui8>
// CHECK-NEXT: [0, 255, 254, 156, 129, 128, 56, 2, 1]
// CHECK-NEXT: output 9: tensor<9xui8>
// CHECK-NEXT: [0, 1, 2, 100, 127, 128, 200, 254, 255]
// CHECK-NEXT: output 10: tensor<9xui8>
// CHECK-NEXT: [0, 1, 1, 1, 1, 1, 1, 1, 1]
// CHECK-NEXT: output 11: tensor<9xui8>
// CHECK-NEXT: [0, 1, 2, 100, 127, 128, 200, 254, 255]
// CHECK-NEXT: output 12: tensor<9xui8>
// CHECK-NEXT: [100, 100, 100, 100, 127, 128, 200, 200, 200]
