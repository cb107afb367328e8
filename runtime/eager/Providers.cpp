//===- Providers.cpp - Choosing what executes an op -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Columns.h"
#include "custom/CustomCallProvider.h"

#include <array>

using namespace tandem;

ProviderList tandem::eagerProviders() {
  static const std::array<const Provider *, 2> libraries = {&oneDNNProvider(),
                                                            &eigenProvider()};
  static const Provider *columns =
      eager::createColumnsProvider(libraries).release();
  static const std::array<const Provider *, 3> ofFloats = {
      &oneDNNProvider(), &eigenProvider(), columns};
  static const Provider *throughFloat =
      createThroughFloatProvider(ofFloats).release();
  static const CustomCallProvider customCalls(hostDevice());
  static const std::array<const Provider *, 6> providers = {
      &oneDNNProvider(), throughFloat, &eigenProvider(),
      columns,           &customCalls, &referenceProvider()};
  return providers;
}

ProviderList tandem::referenceProviders() {
  static const std::array<const Provider *, 2> providers = {
      &referenceProvider(), &customCallReferences()};
  return providers;
}

static std::string join(std::span<const TensorType> types) {
  std::string text;
  for (const TensorType &type : types)
    text += (text.empty() ? "" : ", ") + type.str();
  return text;
}

Expected<std::unique_ptr<PreparedOp>>
tandem::prepareOp(ProviderList providers, const OpSignature &signature) {
  std::string names;
  for (const Provider *provider : providers) {
    TANDEM_ASSIGN_OR_RETURN(auto op, provider->prepare(signature));
    if (op)
      return op;
    names += (names.empty() ? "" : ", ") + std::string(provider->name());
  }
  return fail("execute",
              "no provider executes " + std::string(name(signature.op.kind)) +
                  " on (" + join(signature.operands) + ") -> (" +
                  join(signature.results) + ")",
              "asked: " + names);
}
