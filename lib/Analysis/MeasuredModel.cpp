//===- MeasuredModel.cpp - What was measured of this machine --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Analysis/DeviceModel.h"
#include "tandem/Analysis/HostProcessor.h"
#include "tandem/Support/Environment.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>
#include <mutex>
#include <thread>

namespace tandem {

/// The version of the measuring and of what is kept: another version measures
/// again.
static constexpr int kVersion = 15;

std::string measuredModelFile() {
  std::string directory = cacheDirectory();
  if (directory.empty())
    return {};
  const Processor &processor = hostProcessor();
  std::string key = processor.name + "/" + processor.features + "/" +
                    std::to_string(std::thread::hardware_concurrency()) + "/" +
                    std::to_string(kVersion);
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, "device-" +
                                    llvm::utohexstr(llvm::xxh3_64bits(key),
                                                    /*LowerCase=*/true) +
                                    ".json");
  return path.str().str();
}

static std::optional<DeviceModel> readStored() {
  std::string path = measuredModelFile();
  if (path.empty())
    return std::nullopt;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return std::nullopt;
  Expected<DeviceModel> model = parseDeviceModel((*buffer)->getBuffer(), path);
  return model ? std::optional(std::move(*model)) : std::nullopt;
}

namespace {
struct Measured {
  /// Guards `model`.
  std::mutex mutex;
  std::optional<DeviceModel> model = readStored();
};
} // namespace

static Measured &getMeasured() {
  static Measured *measured = new Measured; // Outlives threads at exit.
  return *measured;
}

std::optional<DeviceModel> measuredModel() {
  Measured &measured = getMeasured();
  std::lock_guard lock(measured.mutex);
  return measured.model;
}

Status setMeasuredModel(const DeviceModel &model) {
  Measured &measured = getMeasured();
  std::lock_guard lock(measured.mutex);
  measured.model = model;
  std::string path = measuredModelFile();
  if (path.empty())
    return fail("write", "there is no directory to keep it in",
                "TANDEM_CACHE_DIR names one");
  if (auto code =
          llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
    return fail("write", path + ": " + code.message());
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &stream) {
    stream << writeDeviceModel(model, /*indent=*/2) << "\n";
    return llvm::Error::success();
  });
  if (error)
    return fail("write", path + ": " + llvm::toString(std::move(error)));
  return {};
}

} // namespace tandem
