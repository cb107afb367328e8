// An infinity in one pixel is not in the sums of others: where bf16 is
// multiplied by pairs of channels, and the channels are an odd number, the one
// without a partner has none.
//
// RUN: %python -c "import sys; sys.path.insert(0, sys.argv[1] + '/utils'); import pathlib; from npy import write_npy; write_npy(pathlib.Path(sys.argv[2]), [1, 4, 9, 3], [float('inf') if i == 45 else 0.5 for i in range(108)])" %src %t.npy
// RUN: tandem-run --check %s --arg=%t.npy --arg=random --arg=random | FileCheck %s
// CHECK: eager {{.*}} ok
// CHECK: compiled {{.*}} ok
func.func @main(%a: tensor<1x4x9x3xf32>, %w: tensor<14x1x3x3xbf16>, %b: tensor<14xbf16>) -> tensor<1x4x7x14xbf16> {
  %x = tandem.cast %a : (tensor<1x4x9x3xf32>) -> tensor<1x4x9x3xbf16>
  %r = tandem.conv %x, %w, %b layout = <input = "NHWC", kernel = "OHWI", output = "NHWC"> : (tensor<1x4x9x3xbf16>, tensor<14x1x3x3xbf16>, tensor<14xbf16>) -> tensor<1x4x7x14xbf16>
  return %r : tensor<1x4x7x14xbf16>
}
