//===- CustomCalls.cpp - The registered functions -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/CustomCall.h"

#include "VerifyLoop.h"

#include <algorithm>
#include <map>
#include <mutex>

using namespace tandem;

namespace {
/// The functions of a target, one for each of some devices.
using Calls = std::map<const Device *, std::shared_ptr<const CustomCall>>;

struct Registry {
  std::mutex mutex;
  std::map<std::string, Calls, std::less<>> targets;
};
} // namespace

/// It is never destroyed, as background threads may run ops at any time.
static Registry &registry() {
  static auto &registry = *new Registry;
  return registry;
}

static tl::unexpected<Error> refuse(std::string_view target,
                                    const std::string &why) {
  return fail("register",
              "custom_call \"" + std::string(target) + "\": " + why);
}

Status tandem::registerCustomCall(std::string target, CustomCall call,
                                  const Device &device) {
  if (target.empty())
    return refuse(target, "the target must not be empty");
  if (!call.run)
    return refuse(target, "there is no function");
  // Also not where it is a NaN.
  if (!(call.relativeError >= 0 && call.relativeError <= 0.1))
    return refuse(target, "the relative error must be between 0 and 0.1");
  std::lock_guard<std::mutex> lock(registry().mutex);
  Calls &calls = registry().targets[target];
  if (!calls
           .try_emplace(&device,
                        std::make_shared<const CustomCall>(std::move(call)))
           .second)
    return refuse(target, "it is registered already, for " +
                              std::string(device.name()));
  return {};
}

std::shared_ptr<const CustomCall>
tandem::findCustomCall(std::string_view target, const Device &device) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  const auto calls = registry().targets.find(target);
  if (calls == registry().targets.end())
    return nullptr;
  const auto call = calls->second.find(&device);
  return call == calls->second.end() ? nullptr : call->second;
}

/// The function that infers the types of a target's results, of any device.
static CustomCall::InferTypes findInferTypes(std::string_view target) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  if (const auto calls = registry().targets.find(target);
      calls != registry().targets.end())
    for (const auto &[device, call] : calls->second)
      if (call->inferTypes)
        return call->inferTypes;
  return {};
}

static bool hasKnownSizes(const TensorType &type) {
  return std::all_of(type.shape.begin(), type.shape.end(),
                     [](int64_t size) { return size >= 0; });
}

Expected<std::vector<TensorType>>
tandem::inferCustomCall(const fb::CustomCallAttrsT &call,
                        std::span<const TensorType> operands) {
  std::vector<TensorType> written;
  bool isKnown = true;
  for (const auto &type : call.results) {
    written.push_back(fromFlat(*type));
    isKnown &= written.back().isStatic();
  }
  if (isKnown)
    return written;
  const CustomCall::InferTypes infer = findInferTypes(call.target);
  const std::string what = "custom_call \"" + call.target + "\"";
  if (!infer)
    return fail("shape",
                what + " has a result of unknown size, and no function is "
                       "registered that infers it",
                "register the target with inferTypes, or write the size");
  Expected<std::vector<TensorType>> inferred =
      infer(call.config, operands, written);
  if (!inferred)
    return fail("shape", what + ": " + inferred.error().message,
                inferred.error().hint);
  const std::vector<TensorType> &types = *inferred;
  if (types.size() != written.size())
    return fail("shape", what + " has " + std::to_string(written.size()) +
                             " results, but " + std::to_string(types.size()) +
                             " types are inferred");
  for (size_t i = 0; i < types.size(); ++i)
    if (!hasKnownSizes(types[i]) || !agree(written[i], types[i]))
      return fail("shape", what + ": result " + std::to_string(i) + " is " +
                               types[i].str() + ", where " + written[i].str() +
                               " is written");
  return inferred;
}
