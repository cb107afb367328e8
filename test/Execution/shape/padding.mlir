// Windows that contain only padding, which dilation makes possible, have the
// maximum and the mean of no elements (max_pool S1, avg_pool S1). Padding of a
// convolution adds nothing where the weight over it is finite; over another one
// it is multiplied or not (conv S1).

// DEFINE: %{run} = tandem-run %s --print '--arg=[1,2]' '--arg=[1,2]' \
// DEFINE:   '--arg=[1,2]' '--arg=[1,2,3]' '--arg=[inf,1,1]' '--arg=[1e38,1,1]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%a: tensor<1x1x2xf32>, %b: tensor<1x1x2xi32>, %c: tensor<1x1x2xbf16>, %x: tensor<1x3x1xf32>, %k: tensor<3x1x1xf32>, %l: tensor<3x1x1xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xi32>, tensor<1x1x2xbf16>, tensor<1x1x2xbf16>, tensor<1x3xf32>, tensor<1x3xf32>) {
  %0 = tandem.max_pool %a layout = "NWC" window = [2] dilations = [2] pad_low = [1] pad_high = [1] : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  %1 = tandem.avg_pool %a layout = "NWC" window = [2] dilations = [2] pad_low = [1] pad_high = [1] : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  %2 = tandem.avg_pool %a count_include_pad layout = "NWC" window = [2] dilations = [2] pad_low = [1] pad_high = [1] : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  %3 = tandem.max_pool %b layout = "NWC" window = [2] dilations = [2] pad_low = [1] pad_high = [1] : (tensor<1x1x2xi32>) -> tensor<1x1x2xi32>
  %4 = tandem.max_pool %c layout = "NWC" window = [2] dilations = [2] pad_low = [1] pad_high = [1] : (tensor<1x1x2xbf16>) -> tensor<1x1x2xbf16>
  %5 = tandem.avg_pool %c layout = "NWC" window = [2] dilations = [2] pad_low = [1] pad_high = [1] : (tensor<1x1x2xbf16>) -> tensor<1x1x2xbf16>
  %inf = tandem.conv %x, %k layout = <input = "NWC", kernel = "WIO", output = "NWC"> pad_low = [1] pad_high = [1] : (tensor<1x3x1xf32>, tensor<3x1x1xf32>) -> tensor<1x3x1xf32>
  %finite = tandem.conv %x, %l layout = <input = "NWC", kernel = "WIO", output = "NWC"> pad_low = [1] pad_high = [1] : (tensor<1x3x1xf32>, tensor<3x1x1xf32>) -> tensor<1x3x1xf32>
  %6 = tandem.reshape %inf shape = [1, 3] : (tensor<1x3x1xf32>) -> tensor<1x3xf32>
  %7 = tandem.reshape %finite shape = [1, 3] : (tensor<1x3x1xf32>) -> tensor<1x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xi32>, tensor<1x1x2xbf16>, tensor<1x1x2xbf16>, tensor<1x3xf32>, tensor<1x3xf32>
}

// CHECK: output 0: tensor<1x1x2xf32>
// CHECK-NEXT{LITERAL}: [[[-inf, -inf]]]
// CHECK-NEXT: output 1: tensor<1x1x2xf32>
// CHECK-NEXT: {{\[\[\[-?nan, -?nan]]]}}
// CHECK-NEXT: output 2: tensor<1x1x2xf32>
// CHECK-NEXT{LITERAL}: [[[0, 0]]]
// CHECK-NEXT: output 3: tensor<1x1x2xi32>
// CHECK-NEXT{LITERAL}: [[[-2147483648, -2147483648]]]
// CHECK-NEXT: output 4: tensor<1x1x2xbf16>
// CHECK-NEXT{LITERAL}: [[[-inf, -inf]]]
// CHECK-NEXT: output 5: tensor<1x1x2xbf16>
// CHECK-NEXT: {{\[\[\[-?nan, -?nan]]]}}
// CHECK-NEXT: output 6: tensor<1x3xf32>
// CHECK-NEXT: {{\[\[(3|-?nan), inf, inf]]}}
// CHECK-NEXT: output 7: tensor<1x3xf32>
// CHECK-NEXT{LITERAL}: [[3, 1e+38, 2e+38]]
