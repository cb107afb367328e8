// The graph of OneGraph.md.
func.func @main(%x: tensor<?x?x1xf32> {tandem.dims = ["N", "L", ""]})
    -> tensor<?x?x2xf32> {
  %kernel = tandem.constant
      dense<[[[1.0, -1.0]], [[0.5, 2.0]], [[1.0, 0.5]]]> : tensor<3x1x2xf32>
  %scale = tandem.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %offset = tandem.constant dense<[0.5, 0.0]> : tensor<2xf32>
  %mean = tandem.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %variance = tandem.constant dense<[4.0, 0.25]> : tensor<2xf32>
  %0 = tandem.conv %x, %kernel
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<?x?x1xf32>, tensor<3x1x2xf32>) -> tensor<?x?x2xf32>
  %1 = tandem.batch_norm %0, %scale, %offset, %mean, %variance
      epsilon = 0.0 axis = 2
      : (tensor<?x?x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>) -> tensor<?x?x2xf32>
  %2 = tandem.relu %1 : tensor<?x?x2xf32>
  %3 = tandem.softmax %2 axis = 2 : tensor<?x?x2xf32>
  return %3 : tensor<?x?x2xf32>
}
