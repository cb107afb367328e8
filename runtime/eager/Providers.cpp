//===- Providers.cpp - Choosing what executes an op ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Provider.h"

#include <array>

using namespace tandem;

ProviderList tandem::eagerProviders() {
  static const std::array<const Provider *, 3> providers = {
      &oneDNNProvider(), &eigenProvider(), &referenceProvider()};
  return providers;
}

ProviderList tandem::referenceProviders() {
  static const std::array<const Provider *, 1> providers = {
      &referenceProvider()};
  return providers;
}

static std::string join(std::span<const TensorType> types) {
  std::string text;
  for (const TensorType &type : types)
    text += (text.empty() ? "" : ", ") + type.str();
  return text;
}

Expected<const Provider *>
tandem::findProvider(ProviderList providers, const OpDesc &op,
                     std::span<const TensorType> operands,
                     std::span<const TensorType> results) {
  std::string names;
  for (const Provider *provider : providers) {
    if (provider->supports(op, operands, results))
      return provider;
    names += (names.empty() ? "" : ", ") + std::string(provider->name());
  }
  return fail("execute",
              "no provider executes " + std::string(name(op.kind)) + " on (" +
                  join(operands) + ") -> (" + join(results) + ")",
              "asked: " + names);
}
