// Layer norm of the rows of a matrix: mean, variance of the distances, scale and offset.
// Written by utils/graphs/make-graphs.py.

func.func @main(%x: tensor<?x?xf32> {tandem.dims = ["n", "m"]},
                %scale: tensor<?xf32> {tandem.dims = ["m"]},
                %offset: tensor<?xf32> {tandem.dims = ["m"]}) -> tensor<?x?xf32> {
  %epsilon = tandem.constant dense<1.0e-05> : tensor<f32>
  %mean = tandem.reduce %x kind = mean dims = [1] keep_dims
      : (tensor<?x?xf32>) -> tensor<?x1xf32>
  %0 = tandem.sub %x, %mean : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %1 = tandem.mul %0, %0 : tensor<?x?xf32>
  %variance = tandem.reduce %1 kind = mean dims = [1] keep_dims
      : (tensor<?x?xf32>) -> tensor<?x1xf32>
  %2 = tandem.add %variance, %epsilon
      : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %3 = tandem.rsqrt %2 : tensor<?x1xf32>
  %4 = tandem.mul %0, %3 : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %5 = tandem.mul %4, %scale : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %6 = tandem.add %5, %offset : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %6 : tensor<?x?xf32>
}
