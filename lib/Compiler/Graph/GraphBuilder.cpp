//===- GraphBuilder.cpp - Building graphs without text --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/GraphBuilder.h"

#include "Graph/DefaultAttributes.h"
#include "Graph/GraphBuilderImpl.h"

#include <cmath>

namespace tandem {

GraphBuilder::GraphBuilder(std::string name) : impl(std::make_unique<Impl>()) {
  impl->name = std::move(name);
}
GraphBuilder::~GraphBuilder() = default;

Status GraphBuilder::status() const { return impl->status; }

Status GraphBuilder::takeStatus() { return std::exchange(impl->status, {}); }

void GraphBuilder::setLocation(std::string location) {
  impl->location = std::move(location);
}

TensorType GraphBuilder::type(Value value) const {
  return value.builder == this ? impl->types[value.index] : TensorType();
}

GraphBuilder::Value GraphBuilder::valueOf(size_t index) const {
  Value value;
  value.builder = this;
  value.index = index;
  return value;
}

std::vector<GraphBuilder::Value> GraphBuilder::valuesOf(size_t first,
                                                        size_t count) const {
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(valueOf(first + i));
  return values;
}

Expected<size_t> GraphBuilder::use(Value value, std::string_view what) const {
  if (value.builder != this)
    return fail("build", std::string(what) + " is no value of this builder");
  if (!impl->isVisible(value.index))
    return fail("build",
                std::string(what) +
                    " belongs to the body of a loop that has ended",
                "use the results of the loop");
  return value.index;
}

Expected<std::vector<size_t>>
GraphBuilder::use(const std::vector<Value> &values,
                  std::string_view what) const {
  std::vector<size_t> indices;
  for (Value value : values) {
    TANDEM_ASSIGN_OR_RETURN(indices.emplace_back(), use(value, what));
  }
  return indices;
}

size_t GraphBuilder::Impl::addValue(const TensorType &type) {
  types.push_back(type);
  owners.push_back(open.empty() ? 0 : open.back()->id);
  return types.size() - 1;
}

size_t GraphBuilder::Impl::addTo(std::vector<Node> &region, Kind kind,
                                 std::span<const TensorType> results) {
  const size_t first = types.size();
  region.push_back({std::move(kind), first});
  for (const TensorType &type : results)
    addValue(type);
  return first;
}

size_t GraphBuilder::Impl::add(Kind kind, std::span<const TensorType> results) {
  return addTo(open.empty() ? nodes : open.back()->body, std::move(kind),
               results);
}

std::string GraphBuilder::Impl::nextLocation(std::string_view kind) {
  const size_t number = numOps++;
  return location.empty()
             ? "op " + std::to_string(number) + " (" + std::string(kind) + ")"
             : location;
}

GraphBuilder::Value GraphBuilder::refuse(Error error, std::string location) {
  if (impl->status) {
    error.location = std::move(location);
    impl->status = tl::unexpected(std::move(error));
  }
  return {};
}

GraphBuilder::Value GraphBuilder::refuse(Error error) {
  return refuse(std::move(error), impl->location);
}

//===----------------------------------------------------------------------===//
// Inputs and constants
//===----------------------------------------------------------------------===//

Status checkDims(const TensorType &type) {
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
  if (!impl->open.empty())
    return refuse({"an input cannot be added in the body of a loop",
                   "build",
                   {},
                   "add it before the loop"},
                  std::move(location));
  if (Status checked = checkDims(type); !checked)
    return refuse(std::move(checked.error()), std::move(location));
  if (!dimNames.empty() && int(dimNames.size()) != type.shape.rank())
    return refuse({std::to_string(dimNames.size()) + " names for the dims of " +
                       type.str(),
                   "build",
                   {},
                   {}},
                  std::move(location));
  return valueOf(
      impl->add(Impl::Input{type, std::move(dimNames), std::move(name)}, type));
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
  return valueOf(impl->add(std::move(tensor), type));
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
  return valueOf(impl->add(
      Impl::Splat{type, type.dtype == DType::i1 ? value != 0 : value}, type));
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
  return inferTypes(op, operands);
}

std::vector<GraphBuilder::Value>
GraphBuilder::results(OpDesc op, Operands operands,
                      std::vector<SizeExpressions> sizes) {
  std::string location = impl->nextLocation(name(op.kind));
  Expected<std::vector<size_t>> indices = use(operands.values, "an operand");
  if (!indices) {
    refuse(std::move(indices.error()), std::move(location));
    return {};
  }
  std::vector<TensorType> types;
  for (size_t index : *indices)
    types.push_back(impl->types[index]);
  fillDefaults(op, types);
  Expected<std::vector<TensorType>> inferred = resultTypes(op, types);
  if (!inferred) {
    refuse(std::move(inferred.error()), std::move(location));
    return {};
  }
  const size_t result =
      impl->add(Impl::Op{std::move(op), std::move(*indices),
                         std::move(location), std::move(sizes)},
                *inferred);
  return valuesOf(result, inferred->size());
}

std::vector<GraphBuilder::Value> GraphBuilder::results(OpDesc op,
                                                       Operands operands) {
  return results(std::move(op), std::move(operands), {});
}

GraphBuilder::Value GraphBuilder::op(OpDesc op, Operands operands) {
  return this->op(std::move(op), std::move(operands), {});
}

GraphBuilder::Value GraphBuilder::op(OpDesc op, Operands operands,
                                     std::vector<SizeExpressions> sizes) {
  const std::string kind(name(op.kind));
  std::vector<Value> values =
      results(std::move(op), std::move(operands), std::move(sizes));
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
  if (!impl->open.empty())
    return tl::unexpected(Error{"the body of a loop has not ended", "build",
                                impl->open.back()->location, ""});
  TANDEM_ASSIGN_OR_RETURN(std::vector<size_t> indices,
                          use(outputs.values, "an output"));
  return Graph::make(impl->emit(indices, std::move(names)));
}

} // namespace tandem
