//===- Module.cpp - Modules and launches ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Module.h"

#include "Libraries/HostCompiler.h"

#include <cstring>
#include <dlfcn.h>

using namespace fake;
using tandem_host::Index;
using tandem_host::Parameter;

Result fake::loadModule(CUctx_st *context, const std::string &image,
                        CUmod_st **module, std::string &log) {
  auto library = compileOnHost(image);
  if (!library) {
    log = library.error().str();
    return kInvalidPTX;
  }
  auto made = std::make_unique<CUmod_st>();
  made->context = context;
  made->isCooperative =
      image.find("__sync") != image.npos || image.find("__shfl") != image.npos;
  for (const std::string &name : kernelNames(image)) {
    void *entry = dlsym(*library, entryName(name).c_str());
    made->functions[name] = {
        made.get(), name,
        reinterpret_cast<const tandem_host::Entry *(*)()>(entry)()};
  }
  *module = made.release();
  return kSuccess;
}

/// The offsets of a kernel's parameters in a buffer, and then the buffer's
/// size.
static std::vector<size_t> offsetsOf(const tandem_host::Entry &entry) {
  std::vector<size_t> offsets;
  size_t end = 0;
  for (unsigned i = 0; i < entry.numParameters; ++i) {
    const size_t alignment = entry.parameters[i].ownAlignment;
    offsets.push_back((end + alignment - 1) / alignment * alignment);
    end = offsets.back() + entry.parameters[i].bytes;
  }
  offsets.push_back(end);
  return offsets;
}

/// The buffer of cuLaunchKernel's `extra`; nothing where it has none.
static std::span<const char> bufferOf(void **extra) {
  const char *data = nullptr;
  size_t bytes = 0;
  for (; extra && *extra; extra += 2) {
    if (extra[0] == reinterpret_cast<void *>(1)) // ..._BUFFER_POINTER
      data = static_cast<const char *>(extra[1]);
    if (extra[0] == reinterpret_cast<void *>(2)) // ..._BUFFER_SIZE
      bytes = *static_cast<size_t *>(extra[1]);
  }
  return {data, bytes};
}

Result fake::packParameters(const CUfunc_st &function, void **parameters,
                            void **extra, std::vector<char> &packed) {
  const std::vector<size_t> offsets = offsetsOf(*function.entry);
  if (!parameters) {
    const std::span<const char> buffer = bufferOf(extra);
    if (buffer.size() != offsets.back()) {
      report(function.name + " takes " + std::to_string(offsets.back()) +
             " bytes of parameters and is given " +
             std::to_string(buffer.size()));
      return kInvalidValue;
    }
    packed.assign(buffer.begin(), buffer.end());
    return kSuccess;
  }
  packed.resize(offsets.back());
  for (unsigned i = 0; i < function.entry->numParameters; ++i)
    std::memcpy(&packed[offsets[i]], parameters[i],
                function.entry->parameters[i].bytes);
  return kSuccess;
}

static bool isWithinLimits(Index grid, Index block, unsigned sharedBytes) {
  const uint64_t threads = uint64_t(block.x) * block.y * block.z;
  return threads > 0 && threads <= kMaxThreads && block.z <= 64 && grid.x > 0 &&
         grid.x <= kMaxGridX && grid.y > 0 && grid.y <= kMaxGridYZ &&
         grid.z > 0 && grid.z <= kMaxGridYZ && sharedBytes <= kMaxSharedBytes;
}

/// The memory that the pointers among the parameters lead to.
static Result findUses(const CUfunc_st &function,
                       std::span<void *const> arguments,
                       std::vector<Use> &uses) {
  for (unsigned i = 0; i < function.entry->numParameters; ++i) {
    const Parameter &parameter = function.entry->parameters[i];
    if (parameter.alignment == 0)
      continue;
    void *pointer = *static_cast<void *const *>(arguments[i]);
    const std::string what =
        "parameter " + std::to_string(i) + " of " + function.name;
    if (reinterpret_cast<uintptr_t>(pointer) % parameter.alignment != 0) {
      report(what + " is not aligned to its elements");
      return kInvalidValue;
    }
    const bool isKnown = machine().withMemory(
        [&](Memory &memory, Clock &) { return memory.isOnDevice(pointer, 1); });
    if (pointer && !isKnown) {
      report(what + " is no memory of the device");
      return kInvalidValue;
    }
    uses.push_back({pointer, parameter.isWritten});
  }
  return kSuccess;
}

Result fake::makeLaunch(CUfunc_st &function, Index grid, Index block,
                        unsigned sharedBytes, std::vector<char> packed,
                        Operation &operation) {
  if (!isWithinLimits(grid, block, sharedBytes))
    return kInvalidValue;
  auto values = std::make_shared<std::vector<char>>(std::move(packed));
  std::vector<void *> arguments;
  for (size_t offset : offsetsOf(*function.entry))
    arguments.push_back(values->data() + offset);
  operation = {function.name,          {},       {}, {}, {},
               {function.module->use}, &function};
  if (Result result = findUses(function, arguments, operation.uses))
    return result;
  const Launch launch{function.name, function.entry, grid, block,
                      function.module->isCooperative};
  operation.run = [launch, values, arguments = std::move(arguments)] {
    if (Result result = injected("kernel"))
      return result;
    return run(launch, arguments, machine().randomOfWork());
  };
  return kSuccess;
}

Result fake::launch(CUfunc_st &function, Index grid, Index block,
                    unsigned sharedBytes, CUstream_st *stream,
                    std::vector<char> packed) {
  if (function.module->context != stream->context)
    return kInvalidHandle;
  Operation operation;
  if (Result result = makeLaunch(function, grid, block, sharedBytes,
                                 std::move(packed), operation))
    return result;
  return machine().enqueue(stream, std::move(operation));
}
