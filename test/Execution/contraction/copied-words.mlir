// Products of bytes by vpmaddwd. Tasks of many positions copy data and weights
// as words. Data whose inputs do not fill quads is not copied. Data is signed
// or unsigned, padded, and in groups.

// DEFINE: %{func} =
// DEFINE: %{check} = tandem-run %s --func=%{func} --check --target-option=contractions=generated --target-option=byte-sums=i32
// REDEFINE: %{func} = products
// RUN: env TANDEM_CPU=x86-64-v3 %{check} --threads=3
// RUN: env TANDEM_CPU=x86-64-v2 %{check}
// REDEFINE: %{func} = taps
// RUN: env TANDEM_CPU=x86-64-v3 %{check} --threads=2
// RUN: env TANDEM_CPU=x86-64-v2 %{check} --threads=3
// REDEFINE: %{func} = epilogue
// RUN: env TANDEM_CPU=x86-64-v3 %{check} --threads=2

func.func @products(%x: tensor<130x256xui8>, %y: tensor<130x256xi8>,
                    %z: tensor<130x253xi8>, %w: tensor<256x328xi8>,
                    %v: tensor<253x328xi8>)
    -> (tensor<130x328xi32>, tensor<130x328xi32>, tensor<130x328xi32>) {
  %0 = tandem.matmul %x, %w widen
      : (tensor<130x256xui8>, tensor<256x328xi8>) -> tensor<130x328xi32>
  %1 = tandem.matmul %y, %w widen
      : (tensor<130x256xi8>, tensor<256x328xi8>) -> tensor<130x328xi32>
  %2 = tandem.matmul %z, %v widen
      : (tensor<130x253xi8>, tensor<253x328xi8>) -> tensor<130x328xi32>
  return %0, %1, %2 : tensor<130x328xi32>, tensor<130x328xi32>, tensor<130x328xi32>
}

func.func @taps(%x: tensor<2x17x19x64xui8>, %w: tensor<3x3x64x40xi8>,
                %y: tensor<1x28x28x62xi8>, %v: tensor<3x3x62x33xi8>,
                %z: tensor<2x15x15x96xi8>, %u: tensor<3x3x48x64xi8>)
    -> (tensor<2x9x10x40xi32>, tensor<1x28x28x33xi32>, tensor<2x15x15x64xi32>) {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      strides = [2, 2] pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x17x19x64xui8>, tensor<3x3x64x40xi8>) -> tensor<2x9x10x40xi32>
  %1 = tandem.conv %y, %v
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x28x28x62xi8>, tensor<3x3x62x33xi8>) -> tensor<1x28x28x33xi32>
  %2 = tandem.conv %z, %u
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1] groups = 2
      : (tensor<2x15x15x96xi8>, tensor<3x3x48x64xi8>) -> tensor<2x15x15x64xi32>
  return %0, %1, %2 : tensor<2x9x10x40xi32>, tensor<1x28x28x33xi32>, tensor<2x15x15x64xi32>
}

func.func @epilogue(%x: tensor<1x20x20x128xui8>, %w: tensor<1x1x128x96xi8>,
                    %s: tensor<96xf32>) -> tensor<1x20x20x96xui8> {
  %0 = tandem.conv %x, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<1x20x20x128xui8>, tensor<1x1x128x96xi8>) -> tensor<1x20x20x96xi32>
  %1 = tandem.cast %0 : (tensor<1x20x20x96xi32>) -> tensor<1x20x20x96xf32>
  %2 = tandem.mul %1, %s
      : (tensor<1x20x20x96xf32>, tensor<96xf32>) -> tensor<1x20x20x96xf32>
  %3 = tandem.cast %2 : (tensor<1x20x20x96xf32>) -> tensor<1x20x20x96xui8>
  return %3 : tensor<1x20x20x96xui8>
}
