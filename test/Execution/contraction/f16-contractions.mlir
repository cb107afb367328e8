// Contractions of f16 on hosts that convert vectors of f16 in different ways.
// Weights are packed ahead of time or at run time, there are few inputs and odd
// numbers of inputs, and one contraction has an epilogue.

// DEFINE: %{check} = tandem-run %s --check --no-fallback --target-option=contractions=generated
// RUN: %{check} --func=conv | FileCheck %s
// RUN: %{check} --func=first | FileCheck %s
// RUN: %{check} --func=matmul | FileCheck %s
// RUN: %{check} --func=pooled | FileCheck %s
// RUN: env TANDEM_CPU=-avx512fp16 %{check} --func=conv | FileCheck %s
// RUN: env TANDEM_CPU=-avx512f %{check} --func=conv | FileCheck %s
// RUN: env TANDEM_CPU=-avx512f %{check} --func=matmul | FileCheck %s
// RUN: env TANDEM_CPU=-avx512f,-f16c %{check} --func=matmul | FileCheck %s

// CHECK: compiled {{.*}} ok

func.func @conv(%x: tensor<2x14x14x33xf16>, %w: tensor<72x33x3x3xf16>,
                %b: tensor<72xf16>, %r: tensor<2x14x14x72xf16>)
    -> tensor<2x14x14x72xf16> {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x14x14x33xf16>, tensor<72x33x3x3xf16>, tensor<72xf16>)
      -> tensor<2x14x14x72xf16>
  %1 = tandem.add %0, %r : tensor<2x14x14x72xf16>
  %2 = tandem.relu %1 : tensor<2x14x14x72xf16>
  return %2 : tensor<2x14x14x72xf16>
}

func.func @first(%x: tensor<1x3x40x40xf16>, %w: tensor<20x3x7x7xf16>)
    -> tensor<1x20x20x20xf16> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2] pad_low = [3, 3] pad_high = [3, 3]
      : (tensor<1x3x40x40xf16>, tensor<20x3x7x7xf16>)
      -> tensor<1x20x20x20xf16>
  return %0 : tensor<1x20x20x20xf16>
}

func.func @matmul(%x: tensor<130x65xf16>, %w: tensor<65x50xf16>)
    -> tensor<130x50xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<130x65xf16>, tensor<65x50xf16>) -> tensor<130x50xf16>
  %1 = tandem.cast %0 : (tensor<130x50xf16>) -> tensor<130x50xf32>
  return %1 : tensor<130x50xf32>
}

func.func @pooled(%x: tensor<1x24x24x16xf16>, %w: tensor<3x3x16x40xf16>)
    -> tensor<1x12x12x40xf16> {
  %one = tandem.constant dense<1.0> : tensor<f16>
  %p = tandem.mul %x, %one : (tensor<1x24x24x16xf16>, tensor<f16>) -> tensor<1x24x24x16xf16>
  %0 = tandem.conv %p, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x24x24x16xf16>, tensor<3x3x16x40xf16>)
      -> tensor<1x24x24x40xf16>
  %1 = tandem.max_pool %0 layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<1x24x24x40xf16>) -> tensor<1x12x12x40xf16>
  return %1 : tensor<1x12x12x40xf16>
}
