//===- StoredCompiler.h - Programs from the disk cache -------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_STOREDCOMPILER_H
#define TANDEM_LIB_COMPILER_SESSION_STOREDCOMPILER_H

#include "Session/CompileLayer.h"

namespace tandem {

/// The layer that looks for programs in the disk cache. It also writes programs
/// that were compiled in this process to the disk cache. A helper process
/// writes its programs itself.
class StoredCompiler final : public CompileLayer {
public:
  StoredCompiler(std::shared_ptr<CompilerState> state,
                 std::unique_ptr<CompileLayer> below)
      : state(std::move(state)), below(std::move(below)) {}

  Expected<Compiled> compile(ProgramRequest &request) override;

private:
  const std::shared_ptr<CompilerState> state;
  const std::unique_ptr<CompileLayer> below;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_STOREDCOMPILER_H
