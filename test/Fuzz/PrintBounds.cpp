//===- PrintBounds.cpp - The error bounds of a random graph ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrintBounds.h"

#include "GraphInputs.h"

#include "engine/certificate/Certificate.h"
#include "tandem/Runtime/ErrorBounds.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdio>

using namespace tandem;
using namespace tandem::fuzz;

template <typename... Arguments>
static std::string formatted(const char *text, Arguments... arguments) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, text, arguments...);
  return buffer;
}

/// The number of bounds, five quantiles of them, and a hash of all of them.
static std::string boundsAsText(ErrorBounds bounds) {
  const XXH64_hash_t hash =
      XXH3_64bits(bounds.data(), bounds.size() * sizeof(double));
  std::string text = " bounds=" + std::to_string(bounds.size());
  std::sort(bounds.begin(), bounds.end());
  constexpr size_t kQuantiles = 4;
  for (size_t i = 0; i <= kQuantiles && !bounds.empty(); ++i)
    text += formatted(i ? ",%.17g" : " quantiles=%.17g",
                      bounds[i * (bounds.size() - 1) / kQuantiles]);
  return text +
         formatted(" hash=%016llx", static_cast<unsigned long long>(hash));
}

/// The tolerance of an output, and the number of its elements that depend on
/// one result of a discontinuous op, for all of these ops together.
static std::string toleranceAsText(const tiering::Tolerance &tolerance,
                                   size_t output) {
  const tiering::ValueTolerance &value = tolerance.outputs[output];
  double influenced = 0;
  for (const tiering::JumpInfluence &influence : tolerance.influences[output])
    influenced += influence.elements;
  return formatted(" elementwise=%.17g normwise=%.17g influenced=%.17g",
                   value.elementwise, value.normwise, influenced);
}

Expected<std::string> fuzz::printBounds(const RandomGraph &random,
                                        Precision precision,
                                        const std::string &prefix) {
  TANDEM_ASSIGN_OR_RETURN(auto graph, Graph::parseString(random.toMLIR()));
  TANDEM_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs, makeInputs(random));
  TANDEM_ASSIGN_OR_RETURN(const auto certifier,
                          tiering::Certifier::create(graph->eagerProgram(),
                                                     typesOf(inputs),
                                                     precision));
  ErrorBoundOptions options;
  options.precision = precision;
  TANDEM_ASSIGN_OR_RETURN(
      const std::vector<BoundedTensor> outputs,
      evaluateWithBounds(*certifier.program(), inputs, options));
  std::vector<Tensor> values;
  for (const BoundedTensor &output : outputs)
    values.push_back(output.value);
  const size_t count = certifier.tolerance().outputs.size();
  const tiering::Certificate certificate = certifier.certify(
      inputs, values, std::span<const Tensor>(values).first(count));
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text +=
        prefix + formatted(" output=%zu", i) +
        " type=" + values[i].type().str() +
        toleranceAsText(certifier.tolerance(), i) +
        formatted(" near=%lld", static_cast<long long>(certificate.nearJumps)) +
        boundsAsText(outputs[i].bounds) + "\n";
  return text;
}
