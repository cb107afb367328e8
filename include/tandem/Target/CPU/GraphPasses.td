//===- GraphPasses.td - The CPU's passes on graphs ------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TARGET_CPU_GRAPHPASSES
#define TANDEM_TARGET_CPU_GRAPHPASSES

include "mlir/Pass/PassBase.td"

defvar TargetCPU_DeviceSpec =
  Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
         "The device that costs are estimated for: generic, host, the name "
         "of a built-in device description, the path of one, or its text.">;

def AssignLayouts : Pass<"tandem-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Use channels-last layouts where that is faster";
  let description = [{
    Convolutions that are written with channels first (`NCHW`), and the ops
    around them, are computed with channels last (`NHWC`) where that is
    estimated to be faster. The estimate includes the times of convolutions and
    windows in either layout, and of the transposes between different layouts.
    The cheapest assignment over a function is found as a minimum cut. As a
    result, transposes cancel, move past elementwise ops, windows, pads, slices,
    concats, reductions and normalisations, and end where they cost least: at an
    argument or result, in a loop that reads or writes the value anyway, or in a
    constant. A convolution may read one layout and write the other, which pays
    with few input channels. The constant kernel of a grouped convolution with a
    channels-last result is transposed so that groups are adjacent. The types of
    arguments and results do not change. All types must be static.

    With `remarks`, the layouts chosen for every convolution are reported with
    their estimated costs. With `notes`, the function gets an attribute
    `tandem.layouts` for the fusion report, with the costs of convolutions, and
    the transposes that were inserted and removed.

    Before:
    ```mlir
    %0 = tandem.conv %x, %w
        layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
        : (tensor<1x64x9x9xf32>, tensor<64x64x2x2xf32>) -> tensor<1x64x8x8xf32>
    %1 = tandem.relu %0 : tensor<1x64x8x8xf32>
    %2 = tandem.reduce %1 kind = mean dims = [2, 3]
        : (tensor<1x64x8x8xf32>) -> tensor<1x64xf32>
    ```
    After:
    ```mlir
    %0 = tandem.transpose %x permutation = [0, 2, 3, 1]
        : (tensor<1x64x9x9xf32>) -> tensor<1x9x9x64xf32>
    %1 = tandem.conv %0, %w
        layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
        : (tensor<1x9x9x64xf32>, tensor<64x64x2x2xf32>) -> tensor<1x8x8x64xf32>
    %2 = tandem.relu %1 : tensor<1x8x8x64xf32>
    %3 = tandem.reduce %2 kind = mean dims = [1, 2]
        : (tensor<1x8x8x64xf32>) -> tensor<1x64xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "Report the layouts of every convolution, and their costs.">,
    Option<"winograd", "winograd", "bool", "false",
           "Kernels may use Winograd's method, which requires channels last.">,
    TargetCPU_DeviceSpec,
    Option<"notes", "notes", "bool", "false",
           "Leave notes for the fusion report.">
  ];
}

def ChooseContractions : Pass<"tandem-cpu-choose-contractions"> {
  let summary = "Leave to the library the contractions that it computes faster";
  let description = [{
    Estimates the cost of each convolution and matrix product as a generated
    kernel (a loop, if each element takes few products) and as an op step of the
    library, after which the elementwise ops that follow need a kernel of their
    own. An op that is cheaper as a step gets the attribute `tandem.library`
    with both costs in nanoseconds, and `tandem-fuse` will not fuse it. With
    `how=generated` no op is marked, with `how=library` all are. With `notes`,
    ops that become kernels get their costs in the attribute `tandem.generated`,
    for the fusion report.

    Before:
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x24xf32>)
        -> tensor<4x24xf32> {
      %0 = tandem.matmul %x, %w
          : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      return %0 : tensor<4x24xf32>
    }
    ```
    After, where the library is cheaper:
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x24xf32>)
        -> tensor<4x24xf32> {
      %0 = tandem.matmul %x, %w {tandem.library = array<i64: 900, 600>}
          : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      return %0 : tensor<4x24xf32>
    }
    ```
  }];
  let options = [
    Option<"winograd", "winograd", "bool", "false",
           "Kernels may use Winograd's method.">,
    Option<"how", "how", "::tandem::Contractions",
           "::tandem::Contractions::predict",
           "Compute contractions with kernels or with the library: predict, "
           "generated or library.",
           "::tandem::ChoiceValues<::tandem::Contractions>()">,
    TargetCPU_DeviceSpec,
    Option<"notes", "notes", "bool", "false",
           "Leave the costs of kernels for the fusion report.">
  ];
}

def PackWeights : Pass<"tandem-cpu-pack-weights"> {
  let summary = "Lay out the weights of contractions in blocks of columns";
  let description = [{
    A contraction is computed for one block of output channels (or columns) at a
    time, and reads the weights of a block in order if they are packed. Packed
    weights have the layout `[groups][blocks][spatial...][input
    channels][block]` for a convolution with any kernel layout, and
    `[blocks][rows][block]` for the right operand of a matrix product. The last
    blocks are filled up with zeros. Constants are packed by this pass; weights
    that are known only at run time are packed by a kernel of their own, once
    for all kernels that read them. The fusion sees the plain weights through
    views (transpose, reshape, slice), which code generation turns into strides.

    Before:
    ```mlir
    %0 = tandem.fusion contraction (%a = %x, %b = %w)
        : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32> {
      %1 = tandem.matmul %a, %b
          : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      tandem.yield %1 : tensor<4x24xf32>
    }
    ```
    After, in blocks of 16 columns:
    ```mlir
    %p = tandem.fusion loop (%b = %w)
        : (tensor<8x24xf32>) -> tensor<2x8x16xf32> {
      %1 = tandem.pad %b low = [0, 0] high = [0, 8] interior = [0, 0] value = 0.0
          : (tensor<8x24xf32>) -> tensor<8x32xf32>
      %2 = tandem.reshape %1 shape = [8, 2, 16]
          : (tensor<8x32xf32>) -> tensor<8x2x16xf32>
      %3 = tandem.transpose %2 permutation = [1, 0, 2]
          : (tensor<8x2x16xf32>) -> tensor<2x8x16xf32>
      tandem.yield %3 : tensor<2x8x16xf32>
    }
    %0 = tandem.fusion contraction (%a = %x, %b = %p)
        : (tensor<4x8xf32>, tensor<2x8x16xf32>) -> tensor<4x24xf32> {
      %1 = tandem.transpose %b permutation = [1, 0, 2]
          : (tensor<2x8x16xf32>) -> tensor<8x2x16xf32>
      %2 = tandem.reshape %1 shape = [8, 32]
          : (tensor<8x2x16xf32>) -> tensor<8x32xf32>
      %3 = tandem.slice %2 starts = [0, 0] limits = [8, 24] strides = [1, 1]
          : (tensor<8x32xf32>) -> tensor<8x24xf32>
      %4 = tandem.matmul %a, %3
          : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      tandem.yield %4 : tensor<4x24xf32>
    }
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = [
    Option<"block", "block", "int64_t", "0",
           "Columns of a block; 0 for the number that the contraction's "
           "strategy chooses.">,
    TargetCPU_DeviceSpec
  ];
}

def TransformWeights : Pass<"tandem-cpu-transform-weights"> {
  let summary = "Transform the weights of convolutions for Winograd's method";
  let description = [{
    A convolution with 3x3 taps, strides and dilations of 1 and channels last
    takes a quarter of the multiplications with Winograd's method F(4x4, 3x3).
    If its kernel is a constant and the transforms cost less than the
    multiplications saved, this pass transforms the kernel, in f64, to the
    layout `[blocks][6][6][input channels][block]`. The plain kernel is packed
    in the same blocks, for tiles with data for which the method would not be
    accurate. The fusion sees both through views and the op
    `tandem.winograd_kernel`, which makes code generation use the method. A
    kernel that is not finite, or whose transform could overflow, is left as it
    is.

    Before:
    ```mlir
    %w = tandem.constant dense<1.0> : tensor<3x3x64x64xf32>
    %0 = tandem.fusion contraction (%a = %x, %b = %w)
        : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>)
        -> tensor<1x54x54x64xf32> {
      %1 = tandem.conv %a, %b
          layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
          : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>)
          -> tensor<1x54x54x64xf32>
      tandem.yield %1 : tensor<1x54x54x64xf32>
    }
    ```
    After, in blocks of 32 outputs:
    ```mlir
    %p = tandem.constant dense_resource<packed> : tensor<2x3x3x64x32xf32>
    %u = tandem.constant dense_resource<transformed>
        : tensor<2x6x6x64x32xf32>
    %0 = tandem.fusion contraction (%a = %x, %b = %p, %c = %u)
        : (tensor<1x56x56x64xf32>, tensor<2x3x3x64x32xf32>,
           tensor<2x6x6x64x32xf32>) -> tensor<1x54x54x64xf32> {
      %1 = tandem.transpose %b permutation = [1, 2, 3, 0, 4]
          : (tensor<2x3x3x64x32xf32>) -> tensor<3x3x64x2x32xf32>
      %2 = tandem.reshape %1 shape = [3, 3, 64, 64]
          : (tensor<3x3x64x2x32xf32>) -> tensor<3x3x64x64xf32>
      %3 = tandem.transpose %c permutation = [1, 2, 3, 0, 4]
          : (tensor<2x6x6x64x32xf32>) -> tensor<6x6x64x2x32xf32>
      %4 = tandem.reshape %3 shape = [6, 6, 64, 64]
          : (tensor<6x6x64x2x32xf32>) -> tensor<6x6x64x64xf32>
      %5 = tandem.winograd_kernel %2, %4 largest_data = 1.0e+33
          : (tensor<3x3x64x64xf32>, tensor<6x6x64x64xf32>)
          -> tensor<3x3x64x64xf32>
      %6 = tandem.conv %a, %5
          layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
          : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>)
          -> tensor<1x54x54x64xf32>
      tandem.yield %6 : tensor<1x54x54x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = [
    Option<"how", "how", "::tandem::Winograd", "::tandem::Winograd::automatic",
           "When to use Winograd's method. auto: where it is estimated to "
           "pay; always: where it is possible; never.",
           "::tandem::ChoiceValues<::tandem::Winograd>()">,
    TargetCPU_DeviceSpec
  ];
}

#endif // TANDEM_TARGET_CPU_GRAPHPASSES
