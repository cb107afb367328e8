//===- Contractions.cpp - ONNX convolutions and products ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"
#include "Ops/Activations.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// A conv or a conv_backward_data of images and kernels with spatial dims last;
/// `more` are the attributes that only the latter has.
template <typename Op>
Value emitConv(Node &node, ArrayRef<Value> operands, const Windows &windows,
               int64_t groups, ArrayRef<NamedAttribute> more = {}) {
  int64_t spatialDims = windows.sizes.size();
  if (!node.require(spatialDims >= 1 && spatialDims <= 3,
                    "convolutions over one to three dims are supported") ||
      node.hasFailed())
    return {};
  std::string data = layoutOf("NC", spatialDims);
  auto layout = ir::ConvLayoutAttr::get(node.state().builder.getContext(), data,
                                        layoutOf("OI", spatialDims), data);
  SmallVector<NamedAttribute> attributes = {
      node.ints("strides", windows.strides),
      node.ints("pad_low", windows.low),
      node.ints("pad_high", windows.high),
      node.ints("dilations", windows.dilations),
      node.integer("groups", groups),
      node.attribute("layout", layout)};
  llvm::append_range(attributes, more);
  return node.emit<Op>(operands, attributes);
}

/// The spatial sizes of a kernel.
Ints spatialSizes(Node &node, Value kernel) {
  Ints sizes = node.dims(kernel);
  if (!node.require(sizes.size() > 2, "needs a spatial dim"))
    return {};
  return Ints(sizes.begin() + 2, sizes.end());
}

/// The padding of ConvTranspose's result, which may follow from its shape, and
/// in `extra` the op's output_padding.
void describeResult(Node &node, Value x, Windows &windows, Ints &extra) {
  size_t count = windows.sizes.size();
  extra = node.getInts("output_padding", Ints(count, 0));
  Ints shape = node.getInts("output_shape");
  std::string automatic = node.getString("auto_pad", "NOTSET");
  bool isSame = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!node.requireCount("output_padding", extra.size(), count) ||
      !node.requireSizes(extra, 0, "output_padding has a number out of range"))
    return;
  if (!shape.empty() &&
      (!node.requireCount("output_shape", shape.size(), count) ||
       !node.requireSizes(shape, 0, "output_shape has a number out of range")))
    return;
  for (size_t i = 0; i < count && (isSame || !shape.empty()); ++i) {
    int64_t size = node.dim(x, i + 2);
    int64_t wanted = shape.empty() ? size * windows.strides[i] : shape[i];
    int64_t reach = (windows.sizes[i] - 1) * windows.dilations[i] + 1;
    int64_t total = windows.strides[i] * (size - 1) + extra[i] + reach - wanted;
    // What is missing is added behind.
    int64_t less = std::max<int64_t>(total, 0) / 2;
    bool isLess = automatic == "SAME_UPPER" || total < 0;
    windows.low[i] = isLess ? less : total - less;
    windows.high[i] = total - windows.low[i];
  }
  for (size_t i = 0; i < count; ++i) {
    extra[i] -= std::min<int64_t>(windows.high[i], 0);
    windows.high[i] = std::max<int64_t>(windows.high[i], 0);
  }
}

/// A matrix for a vector, whose missing dim is put at `at`.
Value asMatrix(Node &node, Value x, int64_t at) {
  if (node.rank(x) != 1)
    return x;
  Sizes shape = node.sizesOf(x);
  shape.insert(shape.begin() + at, Size(1));
  return node.reshape(x, shape);
}

Value matmul(Node &node, Value lhs, Value rhs, bool transposeLhs,
             bool transposeRhs) {
  SmallVector<NamedAttribute> attributes;
  if (transposeLhs)
    attributes.push_back(node.unit("transpose_lhs"));
  if (transposeRhs)
    attributes.push_back(node.unit("transpose_rhs"));
  return node.emit<ir::MatmulOp>({lhs, rhs}, attributes);
}

/// `value` times the attribute `factor`.
Value scale(Node &node, Value value, StringRef factor) {
  double by = node.getFloat(factor, 1);
  if (by == 1)
    return value;
  if (node.isFloat(value) || by == std::trunc(by))
    return node.mul(value, node.scalar(value, by));
  const Type type = node.element(value);
  value = node.cast(value, node.state().builder.getF64Type());
  return node.cast(node.mul(value, node.scalar(value, by)), type);
}

} // namespace

Value convolve(Node &node, ArrayRef<Value> operands) {
  Windows windows =
      describeWindows(node, operands[0], spatialSizes(node, operands[1]));
  return emitConv<ir::ConvOp>(node, operands, windows, node.getInt("group", 1));
}

Value multiplyMatrices(Node &node, Value lhs, Value rhs) {
  bool isLeftVector = node.rank(lhs) == 1, isRightVector = node.rank(rhs) == 1;
  Value product = matmul(node, asMatrix(node, lhs, 0), asMatrix(node, rhs, 1),
                         false, false);
  if (!isLeftVector && !isRightVector)
    return product;
  Sizes shape = node.sizesOf(product);
  if (isRightVector && !shape.empty())
    shape.pop_back();
  if (isLeftVector && shape.size() > (isRightVector ? 0 : 1))
    shape.erase(shape.end() - (isRightVector ? 1 : 2));
  return node.reshape(product, shape);
}

void convertConv(Node &node) {
  SmallVector<Value> operands{node.operand(0), node.operand(1)};
  if (node.hasOperand(2))
    operands.push_back(node.operand(2));
  node.result(0, convolve(node, operands));
}

/// A kernel of ConvTranspose is (C, M / groups, spatial): C are the output
/// channels of the convolution whose gradient this is.
void convertConvTranspose(Node &node) {
  Value x = node.operand(0), kernel = node.operand(1);
  Windows windows = describeWindows(node, x, spatialSizes(node, kernel));
  if (node.hasFailed())
    return;
  Ints extra;
  describeResult(node, x, windows, extra);
  int64_t groups = node.getInt("group", 1);
  if (node.hasFailed() ||
      !node.require(groups > 0 &&
                        divideExactly(node.sizesOf(kernel)[0], Size(groups)),
                    Twine(groups) + " groups do not divide the channels"))
    return;
  SmallVector<Value> operands{x, kernel};
  if (node.hasOperand(2))
    operands.push_back(node.operand(2));
  node.result(
      0, emitConv<ir::ConvBackwardDataOp>(node, operands, windows, groups,
                                          node.ints("output_padding", extra)));
}

static Value gemm(Node &node) {
  Value product = matmul(node, node.operand(0), node.operand(1),
                         node.getInt("transA", 0), node.getInt("transB", 0));
  product = scale(node, product, "alpha");
  if (node.hasOperand(2) && node.getFloat("beta", 1) != 0)
    product = node.add(product, scale(node, node.operand(2), "beta"));
  return product;
}

void convertGemm(Node &node) { node.result(0, gemm(node)); }

void convertMatMul(Node &node) {
  node.result(0, multiplyMatrices(node, node.operand(0), node.operand(1)));
}

//===----------------------------------------------------------------------===//
// com.microsoft
//===----------------------------------------------------------------------===//

/// The activation that the attribute names, if any, with its parameters: given
/// as `alpha` and `beta`, or else its own.
static Value fusedActivation(Node &node, Value x, std::optional<double> alpha,
                             std::optional<double> beta) {
  std::string name = StringRef(node.getString("activation")).lower();
  if (name.empty())
    return x;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (name == "clip")
    return clamp(node, x, alpha.value_or(-kInfinity), beta.value_or(kInfinity));
  ActivationParameters own = defaultParameters(name);
  return activate(node,
                  {name, alpha.value_or(own.alpha.value_or(0)),
                   beta.value_or(own.beta.value_or(0))},
                  x);
}

void convertMicrosoftFusedConv(Node &node) {
  SmallVector<Value> operands{node.operand(0), node.operand(1)};
  if (node.hasOperand(2))
    operands.push_back(node.operand(2));
  Value result = convolve(node, operands);
  if (node.hasOperand(3))
    result = node.add(result, node.operand(3));
  const auto *given = node.find("activation_params");
  auto parameter = [&](int i) {
    return given && i < given->floats_size()
               ? std::optional<double>(given->floats(i))
               : std::nullopt;
  };
  node.result(0, fusedActivation(node, result, parameter(0), parameter(1)));
}

void convertMicrosoftFusedGemm(Node &node) {
  auto parameter = [&](StringRef name) {
    return node.hasAttribute(name)
               ? std::optional<double>(node.getFloat(name, 0))
               : std::nullopt;
  };
  node.result(0,
              fusedActivation(node, gemm(node), parameter("activation_alpha"),
                              parameter("activation_beta")));
}

/// An operand with its first dim behind the others that count batches, where
/// the attribute asks for that, and with its last two dims exchanged, where the
/// other does. A vector stays as it is.
static Value transposed(Node &node, Value x, StringRef batch,
                        StringRef matrix) {
  const int64_t rank = node.rank(x);
  if (rank < 2)
    return x;
  Ints order = range(0, rank);
  if (node.getInt(batch, 0))
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (node.getInt(matrix, 0))
    std::swap(order[rank - 1], order[rank - 2]);
  return order == range(0, rank) ? x : node.transpose(x, order);
}

void convertMicrosoftFusedMatMul(Node &node) {
  Value lhs = transposed(node, node.operand(0), "transBatchA", "transA");
  Value rhs = transposed(node, node.operand(1), "transBatchB", "transB");
  node.result(0, scale(node, multiplyMatrices(node, lhs, rhs), "alpha"));
}

} // namespace tandem::onnx
