// Operands without elements, for each op that handles them separately, and
// tensors without dims. Every tier is compared with the reference tier.

// DEFINE: %{check} = tandem-run %s --check
// DEFINE: %{generated} = %{check} --target-option=contractions=generated --target-option=winograd=always
// RUN: %{check} --func=conv_no_inputs | FileCheck %s
// RUN: %{check} --func=conv_no_inputs_bias | FileCheck %s
// RUN: %{check} --func=conv_no_outputs | FileCheck %s
// RUN: %{check} --func=conv_only_padding | FileCheck %s
// RUN: %{check} --func=no_inputs_pool | FileCheck %s
// RUN: %{check} --func=conv_no_batch | FileCheck %s
// RUN: %{check} --func=conv_no_batch_const | FileCheck %s
// RUN: %{check} --func=depthwise | FileCheck %s
// RUN: %{check} --func=conv_relu_pool | FileCheck %s
// RUN: %{check} --func=matmul_k | FileCheck %s
// RUN: %{check} --func=matmul_m | FileCheck %s
// RUN: %{check} --func=matmul_n | FileCheck %s
// RUN: %{check} --func=matmul_batch | FileCheck %s
// RUN: %{check} --func=matmul_k_chain | FileCheck %s
// RUN: %{check} --func=matmul_k_large | FileCheck %s
// RUN: %{check} --func=bf16 | FileCheck %s
// RUN: %{check} --func=max_pool | FileCheck %s
// RUN: %{check} --func=avg_pool | FileCheck %s
// RUN: %{check} --func=batch_norm | FileCheck %s
// RUN: %{check} --func=reduce_none | FileCheck %s
// RUN: %{check} --func=reduce_to_none | FileCheck %s
// RUN: %{check} --func=layer_norm | FileCheck %s
// RUN: %{check} --func=reduce_then_use | FileCheck %s
// RUN: %{check} --func=softmax | FileCheck %s
// RUN: %{check} --func=concat | FileCheck %s
// RUN: %{check} --func=gather | FileCheck %s
// RUN: %{check} --func=shape_ops | FileCheck %s
// RUN: %{check} --func=scalars | FileCheck %s
// RUN: %{check} --func=iota | FileCheck %s
// RUN: %{check} --func=no_ops | FileCheck %s
// RUN: %{generated} --func=conv_no_inputs | FileCheck %s
// RUN: %{generated} --func=conv_no_inputs_bias | FileCheck %s
// RUN: %{generated} --func=conv_no_outputs | FileCheck %s
// RUN: %{generated} --func=conv_only_padding | FileCheck %s
// RUN: %{generated} --func=no_inputs_pool | FileCheck %s
// RUN: %{generated} --func=conv_no_batch | FileCheck %s
// RUN: %{generated} --func=conv_no_batch_const | FileCheck %s
// RUN: %{generated} --func=depthwise | FileCheck %s
// RUN: %{generated} --func=conv_relu_pool | FileCheck %s
// RUN: %{generated} --func=matmul_k | FileCheck %s
// RUN: %{generated} --func=matmul_m | FileCheck %s
// RUN: %{generated} --func=matmul_n | FileCheck %s
// RUN: %{generated} --func=matmul_batch | FileCheck %s
// RUN: %{generated} --func=matmul_k_chain | FileCheck %s
// RUN: %{generated} --func=matmul_k_large | FileCheck %s
// RUN: %{generated} --func=bf16 | FileCheck %s

// CHECK: compiled {{.*}} ok
// CHECK-NOT: FAIL

func.func @conv_no_inputs(%x: tensor<1x0x8x8xf32>, %w: tensor<4x0x3x3xf32>)
    -> tensor<1x4x8x8xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x0x8x8xf32>, tensor<4x0x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

func.func @conv_no_inputs_bias(%x: tensor<1x8x8x0xf32>,
                               %w: tensor<3x3x0x20xf32>, %b: tensor<20xf32>)
    -> tensor<1x8x8x20xf32> {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x8x8x0xf32>, tensor<3x3x0x20xf32>, tensor<20xf32>)
      -> tensor<1x8x8x20xf32>
  %1 = tandem.relu %0 : tensor<1x8x8x20xf32>
  return %1 : tensor<1x8x8x20xf32>
}

func.func @conv_no_outputs(%x: tensor<1x4x8x8xf32>, %w: tensor<0x4x3x3xf32>)
    -> tensor<1x0x8x8xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x4x8x8xf32>, tensor<0x4x3x3xf32>) -> tensor<1x0x8x8xf32>
  return %0 : tensor<1x0x8x8xf32>
}

func.func @conv_only_padding(%x: tensor<1x4x0x8xf32>, %w: tensor<4x4x3x3xf32>)
    -> tensor<1x4x2x8xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [2, 1] pad_high = [2, 1]
      : (tensor<1x4x0x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x2x8xf32>
  return %0 : tensor<1x4x2x8xf32>
}

func.func @no_inputs_pool(%x: tensor<1x0x8x8xf32>, %w: tensor<32x0x3x3xf32>,
                          %y: tensor<1x32x8x8xf32>)
    -> tensor<1x32x4x4xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x0x8x8xf32>, tensor<32x0x3x3xf32>) -> tensor<1x32x8x8xf32>
  %1 = tandem.add %0, %y : tensor<1x32x8x8xf32>
  %2 = tandem.max_pool %1 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<1x32x8x8xf32>) -> tensor<1x32x4x4xf32>
  return %2 : tensor<1x32x4x4xf32>
}

func.func @conv_no_batch(%x: tensor<0x16x8x8xf32>, %w: tensor<16x16x3x3xf32>)
    -> tensor<0x16x8x8xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<0x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<0x16x8x8xf32>
  return %0 : tensor<0x16x8x8xf32>
}

func.func @conv_no_batch_const(%x: tensor<0x16x8x8xf32>)
    -> tensor<0x8x8x16xf32> {
  %w = tandem.constant dense<1.0> : tensor<16x16x3x3xf32>
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<0x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<0x8x8x16xf32>
  return %0 : tensor<0x8x8x16xf32>
}

func.func @depthwise(%x: tensor<0x8x8x32xf32>, %w: tensor<3x3x1x32xf32>,
                     %b: tensor<32xf32>)
    -> tensor<0x6x6x32xf32> {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      groups = 32
      : (tensor<0x8x8x32xf32>, tensor<3x3x1x32xf32>, tensor<32xf32>)
      -> tensor<0x6x6x32xf32>
  return %0 : tensor<0x6x6x32xf32>
}

func.func @conv_relu_pool(%x: tensor<0x16x8x8xf32>, %w: tensor<32x16x3x3xf32>)
    -> tensor<0x32x4x4xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<0x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<0x32x8x8xf32>
  %1 = tandem.relu %0 : tensor<0x32x8x8xf32>
  %2 = tandem.max_pool %1 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<0x32x8x8xf32>) -> tensor<0x32x4x4xf32>
  return %2 : tensor<0x32x4x4xf32>
}

func.func @matmul_k(%x: tensor<5x0xf32>, %w: tensor<0x7xf32>)
    -> tensor<5x7xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<5x0xf32>, tensor<0x7xf32>) -> tensor<5x7xf32>
  %1 = tandem.exp %0 : tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

func.func @matmul_m(%x: tensor<0x6xf32>, %w: tensor<6x7xf32>)
    -> tensor<0x7xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<0x6xf32>, tensor<6x7xf32>) -> tensor<0x7xf32>
  %1 = tandem.exp %0 : tensor<0x7xf32>
  return %1 : tensor<0x7xf32>
}

func.func @matmul_n(%x: tensor<5x6xf32>, %w: tensor<6x0xf32>)
    -> tensor<5x0xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<5x6xf32>, tensor<6x0xf32>) -> tensor<5x0xf32>
  return %0 : tensor<5x0xf32>
}

func.func @matmul_batch(%x: tensor<0x5x6xf32>, %w: tensor<0x6x3xf32>)
    -> tensor<0x5x3xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<0x5x6xf32>, tensor<0x6x3xf32>) -> tensor<0x5x3xf32>
  return %0 : tensor<0x5x3xf32>
}

func.func @matmul_k_chain(%x: tensor<5x0xf32>, %w: tensor<0x70xf32>,
                          %v: tensor<70x33xf32>)
    -> tensor<5x33xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<5x0xf32>, tensor<0x70xf32>) -> tensor<5x70xf32>
  %1 = tandem.exp %0 : tensor<5x70xf32>
  %2 = tandem.matmul %1, %v
      : (tensor<5x70xf32>, tensor<70x33xf32>) -> tensor<5x33xf32>
  return %2 : tensor<5x33xf32>
}

func.func @matmul_k_large(%x: tensor<130x0xf32>, %w: tensor<0x170xf32>,
                          %b: tensor<170xf32>)
    -> tensor<130x170xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<130x0xf32>, tensor<0x170xf32>) -> tensor<130x170xf32>
  %1 = tandem.add %0, %b
      : (tensor<130x170xf32>, tensor<170xf32>) -> tensor<130x170xf32>
  return %1 : tensor<130x170xf32>
}

func.func @bf16(%x: tensor<5x0xbf16>, %w: tensor<0x7xbf16>,
                %a: tensor<0x32xbf16>, %b: tensor<32x64xbf16>)
    -> (tensor<5x7xbf16>, tensor<0x64xbf16>) {
  %0 = tandem.matmul %x, %w
      : (tensor<5x0xbf16>, tensor<0x7xbf16>) -> tensor<5x7xbf16>
  %1 = tandem.matmul %a, %b
      : (tensor<0x32xbf16>, tensor<32x64xbf16>) -> tensor<0x64xbf16>
  return %0, %1 : tensor<5x7xbf16>, tensor<0x64xbf16>
}

func.func @max_pool(%x: tensor<0x4x8x8xf32>) -> tensor<0x4x4x4xf32> {
  %0 = tandem.max_pool %x layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<0x4x8x8xf32>) -> tensor<0x4x4x4xf32>
  return %0 : tensor<0x4x4x4xf32>
}

func.func @avg_pool(%x: tensor<0x8x8x4xf32>) -> tensor<0x4x4x4xf32> {
  %0 = tandem.avg_pool %x layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<0x8x8x4xf32>) -> tensor<0x4x4x4xf32>
  return %0 : tensor<0x4x4x4xf32>
}

func.func @batch_norm(%x: tensor<0x4x3xf32>, %s: tensor<4xf32>)
    -> tensor<0x4x3xf32> {
  %0 = tandem.batch_norm %x, %s, %s, %s, %s epsilon = 0.001 axis = 1
      : (tensor<0x4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
      tensor<4xf32>) -> tensor<0x4x3xf32>
  return %0 : tensor<0x4x3xf32>
}

func.func @reduce_none(%x: tensor<5x0xf32>)
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %0 = tandem.reduce %x kind = sum dims = [1]
      : (tensor<5x0xf32>) -> tensor<5xf32>
  %1 = tandem.reduce %x kind = prod dims = [1]
      : (tensor<5x0xf32>) -> tensor<5xf32>
  %4 = tandem.reduce %x kind = mean dims = [1]
      : (tensor<5x0xf32>) -> tensor<5xf32>
  return %0, %1, %4 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @reduce_to_none(%x: tensor<0x5xf32>) -> tensor<0xf32> {
  %0 = tandem.reduce %x kind = max dims = [1]
      : (tensor<0x5xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

func.func @layer_norm(%x: tensor<0x64xf32>, %y: tensor<64x0xf32>)
    -> (tensor<0xf32>, tensor<64xf32>, tensor<0xf32>) {
  %0 = tandem.reduce %x kind = mean dims = [1]
      : (tensor<0x64xf32>) -> tensor<0xf32>
  %1 = tandem.reduce %x kind = sum dims = [0]
      : (tensor<0x64xf32>) -> tensor<64xf32>
  %2 = tandem.reduce %y kind = sum dims = [0]
      : (tensor<64x0xf32>) -> tensor<0xf32>
  return %0, %1, %2 : tensor<0xf32>, tensor<64xf32>, tensor<0xf32>
}

func.func @reduce_then_use(%x: tensor<1000x0xf32>, %y: tensor<1000xf32>)
    -> (tensor<1000xf32>, tensor<f32>) {
  %0 = tandem.reduce %x kind = sum dims = [1]
      : (tensor<1000x0xf32>) -> tensor<1000xf32>
  %1 = tandem.add %0, %y : tensor<1000xf32>
  %2 = tandem.reduce %1 kind = sum dims = [0]
      : (tensor<1000xf32>) -> tensor<f32>
  return %1, %2 : tensor<1000xf32>, tensor<f32>
}

func.func @softmax(%x: tensor<0x5xf32>, %y: tensor<5x0xf32>)
    -> (tensor<0x5xf32>, tensor<5x0xf32>) {
  %0 = tandem.softmax %x axis = 1 : tensor<0x5xf32>
  %1 = tandem.softmax %y axis = 1 : tensor<5x0xf32>
  return %0, %1 : tensor<0x5xf32>, tensor<5x0xf32>
}

func.func @concat(%x: tensor<2x0xf32>, %y: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x6xf32>) {
  %0 = tandem.concat %x, %y axis = 1
      : (tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tandem.neg %y : tensor<2x3xf32>
  %2 = tandem.concat %1, %x, %y axis = 1
      : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0, %2 : tensor<2x3xf32>, tensor<2x6xf32>
}

func.func @gather(%x: tensor<4x3xf32>, %i: tensor<0xi64>) -> tensor<0x3xf32> {
  %0 = tandem.gather %x, %i axis = 0
      : (tensor<4x3xf32>, tensor<0xi64>) -> tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}

func.func @shape_ops(%x: tensor<0x4xf32>, %y: tensor<3x0x4xf32>)
    -> (tensor<4x0xf32>, tensor<0xf32>, tensor<2x4xf32>, tensor<0x2xf32>,
          tensor<4x3x0xf32>) {
  %0 = tandem.transpose %x permutation = [1, 0]
      : (tensor<0x4xf32>) -> tensor<4x0xf32>
  %1 = tandem.reshape %x shape = [0] : (tensor<0x4xf32>) -> tensor<0xf32>
  %2 = tandem.pad %x low = [1, 0] high = [1, 0] interior = [0, 0] value = 2.5
      : (tensor<0x4xf32>) -> tensor<2x4xf32>
  %3 = tandem.slice %x starts = [0, 1] limits = [0, 3] strides = [1, 1]
      : (tensor<0x4xf32>) -> tensor<0x2xf32>
  %4 = tandem.transpose %y permutation = [2, 0, 1]
      : (tensor<3x0x4xf32>) -> tensor<4x3x0xf32>
  return %0, %1, %2, %3, %4
      : tensor<4x0xf32>, tensor<0xf32>, tensor<2x4xf32>, tensor<0x2xf32>,
      tensor<4x3x0xf32>
}

func.func @scalars(%x: tensor<f32>, %y: tensor<f32>)
    -> (tensor<f32>, tensor<f32>, tensor<1x1xf32>) {
  %0 = tandem.add %x, %y : tensor<f32>
  %1 = tandem.exp %0 : tensor<f32>
  %2 = tandem.reduce %1 kind = sum dims = [] : (tensor<f32>) -> tensor<f32>
  %3 = tandem.reshape %2 shape = [1, 1] : (tensor<f32>) -> tensor<1x1xf32>
  %4 = tandem.transpose %0 permutation = [] : (tensor<f32>) -> tensor<f32>
  return %0, %4, %3 : tensor<f32>, tensor<f32>, tensor<1x1xf32>
}

func.func @iota() -> (tensor<0x3xi64>, tensor<i32>) {
  %0 = tandem.iota axis = 0 : tensor<0x3xi64>
  %1 = tandem.constant dense<3> : tensor<i32>
  return %0, %1 : tensor<0x3xi64>, tensor<i32>
}

func.func @no_ops() -> tensor<0xf32> {
  %0 = tandem.constant dense<> : tensor<0xf32>
  return %0 : tensor<0xf32>
}
