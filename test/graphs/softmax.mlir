// Softmax along the rows of a matrix.
// Written by utils/graphs/make-graphs.py.

func.func @main(%x: tensor<?x?xf32> {tandem.dims = ["n", "m"]}) -> tensor<?x?xf32> {
  %0 = tandem.softmax %x axis = 1 : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
