// The mean squared error of a linear layer.

func.func @main(
    %x: tensor<?x3xf32> {tandem.dims = ["n", ""]},
    %target: tensor<?x4xf32> {tandem.dims = ["n", ""]},
    %w: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<f32> {
  %0 = tandem.matmul %x, %w
      : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %1 = tandem.add %0, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %2 = tandem.sub %1, %target : tensor<?x4xf32>
  %3 = tandem.mul %2, %2 : tensor<?x4xf32>
  %4 = tandem.reduce %3 kind = mean dims = [0, 1]
      : (tensor<?x4xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}
