// Rule S1 of batch_norm, in cases in which x * factor + shift would suffer from
// cancellation (the mean is 7,133 times the deviation) or be NaN (the deviation
// is zero). Parameters are arguments or constants, and the op is alone or
// follows a convolution.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   '--arg=[123.4,123.38,123.417,123.42,123.36,123.45]:3x1x2' \
// DEFINE:   '--arg=[1,1]' '--arg=[0,0]' '--arg=[123.4,123.4]' \
// DEFINE:   '--arg=[0.00029929,0.00029929]' '--arg=[0,0]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<3x1x2xf32>, %scale: tensor<2xf32>, %offset: tensor<2xf32>, %mean: tensor<2xf32>, %variance: tensor<2xf32>, %zero: tensor<2xf32>) -> (tensor<3x1x2xf32>, tensor<3x1x2xf32>, tensor<3x1x2xf32>, tensor<3x1x2xf32>, tensor<3x1x2xf32>) {
  %0 = tandem.batch_norm %x, %scale, %offset, %mean, %variance epsilon = 1.0e-12 axis = 2
      : (tensor<3x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x1x2xf32>
  %s = tandem.constant dense<1.0> : tensor<2xf32>
  %o = tandem.constant dense<0.0> : tensor<2xf32>
  %m = tandem.constant dense<123.4> : tensor<2xf32>
  %v = tandem.constant dense<0.00029929> : tensor<2xf32>
  %1 = tandem.batch_norm %x, %s, %o, %m, %v epsilon = 1.0e-12 axis = 2
      : (tensor<3x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x1x2xf32>
  %k = tandem.constant dense<[[[1.0, 0.0], [0.0, 1.0]]]> : tensor<1x2x2xf32>
  %conv = tandem.conv %x, %k layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<3x1x2xf32>, tensor<1x2x2xf32>) -> tensor<3x1x2xf32>
  %2 = tandem.batch_norm %conv, %s, %o, %m, %v epsilon = 1.0e-12 axis = 2
      : (tensor<3x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x1x2xf32>
  %3 = tandem.batch_norm %x, %scale, %offset, %mean, %zero epsilon = 0.0 axis = 2
      : (tensor<3x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x1x2xf32>
  %4 = tandem.batch_norm %conv, %s, %o, %m, %o epsilon = 0.0 axis = 2
      : (tensor<3x1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x1x2xf32>
  return %0, %1, %2, %3, %4 : tensor<3x1x2xf32>, tensor<3x1x2xf32>, tensor<3x1x2xf32>, tensor<3x1x2xf32>, tensor<3x1x2xf32>
}

// CHECK: output 0: tensor<3x1x2xf32>
// CHECK-NEXT{LITERAL}: [[[0, -1.1563]],
// CHECK-NEXT{LITERAL}: [[0.98256, 1.1559]],
// CHECK-NEXT{LITERAL}: [[-2.3122, 2.8899]]]
// CHECK-NEXT: output 1: tensor<3x1x2xf32>
// CHECK-NEXT{LITERAL}: [[[0, -1.1563]],
// CHECK-NEXT{LITERAL}: [[0.98256, 1.1559]],
// CHECK-NEXT{LITERAL}: [[-2.3122, 2.8899]]]
// CHECK-NEXT: output 2: tensor<3x1x2xf32>
// CHECK-NEXT{LITERAL}: [[[0, -1.1563]],
// CHECK-NEXT{LITERAL}: [[0.98256, 1.1559]],
// CHECK-NEXT{LITERAL}: [[-2.3122, 2.8899]]]
// CHECK-NEXT: output 3: tensor<3x1x2xf32>
// CHECK-NEXT: {{\[\[\[-?nan, -inf]],}}
// CHECK-NEXT{LITERAL}: [[inf, inf]],
// CHECK-NEXT{LITERAL}: [[-inf, inf]]]
// CHECK-NEXT: output 4: tensor<3x1x2xf32>
// CHECK-NEXT: {{\[\[\[-?nan, -inf]],}}
// CHECK-NEXT{LITERAL}: [[inf, inf]],
// CHECK-NEXT{LITERAL}: [[-inf, inf]]]
