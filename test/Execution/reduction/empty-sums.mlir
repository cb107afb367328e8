// A sum without terms is zero, or the value to which it is added.

// DEFINE: %{run} = tandem-run %s --print --arg=zeros --arg=zeros \
// DEFINE:   --arg=[1,2] --arg=zeros --arg=zeros
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled --target-option=contractions=generated \
// RUN:   | FileCheck %s --match-full-lines

func.func @main(%x: tensor<1x0x2x3xf32>, %w: tensor<2x0x1x1xf32>,
                %b: tensor<2xf32>, %m: tensor<2x0xf32>, %n: tensor<0x3xf32>)
    -> (tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>, tensor<2x3xf32>,
        tensor<2xf32>, tensor<2xf32>) {
  %conv = tandem.conv %x, %w
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x0x2x3xf32>, tensor<2x0x1x1xf32>) -> tensor<1x2x2x3xf32>
  %biased = tandem.conv %x, %w, %b
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x0x2x3xf32>, tensor<2x0x1x1xf32>, tensor<2xf32>)
      -> tensor<1x2x2x3xf32>
  %matmul = tandem.matmul %m, %n
      : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %prod = tandem.reduce %m kind = prod dims = [1]
      : (tensor<2x0xf32>) -> tensor<2xf32>
  %mean = tandem.reduce %m kind = mean dims = [1]
      : (tensor<2x0xf32>) -> tensor<2xf32>
  return %conv, %biased, %matmul, %prod, %mean
      : tensor<1x2x2x3xf32>, tensor<1x2x2x3xf32>, tensor<2x3xf32>,
        tensor<2xf32>, tensor<2xf32>
}

// CHECK: output 0: tensor<1x2x2x3xf32>
// CHECK-NEXT{LITERAL}: [[[[0, 0, 0],
// CHECK-NEXT{LITERAL}: [0, 0, 0]],
// CHECK-NEXT{LITERAL}: [[0, 0, 0],
// CHECK-NEXT{LITERAL}: [0, 0, 0]]]]
// CHECK-NEXT: output 1: tensor<1x2x2x3xf32>
// CHECK-NEXT{LITERAL}: [[[[1, 1, 1],
// CHECK-NEXT{LITERAL}: [1, 1, 1]],
// CHECK-NEXT{LITERAL}: [[2, 2, 2],
// CHECK-NEXT{LITERAL}: [2, 2, 2]]]]
// CHECK-NEXT: output 2: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[0, 0, 0],
// CHECK-NEXT{LITERAL}: [0, 0, 0]]
// CHECK-NEXT: output 3: tensor<2xf32>
// CHECK-NEXT: [1, 1]
// CHECK-NEXT: output 4: tensor<2xf32>
// CHECK-NEXT: {{\[-?nan, -?nan\]}}
