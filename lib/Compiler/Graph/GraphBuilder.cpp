//===- GraphBuilder.cpp - Building graphs without text --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/GraphBuilder.h"

#include "Graph/GraphBuilderImpl.h"

#include <cmath>

namespace tandem {

GraphBuilder::GraphBuilder(std::string name) : impl(std::make_unique<Impl>()) {
  impl->name = std::move(name);
}
GraphBuilder::~GraphBuilder() = default;

Status GraphBuilder::status() const { return impl->status; }

void GraphBuilder::setLocation(std::string location) {
  impl->location = std::move(location);
}

TensorType GraphBuilder::type(Value value) const {
  return value.builder == this ? impl->types[value.index] : TensorType();
}

GraphBuilder::Value GraphBuilder::addValue(const TensorType &type) {
  Value value;
  value.builder = this;
  value.index = impl->types.size();
  impl->types.push_back(type);
  return value;
}

GraphBuilder::Value GraphBuilder::refuse(Error error, std::string location) {
  if (impl->status) {
    error.location = std::move(location);
    impl->status = tl::unexpected(std::move(error));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Inputs and constants
//===----------------------------------------------------------------------===//

/// Dynamic dims aside, whether a type has a size.
static Status checkDims(const TensorType &type) {
  TensorType known = type;
  for (int i = 0; i < known.shape.rank(); ++i)
    if (known.shape[i] == kDynamic)
      known.shape[i] = 1;
  TANDEM_RETURN_IF_ERROR(checkedBytes(known));
  return {};
}

GraphBuilder::Value GraphBuilder::input(const TensorType &type,
                                        std::vector<std::string> dimNames,
                                        std::string name) {
  std::string location = "input " + std::to_string(impl->numInputs++);
  if (Status checked = checkDims(type); !checked)
    return refuse(std::move(checked.error()), std::move(location));
  if (!dimNames.empty() && int(dimNames.size()) != type.shape.rank())
    return refuse({std::to_string(dimNames.size()) + " names for the dims of " +
                       type.str(),
                   "build",
                   {},
                   {}},
                  std::move(location));
  impl->nodes.emplace_back(
      Impl::Input{type, std::move(dimNames), std::move(name)});
  return addValue(type);
}

GraphBuilder::Value GraphBuilder::constant(Tensor tensor) {
  if (!tensor || tensor.device())
    return refuse({tensor ? "the tensor is not in the host's memory"
                          : "the tensor is empty",
                   "build",
                   {},
                   {}},
                  "constant");
  const TensorType type = tensor.type();
  impl->nodes.emplace_back(std::move(tensor));
  return addValue(type);
}

/// Whether elements of a type can have a value, but for rounding.
static bool isRepresentable(DType dtype, double value) {
  if (!isInteger(dtype))
    return true;
  const double half = std::ldexp(1.0, int(8 * byteWidth(dtype)) - 1);
  const double least = isUnsigned(dtype) ? 0 : -half;
  return value == std::trunc(value) && value >= least &&
         value < least + 2 * half;
}

GraphBuilder::Value GraphBuilder::splat(const TensorType &type, double value) {
  if (Expected<int64_t> bytes = checkedBytes(type); !bytes)
    return refuse(std::move(bytes.error()), "constant");
  if (!isRepresentable(type.dtype, value))
    return refuse({std::to_string(value) + " is no value of " + type.str(),
                   "build",
                   {},
                   {}},
                  "constant");
  impl->nodes.emplace_back(
      Impl::Splat{type, type.dtype == DType::i1 ? value != 0 : value});
  return addValue(type);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The declared types of a custom_call's results.
static Expected<std::vector<TensorType>>
declaredTypes(const fb::CustomCallAttrsT &attrs) {
  std::vector<TensorType> types;
  for (const auto &type : attrs.results) {
    if (!type || type->dims.size() > kMaxRank)
      return fail("shape", "custom_call: a result without a type, or with one "
                           "of too high a rank");
    types.push_back(fromFlat(*type));
    TANDEM_RETURN_IF_ERROR(checkDims(types.back()));
  }
  if (types.empty() || attrs.target.empty())
    return fail("shape", types.empty()
                             ? "custom_call C2: there must be at least one "
                               "result"
                             : "custom_call C1: the target must not be empty");
  return types;
}

/// The types of an op's results.
static Expected<std::vector<TensorType>>
resultTypes(const OpDesc &op, std::span<const TensorType> operands) {
  if (op.kind == OpKind::custom_call)
    if (const fb::CustomCallAttrsT *attrs = op.attrs.AsCustomCallAttrs())
      return declaredTypes(*attrs);
  if (op.kind <= OpKind::MAX && op.attrs.type != getOpInfo(op.kind).attrs)
    return fail("shape", std::string(name(op.kind)) +
                             " has attributes of another op: " +
                             fb::EnumNameOpAttrs(op.attrs.type) + ", not " +
                             fb::EnumNameOpAttrs(getOpInfo(op.kind).attrs));
  TANDEM_ASSIGN_OR_RETURN(TensorType type, inferType(op, operands));
  return std::vector{type};
}

std::vector<GraphBuilder::Value> GraphBuilder::results(OpDesc op,
                                                       Operands operands) {
  const size_t number = impl->numOps++;
  std::string location = impl->location;
  if (location.empty())
    location = "op " + std::to_string(number) + " (" +
               std::string(name(op.kind)) + ")";
  Impl::Op node{std::move(op), {}, location};
  std::vector<TensorType> types;
  for (Value value : operands.values) {
    if (value.builder != this) {
      refuse({"an operand is no value of this builder", "build", {}, {}},
             std::move(location));
      return {};
    }
    node.operands.push_back(value.index);
    types.push_back(impl->types[value.index]);
  }
  Expected<std::vector<TensorType>> inferred = resultTypes(node.desc, types);
  if (!inferred) {
    refuse(std::move(inferred.error()), std::move(location));
    return {};
  }
  impl->nodes.emplace_back(std::move(node));
  std::vector<Value> values;
  for (const TensorType &type : *inferred)
    values.push_back(addValue(type));
  return values;
}

GraphBuilder::Value GraphBuilder::op(OpDesc op, Operands operands) {
  const std::string kind(name(op.kind));
  std::vector<Value> values = results(std::move(op), std::move(operands));
  if (values.size() > 1)
    return refuse({kind + " has " + std::to_string(values.size()) + " results",
                   "build",
                   {},
                   "add it by `results`"},
                  kind);
  return values.empty() ? Value() : values.front();
}

Expected<std::unique_ptr<Graph>>
GraphBuilder::build(Operands outputs, std::vector<std::string> names) const {
  TANDEM_RETURN_IF_ERROR(status());
  if (!names.empty() && names.size() != outputs.values.size())
    return fail("build", std::to_string(names.size()) + " names for " +
                             std::to_string(outputs.values.size()) +
                             " outputs");
  std::vector<size_t> indices;
  for (Value value : outputs.values) {
    if (value.builder != this)
      return fail("build", "an output is no value of this builder");
    indices.push_back(value.index);
  }
  return Graph::make(impl->emit(indices, std::move(names)));
}

} // namespace tandem
