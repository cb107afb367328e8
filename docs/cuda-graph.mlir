// The graph of CUDA.md.
func.func @main(%x: tensor<64x64xf32>, %bias: tensor<64xf32>)
    -> tensor<64x64xf32> {
  %0 = tandem.add %x, %bias
      : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  %1 = tandem.tanh %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
