//===- Passes.td - Passes on the dialect ---------------- -*- tablegen -* -===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES
#define TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "tandem/Analysis/DeviceOption.td"
include "tandem/Dialect/Tandem/Transforms/F16Passes.td"
include "tandem/Dialect/Tandem/Transforms/GradientPasses.td"

def TandemSpecialize : Pass<"tandem-specialize", "::mlir::ModuleOp"> {
  let summary = "Set static argument shapes and infer all other types";
  let description = [{
    Sets the argument types of one function to the types of a signature and
    infers every other type again. `shapes` has one entry for each argument. The
    entry holds the dims of the argument, such as `1000x100x1`, or is empty if
    the argument type is already static. A dim may be `?` if another argument
    has a dim with the same name (`tandem.dims`) that determines the size. After
    the pass, every type in the function is static.

    The pass reports the following errors, at the argument or op:
    - a shape that contradicts the type of an argument
    - dims with the same name but different sizes
    - a dim whose size remains unknown
    - an op whose constraints are violated by the shapes
    - a tensor whose size in bytes overflows

    Before, with `shapes=8x4`:
    ```mlir
    func.func @main(%x: tensor<?x4xf32> {tandem.dims = ["N", ""]},
                    %y: tensor<?x4xf32> {tandem.dims = ["N", ""]})
        -> tensor<?x4xf32> {
      %0 = tandem.add %x, %y : tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<8x4xf32> {tandem.dims = ["N", ""]},
                    %y: tensor<8x4xf32> {tandem.dims = ["N", ""]})
        -> tensor<8x4xf32> {
      %0 = tandem.add %x, %y : tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
  }];
  let options = [
    ListOption<"shapes", "shapes", "std::string",
               "The dims of each argument, in order.">,
    Option<"function", "function", "std::string", "\"main\"",
           "The function to specialize.">
  ];
}

def TandemSimplify : Pass<"tandem-simplify"> {
  let summary = "Simplify the graph to fewer and cheaper ops";
  let description = [{
    Applies the folders and the canonicalization patterns of the ops, together
    with the following patterns:

    - A `batch_norm` along the output channels of a convolution is folded into
      the kernel and the bias of the convolution. The `batch_norm` must be the
      only use of the convolution's result, and its parameters must be constants
      for which folding does not lose accuracy. A constant kernel is scaled at
      compile time. For any other kernel, ops that scale the kernel are emitted,
      provided that the kernel has at most a quarter of the elements of the
      output.
    - Any other `batch_norm` becomes one multiplication and one addition with
      per-channel constants, if the parameters are such constants. Otherwise the
      `batch_norm` becomes the ops of its formula.
    - An addition of per-channel values becomes the bias of a convolution, if
      the addition is the only use of the convolution's result.
    - A dequantization before a `max_pool` moves behind it, so that the pool reads
      integers of 8 bits. The scale must be a positive number.
    - A transpose that only moves dims of size 1 becomes a reshape.
    - A transpose of the last two dims of an operand of a `matmul` becomes a
      transpose flag of the `matmul`.

    Then the pass removes common subexpressions and dead ops. A `batch_norm` on
    16-bit floats is computed in f32.

    Before:
    ```mlir
    %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
        : (tensor<8x16x4xf32>, tensor<3x4x2xf32>) -> tensor<8x14x2xf32>
    %1 = tandem.batch_norm %0, %scale, %offset, %mean, %variance
        epsilon = 1.0e-5 axis = 2
        : (tensor<8x14x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
           tensor<2xf32>) -> tensor<8x14x2xf32>
    ```
    After, where scale, offset, mean, variance and %w are constants:
    ```mlir
    %0 = tandem.conv %x, %w1, %b1 layout = <input = "NWC", kernel = "WIO", output = "NWC">
        : (tensor<8x16x4xf32>, tensor<3x4x2xf32>, tensor<2xf32>)
        -> tensor<8x14x2xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
}

def TandemEvaluateConstants
    : Pass<"tandem-evaluate-constants", "::mlir::func::FuncOp"> {
  let summary = "Compute ops on constants once, with the eager executor";
  let description = [{
    Runs ops that depend only on constants and have static types on the eager
    executor of the CPU, and replaces these ops by their results. For example,
    an exporter can write the mask of an attention as a chain of scatters. After
    this pass, neither the calls nor the compilation of kernels have to process
    such a chain. If several contexts compile the same graph, they share the
    memory of the results.

    Some ops, such as elementwise ops and broadcasts, can be computed inside of
    the kernel that reads the result. Such an op is replaced if its result has
    no more bytes than the constants from which the result is computed. Any
    other op is replaced if the number of bytes moved by the replaced ops is at
    least 1.25 times the number of bytes of the result. Here, eight operations
    count as one byte. A `custom_call` and an op that cannot be computed are not
    replaced.

    Weights of a matmul may be products of scales and of numbers that were
    integers of a few bits, minus a zero point. With the option `keep-factors`,
    the constant that replaces such weights gets an attribute `tandem.factors`
    with the integers, as i8, and the scales. A target can then multiply by the
    factors, which have fewer bytes than the weights.

    Before, where %table and %indices are constants:
    ```mlir
    %0 = tandem.gather %table, %indices axis = 0
        : (tensor<169x3xf32>, tensor<2401xi32>) -> tensor<2401x3xf32>
    %1 = tandem.transpose %0 permutation = [1, 0]
        : (tensor<2401x3xf32>) -> tensor<3x2401xf32>
    %2 = tandem.add %x, %1
        : (tensor<8x3x2401xf32>, tensor<3x2401xf32>) -> tensor<8x3x2401xf32>
    ```
    After, where %bias is a constant:
    ```mlir
    %2 = tandem.add %x, %bias
        : (tensor<8x3x2401xf32>, tensor<3x2401xf32>) -> tensor<8x3x2401xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = [
    Option<"keepFactors", "keep-factors", "bool", "false",
           "Note the integers and the scales that weights are products of.">
  ];
}

def TandemDecomposeConvBackwardData
    : Pass<"tandem-decompose-conv-backward-data"> {
  let summary = "Replace transposed convolutions by convolutions";
  let description = [{
    The results of a `conv_backward_data` with stride s fall into s phases along
    each spatial dim. The results of one phase are a convolution with stride 1,
    which uses every s-th tap of the kernel. This pass emits convolutions that
    compute several phases as channels, and interleaves their results. No
    product with an inserted zero is computed, and every product of the op is
    computed once. Phases without a tap are zeros. An op is not changed if it has
    no elements or a dynamic shape, if most phases are cut off by padding, if it
    would become more than 16 convolutions, or if a convolution would have one
    output channel.

    Before:
    ```mlir
    %0 = tandem.conv_backward_data %x, %w
        layout = <input = "NWC", kernel = "OIW", output = "NWC"> strides = [2]
        : (tensor<1x50x16xf32>, tensor<16x8x4xf32>) -> tensor<1x102x8xf32>
    ```
    After, with the taps 2, 3, 0 and 1 of the kernel in `%k`:
    ```mlir
    %p = tandem.conv %x, %k
        layout = <input = "NWC", kernel = "OIW", output = "NWC">
        pad_low = [1] pad_high = [1]
        : (tensor<1x50x16xf32>, tensor<16x16x2xf32>) -> tensor<1x51x16xf32>
    %0 = tandem.reshape %p shape = [1, 102, 8]
        : (tensor<1x51x16xf32>) -> tensor<1x102x8xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
}

def TandemDropStopGradients : Pass<"tandem-drop-stop-gradients"> {
  let summary = "Remove stop_gradient ops";
  let description = [{
    This pass replaces each `stop_gradient` by its operand. Only
    `tandem-differentiate` uses this op. In later passes, the op would prevent
    rewrite patterns from matching.
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
}

def TandemDecomposeLayerNorm : Pass<"tandem-decompose-layer-norm"> {
  let summary = "Decompose layer_norm and its gradients into reductions and "
                "elementwise ops";
  let description = [{
    Targets fuse the resulting ops with each other and with the ops before and
    after them. The pass also decomposes layer_norm_backward, into the ops of its
    formulas. 16-bit floats are computed in f32, as in the ops themselves. An op
    with a dynamic shape is not changed.

    Before:
    ```mlir
    %y, %mean, %s = tandem.layer_norm %x, %scale, %offset epsilon = 1.0e-5
        : (tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>)
        -> (tensor<8x64xf32>, tensor<8x1xf32>, tensor<8x1xf32>)
    ```
    After:
    ```mlir
    %mean = tandem.reduce %x kind = mean dims = [1] keep_dims
        : (tensor<8x64xf32>) -> tensor<8x1xf32>
    %c = tandem.sub %x, %mean
        : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
    %squares = tandem.mul %c, %c : tensor<8x64xf32>
    %variance = tandem.reduce %squares kind = mean dims = [1] keep_dims
        : (tensor<8x64xf32>) -> tensor<8x1xf32>
    %epsilon = tandem.constant dense<1.0e-5> : tensor<f32>
    %sum = tandem.add %variance, %epsilon
        : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
    %s = tandem.rsqrt %sum : tensor<8x1xf32>
    %n = tandem.mul %c, %s
        : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
    %m = tandem.mul %n, %scale
        : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
    %y = tandem.add %m, %offset
        : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
    ```
  }];
}

def TandemDecomposeResize : Pass<"tandem-decompose-resize"> {
  let summary = "Replace resizes by gathers and weighted sums";
  let description = [{
    This pass replaces a `resize` by one `gather` for each tap along each resized
    dim, multiplied by constant weights and added up. These ops fuse with the ops
    before and after them. A position with fewer taps than others takes some of
    its taps twice, with half the weight. Integers are cast to f64 and back, and
    16-bit floats to f32. Dims that shrink are resized first. Dims that grow
    follow, from the innermost to the outermost one.

    An op is not changed if it has no elements or a dynamic shape, or if a
    position has no taps or more than 64. With `for-cpu`, most ops are not
    changed either, because the eager kernel keeps resized rows in caches and is
    faster than a loop that gathers each tap (docs/Eager.md, "Resizing"). With
    this option, the pass only replaces an op if the gathers can be fused with
    an elementwise op before or after it. In addition, each result must be a
    copy of a single element of the operand, or the interpolation must be linear
    and the result much larger than the operand.

    Before:
    ```mlir
    %0 = tandem.resize %x mode = linear dims = [1] sizes = [3]
        coordinates = align_corners : (tensor<4x2xf32>) -> tensor<4x3xf32>
    ```
    After, with the indices 0, 0, 1 in `%i` and 0, 1, 1 in `%j`, and weights of
    0.5 in `%w`:
    ```mlir
    %a = tandem.gather %x, %i axis = 1
        : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<4x3xf32>
    %b = tandem.gather %x, %j axis = 1
        : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<4x3xf32>
    %c = tandem.mul %a, %w
        : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %d = tandem.mul %b, %w
        : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %0 = tandem.add %c, %d : tensor<4x3xf32>
    ```
  }];
  let dependentDialects = ["::tandem::ir::TandemDialect"];
  let options = [
    Option<"forCPU", "for-cpu", "bool", "false",
           "Leave ops whole that the eager kernel for CPUs computes faster.">
  ];
}

def TandemDecomposeSoftmax : Pass<"tandem-decompose-softmax"> {
  let summary = "Decompose softmax and its gradient into reductions and "
                "elementwise ops";
  let description = [{
    This pass is for targets that fuse all of the resulting ops into one kernel.
    A softmax on 16-bit floats is computed in f32, as in the softmax op itself.
    The exponentials are multiplied by the reciprocal of their sum. The pass
    also decomposes softmax_backward, into the four ops of its formula
    `y * (g - sum(g * y))`. An op that has no elements or a dynamic shape is not
    changed.

    Before:
    ```mlir
    %0 = tandem.softmax %x axis = 1 : tensor<8x100xf32>
    ```
    After:
    ```mlir
    %one = tandem.constant dense<1.0> : tensor<f32>
    %m = tandem.reduce %x kind = max dims = [1] keep_dims
        : (tensor<8x100xf32>) -> tensor<8x1xf32>
    %d = tandem.sub %x, %m
        : (tensor<8x100xf32>, tensor<8x1xf32>) -> tensor<8x100xf32>
    %e = tandem.exp %d : tensor<8x100xf32>
    %s = tandem.reduce %e kind = sum dims = [1] keep_dims
        : (tensor<8x100xf32>) -> tensor<8x1xf32>
    %r = tandem.div %one, %s
        : (tensor<f32>, tensor<8x1xf32>) -> tensor<8x1xf32>
    %0 = tandem.mul %e, %r
        : (tensor<8x100xf32>, tensor<8x1xf32>) -> tensor<8x100xf32>
    ```
  }];
}

def TandemSplitReductions : Pass<"tandem-split-reductions"> {
  let summary = "Split reductions that would keep few cores busy";
  let description = [{
    A large reduction may have too few results to keep all cores busy. Such a
    reduction is split into two reductions if that saves more time than the
    launch of another kernel costs. The first one reduces parts of the reduced
    dims, and the second one combines the partial results.

    A reduction of columns that are much longer than the cache is split as well.
    As a whole, the reduction would read a few columns at a time, row after row.
    In parts, the reduction reads the data in memory order.

    Elementwise ops before the reduction are computed in the split shape, so
    they can be part of the same kernel. Partial results of 16-bit floats are
    kept in f32. A reduction is not split if the reduced dims are not adjacent
    or if their length has no suitable divisor.

    Before:
    ```mlir
    %0 = tandem.mul %x, %x : tensor<65536x256xf32>
    %1 = tandem.reduce %0 kind = sum dims = [0]
        : (tensor<65536x256xf32>) -> tensor<256xf32>
    ```
    After:
    ```mlir
    %s = tandem.reshape %x shape = [256, 256, 256]
        : (tensor<65536x256xf32>) -> tensor<256x256x256xf32>
    %0 = tandem.mul %s, %s : tensor<256x256x256xf32>
    %p = tandem.reduce %0 kind = sum dims = [1]
        : (tensor<256x256x256xf32>) -> tensor<256x256xf32>
    %1 = tandem.reduce %p kind = sum dims = [0]
        : (tensor<256x256xf32>) -> tensor<256xf32>
    ```
  }];
  let options = [Tandem_DeviceSpec];
}

def TandemContractIntegers
    : Pass<"tandem-contract-integers", "::mlir::func::FuncOp"> {
  let summary = "Multiply quantized numbers as integers of 8 bits";
  let description = [{
    A model that a quantizer has made computes convolutions and matrix products
    of numbers `(q - z) * s`, where `q` is an integer of 8 bits, `z` a zero
    point and `s` a scale. This pass replaces each of them by a `conv` or
    `matmul` of the integers, whose sums are exact in i32. The zero points
    become terms that are subtracted from these sums, and the product of both
    scales becomes a factor of the result. If the weights are constant,
    everything in these terms is constant, except for sums over the data.

    - Weights of ui8 become i8: w - 128.
    - Data is padded with its zero point, unless that is 0.
    - Without scales, the result has the type of the original op.
    - If the result is quantized again, its scale and bias are divided by the new
      scale ahead of time (`divideScales`), instead of each element. So are the
      scales of two quantized numbers whose sum is quantized.
    - Sums and means of quantized numbers with one constant, positive scale
      become sums of integers (`sumIntegers`), which f32 represents exactly.

    The pass runs on the imported graph, so that all tiers, including the
    reference, compute the same. Without rounding, the new ops and the original
    ops would have equal results. In f32, the results differ slightly, because
    the sums of the original ops are rounded and the new sums are exact.

    Before:
    ```mlir
    %0 = tandem.cast %x : (tensor<4x8xui8>) -> tensor<4x8xf32>
    %1 = tandem.mul %0, %sx : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %2 = tandem.cast %w : (tensor<8x16xi8>) -> tensor<8x16xf32>
    %3 = tandem.mul %2, %sw : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %4 = tandem.matmul %1, %3 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    ```
    After:
    ```mlir
    %0 = tandem.matmul %x, %w widen : (tensor<4x8xui8>, tensor<8x16xi8>) -> tensor<4x16xi32>
    %1 = tandem.cast %0 : (tensor<4x16xi32>) -> tensor<4x16xf32>
    %2 = tandem.mul %sx, %sw : tensor<f32>
    %3 = tandem.mul %1, %2 : (tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
    ```
  }];
}

def TandemQuantizeBeforeMoves
    : Pass<"tandem-quantize-before-moves", "::mlir::func::FuncOp"> {
  let summary = "Quantize tensors before their elements are moved";
  let description = [{
    A model in QDQ form dequantizes a tensor, moves its elements, and quantizes
    the result. This pass quantizes the operands of such an op instead of its
    result, so that the op moves integers of 8 bits. Ops that move elements are
    `reshape`, `transpose`, `broadcast`, `concat`, and a `resize` with the mode
    `nearest`, scales of at least 1, and no cropping.

    - A quantization is a chain of elementwise ops from floats to integers of 8
      bits. Each op of the chain has exactly one operand with more than one
      element, which is the result of the previous op.
    - No other op reads the result of the op that moves elements, or a result
      inside the chain.
    - If the operand is dequantized with the scale and the zero point of the
      quantization, both disappear: `tandem-tabulate-bytes` finds that the
      integers do not change.

    Before:
    ```mlir
    %0 = tandem.transpose %x permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %1 = tandem.div %0, %s : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %2 = tandem.round %1 : tensor<8x4xf32>
    %3 = tandem.cast %2 : (tensor<8x4xf32>) -> tensor<8x4xi8>
    ```
    After:
    ```mlir
    %0 = tandem.div %x, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %1 = tandem.round %0 : tensor<4x8xf32>
    %2 = tandem.cast %1 : (tensor<4x8xf32>) -> tensor<4x8xi8>
    %3 = tandem.transpose %2 permutation = [1, 0] : (tensor<4x8xi8>) -> tensor<8x4xi8>
    ```
  }];
}

def TandemTabulateBytes
    : Pass<"tandem-tabulate-bytes", "::mlir::func::FuncOp"> {
  let summary = "Replace functions of integers of 8 bits by tables";
  let description = [{
    In a quantized network, a chain of elementwise ops often computes one integer
    of 8 bits from another. Examples are sigmoid, tanh or gelu between a
    dequantization and a quantization. This pass computes the results of such a
    chain for all 256 integers, and replaces the chain by a `gather` from this
    table.

    - The chain may have any elementwise ops. All of them depend on the same
      tensor, and otherwise on constants with one element.
    - The chain has a transcendental function, or at least 16 other ops. For
      example, `x * clamp(x / 6 + 0.5, 0, 1)` and its quantizations have that
      many. Shorter chains take less time than reading a table.
    - A chain may contain shorter chains, whose results are then not stored. For
      example, `x * sigmoid(x)` with a quantization behind each op becomes one
      table.
    - A chain whose result is always its argument is removed. An example is a
      quantization with the scale and the zero point of the dequantization before
      it.

    The pass runs on the imported graph, so that all tiers read the same table.

    Before:
    ```mlir
    %0 = tandem.cast %q : (tensor<4x8xui8>) -> tensor<4x8xf32>
    %1 = tandem.mul %0, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %2 = tandem.tanh %1 : tensor<4x8xf32>
    %3 = tandem.mul %2, %t : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %4 = tandem.cast %3 : (tensor<4x8xf32>) -> tensor<4x8xi8>
    ```
    After, where `%table` is a constant:
    ```mlir
    %0 = tandem.cast %q : (tensor<4x8xui8>) -> tensor<4x8xi32>
    %4 = tandem.gather %table, %0 axis = 0 : (tensor<256xi8>, tensor<4x8xi32>) -> tensor<4x8xi8>
    ```
  }];
}

def TandemMaterializePadding : Pass<"tandem-materialize-padding"> {
  let summary = "Pad the inputs of small convolutions explicitly";
  let description = [{
    A convolution in a loop kernel must check for every tap whether the tap lies
    in the padding. On a CPU, the loop then does not consist only of vector
    multiply-adds. If the input has at most a quarter of the elements of the
    result, this pass makes a padded copy of the input. The copy is cheap, and
    the convolution needs no checks.

    Before:
    ```mlir
    %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
        pad_low = [1] pad_high = [1]
        : (tensor<8x100x1xf32>, tensor<3x1x32xf32>) -> tensor<8x100x32xf32>
    ```
    After:
    ```mlir
    %p = tandem.pad %x low = [0, 1, 0] high = [0, 1, 0] interior = [0, 0, 0]
        value = 0.0 : (tensor<8x100x1xf32>) -> tensor<8x102x1xf32>
    %0 = tandem.conv %p, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
        : (tensor<8x102x1xf32>, tensor<3x1x32xf32>) -> tensor<8x100x32xf32>
    ```
  }];
  let options = [
    Option<"maxReads", "max-reads", "int64_t", "32",
           "The value of max-reads for tandem-fuse: convolutions with more "
           "reads do not become loops.">
  ];
}

def TandemOutlineKernels
    : Pass<"tandem-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Outline each fusion into a kernel module";
  let description = [{
    The body of each `tandem.fusion` becomes a function in a new nested module
    with the attribute `tandem.kernel`. The fusion is replaced by a
    `tandem.launch` of that kernel. Fusions with equal contents share one
    module. If the kind of the fusion is not `loop`, the attribute `tandem.kind`
    of the module holds the kind.

    Before:
    ```mlir
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = tandem.fusion loop (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> {
        %1 = tandem.exp %a : tensor<64xf32>
        tandem.yield %1 : tensor<64xf32>
      }
      return %0 : tensor<64xf32>
    }
    ```
    After:
    ```mlir
    module @kernel_0 attributes {tandem.kernel} {
      func.func @kernel_0(%a: tensor<64xf32>) -> tensor<64xf32> {
        %0 = tandem.exp %a : tensor<64xf32>
        return %0 : tensor<64xf32>
      }
    }
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = tandem.launch @kernel_0(%x) : (tensor<64xf32>) -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def TandemOutlineLoops : Pass<"tandem-outline-loops", "::mlir::ModuleOp"> {
  let summary = "Outline the region of each loop into a function";
  let description = [{
    The body of each `tandem.loop` becomes a private function, so that all
    passes on functions process the body. The loop becomes a `tandem.run_loop`
    that refers to the function.

    Before:
    ```mlir
    func.func @main(%xs: tensor<9x4xf32>, %h0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tandem.loop carried (%h = %h0) scanned (%x = %xs)
          : (tensor<4xf32>, tensor<9x4xf32>) -> tensor<4xf32> {
        %1 = tandem.add %h, %x : tensor<4xf32>
        tandem.yield %1 : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%xs: tensor<9x4xf32>, %h0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tandem.run_loop @main_loop_0 carried (%h0) scanned (%xs) : (tensor<4xf32>, tensor<9x4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @main_loop_0(%h: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tandem.add %h, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}
#endif // TANDEM_DIALECT_TANDEM_TRANSFORMS_PASSES
