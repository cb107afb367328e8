//===- WeightColumns.cpp - Gradients of weights as matrix products --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv_backward_weights as a product of two matrices. A row of the first matrix
// belongs to an input channel and a tap. It has, for each position of all
// images, the element of the input that the tap reads there. A row of the
// second matrix is an output channel of the gradient. The sum over the
// positions is the inner dim of the product.
//
//===----------------------------------------------------------------------===//

#include "ColumnsDetail.h"
#include "Scratch.h"
#include "eigen/Parallel.h"

#include <algorithm>
#include <tuple>

using namespace tandem;
using namespace tandem::eager;

namespace {

/// Reads the rows of the first matrix from images with channels first:
/// (channel, image, spatial dims).
struct TapReader {
  SpatialConv conv;

  int64_t positions() const {
    return conv.output[0] * conv.output[1] * conv.output[2];
  }
  int64_t taps() const {
    return conv.window[0] * conv.window[1] * conv.window[2];
  }
  /// The number of elements of a row.
  int64_t length() const { return conv.batch * positions(); }
  int64_t rowsOfGroup() const { return conv.groupInputChannels * taps(); }
  int64_t numRows() const { return conv.groups * rowsOfGroup(); }

  /// Writes the rows [begin, end), counted from the first row of the first
  /// group. Row `channel * taps + tap` belongs to that channel and tap.
  template <typename T>
  void read(const T *images, int64_t begin, int64_t end, T *rows) const;

private:
  template <typename T>
  void readPlane(const T *plane, const Spatial3 &tap, T *to) const;
};

} // namespace

template <typename T>
void TapReader::readPlane(const T *plane, const Spatial3 &tap, T *to) const {
  const int64_t left = tap[2] * conv.dilations[2] - conv.padLow[2];
  const auto [first, last] = positionsInside(conv, left);
  const int64_t width = conv.output[2], stride = conv.strides[2];
  for (int64_t d = 0; d < conv.output[0]; ++d) {
    const int64_t atD =
        d * conv.strides[0] + tap[0] * conv.dilations[0] - conv.padLow[0];
    for (int64_t h = 0; h < conv.output[1]; ++h, to += width) {
      const int64_t atH =
          h * conv.strides[1] + tap[1] * conv.dilations[1] - conv.padLow[1];
      if (atD < 0 || atD >= conv.in.size[0] || atH < 0 ||
          atH >= conv.in.size[1] || first >= last) {
        std::fill_n(to, width, T(0));
        continue;
      }
      const T *row = plane + (atD * conv.in.size[1] + atH) * conv.in.size[2];
      std::fill(to, to + first, T(0));
      for (int64_t w = first; w < last; ++w)
        to[w] = row[w * stride + left];
      std::fill(to + last, to + width, T(0));
    }
  }
}

template <typename T>
void TapReader::read(const T *images, int64_t begin, int64_t end,
                     T *rows) const {
  const int64_t size = conv.in.size[0] * conv.in.size[1] * conv.in.size[2];
  const auto readOne = [&](int64_t row, int64_t image) {
    const int64_t channel = row / taps(), tap = row % taps(),
                  h = conv.window[1], w = conv.window[2];
    readPlane(images + (channel * conv.batch + image) * size,
              {tap / (h * w), tap / w % h, tap % w},
              rows + (row - begin) * length() + image * positions());
  };
  parallelFor((end - begin) * conv.batch, grainFor(positions()),
              [&](int64_t first, int64_t last) {
                for (int64_t i = first; i < last; ++i)
                  readOne(begin + i / conv.batch, i % conv.batch);
              });
}

namespace {

class WeightColumnsOp final : public PreparedOp {
public:
  static Expected<Prepared> create(ProviderList providers,
                                   const OpSignature &signature);

  int64_t workspaceBytes() const override;
  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override;

private:
  Status prepareProduct(ProviderList providers);
  Status prepareResult(ProviderList providers, const TensorType &type,
                       const std::string &layout);
  /// Computes the result with the outputs of a group innermost, block by block
  /// of its rows.
  Status runBlocks(const StepContext &context, char *images, char *gradient,
                   char *result) const;

  bool isBlocked() const { return blockRows < reader.numRows(); }

  TapReader reader;
  /// The number of rows that are computed at a time: those of all groups, or
  /// some of one group.
  int64_t blockRows = 0;
  Step images, gradient, product, result;
  /// The operands of the product.
  TensorType rows, outputs;
  /// (groups, input channels, window, output channels): the result before its
  /// dims are transposed.
  TensorType weights;
};

/// The most rows that take no more memory than the op's tensors. A block has at
/// least as many elements as are worth a task.
int64_t countBlockRows(const TapReader &reader, const OpSignature &op) {
  const int64_t tensors =
      op.operands[0].bytes() + op.operands[1].bytes() + op.result().bytes();
  const int64_t length = reader.length();
  return std::max(tensors / (length * byteWidth(op.result().dtype)),
                  countParts(kGrain, length));
}

} // namespace

Status WeightColumnsOp::prepareProduct(ProviderList providers) {
  const SpatialConv &conv = reader.conv;
  const DType dtype = images.type.dtype;
  const int64_t channels = conv.outputChannels / conv.groups,
                length = reader.length();
  if (isBlocked()) {
    rows = {dtype, {blockRows, length}};
    outputs = {dtype, {channels, length}};
    product.type = {dtype, {blockRows, channels}};
  } else {
    rows = {dtype, {conv.groups, reader.rowsOfGroup(), length}};
    outputs = {dtype, {conv.groups, channels, length}};
    product.type = {dtype, {conv.groups, reader.rowsOfGroup(), channels}};
  }
  fb::MatmulAttrsT attrs;
  attrs.transpose_rhs = true;
  OpDesc op;
  op.kind = OpKind::matmul;
  op.attrs.Set(std::move(attrs));
  const TensorType operands[] = {rows, outputs};
  TANDEM_ASSIGN_OR_RETURN(
      product.op, prepareOp(providers, {op, operands, {&product.type, 1}}));
  return {};
}

Status WeightColumnsOp::prepareResult(ProviderList providers,
                                      const TensorType &type,
                                      const std::string &layout) {
  const auto [split, letters] = splitGroups(type, layout, reader.conv.groups);
  const std::string window = std::string("DHW").substr(6 - letters.size());
  const std::string own = "GI" + window + "O";
  weights = arranged(split, letters, own);
  TANDEM_ASSIGN_OR_RETURN(result,
                          prepareTranspose(providers, weights, own, letters));
  return {};
}

Expected<Prepared> WeightColumnsOp::create(ProviderList providers,
                                           const OpSignature &signature) {
  auto op = std::make_unique<WeightColumnsOp>();
  const auto &attrs = *signature.op.attrs.AsConvAttrs();
  op->reader.conv = SpatialConv::ofBackwardWeights(
      attrs, signature.operands[0].shape, signature.operands[1].shape,
      signature.result().shape);
  const int64_t rows = countBlockRows(op->reader, signature);
  op->blockRows = rows >= op->reader.numRows()
                      ? op->reader.numRows()
                      : std::min(rows, op->reader.rowsOfGroup());
  const std::string spatial =
      std::string("DHW").substr(3 - attrs.strides.size());
  // For one image the two orders are the same.
  const std::string order = (op->reader.conv.batch > 1 ? "CN" : "NC") + spatial;
  TANDEM_ASSIGN_OR_RETURN(op->images,
                          prepareTranspose(providers, signature.operands[0],
                                           attrs.input_layout, order));
  TANDEM_ASSIGN_OR_RETURN(op->gradient,
                          prepareTranspose(providers, signature.operands[1],
                                           attrs.output_layout, order));
  TANDEM_RETURN_IF_ERROR(op->prepareProduct(providers));
  TANDEM_RETURN_IF_ERROR(
      op->prepareResult(providers, signature.result(), attrs.kernel_layout));
  return op;
}

int64_t WeightColumnsOp::workspaceBytes() const {
  int64_t bytes = alignedBytes(rows.bytes()), scratch = 0;
  for (const Step *step : {&images, &gradient, &product, &result})
    if (step->op)
      scratch = std::max(scratch, step->op->workspaceBytes());
  for (const Step *step : {&images, &gradient})
    if (step->op)
      bytes += alignedBytes(step->type.bytes());
  if (result.op)
    bytes += alignedBytes(weights.bytes());
  return bytes + scratch;
}

Status WeightColumnsOp::runBlocks(const StepContext &context, char *images,
                                  char *gradient, char *result) const {
  Scratch scratch(context);
  Tensor block = scratch.take(rows);
  const int64_t rowsOfGroup =
      isBlocked() ? reader.rowsOfGroup() : reader.numRows();
  const int64_t rowBytes = product.type.bytes() / blockRows;
  for (int64_t done = 0; done < reader.numRows();) {
    const int64_t group = done / rowsOfGroup;
    // The last block of a group overlaps the one before.
    const int64_t first = std::min(done, (group + 1) * rowsOfGroup - blockRows);
    const auto readRows = [&]<typename T>(T) {
      reader.read(reinterpret_cast<const T *>(images), first, first + blockRows,
                  block.as<T>());
    };
    rows.dtype == DType::f64 ? readRows(double()) : readRows(float());
    const Tensor operands[] = {
        block, Tensor::borrow(outputs, gradient + group * outputs.bytes())};
    Tensor to = Tensor::borrow(product.type, result + first * rowBytes);
    TANDEM_RETURN_IF_ERROR(product.op->run(scratch.left(), operands, {&to, 1}));
    done = first + blockRows;
  }
  return {};
}

Status WeightColumnsOp::run(const StepContext &context,
                            std::span<const Tensor> operands,
                            std::span<Tensor> results) const {
  Scratch scratch(context);
  Tensor from = operands[0], outer = operands[1];
  TANDEM_RETURN_IF_ERROR(convert(images, scratch, from));
  TANDEM_RETURN_IF_ERROR(convert(gradient, scratch, outer));
  Tensor to = result.op ? scratch.take(weights) : results[0];
  const StepContext left = scratch.left();
  TANDEM_RETURN_IF_ERROR(
      runBlocks(left, from.as<char>(), outer.as<char>(), to.as<char>()));
  if (!result.op)
    return {};
  // The groups and the outputs of a group are one dim of the result.
  Tensor split = Tensor::borrow(result.type, results[0].as<char>());
  return result.op->run(left, {&to, 1}, {&split, 1});
}

Expected<Prepared> eager::createWeightColumns(ProviderList providers,
                                              const OpSignature &signature) {
  return WeightColumnsOp::create(providers, signature);
}
