//===- HelperClient.h - Compiles a graph in another process --- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_REMOTE_HELPERCLIENT_H
#define TANDEM_LIB_COMPILER_REMOTE_HELPERCLIENT_H

#include "Remote/HelperMessages.h"
#include "Remote/SerializedGraph.h"
#include "Session/CompilerConfig.h"

#include "process/Descriptor.h"
#include "tandem/Runtime/Program/StoredProgram.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace tandem {

class CompileHelper;

/// What came of asking a helper. Where there is neither an answer nor an error,
/// the job is for this process.
struct HelperOutcome {
  struct Answer {
    fb::HelperAnswerT content;
    /// The program's entry; none where the answer is an error, or the entry is
    /// on disk.
    Descriptor entry;
  };
  std::optional<Answer> answer;
  /// Why nobody should compile it.
  std::optional<Error> error;
  /// Compiled::helperProblem.
  std::string problem;
};

/// Has one graph compiled in helper processes. Thread-safe.
class HelperClient {
public:
  HelperClient(std::shared_ptr<const SerializedGraph> graph,
               const CompilerConfig &config);
  ~HelperClient();

  /// Whether all that is wanted of compiling is the program.
  static bool isFor(const CompilerConfig &config);

  /// Asks for the program of a key, and waits. Its entry may refer to `known`
  /// constants. Where a helper crashes on it,
  /// another one is asked; if that crashes, too, it is an error. Where a helper
  /// is killed, or does not answer in time, the job is for this process, as is
  /// a graph that calls functions of the program.
  HelperOutcome compile(const CacheKey &key, std::span<const TensorType> inputs,
                        std::span<const KnownConstant> known,
                        const std::stop_token &stop);

private:
  fb::HelperRequestT describeJob(const CacheKey &key,
                                 std::span<const TensorType> inputs,
                                 std::span<const KnownConstant> known) const;
  Expected<HelperOutcome::Answer> ask(CompileHelper &helper,
                                      fb::HelperRequestT &request);

  const std::shared_ptr<const SerializedGraph> graph;
  const CompilerConfig &config;
  const uint64_t number;
  /// Whether it calls functions, which another process may not have.
  bool callsFunctions = false;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_REMOTE_HELPERCLIENT_H
