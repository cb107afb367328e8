//===- WinogradCase.h - Kernels of Winograd's method for tests --*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_TARGET_WINOGRADCASE_H
#define TANDEM_TEST_UNIT_TARGET_WINOGRADCASE_H

#include "../Providers/Cases.h"

#include "tandem/Dialect/Tandem/IR/Relayout.h"
#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Runtime/Compare.h"
#include "tandem/Target/CPU/WinogradKernel.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace tandem::test::winograd {

struct Conv {
  int64_t batch, height, width, inputs, outputs, block;
  int64_t padTop = 0, padBottom = 0, padLeft = 0, padRight = 0;

  Shape input() const { return {batch, height, width, inputs}; }
  Shape kernel() const { return {3, 3, inputs, outputs}; }
  Shape result() const {
    return {batch, height + padTop + padBottom - 2,
            width + padLeft + padRight - 2, outputs};
  }
  Shape blocks() const {
    return {llvm::divideCeilSigned(outputs, block), 6, 6, inputs, block};
  }
  /// The shape of the blocks of the kernel as it is.
  Shape plainBlocks() const { return {blocks()[0], 3, 3, inputs, block}; }
  OpDesc op() const {
    fb::ConvAttrsT attrs;
    attrs.strides = attrs.dilations = {1, 1};
    attrs.pad_low = {padTop, padLeft};
    attrs.pad_high = {padBottom, padRight};
    attrs.groups = 1;
    attrs.input_layout = attrs.output_layout = "NHWC";
    attrs.kernel_layout = "HWIO";
    return makeOp(OpKind::conv, attrs);
  }
};

inline std::string text(const Shape &shape) {
  return TensorType{DType::f32, shape}.str();
}

inline Tensor random(const Shape &shape, uint64_t seed) {
  Tensor tensor = emptyTensor({DType::f32, shape});
  fillRandom(tensor, seed);
  return tensor;
}

/// The kernel as the pass lays it out.
inline Tensor transform(const Tensor &kernel, const Conv &conv) {
  mlir::MLIRContext context;
  auto type = mlir::RankedTensorType::get({3, 3, conv.inputs, conv.outputs},
                                          mlir::Float32Type::get(&context));
  auto attr = mlir::DenseElementsAttr::get(
      type, llvm::ArrayRef(static_cast<const float *>(kernel.data()),
                           type.getNumElements()));
  context.loadDialect<ir::TandemDialect>();
  mlir::ElementsAttr made = transformKernel(attr, conv.block);
  llvm::ArrayRef<char> bytes = ir::getRawData(made);
  Tensor result = emptyTensor({DType::f32, conv.blocks()});
  EXPECT_EQ(bytes.size(), static_cast<size_t>(result.bytes()));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

/// The kernel as it is, in the same blocks.
inline Tensor pack(const Tensor &kernel, const Conv &conv) {
  Tensor result = emptyTensor({DType::f32, conv.plainBlocks()});
  std::memset(result.data(), 0, result.bytes());
  int64_t rows = 9 * conv.inputs;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t o = 0; o < conv.outputs; ++o)
      result.as<float>()[(o / conv.block * rows + row) * conv.block +
                         o % conv.block] =
          kernel.as<float>()[row * conv.outputs + o];
  return result;
}

/// Ops that make `kernel`, of `size` x `size` x inputs x outputs, of `blocks`;
/// its name is `name`.
inline std::string printViews(const std::string &name, int64_t size,
                              const std::string &blocks, const Conv &conv) {
  int64_t count = conv.blocks()[0];
  std::string packed = text({count, size, size, conv.inputs, conv.block});
  std::string transposed = text({size, size, conv.inputs, count, conv.block});
  std::string padded = text({size, size, conv.inputs, count * conv.block});
  std::string cut = text({size, size, conv.inputs, conv.outputs});
  auto shape = [&](int64_t outputs) {
    return std::to_string(size) + ", " + std::to_string(size) + ", " +
           std::to_string(conv.inputs) + ", " + std::to_string(outputs) + "]";
  };
  return name + "t = tandem.transpose " + blocks +
         " permutation = [1, 2, 3, 0, 4] : (" + packed + ") -> " + transposed +
         "\n" + name + "r = tandem.reshape " + name + "t shape = [" +
         shape(count * conv.block) + " : (" + transposed + ") -> " + padded +
         "\n" + name + " = tandem.slice " + name +
         "r starts = [0, 0, 0, 0] limits = [" + shape(conv.outputs) +
         " strides = [1, 1, 1, 1] : (" + padded + ") -> " + cut + "\n";
}

/// The convolution %4 of %x, or, if it `isShifted`, of %x + 1, with the bias
/// %b; the kernel is %p in blocks and %u transformed.
inline std::string printConv(const Conv &conv, bool isShifted) {
  auto list = [](int64_t a, int64_t b) {
    return "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
  };
  std::string result = text(conv.result()), kernel = text(conv.kernel());
  std::string transformed = text({6, 6, conv.inputs, conv.outputs});
  return printViews("%plain", 3, "%p", conv) +
         printViews("%transformed", 6, "%u", conv) +
         (isShifted ? "%one = tandem.constant dense<1.0> : tensor<f32>\n%y = "
                      "tandem.add %x, %one : (" +
                          text(conv.input()) + ", tensor<f32>) -> " +
                          text(conv.input()) + "\n"
                    : "") +
         "%3 = tandem_cpu.winograd_kernel %plain, %transformed largest_data = "
         "1.0e+30 : (" +
         kernel + ", " + transformed + ") -> " + kernel +
         "\n%4 = tandem.conv " + (isShifted ? "%y" : "%x") +
         ", %3, %b layout = <input = \"NHWC\", kernel = "
         "\"HWIO\", output = \"NHWC\"> pad_low = " +
         list(conv.padTop, conv.padLeft) +
         " pad_high = " + list(conv.padBottom, conv.padRight) + " : (" +
         text(conv.input()) + ", " + kernel + ", " + text({conv.outputs}) +
         ") -> " + result + "\n";
}

/// A kernel of `body` that takes data, kernels, bias and `more`.
inline std::string printKernel(const Conv &conv, const std::string &more,
                               const std::string &results,
                               const std::string &body) {
  return "module @k attributes {tandem.kind = #tandem<fusion_kind "
         "contraction>} { func.func @k(%x: " +
         text(conv.input()) + ", %p: " + text(conv.plainBlocks()) +
         ", %u: " + text(conv.blocks()) + ", %b: " + text({conv.outputs}) +
         more + ") -> " + results + " {\n" + body + " } }";
}

} // namespace tandem::test::winograd

#endif // TANDEM_TEST_UNIT_TARGET_WINOGRADCASE_H
