// Pools with indices and gradients of pools: NaN, ties, infinities, padding, both layouts.

// DEFINE: %{run} = tandem-run %s --print --no-fallback \
// DEFINE:   '--arg=[1,nan,3,3,-inf,-2]' '--arg=[10,20,inf]' '--arg=[1,5,2,5,3,-inf,0,-inf]' \
// DEFINE:   '--arg=[1,2,3,4,5,6,7,8]' '--arg=[6,12,18]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<1x1x6xf32>, %g: tensor<1x1x3xf32>, %y: tensor<1x4x2xf32>, %h: tensor<1x4x2xf32>,
                %m: tensor<1x1x3xf16>)
    -> (tensor<3xf32>, tensor<3xui8>, tensor<6xf32>, tensor<8xui8>, tensor<8xf32>, tensor<2xf16>, tensor<2xf16>,
        tensor<0x1x6xf32>) {
  %values, %index = tandem.max_pool_with_index %x layout = "NCW" window = [2] strides = [2]
      : (tensor<1x1x6xf32>) -> (tensor<1x1x3xf32>, tensor<1x1x3xui8>)
  %0 = tandem.reshape %values shape = [3] : (tensor<1x1x3xf32>) -> tensor<3xf32>
  %1 = tandem.reshape %index shape = [3] : (tensor<1x1x3xui8>) -> tensor<3xui8>
  %dx = tandem.max_pool_backward %g, %index input_sizes = [6] layout = "NCW" window = [2] strides = [2]
      : (tensor<1x1x3xf32>, tensor<1x1x3xui8>) -> tensor<1x1x6xf32>
  %2 = tandem.reshape %dx shape = [6] : (tensor<1x1x6xf32>) -> tensor<6xf32>

  // Channels last, with windows that overlap.
  %w, %at = tandem.max_pool_with_index %y layout = "NWC" window = [3] pad_low = [1] pad_high = [1]
      : (tensor<1x4x2xf32>) -> (tensor<1x4x2xf32>, tensor<1x4x2xui8>)
  %3 = tandem.reshape %at shape = [8] : (tensor<1x4x2xui8>) -> tensor<8xui8>
  %dy = tandem.max_pool_backward %h, %at input_sizes = [4] layout = "NWC" window = [3] pad_low = [1] pad_high = [1]
      : (tensor<1x4x2xf32>, tensor<1x4x2xui8>) -> tensor<1x4x2xf32>
  %4 = tandem.reshape %dy shape = [8] : (tensor<1x4x2xf32>) -> tensor<8xf32>

  %a = tandem.avg_pool_backward %m input_sizes = [2] layout = "NCW" window = [2] pad_low = [1] pad_high = [1]
      : (tensor<1x1x3xf16>) -> tensor<1x1x2xf16>
  %5 = tandem.reshape %a shape = [2] : (tensor<1x1x2xf16>) -> tensor<2xf16>
  %b = tandem.avg_pool_backward %m count_include_pad input_sizes = [2] layout = "NCW" window = [2] pad_low = [1] pad_high = [1]
      : (tensor<1x1x3xf16>) -> tensor<1x1x2xf16>
  %6 = tandem.reshape %b shape = [2] : (tensor<1x1x2xf16>) -> tensor<2xf16>

  %none = tandem.slice %g starts = [0, 0, 0] limits = [0, 1, 3] strides = [1, 1, 1] : (tensor<1x1x3xf32>) -> tensor<0x1x3xf32>
  %7 = tandem.avg_pool_backward %none input_sizes = [6] layout = "NCW" window = [2] strides = [2]
      : (tensor<0x1x3xf32>) -> tensor<0x1x6xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3xf32>, tensor<3xui8>, tensor<6xf32>, tensor<8xui8>, tensor<8xf32>,
      tensor<2xf16>, tensor<2xf16>, tensor<0x1x6xf32>
}

// CHECK: output 0: tensor<3xf32>
// CHECK-NEXT: [{{-?}}nan, 3, -2]
// CHECK-NEXT: output 1: tensor<3xui8>
// CHECK-NEXT: [1, 0, 1]
// CHECK-NEXT: output 2: tensor<6xf32>
// CHECK-NEXT: [0, 10, 20, 0, 0, inf]
// CHECK-NEXT: output 3: tensor<8xui8>
// CHECK-NEXT: [2, 1, 2, 0, 1, 0, 0, 0]
// CHECK-NEXT: output 4: tensor<8xf32>
// CHECK-NEXT: [0, 6, 1, 6, 15, 8, 0, 0]
// CHECK-NEXT: output 5: tensor<2xf16>
// CHECK-NEXT: [12, 24]
// CHECK-NEXT: output 6: tensor<2xf16>
// CHECK-NEXT: [9, 15]
// CHECK-NEXT: output 7: tensor<0x1x6xf32>
