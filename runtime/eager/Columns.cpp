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

#include "ColumnsDetail.h"
#include "Scratch.h"
#include "eigen/Parallel.h"

#include <algorithm>
#include <tuple>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// Rows of the product, counted from the first row of the first group. Row
/// `channel * taps + tap` has what all positions of the operand add to the
/// result's elements under that tap.
struct Rows {
  int64_t begin, end;
};

/// Adds the rows of a product to the result. The product is (rows, images,
/// positions).
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
  int64_t rowsOfGroup() const { return conv.groupInputChannels * taps(); }

  /// Adds `rows`, the first of which starts at `columns`, to the result, which
  /// must have all rows before. Writes the bias where a channel's rows begin.
  template <typename T>
  void addRows(const T *columns, Rows rows, const T *bias, T *result) const;

private:
  template <typename T>
  void addTap(const T *column, T *plane, const Spatial3 &tap) const;
  Spatial3 getTap(int64_t row) const;
};

template <typename T>
void ColumnsSum::addTap(const T *column, T *plane, const Spatial3 &tap) const {
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

Spatial3 ColumnsSum::getTap(int64_t row) const {
  const int64_t tap = row % taps(), h = conv.window[1], w = conv.window[2];
  return {tap / (h * w), tap / w % h, tap % w};
}

template <typename T>
void ColumnsSum::addRows(const T *columns, Rows rows, const T *bias,
                         T *result) const {
  const int64_t size = conv.in.size[0] * conv.in.size[1] * conv.in.size[2];
  const int64_t first = rows.begin / taps(),
                planes = countParts(rows.end, taps()) - first;
  const auto addToPlane = [&](int64_t image, int64_t c) {
    T *plane = result + (image * channels() + c) * size;
    const int64_t begin = std::max(rows.begin, c * taps()),
                  end = std::min(rows.end, (c + 1) * taps());
    if (begin == c * taps())
      std::fill_n(plane, size, bias ? bias[c] : T(0));
    for (int64_t row = begin; row < end; ++row)
      addTap(columns + ((row - rows.begin) * images + image) * positions(),
             plane, getTap(row));
  };
  const int64_t elements = countParts(rows.end - rows.begin, planes);
  parallelFor(images * planes, grainFor(elements * positions()),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                  addToPlane(i / planes, first + i % planes);
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
  Status prepareKernel(ProviderList providers, std::string layout,
                       const TensorType &type);
  Status prepareProduct(ProviderList providers);
  /// Computes the channels-first result of one image after the other.
  Status runImages(const StepContext &context, const Tensor &from,
                   const Tensor &weights, const Tensor *bias,
                   const Tensor &to) const;
  /// Computes the rows of the product block by block, and adds each block to
  /// the result.
  Status runBlocks(const StepContext &context, char *image, char *kernel,
                   const Tensor *bias, char *result) const;

  int64_t numRows() const { return sum.conv.groups * sum.rowsOfGroup(); }
  bool isBlocked() const { return blockRows < numRows(); }

  ColumnsSum sum;
  /// The number of rows of the product that are computed at a time: those of
  /// all groups, or some of one group.
  int64_t blockRows = 0;
  Step image, kernel, product, result;
  /// The kernel as it is given, with a dim of its own for groups.
  TensorType kernelOfGroups;
  /// The operands of the product.
  TensorType factors, columns;
  /// The channels-first type of the result.
  TensorType planes;
};

/// The most rows whose columns take no more memory than the op's tensors. A
/// block has at least as many elements as are worth a task.
static int64_t countBlockRows(const ColumnsSum &sum, const OpSignature &op) {
  const int64_t tensors =
      op.operands[0].bytes() + op.operands[1].bytes() + op.result().bytes();
  const int64_t length = sum.images * sum.positions();
  return std::max(tensors / (length * byteWidth(op.result().dtype)),
                  countParts(kGrain, length));
}

/// The kernel becomes (groups, O, I, window), or (groups, I, window, O) if the
/// product is computed in blocks, so that the factors of a block are adjacent.
Status ColumnsOp::prepareKernel(ProviderList providers, std::string layout,
                                const TensorType &type) {
  std::tie(kernelOfGroups, layout) =
      splitGroups(type, std::move(layout), sum.conv.groups);
  const std::string window = std::string("DHW").substr(6 - layout.size());
  TANDEM_ASSIGN_OR_RETURN(
      kernel,
      prepareTranspose(providers, kernelOfGroups, layout,
                       isBlocked() ? "GI" + window + "O" : "GOI" + window));
  return {};
}

Status ColumnsOp::prepareProduct(ProviderList providers) {
  const SpatialConv &conv = sum.conv;
  const DType dtype = planes.dtype;
  const int64_t inputs = conv.outputChannels / conv.groups,
                length = sum.images * sum.positions();
  if (isBlocked()) {
    factors = {dtype, {blockRows, inputs}};
    columns = {dtype, {inputs, length}};
    product.type = {dtype, {blockRows, length}};
  } else {
    factors = {dtype, {conv.groups, inputs, sum.rowsOfGroup()}};
    columns = {dtype, {conv.groups, inputs, length}};
    product.type = {dtype, {conv.groups, sum.rowsOfGroup(), length}};
  }
  fb::MatmulAttrsT attrs;
  attrs.transpose_lhs = !isBlocked();
  OpDesc op;
  op.kind = OpKind::matmul;
  op.attrs.Set(std::move(attrs));
  const TensorType operands[] = {factors, columns};
  TANDEM_ASSIGN_OR_RETURN(
      product.op, prepareOp(providers, {op, operands, {&product.type, 1}}));
  return {};
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
  op->sum.images = op->sum.conv.batch;
  if (countBlockRows(op->sum, signature) < op->numRows())
    op->sum.images = 1;
  const int64_t rows = countBlockRows(op->sum, signature);
  op->blockRows = rows >= op->numRows() ? op->numRows()
                                        : std::min(rows, op->sum.rowsOfGroup());
  // For one image the two orders are the same.
  const std::string images = (op->sum.images > 1 ? "CN" : "NC") + spatial;
  TANDEM_ASSIGN_OR_RETURN(op->image,
                          prepareTranspose(providers, signature.operands[0],
                                           attrs.input_layout, images));
  TANDEM_RETURN_IF_ERROR(
      op->prepareKernel(providers, attrs.kernel_layout, signature.operands[1]));
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

Status ColumnsOp::runImages(const StepContext &context, const Tensor &from,
                            const Tensor &weights, const Tensor *bias,
                            const Tensor &to) const {
  const int64_t runs = sum.conv.batch / sum.images;
  for (int64_t run = 0; run < runs; ++run)
    TANDEM_RETURN_IF_ERROR(
        runBlocks(context, from.as<char>() + run * (image.type.bytes() / runs),
                  weights.as<char>(), bias,
                  to.as<char>() + run * (planes.bytes() / runs)));
  return {};
}

Status ColumnsOp::runBlocks(const StepContext &context, char *image,
                            char *kernel, const Tensor *bias,
                            char *result) const {
  Scratch scratch(context);
  Tensor products = scratch.take(product.type);
  const int64_t rowsOfGroup = isBlocked() ? sum.rowsOfGroup() : numRows();
  const int64_t rowBytes = factors.bytes() / blockRows;
  for (int64_t done = 0; done < numRows();) {
    const int64_t group = done / rowsOfGroup,
                  groupEnd = (group + 1) * rowsOfGroup;
    // The last block of a group overlaps the one before.
    const int64_t first = std::min(done, groupEnd - blockRows);
    const Tensor operands[] = {
        Tensor::borrow(factors, kernel + first * rowBytes),
        Tensor::borrow(columns, image + group * columns.bytes())};
    TANDEM_RETURN_IF_ERROR(
        product.op->run(scratch.left(), operands, {&products, 1}));
    const Rows rows{done, first + blockRows};
    auto addRows = [&]<typename T>(T) {
      sum.addRows(
          products.as<T>() + (done - first) * sum.images * sum.positions(),
          rows, bias ? bias->as<T>() : nullptr, reinterpret_cast<T *>(result));
    };
    planes.dtype == DType::f64 ? addRows(double()) : addRows(float());
    done = rows.end;
  }
  return {};
}

Status ColumnsOp::run(const StepContext &context,
                      std::span<const Tensor> operands,
                      std::span<Tensor> results) const {
  Scratch scratch(context);
  Tensor from = operands[0],
         weights = Tensor::borrow(kernelOfGroups, operands[1].as<char>());
  TANDEM_RETURN_IF_ERROR(convert(image, scratch, from));
  TANDEM_RETURN_IF_ERROR(convert(kernel, scratch, weights));
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
    const bool isWeights = signature.op.kind == OpKind::conv_backward_weights;
    if ((signature.op.kind != OpKind::conv_backward_data && !isWeights) ||
        byteWidth(signature.result().dtype) < 4 ||
        isEmpty(signature.result()) ||
        std::any_of(signature.operands.begin(), signature.operands.end(),
                    isEmpty))
      return nullptr;
    return isWeights ? createWeightColumns(inner, signature)
                     : ColumnsOp::create(inner, signature);
  }

private:
  const std::vector<const Provider *> inner;
};

} // namespace

std::unique_ptr<Provider> eager::createColumnsProvider(ProviderList inner) {
  return std::make_unique<ColumnsProvider>(inner);
}
