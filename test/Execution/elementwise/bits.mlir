// Operations on the bits of integers. Shift counts are unsigned, and counts of
// at least the number of bits leave 0 or the sign. A bitcast preserves every
// bit.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[0,1,85,128,255,240]' '--arg=[1,7,8,2,255,4]' \
// DEFINE:   '--arg=[0,-1,-32768,32767,256,-2]' '--arg=[1,15,3,-1,16,0]' \
// DEFINE:   '--arg=[0,-0.0,1,-2.5,3e38,1e-40]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled --no-fallback | FileCheck %s --match-full-lines

func.func @main(%a: tensor<6xui8>, %c: tensor<6xui8>, %n: tensor<6xi16>, %d: tensor<6xi16>, %x: tensor<6xf32>)
    -> (tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xi16>, tensor<6xi16>, tensor<6xi8>, tensor<6xui16>, tensor<6xui32>) {
  %not = tandem.bitwise_not %a : tensor<6xui8>
  %and = tandem.bitwise_and %a, %c : tensor<6xui8>
  %or = tandem.bitwise_or %a, %c : tensor<6xui8>
  %xor = tandem.bitwise_xor %a, %c : tensor<6xui8>
  %left = tandem.shift_left %a, %c : tensor<6xui8>
  %right = tandem.shift_right %a, %c : tensor<6xui8>
  %signedLeft = tandem.shift_left %n, %d : tensor<6xi16>
  %signedRight = tandem.shift_right %n, %d : tensor<6xi16>
  %signed = tandem.bitcast %a : (tensor<6xui8>) -> tensor<6xi8>
  %unsigned = tandem.bitcast %n : (tensor<6xi16>) -> tensor<6xui16>
  %bits = tandem.bitcast %x : (tensor<6xf32>) -> tensor<6xui32>
  return %not, %and, %or, %xor, %left, %right, %signedLeft, %signedRight, %signed, %unsigned, %bits : tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xi16>, tensor<6xi16>, tensor<6xi8>, tensor<6xui16>, tensor<6xui32>
}

// CHECK: output 0: tensor<6xui8>
// CHECK-NEXT: [255, 254, 170, 127, 0, 15]
// CHECK-NEXT: output 1: tensor<6xui8>
// CHECK-NEXT: [0, 1, 0, 0, 255, 0]
// CHECK-NEXT: output 2: tensor<6xui8>
// CHECK-NEXT: [1, 7, 93, 130, 255, 244]
// CHECK-NEXT: output 3: tensor<6xui8>
// CHECK-NEXT: [1, 6, 93, 130, 0, 244]
// CHECK-NEXT: output 4: tensor<6xui8>
// CHECK-NEXT: [0, 128, 0, 0, 0, 0]
// CHECK-NEXT: output 5: tensor<6xui8>
// CHECK-NEXT: [0, 0, 0, 32, 0, 15]
// CHECK-NEXT: output 6: tensor<6xi16>
// CHECK-NEXT: [0, -32768, 0, 0, 0, -2]
// CHECK-NEXT: output 7: tensor<6xi16>
// CHECK-NEXT: [0, -1, -4096, 0, 0, -2]
// CHECK-NEXT: output 8: tensor<6xi8>
// CHECK-NEXT: [0, 1, 85, -128, -1, -16]
// CHECK-NEXT: output 9: tensor<6xui16>
// CHECK-NEXT: [0, 65535, 32768, 32767, 256, 65534]
// CHECK-NEXT: output 10: tensor<6xui32>
// CHECK-NEXT: [0, 2147483648, 1065353216, 3223322624, 2137108966, 71362]
