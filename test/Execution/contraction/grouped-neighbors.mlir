// Groups of 16 channels in bf16. On processors with AMX, oneDNN 2.6 extends
// each group to 32 channels with channels of the next position, multiplied by
// zero. If one of these channels is infinite, the product is NaN, and so was
// the output before the outputs that read the infinity.

// RUN: tandem-run %s --check --no-fallback | FileCheck %s
// RUN: tandem-run %s --check --no-fallback --target-option=contractions=library --threads=2 | FileCheck %s
// CHECK: eager {{.*}}0: {{.*}} ok
// CHECK: compiled {{.*}}0: {{.*}} ok

func.func @main(%x: tensor<2x2x32xbf16>, %y: tensor<2x3x32xbf16>, %w: tensor<3x16x64xbf16>) -> tensor<2x5x64xbf16> {
  %inf = tandem.constant dense<0x7F80> : tensor<2x1x32xbf16>
  %image = tandem.concat %x, %inf, %y axis = 1 : (tensor<2x2x32xbf16>, tensor<2x1x32xbf16>, tensor<2x3x32xbf16>) -> tensor<2x6x32xbf16>
  %0 = tandem.conv %image, %w layout = <input = "NWC", kernel = "WIO", output = "NWC"> groups = 2 pad_low = [1] pad_high = [0]
      : (tensor<2x6x32xbf16>, tensor<3x16x64xbf16>) -> tensor<2x5x64xbf16>
  return %0 : tensor<2x5x64xbf16>
}
