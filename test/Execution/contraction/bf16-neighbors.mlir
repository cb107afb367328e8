// An infinity in one pixel must not enter the sums of other pixels. This also
// holds if bf16 is multiplied in pairs of channels and the number of channels
// is odd, and if a row of a window with few channels is filled up.
//
// DEFINE: %{pixels} = %python -c "import sys; sys.path.insert(0, sys.argv[1] + '/utils/graphs'); import pathlib; from npy import write_npy; n = int(sys.argv[3]); write_npy(pathlib.Path(sys.argv[2]), [1, 4, 9, n], [float('inf') if i == 15 * n else 0.5 for i in range(36 * n)])" %src %t.npy
// DEFINE: %{check} = tandem-run --check %s --arg=%t.npy --arg=random --arg=random
//
// RUN: %{pixels} 3
// RUN: %{check} --func=three | FileCheck %s
// RUN: %{pixels} 4
// RUN: %{check} --func=four | FileCheck %s
// CHECK: eager {{.*}} ok
// CHECK: compiled {{.*}} ok
func.func @three(%a: tensor<1x4x9x3xf32>, %w: tensor<14x1x3x3xbf16>, %b: tensor<14xbf16>) -> tensor<1x4x7x14xbf16> {
  %x = tandem.cast %a : (tensor<1x4x9x3xf32>) -> tensor<1x4x9x3xbf16>
  %r = tandem.conv %x, %w, %b layout = <input = "NHWC", kernel = "OHWI", output = "NHWC"> : (tensor<1x4x9x3xbf16>, tensor<14x1x3x3xbf16>, tensor<14xbf16>) -> tensor<1x4x7x14xbf16>
  return %r : tensor<1x4x7x14xbf16>
}

func.func @four(%a: tensor<1x4x9x4xf32>, %w: tensor<14x3x3x4xbf16>, %b: tensor<14xbf16>) -> tensor<1x2x7x14xbf16> {
  %x = tandem.cast %a : (tensor<1x4x9x4xf32>) -> tensor<1x4x9x4xbf16>
  %r = tandem.conv %x, %w, %b layout = <input = "NHWC", kernel = "OHWI", output = "NHWC"> : (tensor<1x4x9x4xbf16>, tensor<14x3x3x4xbf16>, tensor<14xbf16>) -> tensor<1x2x7x14xbf16>
  return %r : tensor<1x2x7x14xbf16>
}
