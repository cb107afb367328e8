//===- DeferredRelease.cpp - Frees after the GPU's work -------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeferredRelease.h"

#include "Context.h"

#include <utility>

using namespace tandem::cuda;

void DeferredRelease::addStream(StreamHandle stream) {
  std::lock_guard lock(mutex);
  streams.push_back(stream);
}

void DeferredRelease::removeStream(StreamHandle stream) {
  std::lock_guard lock(mutex);
  std::erase(streams, stream);
}

std::vector<EventHandle> DeferredRelease::recordEvents() {
  std::vector<EventHandle> events;
  for (StreamHandle stream : streams) {
    if (driver.streamQuery(stream) == kSuccess)
      continue;
    EventHandle event = nullptr;
    if (driver.eventCreate(&event, kDisableTiming) == kSuccess &&
        driver.eventRecord(event, stream) == kSuccess) {
      events.push_back(event);
      continue;
    }
    if (event)
      driver.eventDestroy(event);
    driver.streamSynchronize(stream);
  }
  return events;
}

void DeferredRelease::add(std::function<void()> release) {
  {
    std::lock_guard lock(mutex);
    items.push_back({recordEvents(), std::move(release)});
    isAny = true;
  }
  collect(/*waits=*/false);
}

bool DeferredRelease::isDone(Item &item, bool waits) const {
  while (!item.events.empty()) {
    EventHandle event = item.events.back();
    if ((waits ? driver.eventSynchronize(event) : driver.eventQuery(event)) !=
        kSuccess)
      return false;
    driver.eventDestroy(event);
    item.events.pop_back();
  }
  return true;
}

void DeferredRelease::collect(bool waits) {
  if (!isAny)
    return;
  std::vector<Item> taken;
  {
    std::lock_guard lock(mutex);
    taken.swap(items);
    isAny = false;
  }
  std::vector<Item> left;
  for (Item &item : taken) {
    if (isDone(item, waits))
      item.release();
    else
      left.push_back(std::move(item));
  }
  if (left.empty())
    return;
  std::lock_guard lock(mutex);
  std::move(left.begin(), left.end(), std::back_inserter(items));
  isAny = true;
}
