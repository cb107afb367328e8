// Kernels and single ops on the fake driver are compared with the reference
// tier: odd sizes and vectors, dtypes, padding, gather, concat and convolution.

// RUN: rm -rf %t.tmp && mkdir -p %t.tmp
// RUN: %fake-cuda FAKE_CUDA_CACHE= TMPDIR=%t.tmp tandem-run %s --device=cuda \
// RUN:   --check | FileCheck %s
// No file is left behind.
// RUN: not ls %t.tmp/*

// CHECK-COUNT-6: eager {{.*}} ok
// CHECK-COUNT-6: compiled {{.*}} ok
func.func @main(%x: tensor<31x37xf32>, %v: tensor<33x64xf32>,
                %h: tensor<33x64xf16>, %s: tensor<3x20x1xf32>,
                %k: tensor<3x1x4xf32>, %img: tensor<2x3x9x7xf32>,
                %w: tensor<4x3x3x3xf32>)
    -> (tensor<31x37xf32>, tensor<33x64xf16>, tensor<34x41xf32>,
        tensor<4x20x1xf32>, tensor<3x18x4xf32>, tensor<2x4x9x7xf32>) {
  %0 = tandem.tanh %x : tensor<31x37xf32>
  %1 = tandem.add %0, %x : tensor<31x37xf32>
  %2 = tandem.cast %v : (tensor<33x64xf32>) -> tensor<33x64xf16>
  %3 = tandem.mul %2, %h : tensor<33x64xf16>
  %4 = tandem.exp %3 : tensor<33x64xf16>
  %5 = tandem.pad %x low = [1, 2] high = [2, 2] interior = [0, 0] value = -1.0
      : (tensor<31x37xf32>) -> tensor<34x41xf32>
  %6 = tandem.relu %5 : tensor<34x41xf32>
  %rows = tandem.constant dense<[2, 0, 1, 2]> : tensor<4xi64>
  %7 = tandem.gather %s, %rows axis = 0
      : (tensor<3x20x1xf32>, tensor<4xi64>) -> tensor<4x20x1xf32>
  %8 = tandem.neg %7 : tensor<4x20x1xf32>
  %9 = tandem.conv %s, %k
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<3x20x1xf32>, tensor<3x1x4xf32>) -> tensor<3x18x4xf32>
  %10 = tandem.relu %9 : tensor<3x18x4xf32>
  %11 = tandem.conv %img, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<2x3x9x7xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x9x7xf32>
  %12 = tandem.relu %11 : tensor<2x4x9x7xf32>
  return %1, %4, %6, %8, %10, %12
      : tensor<31x37xf32>, tensor<33x64xf16>, tensor<34x41xf32>,
        tensor<4x20x1xf32>, tensor<3x18x4xf32>, tensor<2x4x9x7xf32>
}
