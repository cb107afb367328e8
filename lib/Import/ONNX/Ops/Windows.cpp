//===- Windows.cpp - ONNX pooling -----------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// The padding of SAME_UPPER and SAME_LOWER: as many windows as strides fit.
void padToSame(Node &node, Value value, bool isUpper, Windows &windows) {
  for (size_t i = 0; i < windows.sizes.size(); ++i) {
    int64_t size = node.dim(value, i + 2), stride = windows.strides[i];
    int64_t reach = (windows.sizes[i] - 1) * windows.dilations[i] + 1;
    int64_t count = (size + stride - 1) / stride;
    int64_t total = std::max<int64_t>((count - 1) * stride + reach - size, 0);
    windows.low[i] = isUpper ? total / 2 : total - total / 2;
    windows.high[i] = total - windows.low[i];
  }
}

/// With ceil_mode a last window may begin within the operand, or the padding in
/// front, and end behind the padding: by how much, for each dim.
Ints reachBehind(Node &node, Value value, const Windows &windows) {
  Ints behind(windows.sizes.size(), 0);
  if (!node.getInt("ceil_mode", 0))
    return behind;
  for (size_t i = 0; i < behind.size() && !node.hasFailed(); ++i) {
    int64_t size = node.dim(value, i + 2), stride = windows.strides[i];
    int64_t reach = (windows.sizes[i] - 1) * windows.dilations[i] + 1;
    int64_t padded = size + windows.low[i] + windows.high[i];
    if (padded < reach)
      continue;
    int64_t count = (padded - reach + stride - 1) / stride + 1;
    if ((count - 1) * stride >= size + windows.low[i])
      --count;
    behind[i] = std::max<int64_t>((count - 1) * stride + reach - padded, 0);
  }
  return behind;
}

template <typename Op>
Value emitPool(Node &node, Value value, const Windows &windows,
               bool countsPadding = false) {
  if (!node.require(windows.sizes.size() >= 1 && windows.sizes.size() <= 3,
                    "pooling over one to three dims is supported") ||
      node.hasFailed())
    return {};
  SmallVector<NamedAttribute> attributes{
      node.ints("window", windows.sizes),
      node.ints("strides", windows.strides),
      node.ints("pad_low", windows.low),
      node.ints("pad_high", windows.high),
      node.ints("dilations", windows.dilations),
      node.attribute("layout", node.state().builder.getStringAttr(
                                   layoutOf("NC", windows.sizes.size())))};
  if (countsPadding)
    attributes.push_back(node.unit("count_include_pad"));
  return node.emit<Op>(value, attributes);
}

/// `value` with the padding of `windows`, of zeros, as elements of its own.
Value materializePadding(Node &node, Value value, Windows &windows) {
  Ints low{0, 0}, high{0, 0};
  low.append(windows.low);
  high.append(windows.high);
  windows.low.assign(windows.low.size(), 0);
  windows.high = windows.low;
  return node.pad(value, low, high, Ints(low.size(), 0), 0);
}

Ints spatialAxes(Node &node, Value value) {
  node.require(node.rank(value) > 2, "needs a spatial dim");
  return range(2, node.rank(value));
}

/// |x| to the power of `p`.
Value absolutePower(Node &node, Value x, double p) {
  if (p == 2)
    return node.mul(x, x);
  Value magnitude = node.emit<ir::AbsOp>(x);
  return p == 1 ? magnitude
                : node.emit<ir::PowOp>({magnitude, node.scalar(x, p)});
}

Value root(Node &node, Value x, double p) {
  if (p == 2)
    return node.emit<ir::SqrtOp>(x);
  return p == 1 ? x : node.emit<ir::PowOp>({x, node.scalar(x, 1 / p)});
}

/// The attribute `p`, which older operator sets have as a float.
double exponentOf(Node &node) {
  const auto *given = node.find("p");
  double p = !given ? 2 : given->has_i() ? double(given->i()) : given->f();
  node.require(p > 0, "a power that is not positive");
  return p;
}

} // namespace

std::string layoutOf(StringRef first, int64_t spatialDims) {
  return (first + StringRef("DHW").take_back(spatialDims)).str();
}

Windows describeWindows(Node &node, Value value, Ints sizes) {
  size_t count = sizes.size();
  Windows windows{sizes, node.getInts("strides", Ints(count, 1)),
                  node.getInts("dilations", Ints(count, 1)), Ints(count, 0),
                  Ints(count, 0)};
  Ints given = node.getInts("kernel_shape", sizes);
  Ints pads = node.getInts("pads", Ints(2 * count, 0));
  if (!node.require(given == sizes, "kernel_shape is not that of the kernel") ||
      !node.requireRank("the operand", node.rank(value), count + 2) ||
      !node.requireCount("pads", pads.size(), 2 * count))
    return {};
  // What is large enough to overflow is in no sensible model.
  for (auto [numbers, name] : {std::pair{&sizes, "kernel_shape"},
                               {&windows.strides, "strides"},
                               {&windows.dilations, "dilations"}})
    if (!node.requireCount(name, numbers->size(), count) ||
        !node.requireSizes(*numbers, 1,
                           Twine(name) + " has a number out of range"))
      return {};
  if (!node.requireSizes(pads, 1 - kMaxSize, "pads has a number out of range"))
    return {};
  const Sizes shape = node.sizesOf(value);
  int64_t taps = 1;
  for (size_t i = 0; i < count; ++i) {
    taps = std::min(taps * sizes[i], kMaxSize);
    if (!node.require(taps < kMaxSize, "windows of too many elements") ||
        !node.require(shape[i + 2].value().value_or(0) < kMaxSize,
                      "dim " + Twine(i + 2) + " has too many elements"))
      return {};
  }
  windows.low.assign(pads.begin(), pads.begin() + count);
  windows.high.assign(pads.begin() + count, pads.end());
  std::string automatic = node.getString("auto_pad", "NOTSET");
  if (automatic == "VALID") {
    windows.low.assign(count, 0);
    windows.high.assign(count, 0);
  } else if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    padToSame(node, value, automatic == "SAME_UPPER", windows);
  }
  return windows;
}

Value averagePool(Node &node, Value x) {
  Windows windows = describeWindows(node, x, node.getInts("kernel_shape"));
  Ints behind = reachBehind(node, x, windows);
  bool countsPadding = node.getInt("count_include_pad", 0);
  bool reaches = llvm::any_of(behind, [](int64_t by) { return by > 0; });
  // What is behind the padding never counts.
  if (countsPadding && reaches)
    x = materializePadding(node, x, windows);
  for (auto [pad, by] : llvm::zip(windows.high, behind))
    pad += by;
  return emitPool<ir::AvgPoolOp>(node, x, windows, countsPadding && !reaches);
}

void convertAveragePool(Node &node) {
  node.result(0, averagePool(node, node.operand(0)));
}

void convertMaxPool(Node &node) {
  Value x = node.operand(0);
  Windows windows = describeWindows(node, x, node.getInts("kernel_shape"));
  Ints behind = reachBehind(node, x, windows);
  for (auto [pad, by] : llvm::zip(windows.high, behind))
    pad += by;
  node.result(0, emitPool<ir::MaxPoolOp>(node, x, windows));
  if (node.isWanted(1))
    node.result(1, placesOfMaxima(node, x, windows));
}

Value globalAveragePool(Node &node, Value x) {
  return node.reduce(ir::ReduceKind::mean, x, spatialAxes(node, x));
}

void convertGlobalAveragePool(Node &node) {
  node.result(0, globalAveragePool(node, node.operand(0)));
}

void convertGlobalMaxPool(Node &node) {
  Value x = node.operand(0);
  node.result(0, node.reduce(ir::ReduceKind::max, x, spatialAxes(node, x)));
}

void convertGlobalLpPool(Node &node) {
  Value x = node.operand(0);
  double p = exponentOf(node);
  Value sum = node.reduce(ir::ReduceKind::sum, absolutePower(node, x, p),
                          spatialAxes(node, x));
  node.result(0, root(node, sum, p));
}

void convertLpPool(Node &node) {
  Value x = node.operand(0);
  double p = exponentOf(node);
  Windows windows = describeWindows(node, x, node.getInts("kernel_shape"));
  Ints behind = reachBehind(node, x, windows);
  for (auto [pad, by] : llvm::zip(windows.high, behind))
    pad += by;
  // Zeros add nothing to a sum, which is a mean times the number of elements.
  Value mean = emitPool<ir::AvgPoolOp>(node, absolutePower(node, x, p), windows,
                                       /*countsPadding=*/true);
  Value sum =
      node.mul(mean, node.scalar(mean, llvm::product_of(windows.sizes)));
  node.result(0, root(node, sum, p));
}

/// x / (bias + alpha / size * sum of the squares of `size` channels)^beta.
void convertLRN(Node &node) {
  Value x = node.operand(0);
  int64_t size = node.getInt("size", 0);
  if (!node.require(node.rank(x) > 2, "needs a spatial dim") ||
      !node.require(size > 0 && size < 65536,
                    "size " + Twine(size) + " is not within 1 and 65535"))
    return;
  Sizes shape = node.sizesOf(x);
  std::optional<Size> rest = productOf(ArrayRef(shape).drop_front(2));
  if (!node.require(rest.has_value(), "a size that overflows"))
    return;
  // The channels as a spatial dim: a mean with zeros is the sum by `size`.
  Value squares = node.reshape(node.mul(x, x), {shape[0], 1, shape[1], *rest});
  Windows windows{
      {size, 1}, {1, 1}, {1, 1}, {(size - 1) / 2, 0}, {size / 2, 0}};
  Value mean = emitPool<ir::AvgPoolOp>(node, squares, windows, true);
  mean = node.reshape(mean, shape);
  Value base =
      node.add(node.mul(mean, node.scalar(x, node.getFloat("alpha", 0.0001))),
               node.scalar(x, node.getFloat("bias", 1)));
  Value power =
      node.emit<ir::PowOp>({base, node.scalar(x, node.getFloat("beta", 0.75))});
  node.result(0, node.div(x, power));
}

} // namespace tandem::onnx
