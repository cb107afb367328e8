//===- RemoteCompiler.h - Compiles in helper processes -------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_REMOTE_REMOTECOMPILER_H
#define TANDEM_LIB_COMPILER_REMOTE_REMOTECOMPILER_H

#include "Graph/KnownConstants.h"
#include "Remote/HelperClient.h"
#include "Session/CompileLayer.h"

namespace tandem {

/// The layer that compiles in helper processes if the request asks for that.
/// Otherwise, and if no helper process can compile, the layer below compiles.
class RemoteCompiler final : public CompileLayer {
public:
  RemoteCompiler(std::shared_ptr<CompilerState> state,
                 std::unique_ptr<CompileLayer> below);

  Expected<Compiled> compile(ProgramRequest &request) override;

private:
  /// Loads the program from the answer of a helper process.
  Expected<Compiled> take(const HelperOutcome::Answer &answer,
                          ProgramRequest &request,
                          std::span<const KnownConstant> known,
                          PhaseTimes &times);

  const std::shared_ptr<CompilerState> state;
  const std::unique_ptr<CompileLayer> below;
  HelperClient client;
  KnownConstants constants;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_REMOTE_REMOTECOMPILER_H
