// Adding thousands of equal terms one after the other rounds in the same
// direction each time. Such a sum would have a relative error of 4e-5.

// RUN: tandem-run %s --check --arg=zeros --arg=zeros --arg=zeros --arg=[0.3] \
// RUN:   | FileCheck %s
// CHECK-COUNT-4: ok

func.func @main(%tall: tensor<10x64x7x2xf32>, %wide: tensor<2x131075xf32>,
                %both: tensor<3x99x10x14xf32>, %v: tensor<1xf32>)
    -> (tensor<10x64x7x2xf32>, tensor<2x131075xf32>, tensor<3x99x10x14xf32>,
        tensor<14xf32>) {
  // Columns of three dims together; no dim alone is long.
  %0 = tandem.sub %tall, %v : (tensor<10x64x7x2xf32>, tensor<1xf32>)
      -> tensor<10x64x7x2xf32>
  %1 = tandem.exp %0 : tensor<10x64x7x2xf32>
  %2 = tandem.reduce %1 kind = sum dims = [0, 1, 2] keep_dims
      : (tensor<10x64x7x2xf32>) -> tensor<1x1x1x2xf32>
  %3 = tandem.div %1, %2 : (tensor<10x64x7x2xf32>, tensor<1x1x1x2xf32>)
      -> tensor<10x64x7x2xf32>

  // Rows, and what is left of them after whole vectors.
  %4 = tandem.sub %wide, %v : (tensor<2x131075xf32>, tensor<1xf32>)
      -> tensor<2x131075xf32>
  %5 = tandem.exp %4 : tensor<2x131075xf32>
  %6 = tandem.reduce %5 kind = sum dims = [1] keep_dims
      : (tensor<2x131075xf32>) -> tensor<2x1xf32>
  %7 = tandem.div %5, %6 : (tensor<2x131075xf32>, tensor<2x1xf32>)
      -> tensor<2x131075xf32>

  // Columns of two dims, where another is kept.
  %8 = tandem.sub %both, %v : (tensor<3x99x10x14xf32>, tensor<1xf32>)
      -> tensor<3x99x10x14xf32>
  %9 = tandem.exp %8 : tensor<3x99x10x14xf32>
  %10 = tandem.reduce %9 kind = sum dims = [1, 2] keep_dims
      : (tensor<3x99x10x14xf32>) -> tensor<3x1x1x14xf32>
  %11 = tandem.div %9, %10 : (tensor<3x99x10x14xf32>, tensor<3x1x1x14xf32>)
      -> tensor<3x99x10x14xf32>

  // One kernel reduces twice.
  %12 = tandem.reduce %9 kind = mean dims = [0, 1, 2]
      : (tensor<3x99x10x14xf32>) -> tensor<14xf32>
  return %3, %7, %11, %12
      : tensor<10x64x7x2xf32>, tensor<2x131075xf32>, tensor<3x99x10x14xf32>,
        tensor<14xf32>
}
