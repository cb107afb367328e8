// Contractions of bf16 on hosts with and without instructions for bf16. Weights
// are packed ahead of time or at run time, there are few inputs and odd numbers
// of inputs, and one contraction has an epilogue.

// DEFINE: %{check} = tandem-run %s --check --target-option=contractions=generated
// RUN: %{check} --func=conv | FileCheck %s
// RUN: %{check} --func=first | FileCheck %s
// RUN: %{check} --func=matmul | FileCheck %s
// RUN: env TANDEM_CPU=-avx512bf16 %{check} --func=conv | FileCheck %s
// RUN: env TANDEM_CPU=-avx512bf16 %{check} --func=first | FileCheck %s
// RUN: env TANDEM_CPU=-avx512bf16 %{check} --func=matmul | FileCheck %s
// RUN: env TANDEM_CPU=-avx512f %{check} --func=conv | FileCheck %s
// RUN: env TANDEM_CPU=-avx512f %{check} --func=matmul | FileCheck %s

// CHECK: compiled {{.*}} ok

func.func @conv(%x: tensor<2x14x14x33xbf16>, %w: tensor<72x33x3x3xbf16>,
                %b: tensor<72xbf16>, %r: tensor<2x14x14x72xbf16>)
    -> tensor<2x14x14x72xbf16> {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x14x14x33xbf16>, tensor<72x33x3x3xbf16>, tensor<72xbf16>)
      -> tensor<2x14x14x72xbf16>
  %1 = tandem.add %0, %r : tensor<2x14x14x72xbf16>
  %2 = tandem.relu %1 : tensor<2x14x14x72xbf16>
  return %2 : tensor<2x14x14x72xbf16>
}

func.func @first(%x: tensor<1x3x40x40xbf16>, %w: tensor<20x3x7x7xbf16>)
    -> tensor<1x20x20x20xbf16> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      strides = [2, 2] pad_low = [3, 3] pad_high = [3, 3]
      : (tensor<1x3x40x40xbf16>, tensor<20x3x7x7xbf16>)
      -> tensor<1x20x20x20xbf16>
  return %0 : tensor<1x20x20x20xbf16>
}

func.func @matmul(%x: tensor<130x65xbf16>, %w: tensor<65x50xbf16>)
    -> tensor<130x50xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<130x65xbf16>, tensor<65x50xbf16>) -> tensor<130x50xbf16>
  %1 = tandem.cast %0 : (tensor<130x50xbf16>) -> tensor<130x50xf32>
  return %1 : tensor<130x50xf32>
}
