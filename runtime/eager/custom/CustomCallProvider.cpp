//===- CustomCallProvider.cpp - Runs registered functions -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomCallProvider.h"

#include "tandem/Runtime/CustomCall.h"

using namespace tandem;

namespace {
class CustomCallOp final : public PreparedOp {
public:
  CustomCallOp(std::shared_ptr<const CustomCall> call, bool isReference,
               const fb::CustomCallAttrsT &attrs)
      : call(std::move(call)),
        function(isReference && this->call->reference ? this->call->reference
                                                      : this->call->run),
        target(attrs.target), config(attrs.config) {}

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    Status status = function({config, operands, results, context.stream});
    if (!status) {
      Error &error = status.error();
      error.message = "custom_call \"" + target + "\": " + error.message;
    }
    return status;
  }

private:
  std::shared_ptr<const CustomCall> call;
  const CustomCall::Run &function;
  std::string target, config;
};

struct CustomCallReferences final : Provider {
  std::string_view name() const override { return "references"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override;
};
} // namespace

static Expected<std::unique_ptr<PreparedOp>>
prepareCall(const OpSignature &signature, const Device &device,
            bool isReference) {
  const fb::CustomCallAttrsT *attrs = signature.op.attrs.AsCustomCallAttrs();
  if (!attrs)
    return nullptr;
  if (std::shared_ptr<const CustomCall> call =
          findCustomCall(attrs->target, device))
    return std::make_unique<CustomCallOp>(std::move(call), isReference, *attrs);
  return fail("execute",
              "custom_call \"" + attrs->target + "\" is not registered for " +
                  std::string(device.name()),
              "registerCustomCall registers a function; the tools' "
              "--custom-calls loads a library that does");
}

Expected<std::unique_ptr<PreparedOp>>
CustomCallProvider::prepare(const OpSignature &signature) const {
  return prepareCall(signature, device, false);
}

Expected<std::unique_ptr<PreparedOp>>
CustomCallReferences::prepare(const OpSignature &signature) const {
  return prepareCall(signature, hostDevice(), true);
}

const Provider &tandem::customCallReferences() {
  static const CustomCallReferences provider;
  return provider;
}
