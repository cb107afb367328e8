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

#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Support/OpErrors.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::tiering;

namespace {

//===----------------------------------------------------------------------===//
// The tolerance of one op
//===----------------------------------------------------------------------===//

/// An op of a program, one of its results, and what is known of its operands.
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
  /// Whether all executions give the op the same operands.
  bool hasExactOperands() const {
    return std::all_of(
        operands.begin(), operands.end(),
        [](const ValueTolerance &operand) { return operand.isExact(); });
  }
};

/// The largest magnitude of an argument that is expected of functions that
/// amplify errors by it: exponents and angles.
constexpr double kArgument = 16;

/// The standard deviation of rounding to nearest: errors are uniform in [-u, u]
/// where the mantissa is 1.
double roundingOnce(double unit) { return unit / std::sqrt(3.0); }

/// Variances of independent errors add.
ValueTolerance combine(ValueTolerance a, ValueTolerance b) {
  return {std::hypot(a.elementwise, b.elementwise),
          std::hypot(a.normwise, b.normwise)};
}

ValueTolerance worst(ValueTolerance a, ValueTolerance b) {
  return {std::max(a.elementwise, b.elementwise),
          std::max(a.normwise, b.normwise)};
}

/// What the errors of the operands become in the result.
ValueTolerance propagate(const OpView &view, const OpErrors &errors) {
  ValueTolerance all;
  for (const ValueTolerance &operand : view.operands)
    all = errors.isExact() ? worst(all, operand) : combine(all, operand);
  const double both = std::hypot(all.elementwise, all.normwise);
  const double factor = errors.amplification;
  switch (errors.condition) {
  case Condition::none:
    return {};
  case Condition::relative:
    return {factor * all.elementwise, factor * all.normwise};
  case Condition::normwise:
    return {0, factor * both};
  case Condition::exponential:
    return {factor * kArgument * both, 0};
  case Condition::steep:
    return {0, factor * kArgument * both};
  case Condition::own: // Never returned by errorsOf.
    break;
  }
  __builtin_unreachable();
}

/// The op's own rounding, before the result is rounded to 16 bits.
double computedRounding(const OpView &view, const OpErrors &errors) {
  if (errors.isReproducible() && view.hasExactOperands())
    return 0;
  const DType dtype = view.result.dtype;
  const double unit = unitRoundoff(
      errors.rounding == Rounding::updates ? dtype : computeType(dtype));
  if (errors.terms == 0 && errors.units == 1)
    return roundingOnce(unit);
  return std::hypot(errors.sumUnits() * unit, errors.units * unit,
                    errors.productError);
}

/// Returns the tolerance of the result.
ValueTolerance toleranceOf(const OpView &view, Precision precision) {
  if (!isFloat(view.result.dtype))
    return {};
  const OpErrors errors = errorsOf(view.op, view.types, view.result, precision);
  ValueTolerance result = propagate(view, errors);
  // Padding makes the root mean square smaller, the errors not.
  if (view.op.kind == OpKind::pad && view.elements(0) > 0)
    result.normwise *= std::sqrt(view.elements() / view.elements(0));
  const double rounding = computedRounding(view, errors);
  result = combine(result, errors.mayCancel ? ValueTolerance{0, rounding}
                                            : ValueTolerance{rounding, 0});
  if (!errors.isRoundedToHalf)
    return result;
  return combine(result, {roundingOnce(unitRoundoff(view.result.dtype)), 0});
}

/// Returns the number of elements of a line of the result of a scan or fft; an
/// element of a Fourier transform has two parts.
double reachOnLine(const OpDesc &op, const Shape &result) {
  const auto *scan = op.attrs.AsScanAttrs();
  const int64_t axis = scan ? scan->axis : op.attrs.AsFFTAttrs()->axis;
  const auto size = static_cast<double>(result[static_cast<int>(axis)]);
  return scan ? size : 2 * size;
}

/// Returns the largest number of elements of the result that depend on one
/// element of an operand.
double reach(const OpView &view, size_t operand) {
  const double own = std::max(view.elements(operand), 1.0);
  const OpKind kind = view.op.kind;
  switch (getOpInfo(kind).family) {
  case OpFamily::elementwise:
  case OpFamily::shape:
  case OpFamily::reduction:
    if (kind == OpKind::gather && operand == 0)
      return view.elements(1);
    // The result may have more elements, but not from this operand.
    if (kind == OpKind::pad || kind == OpKind::concat)
      return 1;
    return std::max(1.0, view.elements() / own);
  case OpFamily::indexing:
    if (kind == OpKind::scatter)
      return operand == 1 ? view.elements(2) / own : 1;
    break;
  case OpFamily::normalization:
    if (kind == OpKind::softmax || kind == OpKind::softmax_backward ||
        (kind == OpKind::layer_norm && operand == 0))
      return errorsOf(view.op, view.types, view.result).terms;
    break;
  case OpFamily::line:
    return reachOnLine(view.op, view.result.shape);
  case OpFamily::contraction:
  case OpFamily::window:
  case OpFamily::structure:
    break;
  }
  return view.elements();
}

//===----------------------------------------------------------------------===//
// The tolerances of a program
//===----------------------------------------------------------------------===//

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
  if (!view.hasExactOperands() &&
      jumpsOf(view.op, view.result) != Jumps::never) {
    influences[slot].push_back({result.jumps.size(), 1});
    result.jumps.push_back({index, view.result, view.operands});
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
