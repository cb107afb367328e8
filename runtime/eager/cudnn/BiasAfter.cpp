//===- BiasAfter.cpp - Adding a bias after a convolution ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BiasAfter.h"

#include "../Scratch.h"

#include <algorithm>

using namespace tandem;

namespace {

class BiasAfter final : public PreparedOp {
public:
  BiasAfter(std::unique_ptr<PreparedOp> conv, std::unique_ptr<PreparedOp> add,
            TensorType type, TensorType bias)
      : conv(std::move(conv)), add(std::move(add)), type(std::move(type)),
        bias(std::move(bias)) {}

  int64_t workspaceBytes() const override {
    return alignedBytes(type.bytes()) +
           std::max(conv->workspaceBytes(), add->workspaceBytes());
  }

  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    eager::Scratch scratch(context);
    Tensor sum = scratch.take(type, results[0].device());
    const StepContext left = scratch.left();
    TANDEM_RETURN_IF_ERROR(conv->run(left, operands.first(2), {&sum, 1}));
    const Tensor addends[] = {sum, Tensor::borrow(bias, operands[2].as<char>(),
                                                  operands[2].device())};
    return add->run(left, addends, results);
  }

private:
  const std::unique_ptr<PreparedOp> conv, add;
  /// The types of the result, and of the bias with a dim for each dim that
  /// follows the channels.
  const TensorType type, bias;
};

} // namespace

std::unique_ptr<PreparedOp>
cudnn::addBiasAfter(std::unique_ptr<PreparedOp> conv,
                    const OpSignature &signature, ProviderList providers) {
  const TensorType &type = signature.result();
  const std::string &layout = signature.op.attrs.AsConvAttrs()->output_layout;
  TensorType bias = signature.operands[2];
  for (size_t i = layout.find('C') + 1; i < layout.size(); ++i)
    bias.shape.push_back(1);
  OpDesc op;
  op.kind = OpKind::add;
  const TensorType addends[] = {type, bias};
  auto add = prepareOp(providers, {op, addends, {&type, 1}});
  // Providers may also refuse an op by an Error.
  return add ? std::make_unique<BiasAfter>(std::move(conv), std::move(*add),
                                           type, std::move(bias))
             : nullptr;
}
