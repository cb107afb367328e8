//===- ProgramVerify.cpp - What the format itself cannot check ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyLoop.h"

#include "tandem/Runtime/Kernels/FusedContraction.h"
#include "tandem/Runtime/Kernels/HostKernel.h"
#include "tandem/Runtime/Program/ProgramSizes.h"
#include "tandem/Runtime/Program/ProgramUpdates.h"
#include "tandem/Runtime/Tensor.h"

using namespace tandem;

namespace {

template <typename Enum> bool isMember(Enum value) {
  return value >= Enum::MIN && value <= Enum::MAX;
}

/// Ranks, sizes and element type.
Status verifyType(const fb::TensorTypeT &type, std::string_view what) {
  if (!isMember(type.dtype))
    return invalid(what, ": unknown element type");
  if (type.dims.size() > kMaxRank)
    return invalid(what, ": rank ", type.dims.size(), " is over ", kMaxRank);
  for (int64_t dim : type.dims)
    if (dim < 0 && dim != kDynamic)
      return invalid(what, ": dim of size ", dim);
  TensorType tensorType = fromFlat(type);
  if (tensorType.isStatic())
    TANDEM_RETURN_IF_ERROR(checkedBytes(tensorType));
  return {};
}

/// Enums of attributes, which the format does not check.
bool haveValidEnums(const fb::OpAttrsUnion &attrs) {
  if (const auto *cast = attrs.AsCastAttrs())
    return isMember(cast->dtype);
  if (const auto *compare = attrs.AsCompareAttrs())
    return isMember(compare->predicate);
  if (const auto *reduce = attrs.AsReduceAttrs())
    return isMember(reduce->kind);
  if (const auto *scan = attrs.AsScanAttrs())
    return isMember(scan->kind);
  if (const auto *fft = attrs.AsFFTAttrs())
    return isMember(fft->kind);
  if (const auto *scatter = attrs.AsScatterAttrs())
    return isMember(scatter->kind);
  return true;
}

/// A program, or the body of a loop that is `depth` loops deep.
class Verifier {
public:
  Verifier(const fb::ProgramT &program, std::span<const Constant> constants,
           const std::vector<std::unique_ptr<fb::KernelT>> &kernels,
           int depth = 0)
      : program(program), constants(constants), kernels(kernels), depth(depth),
        written(program.slots.size(), false) {}

  Status run() {
    TANDEM_RETURN_IF_ERROR(verifySlots());
    TANDEM_RETURN_IF_ERROR(verifyInputs());
    TANDEM_RETURN_IF_ERROR(verifyConstants());
    TANDEM_RETURN_IF_ERROR(verifyKernels());
    for (size_t i = 0; i < program.steps.size(); ++i)
      TANDEM_RETURN_IF_ERROR(verifyStep(i));
    TANDEM_RETURN_IF_ERROR(verifyHosts(program));
    TANDEM_RETURN_IF_ERROR(verifyOutputs());
    if (depth > 0 && !program.updates.empty())
      return invalid("updates of inputs in the body of a loop");
    return verifyUpdates(program);
  }

private:
  Status verifySlots();
  Status verifyInputs();
  Status verifyConstants();
  Status verifyKernels();
  Status verifyStep(size_t index);
  Status verifyKernelStep(const fb::StepT &step, const std::string &what);
  Status verifyCustomCall(const fb::StepT &step, const std::string &what);
  Status verifyOp(const fb::StepT &step, const std::string &what);
  Status verifyLoop(const fb::StepT &step, const std::string &what);
  TensorType typeOf(uint32_t slot) const {
    return fromFlat(*program.slots[slot]->type);
  }
  Status verifyOutputs();

  Status verifyArena(size_t slot);
  Expected<int64_t> hostBytes(size_t slot) const;
  /// Marks a slot as written, once.
  Status write(uint32_t slot, std::string_view what);
  Status read(uint32_t slot, std::string_view what);

  const fb::ProgramT &program;
  const std::span<const Constant> constants;
  /// The kernels of the outermost program.
  const std::vector<std::unique_ptr<fb::KernelT>> &kernels;
  const int depth;
  std::vector<bool> written;
};

Status Verifier::write(uint32_t slot, std::string_view what) {
  if (slot >= program.slots.size())
    return invalid(what, ": no slot ", slot);
  if (written[slot])
    return invalid(what, ": slot ", slot, " is written twice");
  written[slot] = true;
  return {};
}

Status Verifier::read(uint32_t slot, std::string_view what) {
  if (slot >= program.slots.size())
    return invalid(what, ": no slot ", slot);
  if (!written[slot])
    return invalid(what, ": slot ", slot, " is read before it is written");
  return {};
}

Status Verifier::verifyArena(size_t index) {
  const fb::SlotT &slot = *program.slots[index];
  if (slot.arena_offset == -1 && slot.host == -1)
    return {};
  TensorType type = fromFlat(*slot.type);
  int64_t end, size = program.arena_bytes;
  if (!type.isStatic())
    return invalid("slot ", index, ": in the arena with an unknown size");
  if (slot.host >= 0) {
    TANDEM_ASSIGN_OR_RETURN(size, hostBytes(index));
  }
  if (slot.arena_offset < 0 ||
      slot.arena_offset % static_cast<int64_t>(Allocator::kAlignment) != 0)
    return invalid("slot ", index, ": arena offset ", slot.arena_offset);
  if (__builtin_add_overflow(slot.arena_offset, type.bytes(), &end) ||
      end > size)
    return invalid("slot ", index, ": ends beyond the ", size, " bytes of ",
                   slot.host < 0 ? "the arena" : "its host");
  return {};
}

/// Size of the slot that `index` is in.
Expected<int64_t> Verifier::hostBytes(size_t index) const {
  auto host = static_cast<size_t>(program.slots[index]->host);
  if (host >= program.slots.size() || !program.slots[host] ||
      !program.slots[host]->type)
    return invalid("slot ", index, ": no slot ", host, " to be in");
  const fb::SlotT &slot = *program.slots[host];
  TANDEM_RETURN_IF_ERROR(
      verifyType(*slot.type, "slot " + std::to_string(host)));
  TensorType type = fromFlat(*slot.type);
  if (slot.arena_offset != -1 || !type.isStatic())
    return invalid("slot ", index, ": slot ", host, ", which it is in, has no ",
                   "memory of known size");
  return type.bytes();
}

Status Verifier::verifySlots() {
  if (program.arena_bytes < 0)
    return invalid("arena of ", program.arena_bytes, " bytes");
  for (size_t i = 0; i < program.slots.size(); ++i) {
    std::string what = "slot " + std::to_string(i);
    if (!program.slots[i] || !program.slots[i]->type)
      return invalid(what, ": no type");
    TANDEM_RETURN_IF_ERROR(verifyType(*program.slots[i]->type, what));
    TANDEM_RETURN_IF_ERROR(verifyArena(i));
  }
  return {};
}

Status Verifier::verifyInputs() {
  if (!program.input_dims.empty() &&
      program.input_dims.size() != program.inputs.size())
    return invalid(program.input_dims.size(), " lists of dim names for ",
                   program.inputs.size(), " inputs");
  if (!program.input_names.empty() &&
      program.input_names.size() != program.inputs.size())
    return invalid(program.input_names.size(), " names for ",
                   program.inputs.size(), " inputs");
  if (!program.output_names.empty() &&
      program.output_names.size() != program.outputs.size())
    return invalid(program.output_names.size(), " names for ",
                   program.outputs.size(), " outputs");
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    std::string what = "input " + std::to_string(i);
    TANDEM_RETURN_IF_ERROR(write(program.inputs[i], what));
    const fb::SlotT &slot = *program.slots[program.inputs[i]];
    if (slot.arena_offset != -1)
      return invalid(what, ": in the arena");
    if (program.input_dims.empty())
      continue;
    if (!program.input_dims[i])
      return invalid(what, ": no dim names");
    size_t names = program.input_dims[i]->names.size();
    if (names != 0 && names != slot.type->dims.size())
      return invalid(what, ": ", names, " dim names for rank ",
                     slot.type->dims.size());
  }
  for (const fb::SizeSymbol &symbol : program.size_symbols)
    if (symbol.input() >= program.inputs.size() ||
        int64_t(symbol.dim()) >=
            typeOf(program.inputs[symbol.input()]).shape.rank())
      return invalid("no dim ", symbol.dim(), " of input ", symbol.input());
  return {};
}

Status Verifier::verifyConstants() {
  for (size_t i = 0; i < constants.size(); ++i) {
    std::string what = "constant " + std::to_string(i);
    const Constant &constant = constants[i];
    if (!constant.data)
      return invalid(what, ": missing");
    TANDEM_RETURN_IF_ERROR(write(constant.slot, what));
    const fb::SlotT &slot = *program.slots[constant.slot];
    TensorType type = fromFlat(*slot.type);
    if (slot.arena_offset != -1 || !type.isStatic())
      return invalid(what, ": in the arena or of unknown size");
    if (type.bytes() != constant.data.bytes())
      return invalid(what, ": ", constant.data.bytes(), " bytes for ",
                     type.str());
  }
  return {};
}

Status Verifier::verifyKernels() {
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    if (!program.kernels[i])
      return invalid("kernel ", i, ": missing");
    const fb::KernelT &kernel = *program.kernels[i];
    if (!isMember(kernel.target))
      return invalid("kernel ", i, ": unknown target");
    if (kernel.extent < 0 || kernel.grain < 1)
      return invalid("kernel ", i, ": extent ", kernel.extent, ", grain ",
                     kernel.grain);
    if (kernel.workspace < 0 || kernel.workspace > kMaxWorkspaceBytes ||
        kernel.workspace % kWorkspaceAlignment != 0)
      return invalid("kernel ", i, ": workspace of ", kernel.workspace,
                     " bytes, which is not a multiple of ", kWorkspaceAlignment,
                     " up to ", kMaxWorkspaceBytes);
    if (kernel.frame < 0 || kernel.frame > kMaxFrameBytes)
      return invalid("kernel ", i, ": frame of ", kernel.frame,
                     " bytes, where at most ", kMaxFrameBytes, " are allowed");
  }
  return {};
}

Status Verifier::verifyCustomCall(const fb::StepT &step,
                                  const std::string &what) {
  if (step.epilogue)
    return invalid(what, ": an epilogue of a custom_call");
  const fb::CustomCallAttrsT *attrs = step.op->attrs.AsCustomCallAttrs();
  if (!attrs || attrs->results.size() != step.results.size())
    return invalid(what, ": a custom_call must have the type of each result");
  for (size_t i = 0; i < step.results.size(); ++i) {
    if (!attrs->results[i])
      return invalid(what, ": a result without a type");
    TANDEM_RETURN_IF_ERROR(verifyType(*attrs->results[i], what));
    const TensorType type = fromFlat(*attrs->results[i]);
    if (!agree(typeOf(step.results[i]), type))
      return invalid(what, ": result ", i, " is declared as ",
                     typeOf(step.results[i]).str(), ", but the op makes ",
                     type.str());
  }
  return {};
}

/// The declared result types agree with the shape rule, dims unknown to either
/// aside.
Status Verifier::verifyOp(const fb::StepT &step, const std::string &what) {
  const OpDesc &op = *step.op;
  if (!isMember(op.kind) || !haveValidEnums(op.attrs))
    return invalid(what, ": unknown op or attribute");
  if (step.epilogue && !isMember(step.epilogue->activation))
    return invalid(what, ": unknown activation");
  if (op.kind == OpKind::custom_call)
    return verifyCustomCall(step, what);
  if (const fb::IotaAttrsT *iota = op.attrs.AsIotaAttrs(); iota && iota->type)
    TANDEM_RETURN_IF_ERROR(verifyType(*iota->type, what));
  if (Status sizes = verifySizes(program, step); !sizes)
    return invalid(what, ": ", sizes.error().message);
  std::vector<TensorType> operands;
  operands.reserve(step.operands.size());
  for (uint32_t slot : step.operands)
    operands.push_back(typeOf(slot));
  TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> inferred,
                          inferStepTypes(step, operands));
  if (step.results.size() != inferred.size())
    return invalid(what, ": ", step.results.size(), " results");
  for (size_t i = 0; i < inferred.size(); ++i)
    if (const TensorType declared = typeOf(step.results[i]);
        !agree(declared, inferred[i]))
      return invalid(what, ": result is declared as ", declared.str(), ", but ",
                     name(op.kind), " makes ", inferred[i].str());
  return {};
}

Status Verifier::verifyLoop(const fb::StepT &step, const std::string &what) {
  TANDEM_RETURN_IF_ERROR(verifyLoopCounts(program, step, depth, what));
  Status body = Verifier(*step.loop->body, {}, kernels, depth + 1).run();
  if (!body)
    return invalid(what, ": ", body.error().message);
  return verifyLoopTypes(program, step, what);
}

Status Verifier::verifyKernelStep(const fb::StepT &step,
                                  const std::string &what) {
  if (step.epilogue)
    return invalid(what, ": an epilogue of a kernel");
  if (static_cast<size_t>(step.kernel) >= kernels.size())
    return invalid(what, ": no kernel ", step.kernel);
  for (const fb::InPlace &pair : kernels[step.kernel]->in_place)
    if (pair.operand() >= step.operands.size() ||
        pair.result() >= step.results.size())
      return invalid(what, ": result ", pair.result(), " in place of operand ",
                     pair.operand(), ", which it does not have");
  return {};
}

Status Verifier::verifyStep(size_t index) {
  std::string what = "step " + std::to_string(index);
  if (!program.steps[index])
    return invalid(what, ": missing");
  const fb::StepT &step = *program.steps[index];
  if ((step.op != nullptr) + (step.kernel >= 0) + (step.loop != nullptr) != 1)
    return invalid(what, ": needs an op, a kernel or a loop");
  if (step.results.empty())
    return invalid(what, ": no results");
  if (step.loop && step.epilogue)
    return invalid(what, ": an epilogue of a loop");
  if (step.kernel >= 0)
    TANDEM_RETURN_IF_ERROR(verifyKernelStep(step, what));
  for (uint32_t slot : step.operands)
    TANDEM_RETURN_IF_ERROR(read(slot, what));
  for (uint32_t slot : step.results) {
    TANDEM_RETURN_IF_ERROR(write(slot, what));
    if ((step.kernel >= 0 || (step.loop && program.planned)) &&
        !typeOf(slot).isStatic())
      return invalid(what, ": a kernel's result of unknown size");
  }
  if (step.loop)
    return verifyLoop(step, what);
  return step.op ? verifyOp(step, what) : Status();
}

Status Verifier::verifyOutputs() {
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    std::string what = "output " + std::to_string(i);
    TANDEM_RETURN_IF_ERROR(read(program.outputs[i], what));
    if (program.slots[program.outputs[i]]->arena_offset != -1)
      return invalid(what, ": in the arena");
  }
  return {};
}

} // namespace

Status tandem::verify(const Program &program) {
  return Verifier(program, program.constants, program.kernels).run();
}
