// Batch norm in training: statistics over N, H and W in one pass, then normalize.
// Written by utils/graphs/make-graphs.py.

func.func @main(%x: tensor<?x?x?x?xf32> {tandem.dims = ["N", "H", "W", "C"]},
                %scale: tensor<?xf32> {tandem.dims = ["C"]},
                %offset: tensor<?xf32> {tandem.dims = ["C"]})
    -> (tensor<?x?x?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %epsilon = tandem.constant dense<1.0e-05> : tensor<f32>
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %mean = tandem.reduce %x kind = mean dims = [0, 1, 2]
      : (tensor<?x?x?x?xf32>) -> tensor<?xf32>
  %0 = tandem.mul %x, %x : tensor<?x?x?x?xf32>
  %1 = tandem.reduce %0 kind = mean dims = [0, 1, 2]
      : (tensor<?x?x?x?xf32>) -> tensor<?xf32>
  %2 = tandem.mul %mean, %mean : tensor<?xf32>
  %3 = tandem.sub %1, %2 : tensor<?xf32>
  %variance = tandem.max %3, %zero
      : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %4 = tandem.add %variance, %epsilon
      : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %5 = tandem.rsqrt %4 : tensor<?xf32>
  %factor = tandem.mul %scale, %5 : tensor<?xf32>
  %6 = tandem.mul %mean, %factor : tensor<?xf32>
  %shift = tandem.sub %offset, %6 : tensor<?xf32>
  %7 = tandem.mul %x, %factor : (tensor<?x?x?x?xf32>, tensor<?xf32>) -> tensor<?x?x?x?xf32>
  %8 = tandem.add %7, %shift : (tensor<?x?x?x?xf32>, tensor<?xf32>) -> tensor<?x?x?x?xf32>
  return %8, %mean, %variance : tensor<?x?x?x?xf32>, tensor<?xf32>, tensor<?xf32>
}
