// The graph of Fusion.md's calls of libraries.
func.func @main(%x: tensor<32x256xf32>, %w: tensor<256x64xf32>,
                %bias: tensor<64xf32>) -> tensor<32x64xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<32x256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
  %1 = tandem.add %0, %bias
      : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %2 = tandem.relu %1 : tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}
