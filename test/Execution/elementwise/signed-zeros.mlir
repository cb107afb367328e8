// Zeros keep their signs (sin S1, relu S1, rsqrt S1). Quotients reveal the
// signs. The cases include whole vectors and remaining lanes.

// DEFINE: %{run} = tandem-run %s --print '--arg=[-0.0]' '--arg=[-0.0]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<1xf32>, %h: tensor<1xbf16>) -> (tensor<19xf32>, tensor<19xbf16>, tensor<19xf32>, tensor<19xbf16>, tensor<19xf32>, tensor<19xbf16>) {
  %one = tandem.constant dense<1.0> : tensor<f32>
  %half = tandem.constant dense<1.0> : tensor<bf16>
  %xs = tandem.broadcast %x shape = [19] dims = [0] : (tensor<1xf32>) -> tensor<19xf32>
  %hs = tandem.broadcast %h shape = [19] dims = [0] : (tensor<1xbf16>) -> tensor<19xbf16>
  %sin = tandem.sin %xs : tensor<19xf32>
  %0 = tandem.div %one, %sin : (tensor<f32>, tensor<19xf32>) -> tensor<19xf32>
  %hsin = tandem.sin %hs : tensor<19xbf16>
  %1 = tandem.div %half, %hsin : (tensor<bf16>, tensor<19xbf16>) -> tensor<19xbf16>
  %relu = tandem.relu %xs : tensor<19xf32>
  %2 = tandem.div %one, %relu : (tensor<f32>, tensor<19xf32>) -> tensor<19xf32>
  %hrelu = tandem.relu %hs : tensor<19xbf16>
  %3 = tandem.div %half, %hrelu : (tensor<bf16>, tensor<19xbf16>) -> tensor<19xbf16>
  %4 = tandem.rsqrt %xs : tensor<19xf32>
  %5 = tandem.rsqrt %hs : tensor<19xbf16>
  return %0, %1, %2, %3, %4, %5 : tensor<19xf32>, tensor<19xbf16>, tensor<19xf32>, tensor<19xbf16>, tensor<19xf32>, tensor<19xbf16>
}

// CHECK: output 0: tensor<19xf32>
// CHECK-NEXT: [-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf]
// CHECK-NEXT: output 1: tensor<19xbf16>
// CHECK-NEXT: [-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf]
// CHECK-NEXT: output 2: tensor<19xf32>
// CHECK-NEXT: [-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf]
// CHECK-NEXT: output 3: tensor<19xbf16>
// CHECK-NEXT: [-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf]
// CHECK-NEXT: output 4: tensor<19xf32>
// CHECK-NEXT: [-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf]
// CHECK-NEXT: output 5: tensor<19xbf16>
// CHECK-NEXT: [-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf]
