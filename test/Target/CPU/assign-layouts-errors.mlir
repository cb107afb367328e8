// Values that keep the layout that the graph gives them.

// RUN: tandem-opt %s --tandem-assign-layouts=remarks --split-input-file 2>&1 \
// RUN:   | FileCheck %s

// Transposes would cost more than they save.

// CHECK: remark: reads channels first, writes channels first: {{.*}} us; as given {{.*}} us, channels last {{.*}} us
// CHECK-LABEL: func.func @small
// CHECK-NOT: tandem.transpose
// CHECK: tandem.conv {{.*}} <input = "NCHW", kernel = "OIHW", output = "NCHW">
func.func @small(%x: tensor<1x4x6x6xf32>, %w: tensor<4x4x3x3xf32>)
    -> tensor<1x4x4x4xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

// Unknown sizes have no estimated cost.

// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: tandem.transpose
// CHECK: tandem.conv {{.*}} <input = "NCHW", kernel = "OIHW", output = "NCHW">
func.func @dynamic(%x: tensor<?x64x28x28xf32>, %w: tensor<64x64x3x3xf32>)
    -> tensor<?x64x26x26xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<?x64x28x28xf32>, tensor<64x64x3x3xf32>)
      -> tensor<?x64x26x26xf32>
  return %0 : tensor<?x64x26x26xf32>
}

// -----

// A layout of another kind is left alone, and ops without convolutions are.

// CHECK-LABEL: func.func @other
// CHECK-NEXT: tandem.conv {{.*}} <input = "CNHW", kernel = "OIHW", output = "CNHW">
// CHECK-NEXT: tandem.max_pool {{.*}} layout = "NCHW"
// CHECK-NEXT: return
func.func @other(%x: tensor<64x1x28x28xf32>, %w: tensor<64x64x3x3xf32>)
    -> tensor<64x1x13x13xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "CNHW", kernel = "OIHW", output = "CNHW">
      : (tensor<64x1x28x28xf32>, tensor<64x64x3x3xf32>)
      -> tensor<64x1x26x26xf32>
  %1 = tandem.max_pool %0 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<64x1x26x26xf32>) -> tensor<64x1x13x13xf32>
  return %1 : tensor<64x1x13x13xf32>
}

// -----

// A reduction that would leave its dims in another order, a reshape and a
// product read what was given: the transpose comes before them.

// CHECK-LABEL: func.func @order
// CHECK: tandem.conv {{.*}} output = "NHWC"
// CHECK: %[[T:.*]] = tandem.transpose {{.*}} permutation = [0, 3, 1, 2]
// CHECK-DAG: tandem.reduce %[[T]] kind = max dims = [3]
// CHECK-DAG: tandem.reshape %[[T]] shape = [1, 53824]
// CHECK-NOT: tandem.transpose
func.func @order(%x: tensor<1x59x59x64xf32>, %w: tensor<64x64x3x3xf32>)
    -> (tensor<1x64x29xf32>, tensor<1x53824xf32>) {
  %y = tandem.transpose %x permutation = [0, 3, 1, 2]
      : (tensor<1x59x59x64xf32>) -> tensor<1x64x59x59xf32>
  %0 = tandem.conv %y, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2]
      : (tensor<1x64x59x59xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x29x29xf32>
  %1 = tandem.reduce %0 kind = max dims = [3]
      : (tensor<1x64x29x29xf32>) -> tensor<1x64x29xf32>
  %2 = tandem.reshape %0 shape = [1, 53824]
      : (tensor<1x64x29x29xf32>) -> tensor<1x53824xf32>
  return %1, %2 : tensor<1x64x29xf32>, tensor<1x53824xf32>
}
