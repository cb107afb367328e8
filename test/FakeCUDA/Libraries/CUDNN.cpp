//===- CUDNN.cpp - The backend API of cuDNN, as far as it is used ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of cuDNN, under its names. Plans run on the fake driver's streams.
// Errors are those that the real ones return; what they forgive is reported.
//
//===----------------------------------------------------------------------===//

#include "Driver/Machine.h"
#include "Libraries/CUDNNNode.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

using namespace fake;
using namespace fake::cudnn;
using tandem::cuda::StreamHandle;

/// A handle.
struct cudnnContext {
  CUstream_st *stream = nullptr;
  std::atomic<int> users{0};
};

#pragma GCC visibility push(default)
extern "C" {
#define TANDEM_SYMBOL(member, symbol, result, parameters)                      \
  result symbol parameters;
#define TANDEM_OPTIONAL_SYMBOL TANDEM_SYMBOL
#include "tandem/Runtime/Libraries/CUDNN.def"
#undef TANDEM_SYMBOL
#undef TANDEM_OPTIONAL_SYMBOL
}

static Node &nodeOf(void *descriptor) {
  return **static_cast<std::shared_ptr<Node> *>(descriptor);
}

static Result wrong(Result result, const std::string &message) {
  report("cuDNN: " + message);
  return result;
}

namespace {

/// Something that is done with a handle, which no two threads may do at a time.
class HandleUse {
public:
  explicit HandleUse(cudnnContext *handle) : handle(handle) {
    if (handle && handle->users++ != 0)
      report("cuDNN: a handle is used by two threads at a time");
  }
  ~HandleUse() {
    if (handle)
      --handle->users;
  }

private:
  cudnnContext *const handle;
};

/// The handle that a descriptor is made for; null where there is none.
cudnnContext *handleOf(const Node &node) {
  for (int attribute : {Attribute::graphHandle, Attribute::planHandle})
    if (node.has(attribute))
      return node.get<cudnnContext *>(attribute);
  return nullptr;
}

} // namespace

//===----------------------------------------------------------------------===//
// The library and handles
//===----------------------------------------------------------------------===//

size_t cudnnGetVersion() { return 91900; }

const char *cudnnGetErrorString(Result status) {
  static const std::map<Result, const char *> names = {
      {kNotInitialized, "CUDNN_STATUS_NOT_INITIALIZED"},
      {kBadParam, "CUDNN_STATUS_BAD_PARAM"},
      {kNotFinalized, "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED"},
      {kNotSupported, "CUDNN_STATUS_NOT_SUPPORTED"},
      {kExecutionFailed, "CUDNN_STATUS_EXECUTION_FAILED"}};
  auto found = names.find(status);
  return found == names.end() ? "CUDNN_STATUS_OF_THE_FAKE" : found->second;
}

void cudnnGetLastErrorString(char *message, size_t bytes) {
  std::strncpy(message, "this is the fake cuDNN", bytes);
}

Result cudnnCreate(cudnnContext **handle) {
  if (Result result = injected(__func__))
    return result;
  *handle = new cudnnContext;
  return kSuccess;
}

Result cudnnDestroy(cudnnContext *handle) {
  delete handle;
  return kSuccess;
}

Result cudnnSetStream(cudnnContext *handle, CUstream_st *stream) {
  const HandleUse use(handle);
  handle->stream = stream;
  return injected(__func__);
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

static size_t bytesOf(int type) {
  switch (type) {
  case Type::boolean:
  case Type::character:
    return 1;
  case Type::int64:
  case Type::float64:
  case Type::pointer:
  case Type::handle:
  case Type::descriptor:
    return 8;
  default: // Enumerations, and float.
    return 4;
  }
}

Result cudnnBackendCreateDescriptor(int type, void **descriptor) {
  if (Result result = injected(__func__))
    return result;
  auto node = std::make_shared<Node>();
  node->kind = type;
  *descriptor = new std::shared_ptr<Node>(std::move(node));
  return kSuccess;
}

Result cudnnBackendDestroyDescriptor(void *descriptor) {
  delete static_cast<std::shared_ptr<Node> *>(descriptor);
  return kSuccess;
}

Result cudnnBackendSetAttribute(void *descriptor, int name, int type,
                                int64_t count, const void *elements) {
  if (Result result = injected(__func__))
    return result;
  Node &node = nodeOf(descriptor);
  if (node.isFinal)
    return wrong(kBadParam, "an attribute of a descriptor is set that is "
                            "finalised");
  const auto *bytes = static_cast<const char *>(elements);
  Value value{type, count, {bytes, bytes + size_t(count) * bytesOf(type)}, {}};
  if (type == Type::descriptor)
    for (int64_t i = 0; i < count; ++i) {
      auto *other = static_cast<std::shared_ptr<Node> *const *>(elements)[i];
      if (!(*other)->isFinal)
        return wrong(kNotFinalized, "a descriptor is used that is not "
                                    "finalised");
      value.nodes.push_back(*other);
    }
  node.values[name] = std::move(value);
  return kSuccess;
}

Result cudnnBackendFinalize(void *descriptor) {
  if (Result result = injected(__func__))
    return result;
  Node &node = nodeOf(descriptor);
  if (Result result = check(node))
    return result;
  const HandleUse use(handleOf(node));
  if (node.kind == Kind::plan) {
    // Long enough for another thread to be seen.
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    const Node &config = node.node(Attribute::planConfig);
    if (Result result =
            supports(engineOf(*config.graph, config.engine), *config.graph))
      return result;
  }
  if (node.kind == Kind::engine) {
    node.engine = node.get<int64_t>(Attribute::engineIndex);
    node.graph = node.values.at(Attribute::engineGraph).nodes[0];
  } else if (node.kind == Kind::engineConfig) {
    const Node &engine = node.node(Attribute::configEngine);
    node.engine = engine.engine;
    node.graph = engine.graph;
  }
  node.isFinal = true;
  return kSuccess;
}

/// Writes as many of `values` as there is room for.
template <typename T>
static Result give(const std::vector<T> &values, int64_t requested,
                   int64_t *count, void *elements) {
  *count = int64_t(values.size());
  for (int64_t i = 0; i < std::min(requested, *count); ++i)
    static_cast<T *>(elements)[i] = values[size_t(i)];
  return kSuccess;
}

/// Fills the descriptors that the caller has created.
static Result giveConfigs(const Node &heuristics, int64_t requested,
                          int64_t *count, void *elements) {
  const NodeRef graph =
      heuristics.values.at(Attribute::heuristicGraph).nodes[0];
  std::vector<Engine> engines = enginesFor(*graph);
  // The fallback has the slow ones alone.
  if (heuristics.get<int>(Attribute::heuristicMode) == HeuristicMode::fallback)
    engines = engines.size() > 1 ? std::vector{engines.back()} : engines;
  *count = int64_t(engines.size());
  for (int64_t i = 0; i < std::min(requested, *count); ++i) {
    Node &config = nodeOf(static_cast<void **>(elements)[i]);
    config.engine = engines[size_t(i)].index;
    config.graph = graph;
    config.isFinal = true;
  }
  return kSuccess;
}

/// Fills the descriptor that the caller has created, if there is room. As the
/// real one, does not say how many there are where there is none.
static Result giveKnobs(const Node &config, int64_t requested, int64_t *count,
                        void *elements) {
  *count = requested > 0 ? 1 : 0;
  if (requested == 0)
    return kSuccess;
  Node &knob = nodeOf(*static_cast<void **>(elements));
  knob.engine = config.engine;
  knob.isFinal = true;
  return kSuccess;
}

Result cudnnBackendGetAttribute(void *const descriptor, int name, int type,
                                int64_t requested, int64_t *count,
                                void *elements) {
  if (Result result = injected(__func__))
    return result;
  const Node &node = nodeOf(descriptor);
  if (!node.isFinal)
    return wrong(kNotFinalized, "an attribute of a descriptor is read that is "
                                "not finalised");
  switch (name) {
  case Attribute::heuristicResults:
    return giveConfigs(node, requested, count, elements);
  case Attribute::configEngine: {
    Node &engine = nodeOf(*static_cast<void **>(elements));
    engine.engine = node.engine;
    engine.graph = node.graph;
    engine.isFinal = true;
    *count = 1;
    return kSuccess;
  }
  case Attribute::configKnobs:
    return giveKnobs(node, requested, count, elements);
  case Attribute::knobType:
    return give(std::vector{kKnobType}, requested, count, elements);
  case Attribute::knobValue:
    return give(std::vector{knobOf(node.engine)}, requested, count, elements);
  case Attribute::engineIndex:
    return give(std::vector{node.engine}, requested, count, elements);
  case Attribute::engineNumericalNotes:
    return give(engineOf(*node.graph, node.engine).numerical, requested, count,
                elements);
  case Attribute::engineBehaviorNotes:
    return give(engineOf(*node.graph, node.engine).behavior, requested, count,
                elements);
  case Attribute::planWorkspaceSize: {
    const Node &config = node.node(Attribute::planConfig);
    return give(
        std::vector{engineOf(*config.graph, config.engine).workspaceBytes},
        requested, count, elements);
  }
  default:
    return wrong(kBadParam, "attribute " + std::to_string(name) +
                                " cannot be read, of type " +
                                std::to_string(type));
  }
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static size_t bytesOf(const Node &tensor) {
  const auto sizes = tensor.list(Attribute::tensorDims);
  const auto strides = tensor.list(Attribute::tensorStrides);
  int64_t last = 0;
  for (size_t i = 0; i < sizes.size(); ++i)
    last += (sizes[i] - 1) * strides[i];
  const auto dtype = elementType(tensor.get<int>(Attribute::tensorDataType));
  return size_t((last + 1) * tandem::byteWidth(dtype));
}

static bool isOnDevice(void *pointer, size_t bytes) {
  return machine().withMemory([&](Memory &memory, Clock &) {
    return memory.isOnDevice(pointer, bytes);
  });
}

/// Checks the pointers of a pack against the tensors, and gathers them.
static Result gather(const std::vector<NodeRef> &tensors, const Node &pack,
                     Execution &execution, std::vector<Use> &uses) {
  const auto ids = pack.list(Attribute::packIds);
  const auto pointers = pack.list(Attribute::packPointers);
  for (size_t i = 0; i < ids.size(); ++i)
    execution.pointers[ids[i]] = reinterpret_cast<char *>(pointers[i]);
  if (execution.pointers.size() != tensors.size())
    return wrong(kBadParam, "not as many pointers are given as there are "
                            "tensors");
  for (const NodeRef &tensor : tensors) {
    auto found =
        execution.pointers.find(tensor->get<int64_t>(Attribute::tensorId));
    if (found == execution.pointers.end())
      return wrong(kBadParam, "a tensor has no pointer");
    const auto alignment = tensor->get<int64_t>(Attribute::tensorAlignment);
    if (reinterpret_cast<uintptr_t>(found->second) % uintptr_t(alignment) != 0)
      return wrong(kBadParam, "a pointer is not aligned as its tensor says");
    if (!isOnDevice(found->second, bytesOf(*tensor)))
      return wrong(kBadParam, "a tensor is not within memory of the device");
    uses.push_back({found->second, tensor == tensors.back()});
  }
  return kSuccess;
}

Result cudnnBackendExecute(cudnnContext *handle, void *plan,
                           void *variantPack) {
  if (Result result = injected(__func__))
    return result;
  const HandleUse use(handle);
  const Node &pack = nodeOf(variantPack);
  if (!nodeOf(plan).isFinal || !pack.isFinal)
    return wrong(kNotFinalized, "what is executed is not finalised");
  if (!handle->stream)
    return wrong(kBadParam, "a handle has no stream");
  const Node &config = nodeOf(plan).node(Attribute::planConfig);
  Execution execution{engineOf(*config.graph, config.engine), config.graph, {}};
  std::vector<Use> uses;
  if (Result result = gather(interfaceOf(*config.graph), pack, execution, uses))
    return result;
  const auto bytes = size_t(execution.engine.workspaceBytes);
  auto *workspace =
      reinterpret_cast<void *>(pack.list(Attribute::packWorkspace)[0]);
  if (bytes > 0) {
    if (!isOnDevice(workspace, bytes))
      return wrong(kTooSmall, "the workspace is smaller than the plan's");
    uses.push_back({workspace, true});
  }
  return machine().enqueue(
      handle->stream,
      {"cudnnBackendExecute",
       [execution = std::move(execution), workspace, bytes]() -> Result {
         if (Result result = injected("kernel"))
           return result;
         if (bytes > 0)
           std::memset(workspace, 0xcb, bytes);
         execution.run();
         return kSuccess;
       },
       std::move(uses),
       nullptr,
       nullptr,
       {}});
}
