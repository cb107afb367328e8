//===- LocalCompiler.h - Compiles in this process ------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_SESSION_LOCALCOMPILER_H
#define TANDEM_LIB_COMPILER_SESSION_LOCALCOMPILER_H

#include "Session/CompileLayer.h"
#include "Session/CompilerSession.h"
#include "Session/WarmUpThread.h"

#include "tandem/Support/ObjectPool.h"

#include <mutex>

namespace tandem {

class BackgroundCalibration;

/// The lowest layer, which compiles on the calling thread. Keeps at most as
/// many sessions as threads have ever compiled at the same time. Holds no lock
/// during a compilation.
class LocalCompiler final : public CompileLayer {
public:
  /// If `recordsCosts` is true, the measured costs of compiling correct the
  /// predictions of this process.
  explicit LocalCompiler(std::shared_ptr<CompilerState> state,
                         bool recordsCosts = true);

  /// Creates a session for the first compilation, and starts a WarmUpThread.
  Status start();

  Expected<Compiled> compile(ProgramRequest &request) override;

private:
  Expected<std::unique_ptr<CompilerSession>> createSession();
  Expected<Compiled> compileRecorded(CompilerSession &session,
                                     std::span<const TensorType> inputs);

  const std::shared_ptr<CompilerState> state;
  const bool recordsCosts;
  /// Null if the target is not the host.
  std::shared_ptr<BackgroundCalibration> calibration;
  std::once_flag once; // guards `warmer`
  WarmUpThread warmer;
  ObjectPool<CompilerSession> sessions;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_SESSION_LOCALCOMPILER_H
