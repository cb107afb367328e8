// z = x*y + 1; z = tanh(z) - y; z = relu(z) * 0.5; exp(-z*z) + x.
// Written by utils/graphs/make-graphs.py.

func.func @main(%x: tensor<?xf32> {tandem.dims = ["n"]},
                %y: tensor<?xf32> {tandem.dims = ["n"]}) -> tensor<?xf32> {
  %one = tandem.constant dense<1.0> : tensor<f32>
  %half = tandem.constant dense<0.5> : tensor<f32>
  %0 = tandem.mul %x, %y : tensor<?xf32>
  %1 = tandem.add %0, %one : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = tandem.tanh %1 : tensor<?xf32>
  %3 = tandem.sub %2, %y : tensor<?xf32>
  %4 = tandem.relu %3 : tensor<?xf32>
  %5 = tandem.mul %4, %half : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %6 = tandem.neg %5 : tensor<?xf32>
  %7 = tandem.mul %6, %5 : tensor<?xf32>
  %8 = tandem.exp %7 : tensor<?xf32>
  %9 = tandem.add %8, %x : tensor<?xf32>
  return %9 : tensor<?xf32>
}
