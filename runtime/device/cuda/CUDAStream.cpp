//===- CUDAStream.cpp - Streams and events of a GPU -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDAStream.h"

#include "tandem/Support/Environment.h"

using namespace tandem;
using namespace tandem::cuda;

static DevicePointer addressOf(const Tensor &tensor) {
  return reinterpret_cast<DevicePointer>(tensor.data());
}

static bool isAskedToWait() {
  const char *value = lookUp(Variable::cudaSync);
  return value && std::string_view(value) != "0";
}

Status cuda::checkAlignment(std::span<void *const> pointers,
                            int64_t alignment) {
  for (void *pointer : pointers)
    if (reinterpret_cast<uintptr_t>(pointer) % uintptr_t(alignment) != 0)
      return fail("execute",
                  "a tensor's address is not a multiple of " +
                      std::to_string(alignment) + " bytes",
                  "a stream's allocator aligns tensors to " +
                      std::to_string(Allocator::kAlignment) + " bytes");
  return {};
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

bool CUDAEvent::isDone() const {
  constexpr Result kNotReady = 600;
  // Whatever is asked of a device that is lost is over.
  if (!event.context.enter())
    return true;
  const Result result = event.context.driver().eventQuery(event.handle);
  if (result == kSuccess)
    log->finish(position);
  else if (result != kNotReady)
    (void)event.context.check(result, "execute", "cuEventQuery");
  return result != kNotReady;
}

void CUDAEvent::synchronize() const {
  if (!event.context.enter())
    return;
  // The stream tells what failed.
  if (event.context.check(event.context.driver().eventSynchronize(event.handle),
                          "execute", "cuEventSynchronize"))
    log->finish(position);
}

double CUDAEvent::ns() const { return epoch->ns + epoch->event.nsTo(event); }

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static Expected<StreamHandle> createHandle(Context &context) {
  TANDEM_RETURN_IF_ERROR(context.enter());
  StreamHandle handle = nullptr;
  TANDEM_RETURN_IF_ERROR(
      context.check(context.driver().streamCreate(&handle, kNonBlocking),
                    "device", "cuStreamCreate"));
  return handle;
}

Expected<std::unique_ptr<CUDAStream>>
CUDAStream::create(Device &device, Context &context, DeviceClock &clock) {
  TANDEM_ASSIGN_OR_RETURN(StreamHandle handle, createHandle(context));
  return std::unique_ptr<CUDAStream>(
      new CUDAStream(device, context, handle, clock));
}

Expected<std::unique_ptr<CUDAStream>> CUDAStream::adopt(Device &device,
                                                        Context &context,
                                                        DeviceClock &clock,
                                                        StreamHandle handle) {
  if (!handle)
    return fail("device", "the default stream cannot be adopted",
                "cuStreamCreate makes another");
  TANDEM_RETURN_IF_ERROR(context.enter());
  return std::unique_ptr<CUDAStream>(new CUDAStream(
      device, context, handle, clock, nullptr, /*isOwned=*/false));
}

CUDAStream::CUDAStream(Device &device, Context &context, StreamHandle handle,
                       DeviceClock &clock, Recording *recording, bool isOwned)
    : owner(device), context(context), stream(handle), clock(clock),
      recording(recording), isOwned(isOwned),
      waitsForSteps(!recording && isAskedToWait()) {
  if (recording)
    return;
  blocks.emplace(device, context, handle);
  staging.emplace(context, handle);
  context.addLog(*log);
  context.deferred().addStream(handle);
}

CUDAStream::~CUDAStream() {
  if (!recording) {
    (void)synchronize();
    context.deferred().removeStream(stream);
  }
  staging.reset();
  blocks.reset();
  context.removeLog(*log);
  if (isOwned)
    context.driver().streamDestroy(stream);
}

Status CUDAStream::copy(const Tensor &from, const Tensor &to) {
  const size_t bytes = size_t(from.bytes());
  if (bytes == 0)
    return {};
  TANDEM_RETURN_IF_ERROR(context.enter());
  if (!from.device() || !to.device())
    TANDEM_RETURN_IF_ERROR(checkNotCapturing("a copy from or to the host"));
  if (!from.device())
    return staging->toDevice(to.data(), from.data(), bytes);
  if (!to.device())
    return staging->toHost(to.data(), from.data(), bytes);
  return enqueue("copy", [&](const Driver &driver, StreamHandle stream) {
    return driver.memcpyDtoDAsync(addressOf(to), addressOf(from), bytes,
                                  stream);
  });
}

Expected<std::unique_ptr<Event>> CUDAStream::record() {
  TANDEM_RETURN_IF_ERROR(checkNotCapturing("an event"));
  TANDEM_ASSIGN_OR_RETURN(std::shared_ptr<const Epoch> epoch, clock.epoch());
  auto event = std::make_unique<CUDAEvent>(context, std::move(epoch), log);
  TANDEM_RETURN_IF_ERROR(event->event.record(stream));
  return event;
}

Status CUDAStream::wait(const Event &event) {
  TANDEM_RETURN_IF_ERROR(checkNotCapturing("an event"));
  TANDEM_RETURN_IF_ERROR(context.enter());
  return context.check(
      context.driver().streamWaitEvent(
          stream, static_cast<const CUDAEvent &>(event).event.handle, 0),
      "execute", "cuStreamWaitEvent");
}

Status CUDAStream::synchronize() {
  TANDEM_RETURN_IF_ERROR(checkNotCapturing("waiting for the stream"));
  TANDEM_RETURN_IF_ERROR(context.enter());
  const uint64_t position = log->position();
  const Result result = context.driver().streamSynchronize(stream);
  if (result != kSuccess)
    return context.check(result, "execute", "cuStreamSynchronize");
  log->finish(position);
  context.deferred().collect(/*waits=*/false);
  return {};
}

Status CUDAStream::enqueueKernel(std::string_view step,
                                 const KernelLaunch &launch,
                                 std::span<void *const> args) {
  ParameterBuffer buffer(args);
  TANDEM_RETURN_IF_ERROR(
      enqueue(step, [&](const Driver &driver, StreamHandle stream) {
        return driver.launchKernel(launch.function, launch.blocks, 1, 1,
                                   launch.threads.x(), launch.threads.y(),
                                   launch.threads.z(), 0, stream, nullptr,
                                   buffer.extra());
      }));
  return recording ? recording->addKernel(launch, stream) : Status();
}

//===----------------------------------------------------------------------===//
// Capturing
//===----------------------------------------------------------------------===//

Status CUDAStream::checkNotCapturing(std::string_view what) const {
  if (!recording) [[likely]]
    return {};
  return fail("execute", std::string(what) + " cannot be captured");
}

Expected<GraphHandle>
CUDAStream::record(const std::function<Status(Stream &)> &body) {
  TANDEM_RETURN_IF_ERROR(recording->begin(stream));
  Status status = body(*this);
  // Whatever the body says, the capture has to end.
  Expected<GraphHandle> graph = recording->end(stream);
  if (status)
    return graph;
  if (graph)
    context.driver().graphDestroy(*graph);
  return tl::unexpected(std::move(status.error()));
}

Expected<std::unique_ptr<CapturedWork>>
CUDAStream::capture(const std::function<Status(Stream &)> &body,
                    std::span<std::byte> workspace,
                    std::unique_ptr<CapturedWork> replaced) {
  if (!canCapture(context.driver()))
    return fail("execute", "the driver cannot capture work",
                "one of CUDA 12.3 or later can");
  if (waitsForSteps)
    return fail("execute", "TANDEM_CUDA_SYNC has every step waited for");
  // A stream of its own: other threads may enqueue on this one meanwhile.
  Recording notes(owner, context, workspace);
  TANDEM_ASSIGN_OR_RETURN(StreamHandle own, createHandle(context));
  CUDAStream recorder(owner, context, own, clock, &notes);
  TANDEM_ASSIGN_OR_RETURN(GraphHandle graph, recorder.record(body));
  auto *former = static_cast<CapturedGraph *>(replaced.get());
  if (former && former->update(graph)) {
    context.driver().graphDestroy(graph);
    return replaced;
  }
  TANDEM_ASSIGN_OR_RETURN(
      std::unique_ptr<CapturedWork> made,
      CapturedGraph::create(context, graph, std::move(notes.kernels),
                            "captured work (" + recorder.log->describe() +
                                ")"));
  return made;
}
