//===- ProgramText.cpp - Listing Programs ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Kernels/FusedContraction.h"
#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Runtime/Program/ProgramUpdates.h"

#include <sstream>

using namespace tandem;

namespace {

using Kernels = std::vector<std::unique_ptr<fb::KernelT>>;

void writeList(std::ostream &out, const std::vector<uint32_t> &slots) {
  for (size_t i = 0; i < slots.size(); ++i)
    out << (i ? ", %" : "%") << slots[i];
}

void writeType(std::ostream &out, const fb::SlotT &slot) {
  out << fromFlat(*slot.type).str();
  if (slot.arena_offset >= 0)
    out << " at " << slot.arena_offset;
  if (slot.host >= 0)
    out << " in %" << slot.host;
}

void writeInput(std::ostream &out, const fb::ProgramT &program, size_t input) {
  uint32_t slot = program.inputs[input];
  out << "  %" << slot << " = input ";
  writeType(out, *program.slots[slot]);
  if (input < program.input_dims.size())
    for (const std::string &name : program.input_dims[input]->names)
      out << " \"" << name << '"';
  out << '\n';
}

/// "relu(matmul(%0, %1) + %3 + %2)".
void writeContraction(std::ostream &out, const fb::StepT &step) {
  const fb::EpilogueT &epilogue = *step.epilogue;
  const std::vector<uint32_t> &operands = step.operands;
  const size_t own = numContractionOperands(step.op->kind, operands.size(),
                                            epilogue.has_residual);
  std::string text = std::string(name(step.op->kind)) + '(';
  for (size_t i = 0; i < own; ++i)
    text += (i ? ", %" : "%") + std::to_string(operands[i]);
  text += ')';
  for (const EpilogueOp &next :
       epilogueOps(step.op->kind, operands.size(), epilogue.has_residual,
                   epilogue.activation))
    text = next.operand
               ? text + " + %" + std::to_string(operands[*next.operand])
               : std::string(name(next.op.kind)) + '(' + text + ')';
  out << " = " << text << " : ";
}

/// "loop of 8 iterations (carried %1, scanned backwards %2, %3) : ".
void writeLoop(std::ostream &out, const fb::ProgramT &program,
               const fb::StepT &step) {
  const fb::LoopT &loop = *step.loop;
  out << " = loop";
  std::vector<TensorType> types;
  for (uint32_t slot : step.operands)
    types.push_back(fromFlat(*program.slots[slot]->type));
  if (int64_t trips = tripsOf(loop, types); trips != kDynamic)
    out << " of " << trips << " iterations";
  out << " (";
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const bool isScanned = i >= loop.carried && i < loop.carried + loop.scanned;
    out << (i ? ", " : "")
        << (i < loop.carried ? "carried "
            : isScanned      ? "scanned "
                             : "");
    if (isScanned && loop.reversed[i - loop.carried])
      out << "backwards ";
    out << '%' << step.operands[i];
  }
  out << ") : ";
}

void writeCall(std::ostream &out, const fb::ProgramT &program,
               const Kernels &kernels, const fb::StepT &step) {
  if (step.epilogue)
    return writeContraction(out, step);
  if (step.loop)
    return writeLoop(out, program, step);
  if (step.op)
    out << " = " << name(step.op->kind) << '(';
  else
    out << " = kernel @" << kernels[step.kernel]->name << '(';
  writeList(out, step.operands);
  out << ") : ";
}

void writeStep(std::ostream &out, const fb::ProgramT &program,
               const Kernels &kernels, const fb::StepT &step,
               const std::string &indent);

/// Steps and results, under `indent`.
void writeBody(std::ostream &out, const fb::ProgramT &program,
               const Kernels &kernels, const std::string &indent) {
  for (const auto &step : program.steps)
    writeStep(out, program, kernels, *step, indent);
  out << indent << "return ";
  writeList(out, program.outputs);
  out << '\n';
}

void writeStep(std::ostream &out, const fb::ProgramT &program,
               const Kernels &kernels, const fb::StepT &step,
               const std::string &indent) {
  out << indent;
  writeList(out, step.results);
  writeCall(out, program, kernels, step);
  for (size_t i = 0; i < step.results.size(); ++i) {
    out << (i ? ", " : "");
    writeType(out, *program.slots[step.results[i]]);
  }
  if (!step.location.empty())
    out << "  // " << step.location;
  out << '\n';
  if (!step.loop)
    return;
  // The slots of a body are counted anew.
  const fb::ProgramT &body = *step.loop->body;
  const std::string inner = indent + "  ";
  out << inner << "arena of " << body.arena_bytes << " bytes, inputs ";
  writeList(out, body.inputs);
  out << '\n';
  writeBody(out, body, kernels, inner);
}

void writeKernel(std::ostream &out, const fb::KernelT &kernel) {
  out << "  kernel @" << kernel.name << ": "
      << fb::EnumNameKernelTarget(kernel.target) << ", " << kernel.code.size()
      << " bytes of code, extent " << kernel.extent << ", grain "
      << kernel.grain << ", moves " << kernel.bytes << " bytes, "
      << kernel.flops << " flops";
  if (kernel.workspace > 0)
    out << ", workspace of " << kernel.workspace << " bytes a task";
  for (const fb::InPlace &pair : kernel.in_place)
    out << ", result " << pair.result() << " in place of operand "
        << pair.operand();
  out << '\n';
}

/// "%7 updates %1 in place", or "by a copy".
void writeUpdates(std::ostream &out, const Program &program) {
  const std::vector<std::optional<size_t>> steps = findOverwrites(program);
  for (size_t i = 0; i < steps.size(); ++i)
    out << "  %" << program.outputs[program.updates[i].output()] << " updates %"
        << program.inputs[program.updates[i].input()]
        << (steps[i] ? " in place\n" : " by a copy\n");
}

} // namespace

std::string tandem::toString(const Program &program) {
  std::ostringstream out;
  out << "program @" << program.name << ": " << program.steps.size()
      << " steps, arena of " << program.arena_bytes << " bytes\n";
  for (const auto &kernel : program.kernels)
    writeKernel(out, *kernel);
  for (size_t i = 0; i < program.inputs.size(); ++i)
    writeInput(out, program, i);
  for (const Constant &constant : program.constants)
    out << "  %" << constant.slot << " = constant "
        << fromFlat(*program.slots[constant.slot]->type).str() << '\n';
  writeBody(out, program, program.kernels, "  ");
  writeUpdates(out, program);
  return out.str();
}
