//===- Columns.cpp - Transposed convolutions as matrix products -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv_backward_data as the product of the transposed kernel with the operand,
// whose columns hold what each element adds to its window of the result, and
// the sum of these columns. Images of other layouts than NC and spatial dims
// are transposed before and after.
//
//===----------------------------------------------------------------------===//

#include "Columns.h"

#include "Scratch.h"
#include "Spatial.h"
#include "eigen/Parallel.h"

#include <algorithm>

using namespace tandem;
using namespace tandem::eager;

namespace {

using Prepared = std::unique_ptr<PreparedOp>;

/// An op that is ready to run, and its result.
struct Step {
  Prepared op;
  TensorType type;
};

/// The type of a tensor in another layout.
TensorType arranged(const TensorType &type, std::string_view from,
                    std::string_view to) {
  TensorType result = type;
  for (size_t i = 0; i < to.size(); ++i)
    result.shape[static_cast<int>(i)] =
        type.shape[static_cast<int>(from.find(to[i]))];
  return result;
}

/// Transposes a tensor from one layout to another; no op where they are equal.
Expected<Step> prepareTranspose(ProviderList providers, const TensorType &type,
                                std::string_view from, std::string_view to) {
  Step step{nullptr, arranged(type, from, to)};
  if (from == to)
    return step;
  fb::TransposeAttrsT attrs;
  for (char letter : to)
    attrs.permutation.push_back(static_cast<int64_t>(from.find(letter)));
  OpDesc op;
  op.kind = OpKind::transpose;
  op.attrs.Set(std::move(attrs));
  TANDEM_ASSIGN_OR_RETURN(
      step.op, prepareOp(providers, {op, {&type, 1}, {&step.type, 1}}));
  return step;
}

/// The columns are (groups, channels of a group, taps, images, positions).
struct ColumnsSum {
  SpatialConv conv;
  /// The number of images whose columns are computed at a time: all or one.
  int64_t images = 1;

  int64_t positions() const {
    return conv.output[0] * conv.output[1] * conv.output[2];
  }
  int64_t taps() const {
    return conv.window[0] * conv.window[1] * conv.window[2];
  }
  int64_t channels() const { return conv.groups * conv.groupInputChannels; }

  /// Sums all columns of a channel to its plane of the result.
  template <typename T> void sumPlane(const T *columns, T *plane, T bias) const;
  template <typename T>
  void addTap(const T *column, T *plane, const int64_t *tap) const;
  template <typename T>
  void run(const T *columns, const T *bias, T *result) const;
};

/// The first position of a row whose tap is inside the result, and the first
/// behind those.
std::pair<int64_t, int64_t> positionsInside(const SpatialConv &conv,
                                            int64_t offset) {
  const int64_t stride = conv.strides[2], size = conv.in.size[2];
  const int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const int64_t last = size <= offset ? 0 : (size - offset - 1) / stride + 1;
  return {first, std::min(last, conv.output[2])};
}

template <typename T>
void ColumnsSum::addTap(const T *column, T *plane, const int64_t *tap) const {
  const int64_t left = tap[2] * conv.dilations[2] - conv.padLow[2];
  const auto [first, last] = positionsInside(conv, left);
  for (int64_t d = 0; d < conv.output[0]; ++d) {
    const int64_t toD =
        d * conv.strides[0] + tap[0] * conv.dilations[0] - conv.padLow[0];
    for (int64_t h = 0; h < conv.output[1]; ++h, column += conv.output[2]) {
      const int64_t toH =
          h * conv.strides[1] + tap[1] * conv.dilations[1] - conv.padLow[1];
      if (toD < 0 || toD >= conv.in.size[0] || toH < 0 ||
          toH >= conv.in.size[1])
        continue;
      T *row = plane + (toD * conv.in.size[1] + toH) * conv.in.size[2] + left;
      for (int64_t w = first; w < last; ++w)
        row[w * conv.strides[2]] += column[w];
    }
  }
}

template <typename T>
void ColumnsSum::sumPlane(const T *columns, T *plane, T bias) const {
  std::fill_n(plane, conv.in.size[0] * conv.in.size[1] * conv.in.size[2], bias);
  forEachIndex(conv.window, [&](const int64_t *tap) {
    addTap(columns, plane, tap);
    columns += images * positions();
  });
}

template <typename T>
void ColumnsSum::run(const T *columns, const T *bias, T *result) const {
  const int64_t size = conv.in.size[0] * conv.in.size[1] * conv.in.size[2];
  parallelFor(
      images * channels(), grainFor(taps() * positions()),
      [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; ++plane) {
          const int64_t image = plane / channels(), c = plane % channels();
          sumPlane(columns + (c * taps() * images + image) * positions(),
                   result + plane * size, bias ? bias[c] : T(0));
        }
      });
}

class ColumnsOp final : public PreparedOp {
public:
  static Expected<Prepared> create(ProviderList providers,
                                   const OpSignature &signature);

  int64_t workspaceBytes() const override;
  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;

private:
  Status prepareProduct(ProviderList providers);
  /// Computes the channels-first result of one image after the other.
  Status runImages(const StepContext &context, const Tensor &image,
                   const Tensor &kernel, const Tensor *bias,
                   const Tensor &result) const;

  ColumnsSum sum;
  Step image, kernel, product, result;
  /// The operands of the product.
  TensorType rows, columns;
  /// The channels-first type of the result.
  TensorType planes;
};

Status ColumnsOp::prepareProduct(ProviderList providers) {
  const SpatialConv &conv = sum.conv;
  const DType dtype = planes.dtype;
  const int64_t inputs = conv.outputChannels / conv.groups,
                outputs = conv.groupInputChannels * sum.taps(),
                length = sum.images * sum.positions();
  rows = {dtype, {conv.groups, inputs, outputs}};
  columns = {dtype, {conv.groups, inputs, length}};
  product.type = {dtype, {conv.groups, outputs, length}};
  fb::MatmulAttrsT attrs;
  attrs.transpose_lhs = true;
  OpDesc op;
  op.kind = OpKind::matmul;
  op.attrs.Set(std::move(attrs));
  const TensorType operands[] = {rows, columns};
  TANDEM_ASSIGN_OR_RETURN(
      product.op, prepareOp(providers, {op, operands, {&product.type, 1}}));
  return {};
}

/// Whether the columns of all images take no more memory than the op's tensors:
/// then one product serves all, which reads the kernel once.
static bool areColumnsSmall(const ColumnsSum &sum, const OpSignature &op) {
  const int64_t columns = sum.conv.batch * sum.channels() * sum.taps() *
                          sum.positions() * byteWidth(op.result().dtype);
  return columns <=
         op.operands[0].bytes() + op.operands[1].bytes() + op.result().bytes();
}

Expected<Prepared> ColumnsOp::create(ProviderList providers,
                                     const OpSignature &signature) {
  auto op = std::make_unique<ColumnsOp>();
  const auto &attrs = *signature.op.attrs.AsConvAttrs();
  const std::string spatial =
      std::string("DHW").substr(3 - attrs.strides.size());
  const std::string planes = "NC" + spatial, kernels = "OI" + spatial;
  op->planes = arranged(signature.result(), attrs.output_layout, planes);
  fb::ConvAttrsT first = attrs;
  first.input_layout = first.output_layout = planes;
  first.kernel_layout = kernels;
  op->sum.conv = SpatialConv::ofBackwardData(
      first, arranged(signature.operands[0], attrs.input_layout, planes).shape,
      arranged(signature.operands[1], attrs.kernel_layout, kernels).shape,
      op->planes.shape);
  const bool isWhole = areColumnsSmall(op->sum, signature);
  op->sum.images = isWhole ? op->sum.conv.batch : 1;
  // For one image the two orders are the same.
  const std::string images = (op->sum.images > 1 ? "CN" : "NC") + spatial;
  TANDEM_ASSIGN_OR_RETURN(op->image,
                          prepareTranspose(providers, signature.operands[0],
                                           attrs.input_layout, images));
  TANDEM_ASSIGN_OR_RETURN(op->kernel,
                          prepareTranspose(providers, signature.operands[1],
                                           attrs.kernel_layout, kernels));
  TANDEM_ASSIGN_OR_RETURN(
      op->result,
      prepareTranspose(providers, op->planes, planes, attrs.output_layout));
  TANDEM_RETURN_IF_ERROR(op->prepareProduct(providers));
  return op;
}

int64_t ColumnsOp::workspaceBytes() const {
  int64_t bytes = alignedBytes(product.type.bytes()), scratch = 0;
  for (const Step *step : {&image, &kernel, &result, &product})
    if (step->op)
      scratch = std::max(scratch, step->op->workspaceBytes());
  for (const Step *step : {&image, &kernel})
    if (step->op)
      bytes += alignedBytes(step->type.bytes());
  if (result.op)
    bytes += alignedBytes(planes.bytes());
  return bytes + scratch;
}

Status ColumnsOp::runImages(const StepContext &context, const Tensor &image,
                            const Tensor &kernel, const Tensor *bias,
                            const Tensor &result) const {
  Scratch scratch(context);
  Tensor products = scratch.take(product.type);
  const StepContext left = scratch.left();
  const int64_t runs = sum.conv.batch / sum.images,
                resultBytes = planes.bytes() / runs;
  for (int64_t run = 0; run < runs; ++run) {
    const Tensor factors[] = {
        Tensor::borrow(rows, kernel.as<char>()),
        Tensor::borrow(columns, image.as<char>() + run * columns.bytes())};
    TANDEM_RETURN_IF_ERROR(product.op->run(left, factors, {&products, 1}));
    auto addColumns = [&]<typename T>(T) {
      sum.run(products.as<T>(), bias ? bias->as<T>() : nullptr,
              reinterpret_cast<T *>(result.as<char>() + run * resultBytes));
    };
    planes.dtype == DType::f64 ? addColumns(double()) : addColumns(float());
  }
  return {};
}

Status ColumnsOp::run(const StepContext &context,
                      std::span<const Tensor> operands,
                      std::span<Tensor> results) const {
  Scratch scratch(context);
  const auto convert = [&](const Step &step, Tensor &tensor) -> Status {
    if (!step.op)
      return {};
    Tensor to = scratch.take(step.type);
    TANDEM_RETURN_IF_ERROR(
        step.op->run(scratch.left(), {&tensor, 1}, {&to, 1}));
    tensor = to;
    return {};
  };
  Tensor from = operands[0], weights = operands[1];
  TANDEM_RETURN_IF_ERROR(convert(image, from));
  TANDEM_RETURN_IF_ERROR(convert(kernel, weights));
  Tensor to = result.op ? scratch.take(planes) : results[0];
  const StepContext left = scratch.left();
  TANDEM_RETURN_IF_ERROR(runImages(
      left, from, weights, operands.size() > 2 ? &operands[2] : nullptr, to));
  return result.op ? result.op->run(left, {&to, 1}, results) : Status();
}

class ColumnsProvider final : public Provider {
public:
  explicit ColumnsProvider(ProviderList inner)
      : inner(inner.begin(), inner.end()) {}

  std::string_view name() const override { return "columns"; }

  Expected<Prepared> prepare(const OpSignature &signature) const override {
    const auto isEmpty = [](const TensorType &type) {
      return type.shape.numElements() == 0;
    };
    if (signature.op.kind != OpKind::conv_backward_data ||
        byteWidth(signature.result().dtype) < 4 ||
        isEmpty(signature.result()) ||
        std::any_of(signature.operands.begin(), signature.operands.end(),
                    isEmpty))
      return nullptr;
    return ColumnsOp::create(inner, signature);
  }

private:
  const std::vector<const Provider *> inner;
};

} // namespace

std::unique_ptr<Provider> eager::createColumnsProvider(ProviderList inner) {
  return std::make_unique<ColumnsProvider>(inner);
}
