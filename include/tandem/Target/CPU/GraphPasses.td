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
         "What prices are of: generic, host, the name of a built-in device "
         "description, the path of one, or its text.">;

def AssignLayouts : Pass<"tandem-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Hold tensors channels last where that is faster";
  let description = [{
    Convolutions that are given channels first (`NCHW`) and the ops around them
    are computed channels last (`NHWC`) where the estimated times say so: those
    of convolutions and windows in either layout, and of the transposes between
    values in different ones. The assignment of least cost over a function is
    found as a minimum cut, so that transposes cancel, move past elementwise
    ops, windows, pads, slices, concats, reductions and normalisations, and end
    where they cost least: at an argument or result, in a loop that reads or
    writes the value anyhow, or in a constant. A convolution may read one layout
    and write the other, as it can with few input channels. The kernel of one
    with groups whose result has its channels last is turned where it is a
    constant, so that groups lie side by side. Types of arguments and results do
    not change; types must be static.

    With `remarks` every convolution says what it was given and why. With
    `notes` the function carries an account for the fusion report, as attribute
    `tandem.layouts`: convolutions with their prices, and the transposes that
    came and went.

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
           "Report the layouts of every convolution, and their prices.">,
    Option<"winograd", "winograd", "bool", "false",
           "Kernels may use Winograd's method, which takes channels last.">,
    TargetCPU_DeviceSpec,
    Option<"notes", "notes", "bool", "false",
           "Leave an account for the fusion report.">
  ];
}

def ChooseContractions : Pass<"tandem-cpu-choose-contractions"> {
  let summary = "Leave to the library the contractions that it computes faster";
  let description = [{
    Prices each convolution and matrix product as a kernel, a loop where it has
    few products for an element, and as an op step, after which what follows is
    a kernel of its own; and marks those that are cheaper as a step, with both
    prices in ns, for `tandem-fuse` to leave alone. With `how=generated` nothing is marked, with
    `how=library` all are. With `notes` what becomes a kernel has its prices in
    `tandem.generated`, for the fusion report.

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
           "predict, generated or library.",
           "::tandem::ChoiceValues<::tandem::Contractions>()">,
    TargetCPU_DeviceSpec,
    Option<"notes", "notes", "bool", "false",
           "Leave the prices of kernels for the fusion report.">
  ];
}

def PackWeights : Pass<"tandem-cpu-pack-weights"> {
  let summary = "Lay out the weights of contractions in blocks of columns";
  let description = [{
    A contraction that is computed a block of output channels (of columns) at a
    time reads the weights of a block one after the other where they are packed:
    `[groups][blocks][spatial...][input channels][block]` for a convolution, of
    any kernel layout, and `[blocks][rows][block]` for the right operand of a
    product; filled up with zeros. Constants are packed here; what is known only
    at run time is packed by a kernel of its own, once for all kernels that read
    it. The fusion sees the plain weights through views (transpose, reshape,
    slice), of which code generation makes strides.

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
           "Columns of a block; 0: as the contraction's strategy wants them.">,
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The machine to plan for, as of tandem-cpu-choose-contractions.">
  ];
}

def TransformWeights : Pass<"tandem-cpu-transform-weights"> {
  let summary = "Transform the weights of convolutions that then take less";
  let description = [{
    A convolution of 3x3 taps, one by one and channels last, takes a quarter of
    the products by Winograd's method F(4x4, 3x3). Where its kernel is a constant
    and the transforms cost less than the products saved, the kernel is
    transformed here, in f64, and laid out as
    `[blocks][6][6][input channels][block]`; the plain kernel is laid out in the
    same blocks, for tiles whose data the method would not be accurate for. The
    fusion sees both through views and `tandem.winograd_kernel`, by which code
    generation knows what to do. A kernel that is not finite, or whose transform
    could overflow, stays as it is.

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
           "auto: where it is estimated to pay; always: where it is possible; "
           "never.", "::tandem::ChoiceValues<::tandem::Winograd>()">,
    Option<"deviceSpec", "device-spec", "std::string", "\"generic\"",
           "The machine to plan for, as of tandem-cpu-choose-contractions.">
  ];
}

#endif // TANDEM_TARGET_CPU_GRAPHPASSES
