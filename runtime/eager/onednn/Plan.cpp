//===- Plan.cpp - oneDNN primitives in sequence -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "OneThread.h"

#include "tandem/Runtime/Memory/AlignedBytes.h"

#include <algorithm>

#include <dnnl_debug.h>

using namespace tandem;
using namespace tandem::onednn;
using dnnl::memory;

const dnnl::engine &onednn::engine() {
  static const auto &engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// A stream may not be used by two threads at a time.
static dnnl_stream_t threadStream() {
  thread_local const dnnl::stream stream(engine());
  return stream.get();
}

/// What one run at a time needs: the memory objects of all steps, and the
/// argument lists that refer to them.
struct Plan::State {
  struct Slot {
    dnnl::memory memory;
    Buffer buffer;
  };
  std::vector<Slot> slots;
  std::vector<std::vector<dnnl_exec_arg_t>> arguments;

  explicit State(const Plan &plan) {
    for (const Step &step : plan.steps) {
      arguments.emplace_back();
      for (const Argument &argument : step.arguments) {
        slots.push_back(
            {dnnl::memory(argument.desc, engine(), nullptr), argument.buffer});
        arguments.back().push_back({argument.id, slots.back().memory.get()});
      }
    }
  }
};

Plan::Plan(bool isSmall) : isSmall(isSmall) {}
Plan::~Plan() = default;

dnnl::primitive_attr Plan::attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Buffer Plan::temporary(const dnnl::memory::desc &desc) {
  const Buffer buffer{Buffer::Kind::workspace, workspaceSize};
  workspaceSize += alignedBytes(static_cast<int64_t>(desc.get_size()));
  return buffer;
}

void Plan::addStep(const dnnl::primitive &primitive,
                   const dnnl::memory::desc &scratchpad,
                   std::vector<Argument> arguments, bool isSmallStep) {
  if (scratchpad.get_size() != 0)
    arguments.push_back(
        {DNNL_ARG_SCRATCHPAD, scratchpad, temporary(scratchpad)});
  steps.push_back({primitive, std::move(arguments), isSmallStep});
}

void Plan::add(const dnnl::primitive &primitive,
               const dnnl::memory::desc &scratchpad,
               std::vector<Argument> arguments) {
  addStep(primitive, scratchpad, std::move(arguments), isSmall);
}

void Plan::reorder(Buffer from, const dnnl::memory::desc &fromDesc, Buffer to,
                   const dnnl::memory::desc &toDesc) {
  const size_t bytes = fromDesc.get_size() + toDesc.get_size();
  const bool isSmallStep = isSmall || static_cast<int64_t>(bytes) < kSmallBytes;
  const OneThread oneThread(isSmallStep);
  const dnnl::reorder::primitive_desc desc(engine(), fromDesc, engine(), toDesc,
                                           attributes());
  addStep(dnnl::reorder(desc), desc.scratchpad_desc(),
          {{DNNL_ARG_FROM, fromDesc, from}, {DNNL_ARG_TO, toDesc, to}},
          isSmallStep);
}

Buffer Plan::converted(Buffer from, const dnnl::memory::desc &fromDesc,
                       const dnnl::memory::desc &toDesc) {
  if (fromDesc == toDesc)
    return from;
  const Buffer to = temporary(toDesc);
  reorder(from, fromDesc, to, toDesc);
  return to;
}

Buffer Plan::convertedNow(const Tensor &constant, const memory::desc &fromDesc,
                          const memory::desc &toDesc) {
  const auto bytes = static_cast<int64_t>(toDesc.get_size());
  Expected<Tensor> copy = Tensor::allocate({DType::i8, {bytes}});
  if (!copy)
    throw dnnl::error(dnnl_out_of_memory, "no memory for constants");
  memory from(fromDesc, engine(), constant.data());
  memory to(toDesc, engine(), copy->data());
  dnnl::stream stream(engine());
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  kept.push_back(std::move(*copy));
  return {Buffer::Kind::kept, static_cast<int64_t>(kept.size()) - 1};
}

std::string_view Plan::implementation() const {
  const auto last =
      std::find_if(steps.rbegin(), steps.rend(), [](const Step &step) {
        return step.primitive.get_kind() != dnnl::primitive::kind::reorder;
      });
  const char *name = "";
  if (last != steps.rend())
    dnnl_primitive_desc_query(last->primitive.get_primitive_desc(),
                              dnnl_query_impl_info_str, 0, &name);
  return name;
}

static Status failure(dnnl_status_t status) {
  return fail("execute", std::string("oneDNN: ") + dnnl_status2str(status));
}

Status Plan::run(const StepContext &context, std::span<const Tensor> operands,
                 std::span<Tensor> results) const try {
  std::unique_ptr<State> state = states.take();
  if (!state)
    state = std::make_unique<State>(*this);
  for (const State::Slot &slot : state->slots) {
    void *data = nullptr;
    switch (slot.buffer.kind) {
    case Buffer::Kind::operand:
      data = operands[slot.buffer.value].data();
      break;
    case Buffer::Kind::result:
      data = results[0].data();
      break;
    case Buffer::Kind::workspace:
      data = context.workspace.data() + slot.buffer.value;
      break;
    case Buffer::Kind::kept:
      data = kept[slot.buffer.value].data();
      break;
    }
    if (auto status = dnnl_memory_set_data_handle(slot.memory.get(), data))
      return failure(status);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const OneThread oneThread(steps[i].isSmall);
    if (auto status =
            dnnl_primitive_execute(steps[i].primitive.get(), threadStream(),
                                   static_cast<int>(state->arguments[i].size()),
                                   state->arguments[i].data()))
      return failure(status);
  }
  states.put(std::move(state));
  return {};
} catch (const std::exception &error) { // dnnl::error, std::bad_alloc
  return fail("execute", std::string("oneDNN: ") + error.what());
}
