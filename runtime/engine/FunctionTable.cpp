//===- FunctionTable.cpp - Functions by the types of their inputs ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/FunctionTable.h"

#include "exec/TypesTable.h"

#include <algorithm>
#include <atomic>

using namespace tandem;

struct FunctionTable::Impl {
  struct Entry {
    exec::Types types;
    std::shared_ptr<Function> function;
    /// The number of functions that were made before this one.
    uint64_t number;
  };

  Impl(Make make, size_t limit)
      : make(std::move(make)), entries(std::max<size_t>(limit, 1)) {}

  const Make make;
  exec::TypesTable<const Entry> entries;
  std::atomic<uint64_t> numMade = 0;
};

FunctionTable::FunctionTable(Make make, size_t limit)
    : impl(std::make_unique<Impl>(std::move(make), limit)) {}

FunctionTable::~FunctionTable() = default;

Expected<std::shared_ptr<Function>>
FunctionTable::find(std::span<const TensorType> inputs) {
  if (const auto found = impl->entries.find(inputs))
    return found->function;
  TANDEM_ASSIGN_OR_RETURN(std::unique_ptr<Function> made, impl->make(inputs));
  auto entry = std::make_shared<const Impl::Entry>(Impl::Entry{
      {inputs.begin(), inputs.end()}, std::move(made), impl->numMade++});
  return impl->entries.add(std::move(entry))->function;
}

Expected<std::vector<Tensor>>
FunctionTable::call(std::span<const Tensor> inputs) {
  if (const auto found = impl->entries.find(inputs))
    return found->function->call(inputs);
  TANDEM_ASSIGN_OR_RETURN(const std::shared_ptr<Function> function,
                          find(typesOf(inputs)));
  return function->call(inputs);
}

std::vector<std::shared_ptr<Function>> FunctionTable::functions() const {
  std::vector<std::shared_ptr<const Impl::Entry>> entries;
  impl->entries.appendTo(entries);
  std::ranges::sort(entries, {},
                    [](const auto &entry) { return entry->number; });
  std::vector<std::shared_ptr<Function>> result;
  for (const auto &entry : entries)
    result.push_back(entry->function);
  return result;
}
