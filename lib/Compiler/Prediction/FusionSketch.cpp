//===- FusionSketch.cpp - Which ops will probably be one kernel -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prediction/FusionSketch.h"

#include "tandem/Runtime/CustomCall.h"
#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Support/ShapeRules.h"

#include <algorithm>
#include <cstring>

namespace tandem {
namespace {

/// What keeps two groups of ops apart.
struct Group {
  /// The most elements of an op's operands and result.
  int64_t space = 0;
  bool hasContraction = false, hasWindow = false;
};

class Sketcher {
public:
  /// `times` are those of the steps; empty stands for once each.
  explicit Sketcher(const Program &program, std::span<const double> times = {})
      : program(program), times(times), types(program.slots.size()),
        writers(program.slots.size(), kInput), scalars(program.slots.size()) {}

  Expected<FusionSketch> run(std::span<const TensorType> inputs);

private:
  /// Who writes a slot, if no op does.
  static constexpr int kInput = -1, kConstant = -2;

  Status visit(const fb::StepT &step, double times);
  /// Puts the op into the groups of its producers, as far as they mix.
  void join(int op);
  int groupOf(int op) {
    while (parents[op] != op)
      op = parents[op] = parents[parents[op]];
    return op;
  }
  void collect();
  void addTraffic();

  const Program &program;
  const std::span<const double> times;
  std::vector<TensorType> types;
  /// The op that computes the slot's value.
  std::vector<int> writers;
  /// The bytes of constants of one element, which are part of a kernel's code;
  /// 0 of all other slots.
  std::vector<uint64_t> scalars;
  FusionSketch sketch;
  std::vector<int> parents;
  std::vector<Group> groups;
};

Status Sketcher::visit(const fb::StepT &step, double times) {
  SketchedOp op;
  op.step = &step;
  op.times = times;
  // What loops compute stays in the program.
  bool isConstant = step.op->kind != OpKind::iota && times == 1;
  for (uint32_t slot : step.operands) {
    op.operands.push_back(types[slot]);
    isConstant &= writers[slot] == kConstant;
  }
  if (step.op->kind == OpKind::custom_call) {
    TANDEM_ASSIGN_OR_RETURN(
        const std::vector<TensorType> results,
        inferCustomCall(*step.op->attrs.AsCustomCallAttrs(), op.operands));
    for (size_t i = 0; i < results.size(); ++i)
      types[step.results[i]] = results[i];
    isConstant = false;
  } else {
    TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> results,
                            inferTypes(*step.op, op.operands));
    for (size_t i = 0; i < results.size(); ++i)
      types[step.results[i]] = results[i];
  }
  op.result = types[step.results[0]];
  const int index = static_cast<int>(sketch.ops.size());
  const bool isView =
      step.op->kind == OpKind::reshape || tandem::isView(program, step);
  op.cost = cost(*step.op, op.operands, op.result);
  sketch.ops.push_back(std::move(op));
  parents.push_back(index);
  groups.emplace_back();
  for (uint32_t slot : step.results)
    writers[slot] = isConstant ? kConstant
                    : isView   ? writers[step.operands[0]]
                               : index;
  if (isConstant || isView)
    return {};
  sketch.ops.back().kernel = 0;
  join(index);
  return {};
}

void Sketcher::join(int index) {
  const SketchedOp &op = sketch.ops[index];
  const OpFamily family = op.info().family;
  Group &own = groups[index];
  own.space = op.result.shape.numElements();
  if (op.info().family == OpFamily::reduction)
    own.space = op.operands[0].shape.numElements();
  own.hasContraction = family == OpFamily::contraction;
  own.hasWindow = family == OpFamily::window;
  if (family == OpFamily::contraction || family == OpFamily::indexing ||
      family == OpFamily::line || family == OpFamily::structure)
    return;
  for (uint32_t slot : op.step->operands) {
    if (writers[slot] < 0)
      continue;
    const int from = groupOf(writers[slot]), to = groupOf(index);
    const Group &producer = groups[from], &consumer = groups[to];
    const bool isBroadcast = types[slot].shape.numElements() < consumer.space;
    if (from == to || sketch.ops[writers[slot]].times != op.times ||
        (producer.hasContraction && consumer.hasContraction) ||
        (producer.hasContraction &&
         (family == OpFamily::reduction || family == OpFamily::normalization ||
          isBroadcast)) ||
        producer.hasWindow || (consumer.hasWindow && producer.hasContraction))
      continue;
    if (producer.space != consumer.space && producer.space > 1 && !isBroadcast)
      continue;
    groups[to].space = std::max(producer.space, consumer.space);
    groups[to].hasContraction |= producer.hasContraction;
    parents[from] = to;
  }
}

void Sketcher::collect() {
  std::vector<int> kernels(sketch.ops.size(), -1);
  for (size_t i = 0; i < sketch.ops.size(); ++i) {
    SketchedOp &op = sketch.ops[i];
    if (op.kernel < 0)
      continue;
    int &kernel = kernels[groupOf(static_cast<int>(i))];
    if (kernel < 0) {
      kernel = static_cast<int>(sketch.kernels.size());
      sketch.kernels.emplace_back().times = op.times;
    }
    op.kernel = kernel;
    sketch.kernels[kernel].ops.push_back(i);
  }
}

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccd;
}

uint64_t mix(uint64_t hash, const TensorType &type) {
  hash = mix(hash, static_cast<uint64_t>(type.dtype));
  for (int64_t dim : type.shape)
    hash = mix(hash, static_cast<uint64_t>(dim));
  return hash;
}

/// Each slot counts once for a kernel that reads it, and once for the one that
/// writes it if others read it.
void Sketcher::addTraffic() {
  std::vector<int> lastReader(program.slots.size(), -1);
  std::vector<bool> isWritten(program.slots.size());
  auto write = [&](uint32_t slot) {
    if (writers[slot] < 0 || isWritten[slot])
      return;
    isWritten[slot] = true;
    sketch.kernels[sketch.ops[writers[slot]].kernel].bytes +=
        types[slot].bytes();
  };
  for (const SketchedOp &op : sketch.ops) {
    if (op.kernel < 0)
      continue;
    SketchedKernel &kernel = sketch.kernels[op.kernel];
    kernel.key = mix(kernel.key, static_cast<uint64_t>(op.step->op->kind));
    kernel.key = mix(kernel.key, op.result);
    kernel.key = mix(kernel.key, static_cast<uint64_t>(op.cost.flops));
    for (uint32_t slot : op.step->operands) {
      kernel.key = mix(mix(kernel.key, types[slot]), scalars[slot]);
      const int writer = writers[slot];
      if ((writer >= 0 && sketch.ops[writer].kernel == op.kernel) ||
          lastReader[slot] == op.kernel)
        continue;
      lastReader[slot] = op.kernel;
      kernel.bytes += std::min(types[slot].bytes(), op.cost.bytes);
      write(slot);
    }
  }
  for (uint32_t slot : program.outputs)
    write(slot);
}

Expected<FusionSketch> Sketcher::run(std::span<const TensorType> inputs) {
  for (size_t i = 0; i < program.inputs.size(); ++i)
    types[program.inputs[i]] = inputs[i];
  for (const Constant &constant : program.constants) {
    types[constant.slot] = fromFlat(*program.slots[constant.slot]->type);
    writers[constant.slot] = kConstant;
    const Tensor &data = constant.data;
    if (data.shape().numElements() == 1)
      std::memcpy(&scalars[constant.slot], data.data(), data.type().bytes());
  }
  sketch.ops.reserve(program.steps.size());
  for (size_t i = 0; i < program.steps.size(); ++i)
    TANDEM_RETURN_IF_ERROR(
        visit(*program.steps[i], times.empty() ? 1 : times[i]));
  collect();
  addTraffic();
  return std::move(sketch);
}

} // namespace

Expected<FusionSketch> sketchFusion(const Program &program,
                                    std::span<const TensorType> inputs) {
  TANDEM_RETURN_IF_ERROR(checkInputs(program, inputs));
  if (isFlat(program))
    return Sketcher(program).run(inputs);
  TANDEM_ASSIGN_OR_RETURN(FlatProgram flat, flattenLoops(program, inputs));
  auto kept = std::make_shared<const FlatProgram>(std::move(flat));
  TANDEM_ASSIGN_OR_RETURN(FusionSketch sketch,
                          Sketcher(kept->program, kept->times).run(inputs));
  sketch.flat = std::move(kept);
  return sketch;
}

} // namespace tandem
