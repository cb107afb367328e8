func.func @main(%x: tensor<?xf32> {tandem.dims = ["n"]},
                %y: tensor<?xf32> {tandem.dims = ["n"]}) -> tensor<?xf32> {
  %0 = tandem.mul %x, %y : tensor<?xf32>
  %1 = tandem.add %0, %x : tensor<?xf32>
  %2 = tandem.relu %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}
