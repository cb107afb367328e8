//===- StoredCompiler.cpp - Programs from the disk cache ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session/StoredCompiler.h"

using namespace tandem;

Expected<Compiled> StoredCompiler::compile(ProgramRequest &request) {
  const Stopwatch watch;
  PhaseTimes times;
  if (std::optional<Compiled> stored =
          state->store.find(request.key(), times)) {
    stored->phases = times.take();
    stored->wallNs = watch.ns();
    state->forecast.observeStored();
    return std::move(*stored);
  }
  TANDEM_ASSIGN_OR_RETURN(Compiled compiled, below->compile(request));
  times.add(compiled.phases);
  if (compiled.compiledIn == CompileIn::thread)
    state->store.keep(request.key(), compiled, times);
  compiled.phases = times.take();
  compiled.wallNs = watch.ns();
  return compiled;
}
