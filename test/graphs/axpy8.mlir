// Eight multiplies, adds and maxima of x and y: bound by memory.
// Written by utils/graphs/make-graphs.py.

func.func @main(%x: tensor<?xf32> {tandem.dims = ["n"]},
                %y: tensor<?xf32> {tandem.dims = ["n"]}) -> tensor<?xf32> {
  %0 = tandem.mul %x, %y : tensor<?xf32>
  %1 = tandem.add %0, %x : tensor<?xf32>
  %2 = tandem.max %1, %y : tensor<?xf32>
  %3 = tandem.mul %2, %x : tensor<?xf32>
  %4 = tandem.add %3, %y : tensor<?xf32>
  %5 = tandem.max %4, %x : tensor<?xf32>
  %6 = tandem.mul %5, %y : tensor<?xf32>
  %7 = tandem.add %6, %x : tensor<?xf32>
  return %7 : tensor<?xf32>
}
