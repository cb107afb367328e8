//===- Function.cpp - A graph to call -------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Function.h"

#include "engine/Engine.h"
#include "exec/OutputPlan.h"

#include <algorithm>
#include <ranges>

using namespace tandem;
using namespace tandem::tiering;

static std::atomic<bool> backgroundWork{true};

void tandem::allowBackgroundWork(bool isAllowed) { backgroundWork = isAllowed; }
bool tandem::isBackgroundWorkAllowed() { return backgroundWork; }

/// The options as far as they are allowed.
static TieringOptions allowed(TieringOptions options) {
  if (options.mode == Mode::automatic && !backgroundWork)
    options.mode = Mode::compile;
  return options;
}

static ExecutorOptions withOwnership(ExecutorOptions options,
                                     const TieringOptions &tiering) {
  options.ownsOutputs |= tiering.ownsOutputs;
  return options;
}

struct Function::Impl {
  TierStore store;
  Engine engine;
  const exec::OutputPlan outputPlan;

  Impl(std::shared_ptr<const Program> program,
       std::shared_ptr<Compiler> compiler, ExecutorOptions options,
       TieringOptions tiering)
      : store(std::move(program), std::move(compiler),
              withOwnership(std::move(options), tiering)),
        engine(store, allowed(std::move(tiering))),
        outputPlan(*store.program()) {}

  Expected<std::vector<Tensor>> run(std::span<const Tensor> inputs,
                                    const CallOptions &options);
};

Function::Function(std::shared_ptr<const Program> program,
                   std::shared_ptr<Compiler> compiler, ExecutorOptions options,
                   TieringOptions tiering)
    : impl(std::make_unique<Impl>(std::move(program), std::move(compiler),
                                  std::move(options), std::move(tiering))) {}

Function::~Function() = default;

Expected<std::vector<Tensor>> Function::call(std::span<const Tensor> inputs) {
  if (!program().updates.empty()) [[unlikely]]
    return impl->run(inputs, {});
  return impl->engine.call(inputs);
}

Expected<std::vector<Tensor>> Function::call(std::span<const Tensor> inputs,
                                             Tier tier) {
  return impl->run(inputs, {.tier = tier});
}

/// Has later work of `later` begin after the work of `earlier`.
static Status order(Stream &earlier, Stream &later) {
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Event> event, earlier.record());
  return later.wait(*event);
}

Expected<std::vector<Tensor>>
Function::Impl::run(std::span<const Tensor> inputs,
                    const CallOptions &options) {
  std::span<const Tensor> given = options.outputs;
  std::vector<Tensor> withUpdates;
  if (!store.program()->updates.empty()) {
    TANDEM_ASSIGN_OR_RETURN(withUpdates, outputPlan.withUpdates(inputs, given));
    given = withUpdates;
  }
  if (!given.empty()) {
    Status status =
        outputPlan.check(inputs, given, store.stream().device().memory());
    // An input of a wrong type is the wrong type of the output that updates it.
    if (!status && !store.program()->updates.empty())
      TANDEM_RETURN_IF_ERROR(checkInputs(*store.program(), typesOf(inputs)));
    TANDEM_RETURN_IF_ERROR(std::move(status));
  }
  Expected<std::vector<Tensor>> outputs;
  if (options.tier) {
    TANDEM_ASSIGN_OR_RETURN(PreparedPtr prepared,
                            engine.prepare(typesOf(inputs), *options.tier));
    outputs = store.run(*prepared, *options.tier, inputs, given);
  } else {
    outputs = engine.call(inputs, given);
  }
  // Outputs of certifying calls and of the reference tier are elsewhere.
  const auto isElsewhere = [&](size_t i) {
    return given[i] && given[i].data() != (*outputs)[i].data();
  };
  if (outputs && std::ranges::any_of(std::views::iota(size_t(0), given.size()),
                                     isElsewhere))
    TANDEM_RETURN_IF_ERROR(
        outputPlan.copyInto(given, *outputs, store.stream()));
  return outputs;
}

Expected<std::vector<Tensor>> Function::call(std::span<const Tensor> inputs,
                                             const CallOptions &options) {
  Stream &own = stream();
  if (!options.stream || options.stream == &own || own.device().isHost())
    return impl->run(inputs, options);
  if (&options.stream->device() != &own.device())
    return fail("input", "the stream belongs to device '" +
                             std::string(options.stream->device().name()) +
                             "', and the function runs on '" +
                             std::string(own.device().name()) + "'");
  TANDEM_RETURN_IF_ERROR(order(*options.stream, own));
  auto outputs = impl->run(inputs, options);
  TANDEM_RETURN_IF_ERROR(order(own, *options.stream));
  return outputs;
}

Expected<PreparedPtr> Function::prepare(std::span<const TensorType> inputs,
                                        Tier tier) {
  return impl->engine.prepare(inputs, tier);
}

/// The tier in which the next call of these types runs. The steps of the
/// captured tier are those of the compiled tier.
static Tier nextTier(const FunctionReport &report, const Types &types) {
  for (const SignatureReport &signature : report.signatures)
    if (signature.inputs == types)
      return signature.tier == Tier::captured ? Tier::compiled : signature.tier;
  const bool compiles =
      report.mode == Mode::compile || report.mode == Mode::compileNow;
  return compiles ? Tier::compiled : Tier::eager;
}

Expected<Profile> Function::profile(std::span<const Tensor> inputs,
                                    const ProfileOptions &options) {
  const std::vector<TensorType> types = typesOf(inputs);
  const Tier tier =
      options.tier ? *options.tier : nextTier(impl->engine.report(), types);
  TANDEM_ASSIGN_OR_RETURN(PreparedPtr prepared,
                          impl->engine.prepare(types, tier));
  if (tier != Tier::reference)
    return profileRuns(*prepared, tier, inputs, options.runs);
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> here,
                          copyToHost(inputs, stream()));
  return profileRuns(*prepared, tier, here, options.runs);
}

Status
Function::compileAhead(std::span<const std::vector<TensorType>> signatures) {
  return impl->engine.compileAhead(signatures);
}

void Function::wait() { impl->engine.wait(); }
void Function::cancel() { impl->engine.cancel(); }
FunctionReport Function::report() const { return impl->engine.report(); }
const Program &Function::program() const { return *impl->store.program(); }
Stream &Function::stream() const { return impl->store.stream(); }

void tandem::setCompileThreads(int threads) {
  BackgroundQueue::process().setThreads(threads);
}
