//===- CustomCalls.cpp - Functions that graphs call -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "tandem/Support/Strides.h"

#include "tandem/Runtime/CustomCall.h"

#include <array>

using namespace tandem;
using namespace tandem::capi;

namespace {

/// A registration, with copies of its strings.
struct Registered {
  TandemCustomCall call;
  std::string target, device;
};

/// Descriptions of tensors, which live as long as this and what it was made of.
class Descriptions {
public:
  explicit Descriptions(size_t number) {
    strides.reserve(number);
    descs.reserve(number);
  }

  /// `data` is null where there is no tensor of the type yet.
  void add(const TensorType &type, void *data, const char *device) {
    TandemTensorDesc &desc = descs.emplace_back();
    desc.structSize = sizeof desc;
    desc.data = data;
    desc.dtype = int(type.dtype);
    desc.rank = type.shape.rank();
    desc.shape = type.shape.begin();
    if (type.isStatic())
      desc.strides = strides.emplace_back(rowMajorStrides(type.shape)).data();
    desc.device = device;
  }

  const TandemTensorDesc *data() const { return descs.data(); }
  size_t size() const { return descs.size(); }

private:
  std::vector<Strides> strides;
  std::vector<TandemTensorDesc> descs;
};

template <typename Tensors>
Descriptions describe(const Tensors &tensors, const char *device) {
  Descriptions result(tensors.size());
  for (const Tensor &tensor : tensors)
    result.add(tensor.type(), tensor.data(), device);
  return result;
}

Descriptions describe(std::span<const TensorType> types, const char *device) {
  Descriptions result(types.size());
  for (const TensorType &type : types)
    result.add(type, nullptr, device);
  return result;
}

/// Calls `function` with the arguments, and makes an Error of its message where
/// it fails.
template <typename Function>
Status callC(const Registered &registered, std::string_view config,
             const Descriptions &operands, const Descriptions &results,
             void *stream, Function function) {
  const std::string text(config);
  std::array<char, 512> message{};
  TandemCustomCallArgs args{};
  args.structSize = sizeof args;
  args.config = text.c_str();
  args.numOperands = operands.size();
  args.operands = operands.data();
  args.numResults = results.size();
  args.results = results.data();
  args.stream = stream;
  args.context = registered.call.context;
  args.message = message.data();
  args.messageSize = message.size();
  if (function(&args) == 0)
    return {};
  message.back() = '\0';
  return fail("execute", message.front() ? message.data()
                                         : "its function failed and did not "
                                           "say why");
}

CustomCall::Run wrap(std::shared_ptr<const Registered> registered,
                     TandemCustomFunction function) {
  if (!function)
    return {};
  return [registered, function](const CustomCallArgs &args) {
    const char *device = registered->call.device;
    return callC(*registered, args.config, describe(args.operands, device),
                 describe(args.results, device), args.stream.handle(),
                 function);
  };
}

CustomCall::InferTypes
wrapShapes(std::shared_ptr<const Registered> registered) {
  if (!registered->call.inferShapes)
    return {};
  return [registered](std::string_view config,
                      std::span<const TensorType> operands,
                      std::span<const TensorType> written)
             -> Expected<std::vector<TensorType>> {
    std::vector<TensorType> types(written.begin(), written.end());
    std::vector<int64_t *> shapes;
    for (TensorType &type : types)
      shapes.push_back(&type.shape[0]);
    const char *device = registered->call.device;
    TANDEM_RETURN_IF_ERROR(
        callC(*registered, config, describe(operands, device),
              describe(written, device), nullptr, [&](const auto *args) {
                return registered->call.inferShapes(args, shapes.data());
              }));
    return types;
  };
}

Status add(const TandemCustomCall &given) {
  auto registered = std::make_shared<Registered>();
  registered->call = given;
  registered->target = textOf(given.target);
  Device *device = &hostDevice();
  if (given.device) {
    registered->device = given.device;
    registered->call.device = registered->device.c_str();
    TANDEM_ASSIGN_OR_RETURN(device, findDevice(registered->device));
  }
  CustomCall call{wrap(registered, given.run),
                  wrap(registered, given.reference), given.relativeError,
                  wrapShapes(registered)};
  return registerCustomCall(registered->target, std::move(call), *device);
}

} // namespace

TandemError *tandemCustomCallRegister(const TandemCustomCall *call) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(call, "call"));
    TANDEM_ASSIGN_OR_RETURN(TandemCustomCall known, readStruct(call, "call"));
    TANDEM_RETURN_IF_ERROR(checkArgument(known.target, "call->target"));
    TANDEM_RETURN_IF_ERROR(
        checkArgument(reinterpret_cast<const void *>(known.run), "call->run"));
    return add(known);
  });
}
