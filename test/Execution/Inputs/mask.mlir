func.func @main(%x: tensor<?x72x72xf32> {tandem.dims = ["n", "", ""]}) -> tensor<?x72x72xf32> {
  %zero = tandem.constant dense<0.0> : tensor<5184xf32>
  %step = tandem.constant dense<3> : tensor<i64>
  %count = tandem.iota axis = 0 : tensor<1728xi64>
  %places = tandem.mul %count, %step : (tensor<1728xi64>, tensor<i64>) -> tensor<1728xi64>
  %marks = tandem.iota axis = 0 : tensor<1728xf32>
  %0 = tandem.scatter %zero, %places, %marks axis = 0 kind = replace : (tensor<5184xf32>, tensor<1728xi64>, tensor<1728xf32>) -> tensor<5184xf32>
  %1 = tandem.reshape %0 shape = [72, 72] : (tensor<5184xf32>) -> tensor<72x72xf32>
  %2 = tandem.transpose %1 permutation = [1, 0] : (tensor<72x72xf32>) -> tensor<72x72xf32>
  %3 = tandem.sub %1, %2 : tensor<72x72xf32>
  %4 = tandem.add %x, %3 : (tensor<?x72x72xf32>, tensor<72x72xf32>) -> tensor<?x72x72xf32>
  return %4 : tensor<?x72x72xf32>
}
