//===- Function.cpp - A graph to call -------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Function.h"

#include "engine/Engine.h"

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

struct Function::Impl {
  TierStore store;
  Engine engine;

  Impl(std::shared_ptr<const Program> program,
       std::shared_ptr<Compiler> compiler, ExecutorOptions options,
       TieringOptions tiering)
      : store(std::move(program), std::move(compiler), std::move(options)),
        engine(store, allowed(std::move(tiering))) {}
};

Function::Function(std::shared_ptr<const Program> program,
                   std::shared_ptr<Compiler> compiler, ExecutorOptions options,
                   TieringOptions tiering)
    : impl(std::make_unique<Impl>(std::move(program), std::move(compiler),
                                  std::move(options), std::move(tiering))) {}

Function::~Function() = default;

Expected<std::vector<Tensor>> Function::call(std::span<const Tensor> inputs) {
  return impl->engine.call(inputs);
}

Expected<std::vector<Tensor>> Function::call(std::span<const Tensor> inputs,
                                             Tier tier) {
  Types types;
  for (const Tensor &input : inputs)
    types.push_back(input.type());
  TANDEM_ASSIGN_OR_RETURN(PreparedPtr prepared,
                          impl->store.prepare(types, tier));
  return impl->store.run(*prepared, tier, inputs);
}

Expected<PreparedPtr> Function::prepare(std::span<const TensorType> inputs,
                                        Tier tier) {
  return impl->store.prepare(Types(inputs.begin(), inputs.end()), tier);
}

Status
Function::compileAhead(std::span<const std::vector<TensorType>> signatures) {
  return impl->engine.compileAhead(signatures);
}

void Function::wait() { impl->engine.wait(); }
void Function::cancel() { impl->engine.cancel(); }
FunctionReport Function::report() const { return impl->engine.report(); }
const Program &Function::program() const { return *impl->store.program(); }

void tandem::setCompileThreads(int threads) {
  BackgroundQueue::process().setThreads(threads);
}
