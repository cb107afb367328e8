//===- GraphBuilder.h - Building graphs without text ------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GraphBuilder builds a graph through C++ calls, without MLIR text. Example:
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
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

/// The attribute structs of Op.fbs. The name of each struct is the name in the
/// `attrs` column of the op table, followed by a T.
namespace op_attrs {
using namespace fb;
/// The attributes of an op that has none.
struct NONET {};
} // namespace op_attrs

/// Builds a graph op by op. The class has one member function for each op of
/// the op table in Ops.def, with the operands and attributes that
/// docs/generated/Dialect.md describes.
///
/// Every op is verified when it is added. The builder keeps the first error,
/// and `status` and `build` return that error. An op that uses the result of a
/// failed op is ignored. Only one thread may use a builder at a time.
class GraphBuilder {
public:
  /// An input, a constant or the result of an op in the graph that is being
  /// built. A Value may only be passed to the builder that created it. The
  /// result of a failed op has no type.
  class Value {
    friend class GraphBuilder;
    const GraphBuilder *builder = nullptr;
    size_t index = 0;
  };

  /// The two results of an op that selects elements. For topk and sort, they
  /// are the elements and their indices along the axis. For
  /// max_pool_with_index, they are the elements and their places in the
  /// windows.
  struct ValuesAndIndices {
    Value values, indices;
  };
  /// The results of moments.
  struct MeanAndVariance {
    Value mean, variance;
  };
  /// The results of layer_norm. `mean` and `inverseDeviation` have one element
  /// for each line that is normalized: its mean, and one over its standard
  /// deviation.
  struct LayerNorm {
    Value result, mean, inverseDeviation;
  };
  /// The results of layer_norm_backward: the gradients of the operands of a
  /// layer_norm.
  struct LayerNormGradients {
    Value input, scale, offset;
  };
  template <Results form>
  using ResultsOf = std::conditional_t<
      form == Results::withIndices || form == Results::withTaps,
      ValuesAndIndices,
      std::conditional_t<
          form == Results::pair, MeanAndVariance,
          std::conditional_t<form == Results::withStatistics, LayerNorm,
                             std::conditional_t<form == Results::gradients,
                                                LayerNormGradients, Value>>>>;

  /// The operands of an op, written as `x` or `{x, y}`.
  class Operands {
  public:
    Operands(Value value) : values{value} {}
    Operands(std::initializer_list<Value> values) : values(values) {}
    Operands(std::vector<Value> values) : values(std::move(values)) {}

  private:
    friend class GraphBuilder;
    std::vector<Value> values;
  };

  /// Creates a builder of an empty graph. `name` is the name of the graph's
  /// function.
  explicit GraphBuilder(std::string name = "main");
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder &) = delete;
  GraphBuilder &operator=(const GraphBuilder &) = delete;

  /// Adds the next input. Dims of the type may be kDynamic. `dimNames` is
  /// either empty or has one entry per dim; use "" for an unnamed dim. Dims
  /// with the same name must have the same size in every call. `name` is the
  /// name of the input in Graph::inputNames; either all inputs have names or
  /// none.
  Value input(const TensorType &type, std::vector<std::string> dimNames = {},
              std::string name = "");
  /// Adds a constant. `tensor` must be in host memory. If the tensor has an
  /// owner (Tensor::owner), the graph shares its memory, which must then never
  /// change. Otherwise `build` copies the elements, so they must not change
  /// until the last call of `build`.
  Value constant(Tensor tensor);
  /// Adds a constant of the static type `type` whose elements are all equal to
  /// `value`. For a float type, `value` is rounded to that type. For an integer
  /// type, `value` must be an integer in the type's range. For i1, 0 is false
  /// and any other value is true.
  Value splat(const TensorType &type, double value);

  /// Adds an op with one result. Attributes of convolutions and pooling ops
  /// that are empty have defaults: strides and dilations are 1, pads are 0, and
  /// the layouts have the channels first, as "NCHW" and "OIHW".
  Value op(OpDesc op, Operands operands);
  /// An attribute whose entries depend on the sizes of inputs.
  struct SizeExpressions {
    /// The name of the attribute: "shape" (reshape, broadcast, random),
    /// "starts" and "limits" (slice), "low" and "high" (pad), or "result" (the
    /// shape of the type of an iota).
    std::string attribute;
    /// One expression for each entry, separated by commas, such as "n, (length
    /// + 1) floordiv 2, 64". The expression of a static entry is the entry
    /// itself. Expressions consist of integers and names of dims of inputs,
    /// combined by `+`, `-`, `*`, `floordiv`, `ceildiv` and `mod`. A name must
    /// be an identifier, and a divisor must be positive. `build` checks the
    /// expressions.
    std::string expressions;
  };
  /// Adds an op whose attributes have entries that depend on the sizes of
  /// inputs. In `op`, each such entry is kDynamic. `sizes` has one
  /// SizeExpressions for each attribute with such an entry. Not allowed in the
  /// body of a loop.
  Value op(OpDesc op, Operands operands, std::vector<SizeExpressions> sizes);
  /// Adds an op with one result, given the op's kind and attributes.
  template <typename Attrs>
  Value op(OpKind kind, Operands operands, Attrs attributes) {
    return op(describe(kind, std::move(attributes)), std::move(operands));
  }
  /// Adds an op with any number of results. Returns one Value per result, or an
  /// empty vector if the op is invalid.
  std::vector<Value> results(OpDesc op, Operands operands);
  std::vector<Value> results(OpDesc op, Operands operands,
                             std::vector<SizeExpressions> sizes);

  // One function per row of the op table:
  //   neg(x), add(x, y), softmax(x, {.axis = 1}),
  //   conv({x, w, bias}, {.strides = {1, 1}, ...}),
  //   auto [values, indices] = topk(x, {.axis = 1, .k = 5}).
#define TANDEM_UNARY(kind, attrs, ...)                                         \
  Value kind(Value operand, op_attrs::attrs##T attributes = {}) {              \
    return op(OpKind::kind, operand, std::move(attributes));                   \
  }
#define TANDEM_BINARY(kind, attrs, ...)                                        \
  Value kind(Value lhs, Value rhs, op_attrs::attrs##T attributes = {}) {       \
    return op(OpKind::kind, {lhs, rhs}, std::move(attributes));                \
  }
#define TANDEM_ELEMENTWISE(kind, operands, attrs, ...)                         \
  TANDEM_OP(kind, elementwise, operands, operands, attrs, , one)
#define TANDEM_OP(kind, family, least, most, attrs, rule, results, ...)        \
  ResultsOf<Results::results> kind(Operands operands,                          \
                                   op_attrs::attrs##T attributes = {}) {       \
    return add<Results::results>(                                              \
        describe(OpKind::kind, std::move(attributes)), std::move(operands));   \
  }
#include "tandem/Support/Ops.def"

  /// The operands of a loop.
  struct LoopOperands {
    /// The initial carried values. Every later iteration is given the carried
    /// values that the previous iteration computed.
    std::vector<Value> carried = {};
    /// Tensors whose dims 0 have the same size. Iteration i is given element i
    /// of each tensor along dim 0, which has one dim fewer.
    std::vector<Value> scanned = {};
    /// The number of iterations. Required if `scanned` is empty, otherwise not
    /// allowed.
    std::optional<int64_t> trips = std::nullopt;
    /// One flag for each scanned tensor: true if the iterations are given its
    /// slices from the last one to the first one. Empty if all flags are false.
    std::vector<bool> reversed = {};
  };
  /// The values that one iteration is given.
  struct LoopBody {
    /// The carried values and the slices, in the order of the operands.
    std::vector<Value> carried, slices;
    /// The number of the iteration, an i64 scalar that starts at 0.
    Value index;
  };
  /// The values that one iteration computes.
  struct LoopYield {
    /// The next carried values, with the types of the loop's operands.
    std::vector<Value> carried = {};
    /// One slice of each stacked result.
    std::vector<Value> stacked = {};
    /// One flag for each stacked result: true if the iterations compute its
    /// slices from the last one to the first one. Empty if all flags are false.
    std::vector<bool> reversed = {};
  };
  /// The results of a loop: the carried values after the last iteration, and
  /// for each stacked result the slices of all iterations along a new dim 0.
  struct LoopResults {
    std::vector<Value> carried, stacked;
  };

  /// Adds a loop (`tandem.loop` in docs/generated/Dialect.md). `body` is called
  /// once. It takes a LoopBody, adds the ops of one iteration to this builder,
  /// and returns a LoopYield. These ops may use all values that were added
  /// before the loop. Example, a recurrent network over the rows of `xs`:
  ///
  ///   auto loop = b.loop({.carried = {h0}, .scanned = {xs}}, [&](auto &body) {
  ///     auto h = b.matmul({body.carried[0], w});
  ///     h = b.tanh(b.add(h, body.slices[0]));
  ///     return GraphBuilder::LoopYield{.carried = {h}, .stacked = {h}};
  ///   });
  ///   auto graph = b.build({loop.carried[0], loop.stacked[0]});
  ///
  /// Values that are added in the body may not be used after the loop. If an
  /// earlier op has failed, `body` is still called and the results have the
  /// usual number of values, so callers need no check before `build`.
  template <typename Body>
  LoopResults loop(LoopOperands operands, Body &&body) {
    struct Abandon {
      void operator()(GraphBuilder *builder) const { builder->abandonLoop(); }
    };
    const LoopBody given = beginLoop(std::move(operands));
    // Drops the open body if `body` throws an exception.
    std::unique_ptr<GraphBuilder, Abandon> open(this);
    LoopYield yielded = body(given);
    open.release();
    return endLoop(std::move(yielded));
  }

  /// Begins the body of a loop, for callers that cannot pass a function. Ops
  /// that are added before the matching endLoop or abandonLoop are part of the
  /// body.
  LoopBody beginLoop(LoopOperands operands);
  /// Ends the innermost open body, and adds the loop.
  LoopResults endLoop(LoopYield yielded);
  /// Drops the innermost open body, without adding a loop.
  void abandonLoop();

  /// Adds the ops of another graph, such as one with gradients
  /// (Graph::withGradient), and returns the values of its outputs. `operands`
  /// has one value for each input of the graph, with exactly its type. All
  /// types of inputs and outputs must be static. Updates of `graph`
  /// (Graph::withUpdates) are ignored. `graph` may be destroyed afterwards.
  /// After an error, the function returns one invalid value for each output. It
  /// must not be used in the body of a loop.
  std::vector<Value> call(const Graph &graph,
                          const std::vector<Value> &operands);

  /// Returns the type of a value. If `value` is the result of a failed op, the
  /// returned type is meaningless.
  TensorType type(Value value) const;

  /// Sets the location of all ops that are added from now on, e.g. the name of
  /// a layer. Errors and reports show the location. If the location is empty,
  /// as it is by default, errors and reports identify an op by its number and
  /// kind, e.g. "op 3 (conv)".
  void setLocation(std::string location);

  /// Records `error`, unless the builder already has an error. The location of
  /// the error is the current one (setLocation). Returns an invalid value.
  /// Functions that add several ops, such as crossEntropy, call this function
  /// if their operands are wrong.
  Value refuse(Error error);

  /// Returns the first error of the ops that were added, or success if there
  /// was no error.
  Status status() const;

  /// Returns `status` and forgets the error. A caller that handles each error
  /// when it occurs can then add further ops.
  Status takeStatus();

  /// Creates the graph that computes `outputs`. `names` is empty or has a name
  /// for each output (Graph::outputNames). Fails with the first error of the
  /// ops that were added. After this call, more ops can be added and `build`
  /// can be called again.
  Expected<std::unique_ptr<Graph>>
  build(Operands outputs, std::vector<std::string> names = {}) const;

  struct Impl;

private:
  template <typename Attrs> static OpDesc describe(OpKind kind, Attrs attrs) {
    OpDesc desc;
    desc.kind = kind;
    if constexpr (!std::is_same_v<Attrs, op_attrs::NONET>)
      desc.attrs.Set(std::move(attrs));
    return desc;
  }

  /// Adds an op with results of this form. A custom_call must have one result.
  template <Results form> ResultsOf<form> add(OpDesc desc, Operands operands) {
    if constexpr (std::is_same_v<ResultsOf<form>, Value>) {
      return op(std::move(desc), std::move(operands));
    } else {
      const std::vector<Value> all =
          results(std::move(desc), std::move(operands));
      if (all.empty())
        return {};
      if constexpr (form == Results::withStatistics ||
                    form == Results::gradients)
        return {all[0], all[1], all[2]};
      else
        return {all[0], all[1]};
    }
  }
  /// Returns the value with the number `index`.
  Value valueOf(size_t index) const;
  std::vector<Value> valuesOf(size_t first, size_t count) const;
  /// Returns the number of a value that may be used here. `what` names the
  /// value in the error.
  Expected<size_t> use(Value value, std::string_view what) const;
  Expected<std::vector<size_t>> use(const std::vector<Value> &values,
                                    std::string_view what) const;
  /// Keeps `error` with the location `location` if it is the first error.
  /// Returns an invalid value.
  Value refuse(Error error, std::string location);

  std::unique_ptr<Impl> impl;
};

} // namespace tandem

#endif // TANDEM_GRAPHBUILDER_H
