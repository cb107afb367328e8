//===- Tolerance.cpp - How far two tiers' results may be apart ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First-order propagation of errors that are independent of each other, so that
// variances add (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., sections 2.8 and 3.1; Higham and Mary, SISC 41(5), 2019, for sums).
//
//===----------------------------------------------------------------------===//

#include "engine/certificate/Tolerance.h"

#include "engine/certificate/OpErrors.h"

#include "tandem/Runtime/Compare.h"
#include "tandem/Runtime/Program/ProgramLoops.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::tiering;
using fb::ReduceKind;

namespace {

/// Units of the computing type by which a function may err: 4 ULP.
constexpr double kFunctionUnits = 8;

double unitRoundoff(DType dtype) { return epsilonOf(dtype) / 2; }

/// The standard deviation of rounding to nearest: errors are uniform in [-u, u]
/// where the mantissa is 1.
double roundingOnce(double unit) { return unit / std::sqrt(3.0); }

/// Floats of 16 bits are computed in f32.
double computingUnit(DType dtype) {
  return unitRoundoff(dtype == DType::f64 ? DType::f64 : DType::f32);
}

/// An op of the program, and what is known of its operands.
struct OpView {
  const OpDesc &op;
  std::vector<TensorType> types;
  std::vector<ValueTolerance> operands;
  const TensorType &result;

  double elements(size_t operand) const {
    return static_cast<double>(types[operand].shape.numElements());
  }
  double elements() const {
    return static_cast<double>(result.shape.numElements());
  }
};

/// Variances of independent errors add.
ValueTolerance combine(ValueTolerance a, ValueTolerance b) {
  return {std::hypot(a.elementwise, b.elementwise),
          std::hypot(a.normwise, b.normwise)};
}
ValueTolerance combinedOperands(const OpView &view) {
  ValueTolerance sum;
  for (const ValueTolerance &operand : view.operands)
    sum = combine(sum, operand);
  return sum;
}

ValueTolerance worstOperand(const OpView &view) {
  ValueTolerance worst;
  for (const ValueTolerance &operand : view.operands)
    worst = {std::max(worst.elementwise, operand.elementwise),
             std::max(worst.normwise, operand.normwise)};
  return worst;
}

/// Errors of which nothing is known but their size beside all elements.
ValueTolerance asNormwise(ValueTolerance value, double amplified = 1) {
  return {0, amplified * std::hypot(value.elementwise, value.normwise)};
}
ValueTolerance asElementwise(ValueTolerance value, double amplified = 1) {
  return {asNormwise(value, amplified).normwise, 0};
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Rounding of an elementwise result, in the type that it is computed in.
ValueTolerance elementwiseRounding(const OpView &view) {
  const double unit = computingUnit(view.result.dtype);
  switch (getOpInfo(view.op.kind).rounding) {
  case Rounding::exact:
    return {};
  case Rounding::once:
    return {roundingOnce(unit), 0};
  case Rounding::function:
    // gelu cancels in 1 + erf(x) by itself.
    if (view.op.kind == OpKind::gelu)
      return {0, kFunctionUnits * unit};
    return {kFunctionUnits * unit, 0};
  case Rounding::own: // A cast: all tiers round equal numbers to equal ones.
    break;
  }
  if (view.operands[0].isExact() || byteWidth(view.result.dtype) == 2)
    return {};
  return {roundingOnce(unitRoundoff(view.result.dtype)), 0};
}

ValueTolerance elementwise(const OpView &view) {
  const OpKind kind = view.op.kind;
  const bool isExact = getOpInfo(kind).rounding == Rounding::exact;
  ValueTolerance operands =
      isExact ? worstOperand(view) : combinedOperands(view);
  const double amplified = amplification(kind);
  // Of a power errors are relative, whatever those of the exponent are.
  if (kind == OpKind::exp)
    operands = asElementwise(operands, amplified);
  else if (!preservesRelativeError(kind) || amplified > 1)
    operands = asNormwise(operands, amplified);
  return combine(operands, elementwiseRounding(view));
}

//===----------------------------------------------------------------------===//
// Ops that sum
//===----------------------------------------------------------------------===//

/// Winograd's transforms lose about three binary digits beside direct sums
/// (docs/Contractions.md): 3 u max|x| sum|w| of data and weights that are
/// uniform in [-1, 1) is 3 sqrt(3) / 2 * sqrt(3) = 7.8 times sqrt(K) u.
constexpr double kWinograd = 8;

bool mayTakeWinograd(const OpView &view) {
  const auto &conv = *view.op.attrs.AsConvAttrs();
  auto areOnes = [](const std::vector<int64_t> &values) {
    return std::all_of(values.begin(), values.end(),
                       [](int64_t value) { return value == 1; });
  };
  const auto kernel = parseLayout(conv.kernel_layout, /*isKernel=*/true);
  if (!kernel || kernel->numSpatial != 2)
    return false;
  const Shape &shape = view.types[1].shape;
  return view.result.dtype == DType::f32 && conv.groups == 1 &&
         shape[kernel->spatial[0]] == 3 && shape[kernel->spatial[1]] == 3 &&
         areOnes(conv.strides) && areOnes(conv.dilations);
}

/// Number of terms of each sum.
double termsOf(const OpView &view) {
  if (view.op.kind == OpKind::softmax) {
    const auto axis = static_cast<int>(view.op.attrs.AsAxisAttrs()->axis);
    const Shape &shape = view.result.shape;
    return static_cast<double>(shape[axis < 0 ? axis + shape.rank() : axis]);
  }
  return std::max<double>(
      1, static_cast<double>(cost(view.op, view.types, view.result).reads));
}

/// Sums of K terms are sqrt(K) u from each other, beside sqrt(K) terms.
double sumRounding(const OpView &view, Precision precision) {
  const OpKind kind = view.op.kind;
  const double unit = computingUnit(view.result.dtype);
  double error = std::sqrt(termsOf(view)) * unit;
  if (kind == OpKind::conv && mayTakeWinograd(view))
    error *= kWinograd;
  const bool isContraction = kind == OpKind::conv || kind == OpKind::matmul;
  if (isContraction && precision == Precision::tf32 &&
      view.result.dtype == DType::f32)
    error = std::hypot(error, 2 * 0x1p-11);
  const bool hasFunction =
      kind == OpKind::softmax || kind == OpKind::batch_norm;
  return std::hypot(error, hasFunction ? kFunctionUnits * unit : unit);
}

ValueTolerance sum(const OpView &view, Precision precision) {
  const ValueTolerance operands = combinedOperands(view);
  const double rounding = sumRounding(view, precision);
  if (view.op.kind == OpKind::softmax) // A power over a sum of powers.
    return combine(asElementwise(operands, 2 * kArgument), {rounding, 0});
  if (view.op.kind == OpKind::reduce &&
      view.op.attrs.AsReduceAttrs()->kind == ReduceKind::prod) {
    // A product has as many factors as a sum has terms, each with its error.
    const double factors = std::sqrt(termsOf(view));
    return combine(
        {factors * operands.elementwise, factors * operands.normwise},
        {rounding, 0});
  }
  return combine(asNormwise(operands), {0, rounding});
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

/// Padding makes the root mean square smaller, the errors not.
ValueTolerance pad(const OpView &view) {
  ValueTolerance result = worstOperand(view);
  if (view.elements(0) > 0)
    result.normwise *= std::sqrt(view.elements() / view.elements(0));
  return result;
}

/// All tiers compute equal results from equal operands, because the order of
/// updates is fixed and each update is rounded. All updates may be of one
/// element.
ValueTolerance scatter(const OpView &view) {
  const fb::ScatterKind kind = view.op.attrs.AsScatterAttrs()->kind;
  const ValueTolerance operands = combinedOperands(view);
  if (operands.isExact())
    return {};
  if (kind != fb::ScatterKind::add && kind != fb::ScatterKind::mul)
    return worstOperand(view);
  const double updates = std::sqrt(std::max(1.0, view.elements(1)));
  return combine(asNormwise(operands, updates),
                 {0, updates * unitRoundoff(view.result.dtype)});
}

ValueTolerance unrounded(const OpView &view, Precision precision) {
  const OpInfo info = getOpInfo(view.op.kind);
  if (view.op.kind == OpKind::scatter)
    return scatter(view);
  if (view.op.kind == OpKind::pad)
    return pad(view);
  if (info.isElementwise())
    return elementwise(view);
  if (view.op.kind == OpKind::reduce) {
    const ReduceKind kind = view.op.attrs.AsReduceAttrs()->kind;
    if (kind == ReduceKind::max || kind == ReduceKind::min)
      return worstOperand(view);
  }
  return info.rounding == Rounding::exact ? worstOperand(view)
                                          : sum(view, precision);
}

/// A custom call is a function of which nothing else is known: equal operands
/// give equal results, and other operands give results that may amplify the
/// differences.
ValueTolerance customCall(const OpView &view) {
  return asNormwise(combinedOperands(view), kArgument);
}

/// A result of 16 bits is rounded to its type: f32 values that differ a little
/// to neighbors of f16, and bf16 not at all between two ops of a kernel.
ValueTolerance toleranceOf(const OpView &view, Precision precision) {
  if (!isFloat(view.result.dtype) || jumps(view.op, view.result))
    return {};
  if (view.op.kind == OpKind::custom_call)
    return customCall(view);
  const ValueTolerance result = unrounded(view, precision);
  const bool isMoved = getOpInfo(view.op.kind).rounding == Rounding::exact;
  const bool isExactCast = view.op.kind == OpKind::cast &&
                           (view.types[0].dtype == view.result.dtype ||
                            !isFloat(view.types[0].dtype));
  if (byteWidth(view.result.dtype) != 2 || isMoved || isExactCast)
    return result;
  return combine(result, {roundingOnce(unitRoundoff(view.result.dtype)), 0});
}

/// The most elements of the result that depend on one of an operand.
double reach(const OpView &view, size_t operand) {
  const OpInfo info = getOpInfo(view.op.kind);
  const double own = std::max(view.elements(operand), 1.0);
  if (info.isElementwise() || view.op.kind == OpKind::broadcast)
    return std::max(1.0, view.elements() / own);
  if (view.op.kind == OpKind::gather)
    return operand == 0 ? view.elements(1) : view.elements() / own;
  if (view.op.kind == OpKind::scatter)
    return operand == 1 ? view.elements(2) / own : 1;
  if (view.op.kind == OpKind::softmax)
    return termsOf(view);
  if (info.family == OpFamily::shape || info.family == OpFamily::reduction)
    return 1;
  return view.elements();
}

class Derivation {
public:
  Derivation(const Program &program, Precision precision)
      : program(program), precision(precision), values(program.slots.size()),
        influences(program.slots.size()) {
    result.types.resize(program.slots.size());
  }

  Expected<Tolerance> run(std::span<const TensorType> inputs);

private:
  Status visit(size_t step);
  void addResult(const OpView &view, size_t step, uint32_t slot);
  void addInfluences(const OpView &view, const fb::StepT &step, uint32_t slot);

  const Program &program;
  Precision precision;
  std::vector<ValueTolerance> values;
  std::vector<std::vector<JumpInfluence>> influences;
  Tolerance result;
};

void Derivation::addInfluences(const OpView &view, const fb::StepT &step,
                               uint32_t slot) {
  std::vector<JumpInfluence> &all = influences[slot];
  for (size_t i = 0; i < step.operands.size(); ++i)
    for (JumpInfluence influence : influences[step.operands[i]]) {
      influence.elements *= reach(view, i);
      auto known = std::find_if(all.begin(), all.end(), [&](const auto &other) {
        return other.jump == influence.jump;
      });
      if (known == all.end())
        known = all.insert(all.end(), {influence.jump, 0});
      known->elements =
          std::min(known->elements + influence.elements, view.elements());
    }
}

void Derivation::addResult(const OpView &view, size_t index, uint32_t slot) {
  result.types[slot] = view.result;
  values[slot] = toleranceOf(view, precision);
  addInfluences(view, *program.steps[index], slot);
  const bool isInexact = !worstOperand(view).isExact();
  if (isInexact && jumps(view.op, view.result)) {
    influences[slot].push_back({result.jumps.size(), 1});
    result.jumps.push_back({index, view.operands});
  }
}

Status Derivation::visit(size_t index) {
  const fb::StepT &step = *program.steps[index];
  if (!step.op || step.epilogue)
    return fail("certify", "tolerances are derived from an eager program");
  std::vector<TensorType> types;
  std::vector<ValueTolerance> operands;
  for (uint32_t slot : step.operands) {
    types.push_back(result.types[slot]);
    operands.push_back(values[slot]);
  }
  TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> results,
                          inferResultTypes(program, step, types));
  for (size_t i = 0; i < results.size(); ++i)
    addResult({*step.op, types, operands, results[i]}, index, step.results[i]);
  return {};
}

Expected<Tolerance> Derivation::run(std::span<const TensorType> inputs) {
  for (size_t i = 0; i < program.inputs.size(); ++i)
    result.types[program.inputs[i]] = inputs[i];
  for (const Constant &constant : program.constants)
    result.types[constant.slot] = fromFlat(*program.slots[constant.slot]->type);
  for (size_t i = 0; i < program.steps.size(); ++i)
    TANDEM_RETURN_IF_ERROR(visit(i));
  for (uint32_t slot : program.outputs) {
    result.outputs.push_back(values[slot]);
    result.influences.push_back(influences[slot]);
  }
  return std::move(result);
}

} // namespace

ValueTolerance::Bound ValueTolerance::bound(double elements) const {
  // The chance that any of as many normal errors is beyond is below this.
  constexpr double kChance = 1e-12;
  // Both results err.
  const double sigmas =
      std::sqrt(2 * 2 * std::log(std::max(elements, 1.0) / kChance));
  return {std::min(kMax, sigmas * (elementwise + normwise)),
          std::min(kMax, sigmas * normwise)};
}

Expected<Tolerance> tiering::deriveTolerance(const Program &program,
                                             std::span<const TensorType> inputs,
                                             Precision precision) {
  TANDEM_RETURN_IF_ERROR(checkInputs(program, inputs));
  return Derivation(program, precision).run(inputs);
}
