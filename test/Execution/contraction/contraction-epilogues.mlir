// Operands of an epilogue if most dims of the contraction's result have size 1.

// RUN: tandem-run %s --check | FileCheck %s
// RUN: tandem-run %s --func=image --check | FileCheck %s
// CHECK: compiled {{.*}} ok
// CHECK-NOT: FAIL

// With one output the last dim that has a loop is that of positions, which the
// residual does not follow through the batch.
func.func @main(%x: tensor<1x3x33x129xf32>, %w: tensor<1x129xf32>,
                %r: tensor<1x1x33x1xf32>) -> tensor<1x3x33x1xf32> {
  %0 = tandem.matmul %x, %w transpose_rhs
      : (tensor<1x3x33x129xf32>, tensor<1x129xf32>) -> tensor<1x3x33x1xf32>
  %1 = tandem.sub %0, %r
      : (tensor<1x3x33x1xf32>, tensor<1x1x33x1xf32>) -> tensor<1x3x33x1xf32>
  return %1 : tensor<1x3x33x1xf32>
}

func.func @image(%x: tensor<3x7x33x40xf32>, %w: tensor<1x1x40x1xf32>,
                  %r: tensor<7x1x1xf32>, %s: tensor<1x33x1xf32>)
    -> tensor<3x7x33x1xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<3x7x33x40xf32>, tensor<1x1x40x1xf32>) -> tensor<3x7x33x1xf32>
  %1 = tandem.mul %0, %r
      : (tensor<3x7x33x1xf32>, tensor<7x1x1xf32>) -> tensor<3x7x33x1xf32>
  %2 = tandem.add %1, %s
      : (tensor<3x7x33x1xf32>, tensor<1x33x1xf32>) -> tensor<3x7x33x1xf32>
  return %2 : tensor<3x7x33x1xf32>
}
