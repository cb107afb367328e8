func.func @main(%x: tensor<?x64xf32> {tandem.dims = ["n", ""]}) -> (tensor<?x64xf32> {tandem.name = "\FF"}) {
  %1 = tandem.gelu %x : tensor<?x64xf32> loc("a\FFb")
  %2 = tandem.exp %1 : tensor<?x64xf32> loc("c\FFb")
  return %2 : tensor<?x64xf32>
}
