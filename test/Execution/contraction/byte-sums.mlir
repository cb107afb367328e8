// Products of bytes are summed in f32 and in i32. All tiers compute the same
// bits. The sums in main reach 2^24 - 1786, and the sums in beyond are not
// exact in f32.

// DEFINE: %{f32} = --target-option=contractions=generated --target-option=byte-sums=f32
// DEFINE: %{i32} = --target-option=contractions=generated --target-option=byte-sums=i32
// RUN: tandem-run %s --check %{f32}
// RUN: tandem-run %s --check %{i32}
// RUN: tandem-run %s --check %{f32} --threads=3 --func=convs
// RUN: tandem-run %s --check %{i32} --func=convs
// RUN: tandem-run %s --check %{f32} --func=products
// RUN: env TANDEM_CPU=x86-64-v2 tandem-run %s --check %{f32} --func=products
// RUN: tandem-run %s --check %{f32} --func=beyond
// RUN: tandem-opt %s --until=fuse --device=cpu %{f32} | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: tandem.sums_in_f32
// CHECK-LABEL: func.func @beyond
// CHECK-NOT: tandem.sums_in_f32
// CHECK-LABEL: func.func @products
// CHECK-COUNT-2: tandem.sums_in_f32
// CHECK-LABEL: func.func @convs
// CHECK-COUNT-3: tandem.sums_in_f32

func.func @main(%x: tensor<5x518xui8>, %y: tensor<5x514xi8>) -> (tensor<5x20xi32>, tensor<5x9xi32>) {
  %w = tandem.constant dense<127> : tensor<518x20xi8>
  %v = tandem.constant dense<-128> : tensor<514x9xi8>
  %255 = tandem.constant dense<255> : tensor<ui8>
  %0 = tandem.bitwise_or %x, %255 : (tensor<5x518xui8>, tensor<ui8>) -> tensor<5x518xui8>
  %1 = tandem.matmul %0, %w widen : (tensor<5x518xui8>, tensor<518x20xi8>) -> tensor<5x20xi32>
  %2 = tandem.matmul %y, %v widen : (tensor<5x514xi8>, tensor<514x9xi8>) -> tensor<5x9xi32>
  return %1, %2 : tensor<5x20xi32>, tensor<5x9xi32>
}

func.func @beyond(%x: tensor<5x1999xui8>) -> tensor<5x20xi32> {
  %w = tandem.constant dense<127> : tensor<1999x20xi8>
  %255 = tandem.constant dense<255> : tensor<ui8>
  %0 = tandem.bitwise_or %x, %255 : (tensor<5x1999xui8>, tensor<ui8>) -> tensor<5x1999xui8>
  %1 = tandem.matmul %0, %w widen : (tensor<5x1999xui8>, tensor<1999x20xi8>) -> tensor<5x20xi32>
  return %1 : tensor<5x20xi32>
}

// Data of i8, and weights whose outputs are not adjacent.
func.func @products(%x: tensor<7x61xi8>) -> (tensor<7x19xi32>, tensor<7x19xi32>) {
  %wi = tandem.iota axis = 0 : tensor<1159xi32>
  %wf = tandem.constant dense<41> : tensor<i32>
  %wo = tandem.constant dense<60> : tensor<i32>
  %wm = tandem.constant dense<127> : tensor<i32>
  %w0 = tandem.mul %wi, %wf : (tensor<1159xi32>, tensor<i32>) -> tensor<1159xi32>
  %w1 = tandem.bitwise_and %w0, %wm : (tensor<1159xi32>, tensor<i32>) -> tensor<1159xi32>
  %w2 = tandem.sub %w1, %wo : (tensor<1159xi32>, tensor<i32>) -> tensor<1159xi32>
  %w3 = tandem.cast %w2 : (tensor<1159xi32>) -> tensor<1159xi8>
  %w = tandem.reshape %w3 shape = [61, 19] : (tensor<1159xi8>) -> tensor<61x19xi8>
  %vi = tandem.iota axis = 0 : tensor<1159xi32>
  %vf = tandem.constant dense<43> : tensor<i32>
  %vo = tandem.constant dense<70> : tensor<i32>
  %vm = tandem.constant dense<127> : tensor<i32>
  %v0 = tandem.mul %vi, %vf : (tensor<1159xi32>, tensor<i32>) -> tensor<1159xi32>
  %v1 = tandem.bitwise_and %v0, %vm : (tensor<1159xi32>, tensor<i32>) -> tensor<1159xi32>
  %v2 = tandem.sub %v1, %vo : (tensor<1159xi32>, tensor<i32>) -> tensor<1159xi32>
  %v3 = tandem.cast %v2 : (tensor<1159xi32>) -> tensor<1159xi8>
  %v = tandem.reshape %v3 shape = [19, 61] : (tensor<1159xi8>) -> tensor<19x61xi8>
  %0 = tandem.matmul %x, %w widen : (tensor<7x61xi8>, tensor<61x19xi8>) -> tensor<7x19xi32>
  %1 = tandem.matmul %x, %v transpose_rhs widen : (tensor<7x61xi8>, tensor<19x61xi8>) -> tensor<7x19xi32>
  return %0, %1 : tensor<7x19xi32>, tensor<7x19xi32>
}

// Padding, strides, groups, a requantization with a zero point, and a pooling.
func.func @convs(%x: tensor<2x13x11x6xui8>, %s: tensor<20xf32>)
    -> (tensor<2x13x11x20xi8>, tensor<2x6x5x20xi32>, tensor<2x13x11x12xui8>, tensor<2x6x5x20xui8>) {
  %wi = tandem.iota axis = 0 : tensor<1080xi32>
  %wf = tandem.constant dense<37> : tensor<i32>
  %wo = tandem.constant dense<60> : tensor<i32>
  %wm = tandem.constant dense<127> : tensor<i32>
  %w0 = tandem.mul %wi, %wf : (tensor<1080xi32>, tensor<i32>) -> tensor<1080xi32>
  %w1 = tandem.bitwise_and %w0, %wm : (tensor<1080xi32>, tensor<i32>) -> tensor<1080xi32>
  %w2 = tandem.sub %w1, %wo : (tensor<1080xi32>, tensor<i32>) -> tensor<1080xi32>
  %w3 = tandem.cast %w2 : (tensor<1080xi32>) -> tensor<1080xi8>
  %w = tandem.reshape %w3 shape = [3, 3, 6, 20] : (tensor<1080xi8>) -> tensor<3x3x6x20xi8>
  %vi = tandem.iota axis = 0 : tensor<480xi32>
  %vf = tandem.constant dense<29> : tensor<i32>
  %vo = tandem.constant dense<64> : tensor<i32>
  %vm = tandem.constant dense<127> : tensor<i32>
  %v0 = tandem.mul %vi, %vf : (tensor<480xi32>, tensor<i32>) -> tensor<480xi32>
  %v1 = tandem.bitwise_and %v0, %vm : (tensor<480xi32>, tensor<i32>) -> tensor<480xi32>
  %v2 = tandem.sub %v1, %vo : (tensor<480xi32>, tensor<i32>) -> tensor<480xi32>
  %v3 = tandem.cast %v2 : (tensor<480xi32>) -> tensor<480xi8>
  %v = tandem.reshape %v3 shape = [2, 2, 6, 20] : (tensor<480xi8>) -> tensor<2x2x6x20xi8>
  %ui = tandem.iota axis = 0 : tensor<324xi32>
  %uf = tandem.constant dense<53> : tensor<i32>
  %uo = tandem.constant dense<70> : tensor<i32>
  %um = tandem.constant dense<127> : tensor<i32>
  %u0 = tandem.mul %ui, %uf : (tensor<324xi32>, tensor<i32>) -> tensor<324xi32>
  %u1 = tandem.bitwise_and %u0, %um : (tensor<324xi32>, tensor<i32>) -> tensor<324xi32>
  %u2 = tandem.sub %u1, %uo : (tensor<324xi32>, tensor<i32>) -> tensor<324xi32>
  %u3 = tandem.cast %u2 : (tensor<324xi32>) -> tensor<324xi8>
  %u = tandem.reshape %u3 shape = [3, 3, 3, 12] : (tensor<324xi8>) -> tensor<3x3x3x12xi8>
  %z = tandem.constant dense<-5.0> : tensor<f32>
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x13x11x6xui8>, tensor<3x3x6x20xi8>) -> tensor<2x13x11x20xi32>
  %1 = tandem.cast %0 : (tensor<2x13x11x20xi32>) -> tensor<2x13x11x20xf32>
  %2 = tandem.mul %1, %s : (tensor<2x13x11x20xf32>, tensor<20xf32>) -> tensor<2x13x11x20xf32>
  %3 = tandem.round %2 : tensor<2x13x11x20xf32>
  %4 = tandem.add %3, %z : (tensor<2x13x11x20xf32>, tensor<f32>) -> tensor<2x13x11x20xf32>
  %5 = tandem.cast %4 : (tensor<2x13x11x20xf32>) -> tensor<2x13x11x20xi8>
  %6 = tandem.conv %x, %v layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> strides = [2, 2]
      : (tensor<2x13x11x6xui8>, tensor<2x2x6x20xi8>) -> tensor<2x6x5x20xi32>
  %7 = tandem.conv %x, %u layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1] groups = 2
      : (tensor<2x13x11x6xui8>, tensor<3x3x3x12xi8>) -> tensor<2x13x11x12xi32>
  %8 = tandem.cast %7 : (tensor<2x13x11x12xi32>) -> tensor<2x13x11x12xui8>
  %9 = tandem.cast %3 : (tensor<2x13x11x20xf32>) -> tensor<2x13x11x20xui8>
  %10 = tandem.max_pool %9 layout = "NHWC" window = [3, 3] strides = [2, 2]
      : (tensor<2x13x11x20xui8>) -> tensor<2x6x5x20xui8>
  return %5, %6, %8, %10 : tensor<2x13x11x20xi8>, tensor<2x6x5x20xi32>, tensor<2x13x11x12xui8>, tensor<2x6x5x20xui8>
}
