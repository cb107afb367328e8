//===- ByteSums.cpp - Whether oneDNN sums bytes exactly -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteSums.h"
#include "OneThread.h"

#include "tandem/Support/ExactSums.h"
#include "tandem/Support/Strides.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

using namespace tandem;
using namespace tandem::onednn;

namespace {

/// A convolution of a small NHWC image without padding, or a matrix product.
/// Each output sums window * window * inputs products.
struct Trial {
  OpKind kind;
  int64_t inputs, outputs, groups, window;

  int64_t products() const { return window * window * inputs; }
};

/// All ways in which networks use bytes. The products of an output are either
/// so few that their sum is below 2^24 in any case, or so many that the sums of
/// most outputs are beyond it and odd.
constexpr Trial kTrials[] = {
    {OpKind::conv, 3, 32, 1, 7},      {OpKind::conv, 32, 32, 1, 3},
    {OpKind::conv, 512, 32, 1, 3},    {OpKind::conv, 256, 32, 1, 1},
    {OpKind::conv, 4608, 32, 1, 1},   {OpKind::conv, 16, 16, 4, 3},
    {OpKind::conv, 1, 1, 64, 3},      {OpKind::matmul, 256, 32, 1, 1},
    {OpKind::matmul, 4608, 32, 1, 1},
};
/// The rows of a matrix product, and the positions of a convolution along each
/// of two dims.
constexpr int64_t kRows = 16, kPositions = 4;

/// Whether an implementation returned the right sums in all trials with sums up
/// to 2^24, and in all beyond; nothing if there was no trial beyond.
struct Record {
  bool areSmallExact = true;
  std::optional<bool> areLargeExact;
};
using Records = std::map<std::string, Record, std::less<>>;

} // namespace

/// The largest product of a byte and a weight, by magnitude.
constexpr int64_t kLargestProduct = 255 * 128;

static bool isSmall(int64_t products) {
  return products * kLargestProduct <= kMostExactInF32;
}

/// Weights are the largest and the smallest number in turn: sums of two
/// products exceed 16 bits.
static int64_t weightOf(int64_t output) { return output % 2 == 0 ? 127 : -128; }

/// Data are the largest number, but one less for the first input.
static int64_t dataOf(DType data, int64_t input) {
  return (data == DType::ui8 ? 255 : 127) - (input == 0 ? 1 : 0);
}

static OpDesc makeOp(const Trial &trial) {
  OpDesc op;
  op.kind = trial.kind;
  if (trial.kind == OpKind::matmul) {
    fb::MatmulAttrsT attrs;
    attrs.widen = true;
    op.attrs.Set(std::move(attrs));
    return op;
  }
  fb::ConvAttrsT attrs;
  attrs.strides = attrs.dilations = {1, 1};
  attrs.pad_low = attrs.pad_high = {0, 0};
  attrs.input_layout = attrs.output_layout = "NHWC";
  attrs.kernel_layout = "HWIO";
  attrs.groups = trial.groups;
  op.attrs.Set(std::move(attrs));
  return op;
}

/// The types of data, weights and result.
static std::array<TensorType, 3> makeTypes(DType data, const Trial &t) {
  const int64_t outputs = t.groups * t.outputs, inputs = t.groups * t.inputs;
  if (t.kind == OpKind::matmul)
    return {{{data, {kRows, inputs}},
             {DType::i8, {inputs, outputs}},
             {DType::i32, {kRows, outputs}}}};
  const int64_t size = kPositions + t.window - 1;
  return {{{data, {1, size, size, inputs}},
           {DType::i8, {t.window, t.window, t.inputs, outputs}},
           {DType::i32, {1, kPositions, kPositions, outputs}}}};
}

/// Calls `makeElement` with the number of each element along the last dim.
template <typename T, typename Make>
static Expected<Tensor> makeTensor(const TensorType &type, Make makeElement) {
  TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(type));
  const int64_t last = type.shape[type.shape.rank() - 1];
  for (int64_t i = 0; i < type.shape.numElements(); ++i)
    tensor.as<T>()[i] = static_cast<T>(makeElement(i % last));
  return tensor;
}

/// Runs the trial, and adds what it shows to the record of the implementation.
static Status run(const Trial &trial, DType data, Records &records) {
  const OpDesc op = makeOp(trial);
  const auto [dataType, weightType, resultType] = makeTypes(data, trial);
  const TensorType operandTypes[] = {dataType, weightType};
  TANDEM_ASSIGN_OR_RETURN(Tensor input,
                          makeTensor<uint8_t>(dataType, [&](int64_t channel) {
                            return dataOf(data, channel % trial.inputs);
                          }));
  TANDEM_ASSIGN_OR_RETURN(Tensor weights,
                          makeTensor<int8_t>(weightType, weightOf));
  TANDEM_ASSIGN_OR_RETURN(Tensor result, Tensor::allocate(resultType));
  const Tensor constants[] = {Tensor(), weights}, operands[] = {input, weights};
  const Signature signature{op, operandTypes, {&resultType, 1}, constants};
  Plan plan(/*isSmall=*/true);
  (trial.kind == OpKind::conv ? buildConv : buildMatmul)(signature, plan);
  TANDEM_RETURN_IF_ERROR(runOp(plan, operands, {&result, 1}));

  int64_t ofInputs = 0;
  for (int64_t i = 0; i < trial.inputs; ++i)
    ofInputs += dataOf(data, i);
  bool isExact = true;
  const int64_t outputs = trial.groups * trial.outputs;
  for (int64_t i = 0; i < resultType.shape.numElements(); ++i)
    isExact &= result.as<int32_t>()[i] ==
               weightOf(i % outputs) * ofInputs * trial.window * trial.window;
  Record &record = records[std::string(plan.implementation())];
  if (isSmall(trial.products()))
    record.areSmallExact &= isExact;
  else
    record.areLargeExact = record.areLargeExact.value_or(true) && isExact;
  return {};
}

/// An implementation without a record is not used. A trial without result adds
/// nothing to a record.
static Records runTrials(DType data) {
  const OneThread oneThread(true);
  Records records;
  for (const Trial &trial : kTrials)
    try {
      (void)run(trial, data, records);
    } catch (const dnnl::error &) {
    }
  return records;
}

/// Whether no sum of the signature exceeds 2^24, whatever the data.
static bool areSumsSmall(const Signature &signature) {
  const Shape &shape = signature.operands[1].shape;
  const auto *conv = signature.op.attrs.AsConvAttrs();
  const auto *matmul = signature.op.attrs.AsMatmulAttrs();
  const int dim = conv ? static_cast<int>(conv->kernel_layout.find('O'))
                       : shape.rank() - (matmul->transpose_rhs ? 2 : 1);
  const int64_t products = shape.numElements() / shape[dim];
  if (isSmall(products))
    return true;
  if (!signature.isConstant(1) || products >= kMostExactInF32)
    return false;
  const std::span<const int8_t> weights(
      signature.constants[1].as<int8_t>(),
      static_cast<size_t>(shape.numElements()));
  // oneDNN adds 128 to data of i8.
  return sumWeights(weights, shape[dim], rowMajorStrides(shape)[dim])
      .areExactInF32(/*mostBelow=*/0, /*mostAbove=*/255);
}

bool onednn::sumsBytes(const Signature &signature) {
  const auto isByte = [](const TensorType &type) {
    return type.dtype == DType::ui8 || type.dtype == DType::i8;
  };
  return (signature.op.kind == OpKind::conv ||
          signature.op.kind == OpKind::matmul) &&
         signature.result().dtype == DType::i32 &&
         isByte(signature.operands[0]) &&
         signature.operands[1].dtype == DType::i8;
}

bool onednn::multipliesBytes() {
  static const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto has = [](unsigned all) { return (isa & all) == all; };
  return has(dnnl_cpu_isa_avx512_core_vnni) || has(dnnl_cpu_isa_avx2_vnni);
}

/// AMX multiplies inputs in groups of four. For 125, 126 or 127 inputs, oneDNN
/// 2.6 multiplies the last inputs with tiles that are configured for other
/// sizes: it executes an illegal instruction or returns wrong sums. With
/// multiples of four inputs, all sums were right.
static bool mayMisconfigureTiles(const Signature &signature,
                                 std::string_view implementation) {
  const auto *matmul = signature.op.attrs.AsMatmulAttrs();
  if (!matmul || implementation.find("amx") == std::string_view::npos)
    return false;
  const Shape &weights = signature.operands[1].shape;
  const int inputs = weights.rank() - (matmul->transpose_rhs ? 1 : 2);
  return weights[inputs] % 4 != 0;
}

bool onednn::areByteSumsExact(const Signature &signature, const Plan &plan) {
  static auto &ofTypes = *new std::map<DType, Records>;
  if (mayMisconfigureTiles(signature, plan.implementation()))
    return false;
  const DType data = signature.operands[0].dtype;
  auto found = ofTypes.find(data);
  if (found == ofTypes.end())
    found = ofTypes.emplace(data, runTrials(data)).first;
  const auto entry = found->second.find(plan.implementation());
  if (entry == found->second.end() || !entry->second.areSmallExact)
    return false;
  return entry->second.areLargeExact.value_or(false) || areSumsSmall(signature);
}
