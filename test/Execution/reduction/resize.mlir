// Resizing: modes, coordinates, layouts with channels last, integers. The
// expected numbers are those of torch and of ONNX's specification.

// DEFINE: %{run} = tandem-run %s --print \
// DEFINE:   --arg=iota '--arg=[0,10,100,250]' '--arg=[1,2,inf,nan]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<1x2x3x1xf32>, %u: tensor<4xui8>, %s: tensor<4xf32>)
    -> (tensor<1x4x6x1xf32>, tensor<1x4x6x1xf32>, tensor<7xui8>, tensor<7xf32>, tensor<4xf32>) {
  %linear = tandem.resize %x mode = linear dims = [1, 2] scales = [2.0, 2.0]
      : (tensor<1x2x3x1xf32>) -> tensor<1x4x6x1xf32>
  %nearest = tandem.resize %x mode = nearest dims = [1, 2] sizes = [4, 6] coordinates = asymmetric rounding = floor
      : (tensor<1x2x3x1xf32>) -> tensor<1x4x6x1xf32>
  %integers = tandem.resize %u mode = linear dims = [0] sizes = [7] coordinates = align_corners
      : (tensor<4xui8>) -> tensor<7xui8>
  // Infinity and NaN reach only the results that are computed from them.
  %special = tandem.resize %s mode = linear dims = [0] sizes = [7] coordinates = align_corners
      : (tensor<4xf32>) -> tensor<7xf32>
  // Positions without elements are 0.
  %none = tandem.resize %s mode = linear dims = [0] sizes = [4] scales = [0.25] coordinates = asymmetric exclude_outside
      : (tensor<4xf32>) -> tensor<4xf32>
  return %linear, %nearest, %integers, %special, %none : tensor<1x4x6x1xf32>, tensor<1x4x6x1xf32>, tensor<7xui8>, tensor<7xf32>, tensor<4xf32>
}

// CHECK: output 0: tensor<1x4x6x1xf32>
// CHECK: output 2: tensor<7xui8>
// CHECK-NEXT: [0, 5, 10, 55, 100, 175, 250]
// CHECK-NEXT: output 3: tensor<7xf32>
// CHECK-NEXT: [1, 1.5, 2, inf, inf, nan, nan]
// CHECK-NEXT: output 4: tensor<4xf32>
// CHECK-NEXT: [1, 0, 0, 0]
