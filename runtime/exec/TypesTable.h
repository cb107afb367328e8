//===- TypesTable.h - Records by the types of tensors -----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EXEC_TYPESTABLE_H
#define TANDEM_RUNTIME_EXEC_TYPESTABLE_H

#include "tandem/Runtime/Tensor.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace tandem::exec {

/// Types of a program's inputs, or of a step's operands or results.
using Types = std::vector<TensorType>;

/// Hashes a list of types. The list is given by the types themselves, by
/// tensors, or by a pointer to a record with a member `types`.
struct TypesHash {
  using is_transparent = void;
  size_t operator()(std::span<const TensorType> types) const;
  size_t operator()(std::span<const Tensor> tensors) const;
  template <typename Record>
  size_t operator()(const std::shared_ptr<Record> &record) const {
    return (*this)(std::span<const TensorType>(record->types));
  }
};

/// Compares two lists of types that are given as for TypesHash.
struct TypesEqual {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(const A &a, const B &b) const {
    const auto first = listOf(a);
    const auto second = listOf(b);
    return std::equal(
        first.begin(), first.end(), second.begin(), second.end(),
        [](const auto &x, const auto &y) { return typeOf(x) == typeOf(y); });
  }

private:
  template <typename Item>
  static std::span<const Item> listOf(std::span<const Item> items) {
    return items;
  }
  template <typename Record>
  static std::span<const TensorType>
  listOf(const std::shared_ptr<Record> &record) {
    return record->types;
  }
  static const TensorType &typeOf(const TensorType &type) { return type; }
  static const TensorType &typeOf(const Tensor &tensor) {
    return tensor.type();
  }
};

/// Maps records to values. `find` takes a record, types, or tensors. The types
/// of a record are stored in the record only, and must not change.
template <typename Record, typename Value>
using TypesMap =
    std::unordered_map<std::shared_ptr<Record>, Value, TypesHash, TypesEqual>;

/// A table of records, each with a member `types` that no other record of the
/// table has. Thread-safe. `Lock` holds the mutex for a look-up or a change.
template <typename Record, typename Lock = std::lock_guard<std::mutex>>
class TypesTable {
public:
  using RecordPtr = std::shared_ptr<Record>;

  static constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();
  /// The table keeps at most `limit` records, at least 1. If a new record does
  /// not fit, the table drops the records that were looked up least recently.
  explicit TypesTable(size_t limit = kUnlimited) : limit(limit) {}

  /// Returns the record for these types, or null. `Key` is a span of types or
  /// of tensors.
  template <typename Key> RecordPtr find(Key key) {
    Lock lock(mutex);
    auto found = records.find(key);
    if (found == records.end())
      return nullptr;
    found->second = ++clock;
    return found->first;
  }
  /// Adds the record, unless the table has a record for the same types. Returns
  /// the record that is then in the table.
  RecordPtr add(RecordPtr record) {
    // Destroyed without the lock, because destroying a record may take long.
    std::vector<RecordPtr> dropped;
    Lock lock(mutex);
    if (records.size() >= limit)
      dropOldest(dropped);
    auto entry = records.try_emplace(std::move(record)).first;
    entry->second = ++clock;
    return entry->first;
  }
  /// Removes the record. Returns false if the record is not in the table.
  bool erase(const RecordPtr &record) {
    Lock lock(mutex);
    auto found = records.find(record);
    if (found == records.end() || found->first != record)
      return false;
    records.erase(found);
    return true;
  }
  /// Appends all records to `all`.
  void appendTo(std::vector<RecordPtr> &all) const {
    Lock lock(mutex);
    for (const auto &[record, lastUse] : records)
      all.push_back(record);
  }

private:
  /// Moves a sixteenth of the records, and at least one, to `dropped`. Most
  /// additions to a full table then need not search for the oldest records.
  void dropOldest(std::vector<RecordPtr> &dropped) {
    std::vector<uint64_t> uses;
    for (const auto &[record, lastUse] : records)
      uses.push_back(lastUse);
    const auto newest = uses.begin() + static_cast<ptrdiff_t>(limit / 16);
    std::nth_element(uses.begin(), newest, uses.end());
    std::erase_if(records, [&, last = *newest](const auto &entry) {
      if (entry.second <= last)
        dropped.push_back(entry.first);
      return entry.second <= last;
    });
  }

  const size_t limit;
  mutable std::mutex mutex; // Guards the following members.
  uint64_t clock = 0;
  /// Each record with the time of its last look-up, by `clock`.
  TypesMap<Record, uint64_t> records;
};

} // namespace tandem::exec

#endif // TANDEM_RUNTIME_EXEC_TYPESTABLE_H
