// Weights that are not constant and are stored in rows of all outputs. Tasks of
// many positions first copy the weights of their tile of outputs, in the
// compute type. The outputs do or do not fill tiles and vectors. The weights
// differ within the batch, have taps, or are 16-bit floats, and some
// contractions have a prologue or an epilogue.

// DEFINE: %{func} =
// DEFINE: %{check} = tandem-run %s --func=%{func} --check --target-option=contractions=generated
// REDEFINE: %{func} = batches
// RUN: %{check} --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v2 %{check} | FileCheck %s
// REDEFINE: %{func} = taps
// RUN: %{check} --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = halves
// RUN: %{check} --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s
// REDEFINE: %{func} = fused
// RUN: %{check} --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} | FileCheck %s

// CHECK: compiled {{.*}} ok

func.func @batches(%x: tensor<2x60x1030xf32>, %y: tensor<2x1030x333xf32>)
    -> tensor<2x60x333xf32> {
  %0 = tandem.matmul %x, %y
      : (tensor<2x60x1030xf32>, tensor<2x1030x333xf32>) -> tensor<2x60x333xf32>
  return %0 : tensor<2x60x333xf32>
}

func.func @taps(%x: tensor<2x12x11x340xf32>, %w: tensor<3x2x170x150xf32>,
                %b: tensor<150xf32>) -> tensor<2x12x5x150xf32> {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> groups = 2
      strides = [1, 2] pad_low = [1, 0] pad_high = [1, 0]
      : (tensor<2x12x11x340xf32>, tensor<3x2x170x150xf32>, tensor<150xf32>)
      -> tensor<2x12x5x150xf32>
  return %0 : tensor<2x12x5x150xf32>
}

func.func @halves(%x: tensor<70x1100xf16>, %y: tensor<1100x290xf16>)
    -> tensor<70x290xf16> {
  %0 = tandem.matmul %x, %y
      : (tensor<70x1100xf16>, tensor<1100x290xf16>) -> tensor<70x290xf16>
  return %0 : tensor<70x290xf16>
}

func.func @fused(%x: tensor<90x1024xf32>, %y: tensor<1024x515xf32>)
    -> tensor<90x515xf32> {
  %0 = tandem.tanh %x : tensor<90x1024xf32>
  %1 = tandem.matmul %0, %y
      : (tensor<90x1024xf32>, tensor<1024x515xf32>) -> tensor<90x515xf32>
  %2 = tandem.gelu %1 : tensor<90x515xf32>
  return %2 : tensor<90x515xf32>
}
