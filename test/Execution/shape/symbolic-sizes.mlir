// Sizes that are expressions of dims of the arguments, in every tier and for
// several shapes.

// RUN: tandem-run %s --print --arg=iota:2x4 --tier=reference | FileCheck %s
// RUN: tandem-run %s --print --arg=iota:2x4 --tier=eager | FileCheck %s
// RUN: tandem-run %s --print --arg=iota:2x4 --tier=compiled | FileCheck %s
// RUN: tandem-run %s --check --arg=iota:2x4 | FileCheck %s --check-prefix=AGREE
// RUN: tandem-run %s --check --arg=random:7x2 | FileCheck %s --check-prefix=AGREE
// RUN: tandem-run %s --check --arg=random:0x6 | FileCheck %s --check-prefix=AGREE
// RUN: not tandem-run %s --arg=random:2x3 --tier=eager 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not tandem-run %s --arg=random:2x3 --tier=compiled 2>&1 | FileCheck %s --check-prefix=ODD

func.func @main(%x: tensor<?x?xf32> {tandem.dims = ["n", "l"]})
    -> (tensor<?x2x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = tandem.reshape %x shape = [?, 2, ?] {tandem.sizes = {shape = "n, 2, l floordiv 2"}}
      : (tensor<?x?xf32>) -> tensor<?x2x?xf32>
  %1 = tandem.iota axis = 1 {tandem.sizes = {result = "n + 1, l * 2 - 4"}} : tensor<?x?xi64>
  %2 = tandem.slice %x starts = [0, ?] limits = [9, ?] strides = [1, 1]
      {tandem.sizes = {starts = "0, l ceildiv 3", limits = "9, l"}}
      : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = tandem.pad %2 low = [0, ?] high = [0, 1] interior = [0, 0] value = -1.0
      {tandem.sizes = {low = "0, l mod 3"}} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %one = tandem.constant dense<1.0> : tensor<f32>
  %4 = tandem.broadcast %one shape = [?, ?] dims = [] {tandem.sizes = {shape = "n, 3"}}
      : (tensor<f32>) -> tensor<?x?xf32>
  return %0, %1, %3, %4 : tensor<?x2x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>, tensor<?x?xf32>
}

// CHECK: output 0: tensor<2x2x2xf32>
// CHECK: output 1: tensor<3x4xi64>
// CHECK-NEXT{LITERAL}: [[0, 1, 2, 3],
// CHECK: output 2: tensor<2x4xf32>
// CHECK: output 3: tensor<2x3xf32>
// CHECK-NEXT{LITERAL}: [[1, 1, 1],

// AGREE: compiled{{.*}} 3: {{.*}} ok
// ODD: symbolic-sizes.mlir:15{{.*}}reshape C2: tensor<2x3xf32> does not have the elements of 2x2x1
