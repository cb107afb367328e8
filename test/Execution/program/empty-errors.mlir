// Every tier refuses ops that have no defined result for operands without
// elements.

// DEFINE: %{tier} = reference
// DEFINE: %{max} = not tandem-run %s --arg=random:3x0 --tier=%{tier} 2>&1 \
// DEFINE:   | FileCheck %s --check-prefix=MAX
// DEFINE: %{window} = not tandem-run %s --arg=random:1x2x0x8 --tier=%{tier} \
// DEFINE:   --func=window 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: %{max}
// RUN: %{window}
// REDEFINE: %{tier} = eager
// RUN: %{max}
// RUN: %{window}
// REDEFINE: %{tier} = compiled
// RUN: %{max}
// RUN: %{window}

// MAX: empty-errors.mlir:[[#@LINE+2]]:8: error: {{.*}}: reduce C4: max over dim 1 of tensor<3x0xf32>, which is empty
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = tandem.reduce %x kind = max dims = [1] : (tensor<?x?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// WINDOW: empty-errors.mlir:[[#@LINE+2]]:8: error: {{.*}}: max_pool C5: a window of 2 with dilation 1 does not fit into 0 elements
func.func @window(%x: tensor<1x2x?x8xf32>) -> tensor<1x2x?x7xf32> {
  %0 = tandem.max_pool %x layout = "NCHW" window = [2, 2]
      : (tensor<1x2x?x8xf32>) -> tensor<1x2x?x7xf32>
  return %0 : tensor<1x2x?x7xf32>
}
