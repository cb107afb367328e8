//===- GraphBuilderCalls.cpp - Adding the ops of another graph ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/GraphBuilderImpl.h"
#include "Graph/GraphImpl.h"

namespace tandem {

/// The types of the slots `slots`. Fails if a dim is dynamic.
static Expected<std::vector<TensorType>>
staticTypes(const Program &program, const std::vector<uint32_t> &slots) {
  std::vector<TensorType> types;
  for (uint32_t slot : slots) {
    types.push_back(fromFlat(*program.slots[slot]->type));
    if (!types.back().isStatic())
      return fail("build",
                  "the graph that is called has a value of type " +
                      types.back().str(),
                  "all types must be static");
  }
  return types;
}

static Status checkOperands(std::span<const TensorType> operands,
                            std::span<const TensorType> inputs) {
  if (operands.size() != inputs.size())
    return fail("build", std::to_string(operands.size()) +
                             " operands for the " +
                             std::to_string(inputs.size()) +
                             " inputs of the graph that is called");
  for (size_t i = 0; i < inputs.size(); ++i)
    if (operands[i] != inputs[i])
      return fail("build", "operand " + std::to_string(i) + " is " +
                               operands[i].str() + ", but the input is " +
                               inputs[i].str());
  return {};
}

std::vector<GraphBuilder::Value>
GraphBuilder::call(const Graph &graph, const std::vector<Value> &operands) {
  std::string location = impl->nextLocation("call");
  const auto add = [&]() -> Expected<std::vector<Value>> {
    if (!impl->open.empty())
      return fail("build", "a graph cannot be called in the body of a loop");
    std::shared_ptr<const SerializedGraph> source = graph.impl->source;
    const Program &program = *source->eager;
    TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> inputs,
                            staticTypes(program, program.inputs));
    TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> outputs,
                            staticTypes(program, program.outputs));
    TANDEM_ASSIGN_OR_RETURN(std::vector<size_t> indices,
                            use(operands, "an operand"));
    std::vector<TensorType> types;
    for (size_t index : indices)
      types.push_back(impl->types[index]);
    TANDEM_RETURN_IF_ERROR(checkOperands(types, inputs));
    return valuesOf(
        impl->add(Impl::Call{std::move(source), std::move(indices), location},
                  outputs),
        outputs.size());
  };
  Expected<std::vector<Value>> values = add();
  if (!values) {
    refuse(std::move(values.error()), std::move(location));
    return std::vector<Value>(graph.eagerProgram()->outputs.size());
  }
  return std::move(*values);
}

} // namespace tandem
