//===- CopyProvider.cpp - Op steps that a GPU's copies execute ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyProvider.h"

using namespace tandem;
using namespace tandem::cuda;

namespace {

class Copy final : public PreparedOp {
public:
  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    return context.stream.copy(operands[0], results[0]);
  }
};

class CopyProvider final : public Provider {
public:
  std::string_view name() const override { return "cuda"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    if (signature.op.kind == OpKind::reshape)
      return std::make_unique<Copy>();
    return fail("execute",
                std::string(tandem::name(signature.op.kind)) +
                    " is not part of a kernel, and nothing else executes it "
                    "on a GPU yet",
                "--device=cpu runs every op");
  }
};

} // namespace

const Provider &cuda::copyProvider() {
  static const CopyProvider provider;
  return provider;
}
