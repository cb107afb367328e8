//===- OutputCheck.cpp - Comparing tensors within bounds ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputCheck.h"

#include "common/Format.h"

#include <cstdio>

namespace tandem::tools {
namespace {

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return text;
}

std::string describe(const Difference &difference) {
  if (!difference.agrees() && difference.mismatches == 0)
    return "FAIL: every element may be anything";
  if (!difference.agrees())
    return "FAIL: " + std::to_string(difference.mismatches) +
           " elements; element " + std::to_string(difference.worstIndex) +
           " is " + scientific(difference.actual) + ", not " +
           scientific(difference.expected) + ", its bound " +
           scientific(difference.bound);
  if (difference.unbounded > difference.compared)
    return "ok, weakly: most elements may be anything";
  if (difference.isWeak())
    return "ok, weakly: wrong results may be within these bounds";
  return "ok";
}

} // namespace

std::vector<Check> compareOutputs(std::span<const BoundedTensor> expected,
                                  std::span<const Tensor> outputs,
                                  const std::string &label) {
  std::vector<Check> checks;
  for (size_t i = 0; i < expected.size(); ++i) {
    Check check{label, i, expected[i].value.type(), {}};
    // Another type is a bug of the tier, not of the user.
    if (outputs[i].type() == check.type)
      check.difference =
          compare(expected[i].value, outputs[i], expected[i].bounds);
    checks.push_back(check);
  }
  return checks;
}

std::string describeVerdict(const Check &check) {
  return check.difference ? describe(*check.difference) : "FAIL: another type";
}

std::string formatChecks(const std::vector<Check> &checks) {
  Table table({{"tier", false},
               {"output", false},
               {"compared"},
               {"max abs"},
               {"max rel"},
               {"max ULP"},
               {"max bound"},
               {"worst element"},
               {"its bound"},
               {"", false}});
  for (const Check &check : checks) {
    std::string output = std::to_string(check.output) + ": " + check.type.str();
    if (!check.difference) {
      table.addRow({check.label, output, "0", "-", "-", "-", "-", "-", "-",
                    describeVerdict(check)});
      continue;
    }
    const Difference &difference = *check.difference;
    char ulp[32];
    std::snprintf(ulp, sizeof ulp, "%.4g", difference.maxUlp);
    bool differs = difference.worstIndex >= 0;
    table.addRow(
        {check.label, output, std::to_string(difference.compared),
         scientific(difference.maxAbsolute), scientific(difference.maxRelative),
         ulp, scientific(difference.maxBound),
         differs ? std::to_string(difference.worstIndex) : "-",
         differs ? scientific(difference.bound) : "-", describeVerdict(check)});
  }
  return table.str();
}

nlohmann::ordered_json toJson(const Check &check) {
  nlohmann::ordered_json record = {{"output", check.output},
                                   {"passed", check.passed()}};
  if (!check.difference)
    return record;
  const Difference &difference = *check.difference;
  record.update({{"compared", difference.compared},
                 {"unbounded", difference.unbounded},
                 {"max_abs", difference.maxAbsolute},
                 {"max_rel", difference.maxRelative},
                 {"max_ulp", difference.maxUlp},
                 {"max_bound", difference.maxBound},
                 {"mismatches", difference.mismatches},
                 {"weak", difference.isWeak()}});
  if (difference.worstIndex >= 0)
    record["worst"] = {{"element", difference.worstIndex},
                       {"expected", difference.expected},
                       {"actual", difference.actual},
                       {"bound", difference.bound}};
  return record;
}

} // namespace tandem::tools
