// RUN: tandem-opt %s --tandem-decompose-conv-backward-data | FileCheck %s

// Both phases are channels of one convolution, and nothing is cut off.

// CHECK-LABEL: func @one_convolution
// CHECK-SAME: (%[[X:.*]]: tensor<1x50x16xf32>, %[[W:.*]]: tensor<16x8x4xf32>)
// CHECK: %[[TAPS:.*]] = tandem.constant dense<[2, 3, 0, 1]> : tensor<4xi64>
// CHECK: %[[G:.*]] = tandem.gather %[[W]], %[[TAPS]] axis = 2
// CHECK: %[[C:.*]] = tandem.conv %[[X]], %{{.*}} pad_low = [1] pad_high = [1] : (tensor<1x50x16xf32>, tensor<16x16x2xf32>) -> tensor<1x51x16xf32>
// CHECK: %[[R:.*]] = tandem.reshape %[[C]] shape = [1, 51, 2, 8]
// CHECK: %[[M:.*]] = tandem.reshape %[[R]] shape = [1, 102, 8]
// CHECK: return %[[M]]
func.func @one_convolution(%x: tensor<1x50x16xf32>, %w: tensor<16x8x4xf32>) -> tensor<1x102x8xf32> {
  %0 = tandem.conv_backward_data %x, %w layout = <input = "NWC", kernel = "OIW", output = "NWC"> strides = [2]
    : (tensor<1x50x16xf32>, tensor<16x8x4xf32>) -> tensor<1x102x8xf32>
  return %0 : tensor<1x102x8xf32>
}

// The even positions of the result have one tap, the odd ones have two.

// CHECK-LABEL: func @two_convolutions
// CHECK-SAME: (%[[X:.*]]: tensor<1x16x9xf32>, %{{.*}}: tensor<16x8x3xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK: %[[EVEN:.*]] = tandem.conv %[[X]], %{{.*}}, %[[B]] layout = <input = "NCW", kernel = "OIW", output = "NCW"> : (tensor<1x16x9xf32>, tensor<8x16x1xf32>, tensor<8xf32>) -> tensor<1x8x9xf32>
// CHECK: %[[ODD:.*]] = tandem.conv %[[X]], %{{.*}}, %[[B]] layout = <input = "NCW", kernel = "OIW", output = "NCW"> pad_high = [1] : (tensor<1x16x9xf32>, tensor<8x16x2xf32>, tensor<8xf32>) -> tensor<1x8x9xf32>
// CHECK: %[[BOTH:.*]] = tandem.concat %{{.*}}, %{{.*}} axis = 3 : (tensor<1x8x9x1xf32>, tensor<1x8x9x1xf32>) -> tensor<1x8x9x2xf32>
// CHECK: tandem.reshape %[[BOTH]] shape = [1, 8, 18]
func.func @two_convolutions(%x: tensor<1x16x9xf32>, %w: tensor<16x8x3xf32>, %b: tensor<8xf32>) -> tensor<1x8x18xf32> {
  %0 = tandem.conv_backward_data %x, %w, %b layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [2] pad_low = [1] pad_high = [1] output_padding = [1]
    : (tensor<1x16x9xf32>, tensor<16x8x3xf32>, tensor<8xf32>) -> tensor<1x8x18xf32>
  return %0 : tensor<1x8x18xf32>
}

// A phase without taps is zero, so that the bias is added afterwards.

// CHECK-LABEL: func @phase_without_taps
// CHECK: tandem.conv %{{.*}}, %{{[^,]*}} layout
// CHECK: %[[ZERO:.*]] = tandem.constant dense<0.000000e+00> : tensor<1x8x9x1xf32>
// CHECK: tandem.concat %{{.*}}, %[[ZERO]] axis = 3
// CHECK: tandem.add %{{.*}}, %{{.*}} : (tensor<1x8x18xf32>, tensor<1x8x1xf32>) -> tensor<1x8x18xf32>
func.func @phase_without_taps(%x: tensor<1x16x9xf32>, %w: tensor<16x8x1xf32>, %b: tensor<8xf32>) -> tensor<1x8x18xf32> {
  %0 = tandem.conv_backward_data %x, %w, %b layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [2] output_padding = [1]
    : (tensor<1x16x9xf32>, tensor<16x8x1xf32>, tensor<8xf32>) -> tensor<1x8x18xf32>
  return %0 : tensor<1x8x18xf32>
}

// With a stride, a single element has phases, too: the weight of one phase never
// counts for another, not even if it is infinite.

// CHECK-LABEL: func @single_element
// CHECK: tandem.conv %{{.*}} : (tensor<1x3x1xf32>, tensor<4x3x1xf32>) -> tensor<1x4x1xf32>
func.func @single_element(%x: tensor<1x3x1xf32>, %w: tensor<3x2x2xf32>) -> tensor<1x2x2xf32> {
  %0 = tandem.conv_backward_data %x, %w layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [2]
    : (tensor<1x3x1xf32>, tensor<3x2x2xf32>) -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}

// Ops that stay: of dynamic shape, without elements, with phases that are cut
// off, of convolutions with one output channel, and of many convolutions.

// CHECK-LABEL: func @unchanged
// CHECK-COUNT-5: tandem.conv_backward_data
// CHECK-NOT: tandem.conv
func.func @unchanged(%x: tensor<1x16x?xf32>, %w: tensor<16x8x3xf32>, %none: tensor<0x16x9xf32>,
                     %pair: tensor<1x16x2xf32>, %line: tensor<1x16x9xf32>, %one: tensor<16x1x3xf32>, %wide: tensor<16x8x17xf32>)
    -> (tensor<1x8x?xf32>, tensor<0x8x19xf32>, tensor<1x8x3xf32>, tensor<1x1x19xf32>, tensor<1x8x169xf32>) {
  %0 = tandem.conv_backward_data %x, %w layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [2]
    : (tensor<1x16x?xf32>, tensor<16x8x3xf32>) -> tensor<1x8x?xf32>
  %1 = tandem.conv_backward_data %none, %w layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [2]
    : (tensor<0x16x9xf32>, tensor<16x8x3xf32>) -> tensor<0x8x19xf32>
  %2 = tandem.conv_backward_data %pair, %w layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [1000000000000] pad_low = [1000000000000]
    : (tensor<1x16x2xf32>, tensor<16x8x3xf32>) -> tensor<1x8x3xf32>
  %3 = tandem.conv_backward_data %line, %one layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [2]
    : (tensor<1x16x9xf32>, tensor<16x1x3xf32>) -> tensor<1x1x19xf32>
  %4 = tandem.conv_backward_data %line, %wide layout = <input = "NCW", kernel = "OIW", output = "NCW"> strides = [17] dilations = [2]
    : (tensor<1x16x9xf32>, tensor<16x8x17xf32>) -> tensor<1x8x169xf32>
  return %0, %1, %2, %3, %4 : tensor<1x8x?xf32>, tensor<0x8x19xf32>, tensor<1x8x3xf32>, tensor<1x1x19xf32>, tensor<1x8x169xf32>
}
