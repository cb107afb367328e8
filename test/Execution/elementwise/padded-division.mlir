// The padding of a quotient has the padding value, although 0/0 is computed in
// these lanes. LLVM assumed that lanes in which both operands are masked are
// zeros, and omitted the mask (random graph 50006934).

// RUN: tandem-run %s --check --no-fallback \
// RUN:   --arg=random --arg=random:seed=7 --arg=random | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 tandem-run %s --check --no-fallback \
// RUN:   --arg=random --arg=random:seed=7 --arg=random | FileCheck %s
// CHECK-COUNT-4: ok

func.func @main(%image: tensor<2x8x11x10xf32>, %x: tensor<7x5xf32>,
                %y: tensor<7x5xf32>)
    -> (tensor<5x11x10x6xf32>, tensor<10x6xf32>) {
  %pooled = tandem.avg_pool %image layout = "NCHW" window = [2, 1]
      strides = [2, 2] : (tensor<2x8x11x10xf32>) -> tensor<2x8x5x5xf32>
  %0 = tandem.pad %pooled low = [0, 3, 3, 0] high = [3, 0, 2, 1]
      interior = [0, 0, 0, 0] value = 0.0
      : (tensor<2x8x5x5xf32>) -> tensor<5x11x10x6xf32>
  %quotient = tandem.div %x, %y : tensor<7x5xf32>
  %1 = tandem.pad %quotient low = [2, 0] high = [1, 1] interior = [0, 0]
      value = 0.0 : (tensor<7x5xf32>) -> tensor<10x6xf32>
  return %0, %1 : tensor<5x11x10x6xf32>, tensor<10x6xf32>
}
