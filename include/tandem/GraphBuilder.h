//===- GraphBuilder.h - Building graphs without text ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   GraphBuilder b;
//   auto x = b.input({DType::f32, {kDynamic, 64}}, {"n", ""});
//   auto w = b.input({DType::f32, {64, 64}});
//   TANDEM_ASSIGN_OR_RETURN(auto graph, b.build(b.gelu(b.matmul({x, w}))));
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_GRAPHBUILDER_H
#define TANDEM_GRAPHBUILDER_H

#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/ShapeRules.h"
#include "tandem/Tandem.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

/// The tables of attributes (Op.fbs) under the names that the op table gives
/// them, each followed by a T.
namespace op_attrs {
using namespace fb;
/// For ops without attributes.
struct NONET {};
} // namespace op_attrs

/// Builds a graph op by op. The ops and their attributes are those of the
/// dialect (docs/generated/Dialect.md) and of the op table, from which the
/// functions below are made.
///
/// Every op is checked when it is added. The first error is kept: `status` and
/// `build` return it, and what is added to the values of a failed op is
/// ignored. Used by one thread at a time.
class GraphBuilder {
public:
  /// A value of the graph that is being built. Only the builder that made it
  /// takes it. That of a failed op has no type.
  class Value {
    friend class GraphBuilder;
    const GraphBuilder *builder = nullptr;
    size_t index = 0;
  };

  /// The operands of an op: `x` or `{x, y}`.
  class Operands {
  public:
    Operands(Value value) : values{value} {}
    Operands(std::initializer_list<Value> values) : values(values) {}
    Operands(std::vector<Value> values) : values(std::move(values)) {}

  private:
    friend class GraphBuilder;
    std::vector<Value> values;
  };

  /// `name` is the name of the graph's function.
  explicit GraphBuilder(std::string name = "main");
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder &) = delete;
  GraphBuilder &operator=(const GraphBuilder &) = delete;

  /// Adds the next input. Dims of the type may be kDynamic. `dimNames` is empty
  /// or has a name for each dim, "" for none; dims of one name have one size.
  Value input(const TensorType &type, std::vector<std::string> dimNames = {});
  /// Adds a constant. `tensor` is in the host's memory, and its elements must
  /// not change until the last call of `build`, which copies them.
  Value constant(Tensor tensor);
  /// Adds a constant whose elements are all `value`, rounded to the type, which
  /// is static. For i1, 0 is false.
  Value splat(const TensorType &type, double value);

  /// Adds an op of one result.
  Value op(OpDesc op, Operands operands);
  template <typename Attrs>
  Value op(OpKind kind, Operands operands, Attrs attributes) {
    return op(describe(kind, std::move(attributes)), std::move(operands));
  }
  /// Adds an op of any number of results: a custom_call. Empty where the op is
  /// wrong.
  std::vector<Value> results(OpDesc op, Operands operands);

  // One function per row of the op table:
  //   neg(x), add(x, y), softmax(x, {.axis = 1}),
  //   conv({x, w, bias}, {.strides = {1, 1}, ...}).
#define TANDEM_UNARY(kind, attrs, ...)                                         \
  Value kind(Value operand, op_attrs::attrs##T attributes = {}) {              \
    return op(OpKind::kind, operand, std::move(attributes));                   \
  }
#define TANDEM_BINARY(kind, attrs, ...)                                        \
  Value kind(Value lhs, Value rhs, op_attrs::attrs##T attributes = {}) {       \
    return op(OpKind::kind, {lhs, rhs}, std::move(attributes));                \
  }
#define TANDEM_ELEMENTWISE(kind, operands, attrs, ...)                         \
  TANDEM_OP(kind, elementwise, operands, operands, attrs)
#define TANDEM_OP(kind, family, least, most, attrs, ...)                       \
  Value kind(Operands operands, op_attrs::attrs##T attributes = {}) {          \
    return op(OpKind::kind, std::move(operands), std::move(attributes));       \
  }
#include "tandem/Support/Ops.def"

  /// The type of a value; that of a failed op has no meaning.
  TensorType type(Value value) const;

  /// Names the place that the ops added from now on come from, such as a
  /// layer. Errors and reports show it as the op's location. Empty, as at
  /// first, stands for the op's number and kind: "op 3 (conv)".
  void setLocation(std::string location);

  /// The first error, or success.
  Status status() const;

  /// Makes the graph that computes `outputs`. The builder may go on afterwards,
  /// and build again.
  Expected<std::unique_ptr<Graph>> build(Operands outputs) const;

  struct Impl;

private:
  template <typename Attrs> static OpDesc describe(OpKind kind, Attrs attrs) {
    OpDesc desc;
    desc.kind = kind;
    if constexpr (!std::is_same_v<Attrs, op_attrs::NONET>)
      desc.attrs.Set(std::move(attrs));
    return desc;
  }

  Value addValue(const TensorType &type);
  /// Keeps the error, with its location, if it is the first.
  Value refuse(Error error, std::string location);

  std::unique_ptr<Impl> impl;
};

} // namespace tandem

#endif // TANDEM_GRAPHBUILDER_H
