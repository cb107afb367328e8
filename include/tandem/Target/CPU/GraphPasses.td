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
         "The device for which costs are estimated: generic, host, the name "
         "of a built-in device description, the path of a device description, "
         "or the text of one.">;

def AssignLayouts : Pass<"tandem-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Use channels-last layouts if they are faster";
  let description = [{
    Changes convolutions with a channels-first layout (`NCHW`), and the ops
    around them, to a channels-last layout (`NHWC`) if that is estimated to be
    faster. The estimate includes the times of convolutions and windows in both
    layouts and the times of the transposes between different layouts. The
    cheapest assignment of layouts in a function is computed as a minimum cut.
    As a result, transposes cancel or move past elementwise ops, windows, pads,
    slices, concats, reductions and normalizations. The remaining transposes are
    placed where they cost least: at an argument or result, in a loop that reads
    or writes the value anyway, or in a constant.

    A convolution may read one layout and write the other. This is useful if the
    convolution has few input channels. The constant kernel of a grouped
    convolution with a channels-last result, whether assigned or given, is
    transposed so that the weights of a group are adjacent. The types of
    arguments and results do not change. All types must be static.

    With `remarks`, the pass reports the chosen layouts and the estimated costs
    for every convolution. With `notes`, the pass adds an attribute
    `tandem.layouts` to the function for the fusion report. The attribute holds
    the costs of convolutions and the transposes that were inserted and removed.

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
           "Report the chosen layouts and the costs for every convolution.">,
    Option<"winograd", "winograd", "bool", "false",
           "Allow kernels to use Winograd's method, which requires "
           "channels-last layouts.">,
    TargetCPU_DeviceSpec,
    Option<"notes", "notes", "bool", "false",
           "Add notes for the fusion report to the function.">
  ];
}

def ChooseContractions : Pass<"tandem-cpu-choose-contractions"> {
  let summary = "Choose the contractions that the library computes";
  let description = [{
    Estimates two costs of each convolution and matrix product. The first is the
    cost as a generated kernel, which is a loop if each result element needs few
    products. The second is the cost as an op step of the library. This cost
    includes a separate kernel for the elementwise ops that follow. If the op
    step is cheaper, the op gets the attribute `tandem.library`, which holds
    both costs in nanoseconds. `tandem-fuse` does not fuse such an op. With
    `how=generated`, no op is marked. With `how=library`, all ops are marked.
    With `notes`, an op that becomes a kernel gets the attribute
    `tandem.generated`, which holds the costs for the fusion report.

    Before:
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x24xf32>)
        -> tensor<4x24xf32> {
      %0 = tandem.matmul %x, %w
          : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      return %0 : tensor<4x24xf32>
    }
    ```
    After, if the library is cheaper:
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
           "Allow kernels to use Winograd's method.">,
    Option<"how", "how", "::tandem::Contractions",
           "::tandem::Contractions::predict",
           "How to choose between kernels and the library: predict, generated "
           "or library.",
           "::tandem::ChoiceValues<::tandem::Contractions>()">,
    TargetCPU_DeviceSpec,
    Option<"notes", "notes", "bool", "false",
           "Add the costs of kernels to the ops, for the fusion report.">
  ];
}

def DecomposeConvBackwardWeights
    : Pass<"tandem-cpu-decompose-conv-backward-weights"> {
  let summary = "Replace gradients of weights by convolutions";
  let description = [{
    Replaces a `conv_backward_weights` by a convolution in which the images are
    the channels, the positions are the taps of the window, and the input
    channels are an additional spatial dim. Register tiles of this convolution
    have input channels as rows and output channels as columns. If windows are
    single elements that lie side by side, the op becomes a matrix product.

    In f32, the sum over the images is split among blocks of images, which
    become groups of the convolution. The partial sums are added at the end.
    The blocks depend only on the shapes, so that results do not depend on the
    number of threads.

    If the library is estimated to be faster, the op is not replaced and gets
    the attribute `tandem.library` with both costs. The op is also not replaced
    in the following cases:
    - The op has several groups, elements of type f64, a dynamic shape, or no
      elements.
    - The windows are single elements, and have gaps or padding, or the channels
      of an operand are not innermost.
    - The op has three spatial dims and does not become a matrix product.
    - No window reads an element of the input.
    - There are no register tiles for the convolution.

    Before:
    ```mlir
    %0 = tandem.conv_backward_weights %x, %g
        layout = <input = "NWC", kernel = "WIO", output = "NWC"> window = [3]
        pad_low = [1] pad_high = [1]
        : (tensor<4x28x64xf32>, tensor<4x28x128xf32>) -> tensor<3x64x128xf32>
    ```
    After:
    ```mlir
    %a = tandem.reshape %x shape = [1, 4, 28, 64]
        : (tensor<4x28x64xf32>) -> tensor<1x4x28x64xf32>
    %b = tandem.reshape %g shape = [4, 28, 1, 128]
        : (tensor<4x28x128xf32>) -> tensor<4x28x1x128xf32>
    %c = tandem.conv %a, %b
        layout = <input = "NCHW", kernel = "IHWO", output = "NHWC">
        pad_low = [1, 0] pad_high = [1, 0]
        : (tensor<1x4x28x64xf32>, tensor<4x28x1x128xf32>)
        -> tensor<1x3x64x128xf32>
    %0 = tandem.reshape %c shape = [3, 64, 128]
        : (tensor<1x3x64x128xf32>) -> tensor<3x64x128xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = [
    Option<"how", "how", "::tandem::Contractions",
           "::tandem::Contractions::predict",
           "How to choose between kernels and the library: predict, generated "
           "or library; autotune is like predict.",
           "::tandem::ChoiceValues<::tandem::Contractions>()">,
    TargetCPU_DeviceSpec
  ];
}

def FitBytes : Pass<"tandem-cpu-fit-bytes", "::mlir::func::FuncOp"> {
  let summary = "Fit products of 8-bit integers to the processor's instructions";
  let description = [{
    Changes convolutions and matrix products of integers of 8 bits whose weights
    are constant. The results stay the same.

    - If no partial sum of the products of an output can exceed 2^24, whatever
      the data, a sum in f32 is exact. If sums in f32 are also estimated to be
      faster, the op gets the attribute `tandem.sums_in_f32`, and its kernel
      converts the data and the weights to f32. The items below are for the
      other ops.
    - The instruction `vpdpbusd` multiplies quads of inputs. A convolution of a
      few input channels, such as the three of an image, gets channels of zeros
      that fill the last quad.
    - The instruction takes unsigned data. If the device has the instruction,
      data of i8 becomes ui8 by adding 128, and 128 times the sum of the weights
      is subtracted from the result. If the op pads with zeros, an explicit
      `pad` of the data replaces the padding first.

    Before:
    ```mlir
    %w = tandem.constant dense<1> : tensor<8x4xi8>
    %0 = tandem.matmul %x, %w widen : (tensor<2x8xi8>, tensor<8x4xi8>) -> tensor<2x4xi32>
    ```
    After:
    ```mlir
    %w = tandem.constant dense<1> : tensor<8x4xi8>
    %upper = tandem.constant dense<-128> : tensor<i8>
    %0 = tandem.bitwise_xor %x, %upper : (tensor<2x8xi8>, tensor<i8>) -> tensor<2x8xi8>
    %1 = tandem.bitcast %0 : (tensor<2x8xi8>) -> tensor<2x8xui8>
    %sums = tandem.constant dense<1024> : tensor<1x4xi32>
    %2 = tandem.matmul %1, %w widen : (tensor<2x8xui8>, tensor<8x4xi8>) -> tensor<2x4xi32>
    %3 = tandem.sub %2, %sums : (tensor<2x4xi32>, tensor<1x4xi32>) -> tensor<2x4xi32>
    ```
  }];
  let options = [
    TargetCPU_DeviceSpec,
    Option<"sums", "sums", "::tandem::ByteSums", "::tandem::ByteSums::automatic",
           "In which type products are summed: auto (the faster one), f32 "
           "(wherever that is exact), or i32.",
           "::tandem::ChoiceValues<::tandem::ByteSums>()">
  ];
}

def PackWeights : Pass<"tandem-cpu-pack-weights"> {
  let summary = "Pack the weights of contractions in blocks of columns";
  let description = [{
    A contraction kernel computes one block of output channels (or columns) at a
    time. If the weights are packed, the kernel reads the weights of a block in
    memory order. For a convolution with any kernel layout, packed weights have
    the layout `[groups][blocks][spatial...][input channels][block]`. For the
    right operand of a matrix product, packed weights have the layout
    `[blocks][rows][block]`. The last blocks are padded with zeros.

    This pass packs constant weights at compile time. Weights that are known
    only at run time are packed by a separate kernel, once for all kernels that
    read the weights. The fusion accesses the plain weights through views
    (transpose, reshape, slice), which code generation converts to strides.

    If constant weights have an attribute `tandem.factors`
    (`tandem-evaluate-constants`) and it is estimated to be faster, the pass
    packs the factors in the same blocks instead: the integers as
    `[blocks][rows][block]`, and the scales as `[blocks][blocks of
    rows][block]`. Inside of the fusion, `tandem_cpu.scale_weights` multiplies
    both.

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
  let dependentDialects = ["::tandem::ir::TandemDialect",
                           "::tandem::cpu::TandemCPUDialect"];
  let options = [
    Option<"block", "block", "int64_t", "0",
           "The number of columns per block; 0 to use the number that the "
           "strategy of the contraction chooses.">,
    Option<"alwaysScales", "always-scales", "bool", "false",
           "Multiply by factors of weights wherever there are some.">,
    TargetCPU_DeviceSpec
  ];
}

def TransformWeights : Pass<"tandem-cpu-transform-weights"> {
  let summary = "Transform the weights of convolutions for Winograd's method";
  let description = [{
    Winograd's method F(4x4, 3x3) needs only a quarter of the multiplications of
    a convolution with 3x3 taps, strides and dilations of 1, and a channels-last
    layout. If the kernel of such a convolution is a constant, and if the
    transforms cost less than the saved multiplications, this pass transforms
    the kernel. The transform is computed in f64. The transformed kernel has the
    layout `[blocks][6][6][input channels][block]`. The pass packs the plain
    kernel in the same blocks. The generated code uses the plain kernel for
    tiles whose data would make the method inaccurate. The fusion accesses both
    kernels through views and through the op `tandem_cpu.winograd_kernel`, which
    makes code generation use the method. A kernel that is not finite, or whose
    transform could overflow, is not changed.

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
      %5 = tandem_cpu.winograd_kernel %2, %4 largest_data = 1.0e+33
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
  let dependentDialects = ["::tandem::ir::TandemDialect",
                           "::tandem::cpu::TandemCPUDialect"];
  let options = [
    Option<"how", "how", "::tandem::Winograd", "::tandem::Winograd::automatic",
           "When to use Winograd's method: auto (if the method is estimated "
           "to be faster), always (if the method is possible), or never.",
           "::tandem::ChoiceValues<::tandem::Winograd>()">,
    TargetCPU_DeviceSpec
  ];
}

#endif // TANDEM_TARGET_CPU_GRAPHPASSES
