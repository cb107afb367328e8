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

/// The outcome of asking a helper. If there is neither an answer nor an error,
/// this process must compile the program itself.
struct HelperOutcome {
  struct Answer {
    fb::HelperAnswerT content;
    /// The program's entry. Empty if the answer is an error, or if the entry is
    /// on disk.
    Descriptor entry;
  };
  std::optional<Answer> answer;
  /// The error if compiling must not be tried again in this process.
  std::optional<Error> error;
  /// The value of Compiled::helperProblem.
  std::string problem;
};

/// Has one graph compiled in helper processes. Thread-safe.
class HelperClient {
public:
  HelperClient(std::shared_ptr<const SerializedGraph> graph,
               const CompilerConfig &config);
  ~HelperClient();

  /// Whether helpers can compile for `config`: the target is the host, only the
  /// program is wanted, and no progress is reported.
  static bool isFor(const CompilerConfig &config);

  /// Asks a helper for the program of a key, and waits for the answer. The
  /// program's entry may refer to `known` constants. If the helper crashes
  /// while it compiles, another helper is asked, and if that one crashes as
  /// well, the result is an error. If a helper is killed or does not answer in
  /// time, this process must compile the program, as it must if the graph calls
  /// functions of this process.
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
  /// Whether the graph calls functions, which another process may not have.
  bool callsFunctions = false;
};

} // namespace tandem

#endif // TANDEM_LIB_COMPILER_REMOTE_HELPERCLIENT_H
