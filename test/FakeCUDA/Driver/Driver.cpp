//===- Driver.cpp - The driver API, as far as it is used ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of libcuda, under its names. Errors are those that the real ones
// return; what they forgive is reported.
//
//===----------------------------------------------------------------------===//

#include "Driver/Calls.h"

#include <cstdlib>
#include <cstring>

using namespace fake;

namespace {

constexpr int kMaxDevices = 8;
CUctx_st contexts[kMaxDevices];
thread_local CUctx_st *current = nullptr;

int numDevices() {
  const char *text = std::getenv("FAKE_CUDA_DEVICES");
  return text && *text ? std::min(std::atoi(text), kMaxDevices) : 1;
}

void *toPointer(DevicePointer address) {
  return reinterpret_cast<void *>(address);
}

} // namespace

Result fake::enter(const char *function) {
  if (Result result = injected(function))
    return result;
  if (!current)
    return kInvalidContext;
  return machine().lost();
}

Result fake::enterUnsafe(const char *function) {
  return machine().isForbidden() ? kCaptureUnsupported : enter(function);
}

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

Result cuInit(unsigned) {
  if (Result result = injected("cuInit"))
    return result;
  return numDevices() == 0 ? kNoDevice : kSuccess;
}

Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return kSuccess;
}

Result cuGetErrorName(Result error, const char **name) {
  static const std::map<Result, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},
      {101, "CUDA_ERROR_INVALID_DEVICE"},
      {200, "CUDA_ERROR_INVALID_IMAGE"},
      {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {218, "CUDA_ERROR_INVALID_PTX"},
      {400, "CUDA_ERROR_INVALID_HANDLE"},
      {500, "CUDA_ERROR_NOT_FOUND"},
      {600, "CUDA_ERROR_NOT_READY"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},
      {401, "CUDA_ERROR_ILLEGAL_STATE"},
      {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
      {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
      {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
      {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
      {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
      {907, "CUDA_ERROR_CAPTURED_EVENT"},
      {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
      {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"}};
  auto found = names.find(error);
  *name = found == names.end() ? nullptr : found->second;
  return *name ? kSuccess : kInvalidValue;
}

Result cuGetErrorString(Result error, const char **text) {
  return cuGetErrorName(error, text);
}

Result cuDeviceGetCount(int *count) {
  *count = numDevices();
  return kSuccess;
}

Result cuDeviceGet(DeviceNumber *device, int ordinal) {
  if (ordinal < 0 || ordinal >= numDevices())
    return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

Result cuDeviceGetName(char *name, int length, DeviceNumber) {
  std::strncpy(name, "Fake H200", size_t(length));
  return kSuccess;
}

Result cuDeviceGetAttribute(int *value, Attribute attribute, DeviceNumber) {
  // The numbers are those of cuda.h: threads of a block, shared memory of a
  // block, multiprocessors, compute capability.
  static const std::map<Attribute, int> values = {
      {1, kMaxThreads}, {8, kMaxSharedBytes}, {16, 132}, {75, 9}, {76, 0}};
  auto found = values.find(attribute);
  if (found == values.end())
    return kInvalidValue;
  *value = found->second;
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceNumber device) {
  if (Result result = injected(__func__))
    return result;
  contexts[device].device = device;
  *context = &contexts[device];
  return kSuccess;
}

/// What is left then is a leak.
Result cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
  const std::string leaks = machine().withMemory(
      [](Memory &memory, Clock &) { return memory.leaks(); });
  if (!leaks.empty())
    report("the context ends with " + leaks + " that nobody has freed");
  return kSuccess;
}

Result cuCtxSetCurrent(ContextHandle context) {
  current = context;
  return kSuccess;
}

Result cuCtxGetCurrent(ContextHandle *context) {
  *context = current;
  return kSuccess;
}

Result cuCtxSynchronize() {
  if (machine().isWaitingForbidden())
    return kCaptureUnsupported;
  ENTER(enter);
  return machine().finishAll();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  ENTER(enterUnsafe);
  void *memory = nullptr;
  const Result result = machine().withMemory(
      [&](Memory &all, Clock &) { return all.allocate(&memory, bytes); });
  *pointer = reinterpret_cast<DevicePointer>(memory);
  return result;
}

Result cuMemFree_v2(DevicePointer pointer) {
  if (pointer == 0)
    return kSuccess;
  ENTER(enterUnsafe);
  machine().drain();
  return machine().withMemory([&](Memory &memory, Clock &host) {
    return memory.free(toPointer(pointer), host);
  });
}

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER(enter);
  machine().withMemory([&](Memory &memory, Clock &) {
    *total = memory.total();
    *free = memory.total() - memory.liveBytes();
  });
  return kSuccess;
}

Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  ENTER(enterUnsafe);
  return machine().withMemory([&](Memory &memory, Clock &) {
    return memory.allocateHost(pointer, bytes);
  });
}

Result cuMemFreeHost(void *pointer) {
  ENTER(enterUnsafe);
  machine().drain();
  return machine().withMemory([&](Memory &memory, Clock &host) {
    return memory.freeHost(pointer, host);
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static uint64_t sumOf(const void *bytes, size_t count) {
  uint64_t sum = 14695981039346656037u; // FNV-1a
  for (size_t i = 0; i < count; ++i)
    sum = (sum ^ static_cast<const uint8_t *>(bytes)[i]) * 1099511628211u;
  return sum;
}

/// Checks both ends, and enqueues.
static Result copy(const char *function, void *to, void *from, size_t bytes,
                   bool isToDevice, bool isFromDevice, CUstream_st *stream) {
  auto isRight = [&](void *memory, bool isDevice) {
    return machine().withMemory([&](Memory &all, Clock &) {
      return isDevice ? all.isOnDevice(memory, bytes)
                      : all.isPinned(memory, bytes);
    });
  };
  const std::string name = function;
  const bool isCapturing = machine().isCapturing(stream);
  if (isCapturing &&
      (!isRight(to, isToDevice) || !isRight(from, isFromDevice))) {
    machine().invalidate(stream);
    return kCaptureUnsupported;
  }
  if (!isRight(to, isToDevice) || !isRight(from, isFromDevice)) {
    report(name + (isRight(isToDevice ? to : from, true)
                       ? " copies host memory that is not pinned"
                       : " copies what is not within memory of the device"));
    return kInvalidValue;
  }
  // What is captured is copied later, as it is then.
  const bool isChecked = !isFromDevice && !isCapturing;
  const uint64_t sum = isChecked ? sumOf(from, bytes) : 0;
  if (!isToDevice && !isCapturing) // Whoever reads it too early reads that.
    std::memset(to, 0xcb, bytes);
  return machine().enqueue(stream,
                           {name,
                            [=]() -> Result {
                              if (isChecked && sumOf(from, bytes) != sum)
                                report("the source of " + name +
                                       " has changed while it was in flight");
                              std::memcpy(to, from, bytes);
                              return kSuccess;
                            },
                            {{to, true}, {from, false}},
                            nullptr,
                            nullptr,
                            {}});
}

Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, size_t bytes,
                            StreamHandle stream) {
  ENTER(enter);
  return copy(__func__, toPointer(to), const_cast<void *>(from), bytes, true,
              false, stream);
}

Result cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes,
                            StreamHandle stream) {
  ENTER(enter);
  return copy(__func__, to, toPointer(from), bytes, false, true, stream);
}

Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes,
                            StreamHandle stream) {
  ENTER(enter);
  return copy(__func__, toPointer(to), toPointer(from), bytes, true, true,
              stream);
}

Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t bytes,
                       StreamHandle stream) {
  ENTER(enter);
  void *memory = toPointer(to);
  if (!machine().withMemory([&](Memory &all, Clock &) {
        return all.isOnDevice(memory, bytes);
      })) {
    report("cuMemsetD8Async fills what is not within memory of the device");
    return kInvalidValue;
  }
  return machine().enqueue(stream, {__func__,
                                    [=]() -> Result {
                                      std::memset(memory, value, bytes);
                                      return kSuccess;
                                    },
                                    {{memory, true}},
                                    nullptr,
                                    nullptr,
                                    {}});
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

Result cuStreamCreate(StreamHandle *stream, unsigned) {
  ENTER(enter);
  *stream = machine().createStream(current);
  return kSuccess;
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  return machine().destroyStream(stream);
}

Result cuStreamSynchronize(StreamHandle stream) {
  if (machine().isCapturing(stream)) {
    machine().invalidate(stream);
    return kCaptureUnsupported;
  }
  ENTER(enterUnsafe);
  return machine().finish(stream);
}

Result cuStreamQuery(StreamHandle stream) {
  ENTER(enter);
  return machine().query(stream);
}

Result cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  ENTER(enter);
  return machine().wait(stream, event);
}

Result cuEventCreate(EventHandle *event, unsigned flags) {
  ENTER(enter);
  constexpr unsigned kDisableTiming = 2;
  *event =
      new CUevent_st{current, !(flags & kDisableTiming), nullptr, nullptr, {}};
  return kSuccess;
}

Result cuEventDestroy_v2(EventHandle event) {
  delete event;
  return kSuccess;
}

Result cuEventRecord(EventHandle event, StreamHandle stream) {
  ENTER(enter);
  if (event->context != stream->context)
    return kInvalidHandle;
  return machine().record(event, stream);
}

Result cuEventQuery(EventHandle event) {
  ENTER(enter);
  return machine().query(event);
}

Result cuEventSynchronize(EventHandle event) {
  ENTER(enterUnsafe);
  return machine().finish(event);
}

Result cuEventElapsedTime(float *milliseconds, EventHandle start,
                          EventHandle end) {
  ENTER(enter);
  if (!start->hasTime || !end->hasTime || !start->mark || !end->mark)
    return kInvalidHandle;
  for (EventHandle event : {start, end})
    if (Result result = machine().query(event))
      return result;
  *milliseconds = float((end->mark->ns - start->mark->ns) * 1e-6);
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Result cuModuleLoadDataEx(ModuleHandle *module, const void *image,
                          unsigned numOptions, JitOption *options,
                          void **values) {
  ENTER(enter);
  std::string log;
  const Result result =
      loadModule(current, static_cast<const char *>(image), module, log);
  char *buffer = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < numOptions; ++i) {
    if (options[i] == 5) // CU_JIT_ERROR_LOG_BUFFER
      buffer = static_cast<char *>(values[i]);
    if (options[i] == 6) // ..._SIZE_BYTES
      bytes = reinterpret_cast<size_t>(values[i]);
  }
  if (buffer && bytes > 0)
    buffer[log.copy(buffer, bytes - 1)] = '\0';
  return result;
}

Result cuModuleUnload(ModuleHandle module) {
  ENTER(enterUnsafe);
  if (!machine().areDone(module->use->users))
    report("a module is unloaded while its kernels may be in flight");
  machine().drain();
  module->use->isUnloaded = true;
  delete module;
  return kSuccess;
}

Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle module,
                           const char *name) {
  ENTER(enter);
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return kNotFound;
  *function = &found->second;
  return kSuccess;
}

Result cuLaunchKernel(FunctionHandle function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned sharedBytes,
                      StreamHandle stream, void **parameters, void **extra) {
  ENTER(enter);
  std::vector<char> packed;
  if (Result result = packParameters(*function, parameters, extra, packed))
    return result;
  return launch(*function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ},
                sharedBytes, stream, std::move(packed));
}
