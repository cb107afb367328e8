// Casts from and to unsigned integers: floats saturate at 0 and the largest
// value, integers wrap around, and a value keeps its size on the way to a wider
// type or to a float, which rounds once.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[-1.5,-0.5,0.5,1.5,255.9,256,65535.5,3000000000.0,4294967296,10000000000.0,1.9e+19,nan]' \
// DEFINE:   '--arg=[-1,-128,0,127,128,255,256,65535,65536,2147483647,-2147483648,40000]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled --no-fallback | FileCheck %s --match-full-lines
// RUN: env TANDEM_CPU=x86-64-v3 %{run} --tier=compiled --no-fallback | FileCheck %s --match-full-lines

func.func @main(%x: tensor<12xf32>, %n: tensor<12xi32>)
    -> (tensor<12xui8>, tensor<12xui16>, tensor<12xui32>, tensor<12xui64>, tensor<12xi16>, tensor<12xui8>, tensor<12xui64>, tensor<12xi16>, tensor<12xi64>, tensor<12xf32>, tensor<12xbf16>, tensor<12xi1>) {
  %f0 = tandem.cast %x : (tensor<12xf32>) -> tensor<12xui8>
  %f1 = tandem.cast %x : (tensor<12xf32>) -> tensor<12xui16>
  %f2 = tandem.cast %x : (tensor<12xf32>) -> tensor<12xui32>
  %f3 = tandem.cast %x : (tensor<12xf32>) -> tensor<12xui64>
  %f4 = tandem.cast %x : (tensor<12xf32>) -> tensor<12xi16>
  %i0 = tandem.cast %n : (tensor<12xi32>) -> tensor<12xui8>
  %i1 = tandem.cast %n : (tensor<12xi32>) -> tensor<12xui64>
  %i2 = tandem.cast %n : (tensor<12xi32>) -> tensor<12xi16>
  %wide = tandem.cast %i0 : (tensor<12xui8>) -> tensor<12xi64>
  %u = tandem.cast %n : (tensor<12xi32>) -> tensor<12xui32>
  %real = tandem.cast %u : (tensor<12xui32>) -> tensor<12xf32>
  %half = tandem.cast %u : (tensor<12xui32>) -> tensor<12xbf16>
  %truth = tandem.cast %u : (tensor<12xui32>) -> tensor<12xi1>
  return %f0, %f1, %f2, %f3, %f4, %i0, %i1, %i2, %wide, %real, %half, %truth : tensor<12xui8>, tensor<12xui16>, tensor<12xui32>, tensor<12xui64>, tensor<12xi16>, tensor<12xui8>, tensor<12xui64>, tensor<12xi16>, tensor<12xi64>, tensor<12xf32>, tensor<12xbf16>, tensor<12xi1>
}

// CHECK: output 0: tensor<12xui8>
// CHECK-NEXT: [0, 0, 0, 1, 255, 255, 255, 255, 255, 255, 255, 0]
// CHECK-NEXT: output 1: tensor<12xui16>
// CHECK-NEXT: [0, 0, 0, 1, 255, 256, 65535, 65535, 65535, 65535, 65535, 0]
// CHECK-NEXT: output 2: tensor<12xui32>
// CHECK-NEXT: [0, 0, 0, 1, 255, 256, 65535, 3000000000, 4294967295, 4294967295, 4294967295, 0]
// CHECK-NEXT: output 3: tensor<12xui64>
// CHECK-NEXT: [0, 0, 0, 1, 255, 256, 65535, 3000000000, 4294967296, 10000000000, 18446744073709551615, 0]
// CHECK-NEXT: output 4: tensor<12xi16>
// CHECK-NEXT: [-1, 0, 0, 1, 255, 256, 32767, 32767, 32767, 32767, 32767, 0]
// CHECK-NEXT: output 5: tensor<12xui8>
// CHECK-NEXT: [255, 128, 0, 127, 128, 255, 0, 255, 0, 255, 0, 64]
// CHECK-NEXT: output 6: tensor<12xui64>
// CHECK-NEXT: [18446744073709551615, 18446744073709551488, 0, 127, 128, 255, 256, 65535, 65536, 2147483647, 18446744071562067968, 40000]
// CHECK-NEXT: output 7: tensor<12xi16>
// CHECK-NEXT: [-1, -128, 0, 127, 128, 255, 256, -1, 0, -1, 0, -25536]
// CHECK-NEXT: output 8: tensor<12xi64>
// CHECK-NEXT: [255, 128, 0, 127, 128, 255, 0, 255, 0, 255, 0, 64]
// CHECK-NEXT: output 9: tensor<12xf32>
// CHECK-NEXT: [4.295e+09, 4.295e+09, 0, 127, 128, 255, 256, 65535, 65536, 2.1475e+09, 2.1475e+09, 40000]
// CHECK-NEXT: output 10: tensor<12xbf16>
// CHECK-NEXT: [4.295e+09, 4.295e+09, 0, 127, 128, 255, 256, 65536, 65536, 2.1475e+09, 2.1475e+09, 39936]
// CHECK-NEXT: output 11: tensor<12xi1>
// CHECK-NEXT: [1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]
