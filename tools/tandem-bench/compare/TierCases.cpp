//===- TierCases.cpp - Graphs of one op, and random ones ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare/TierCases.h"

#include "Fuzz/Layers.h"

#include <functional>
#include <span>

namespace tandem::bench {
namespace {

using fuzz::GraphBuilder;

constexpr DType kFloats[] = {DType::f32, DType::f64, DType::f16, DType::bf16};
constexpr DType kNumbers[] = {
    DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,   DType::i16,
    DType::i32, DType::i64, DType::ui8, DType::ui16, DType::ui32, DType::ui64};
constexpr auto kIntegers = std::span(kNumbers).subspan<std::size(kFloats)>();
constexpr int64_t kSizes[] = {16, 256, 4096, 65536, 1 << 20};

/// Appends the op to a graph of its operands; returns the result.
using Append = std::function<int(GraphBuilder &, const std::vector<int> &)>;

class CaseList {
public:
  std::vector<TierCase> take() { return std::move(cases); }

  void addElementwise();
  void addBroadcasts();
  void addShapeOps();
  void addReductions();
  void addContractions();
  void addPools();

private:
  void add(const std::string &op, const std::vector<TensorType> &operands,
           const Append &append);
  /// Adds the case of an op without attributes.
  void add(OpKind kind, const std::vector<TensorType> &operands);
  template <typename Attrs>
  void add(const std::string &op, OpKind kind, const Attrs &attrs,
           const std::vector<TensorType> &operands) {
    add(op, operands, [&](GraphBuilder &b, const std::vector<int> &values) {
      return fuzz::move(b, kind, attrs, values);
    });
  }
  void addUnary(OpKind kind, const TensorType &type);
  void addLayerNorms(const TensorType &type);
  void addCasts(int64_t size);
  void addConv(const std::string &what, DType dtype, int64_t inputs,
               int64_t outputs, int64_t image, int64_t window, int64_t stride,
               int64_t groups);

  std::vector<TierCase> cases;
};

/// The element types that an elementwise op works on.
std::span<const DType> typesOf(OpKind kind) {
  static constexpr DType kBoolean[] = {DType::i1};
  switch (getOpInfo(kind).domain) {
  case Domain::floating:
    return kFloats;
  case Domain::integer:
    return kIntegers;
  case Domain::boolean:
    return kBoolean;
  case Domain::number:
  case Domain::any:
    return kNumbers;
  }
  return {};
}

/// Wide rows, and tall columns, of so many elements.
std::vector<Shape> matricesOf(int64_t size) {
  return {Shape{8, size / 8}, Shape{size / 8, 8}};
}

} // namespace

void CaseList::add(const std::string &op,
                   const std::vector<TensorType> &operands,
                   const Append &append) {
  GraphBuilder builder(/*seed=*/1, /*isLarge=*/false);
  std::vector<int> values;
  std::string name = op;
  for (const TensorType &type : operands) {
    values.push_back(builder.input(type));
    name += " " + type.str().substr(std::string("tensor").size());
  }
  builder.keep(append(builder, values));
  cases.push_back({name, builder.graph.toMLIR()});
}

void CaseList::add(OpKind kind, const std::vector<TensorType> &operands) {
  add(std::string(fb::EnumNameOpKind(kind)), operands,
      [&](GraphBuilder &b, const std::vector<int> &values) {
        return b.op(kind, values, /*magnitude=*/1);
      });
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

void CaseList::addElementwise() {
  for (int64_t size : kSizes) {
    Shape shape{size};
    for (OpKind kind : kUnaryKinds)
      for (DType dtype : typesOf(kind))
        addUnary(kind, {dtype, shape});
    for (DType dtype : kNumbers) {
      TensorType type{dtype, shape};
      add(OpKind::select, {{DType::i1, shape}, type, type});
      add(OpKind::clamp, {type, {dtype, {}}, {dtype, {}}});
    }
    addCasts(size);
  }
}

void CaseList::addUnary(OpKind kind, const TensorType &type) {
  if (getOpInfo(kind).attrs != fb::OpAttrs::GeluAttrs)
    return add(kind, {type});
  for (bool isTanh : {false, true}) {
    fb::GeluAttrsT attrs;
    attrs.approximate_tanh = isTanh;
    add(std::string(name(kind)) + (isTanh ? "(tanh)" : ""), kind, attrs,
        {type});
  }
}

void CaseList::addCasts(int64_t size) {
  for (DType from : kNumbers)
    for (DType to : kNumbers) {
      fb::CastAttrsT attrs;
      attrs.dtype = to;
      if (from != to)
        add("cast to " + std::string(name(to)), OpKind::cast, attrs,
            {{from, {size}}});
    }
}

/// Both operands whole, a row, a column and a scalar.
void CaseList::addBroadcasts() {
  for (int64_t size : kSizes)
    for (OpKind kind : kBinaryKinds)
      for (DType dtype : typesOf(kind)) {
        if (kind == OpKind::pow && !isFloat(dtype))
          continue;
        add(kind, {{dtype, {size}}, {dtype, {size}}});
        add(kind, {{dtype, {size}}, {dtype, {}}});
        for (const Shape &shape : matricesOf(size)) {
          add(kind, {{dtype, shape}, {dtype, {shape[1]}}});
          add(kind, {{dtype, shape}, {dtype, {shape[0], 1}}});
        }
      }
  for (int64_t size : kSizes)
    for (DType dtype : kNumbers) {
      fb::CompareAttrsT attrs;
      attrs.predicate = fb::ComparePredicate::lt;
      add("compare", OpKind::compare, attrs,
          {{dtype, {size}}, {dtype, {size}}});
    }
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

void CaseList::addShapeOps() {
  for (int64_t size : kSizes)
    for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i8})
      for (const Shape &shape : matricesOf(size)) {
        TensorType type{dtype, shape};
        int64_t rows = shape[0], columns = shape[1];
        auto ofValue = [](auto op) {
          return [op](GraphBuilder &b, const std::vector<int> &v) {
            return op(b, v[0]);
          };
        };
        add("transpose", {type}, ofValue([](GraphBuilder &b, int x) {
              return fuzz::transpose(b, x, {1, 0});
            }));
        for (int axis : {0, 1}) {
          std::string along = " axis " + std::to_string(axis);
          add("slice" + along, {type}, ofValue([&](GraphBuilder &b, int x) {
                return fuzz::slice(b, x, axis, 1, shape[axis]);
              }));
          add("concat" + along, {type, type},
              [&](GraphBuilder &b, const std::vector<int> &values) {
                return fuzz::concat(b, values, axis);
              });
          fb::PadAttrsT pad;
          pad.low = pad.high = pad.interior = {0, 0};
          pad.low[axis] = pad.high[axis] = 1;
          add("pad" + along, OpKind::pad, pad, {type});
          fb::BroadcastAttrsT broadcast;
          broadcast.shape = {rows, columns};
          broadcast.dims = {axis};
          add("broadcast" + along, OpKind::broadcast, broadcast,
              {{dtype, {shape[axis]}}});
          fb::GatherAttrsT gather;
          gather.axis = axis;
          add("gather" + along, OpKind::gather, gather,
              {type, {DType::i64, {shape[axis]}}});
        }
      }
  for (int64_t side : {4, 16, 64, 128})
    for (DType dtype : {DType::f32, DType::bf16}) {
      for (std::vector<int64_t> order :
           {std::vector<int64_t>{0, 2, 3, 1}, {0, 3, 1, 2}}) {
        fb::TransposeAttrsT attrs;
        attrs.permutation = order;
        add(order[1] == 2 ? "to NHWC" : "to NCHW", OpKind::transpose, attrs,
            {{dtype, {1, side, side, side}}});
      }
    }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

void CaseList::addReductions() {
  using fb::ReduceKind;
  for (int64_t size : kSizes)
    for (DType dtype : kFloats)
      for (const Shape &shape : matricesOf(size)) {
        TensorType type{dtype, shape};
        for (const std::vector<int64_t> &dims :
             {std::vector<int64_t>{0}, {1}, {0, 1}}) {
          std::string along = " dims";
          for (int64_t dim : dims)
            along += " " + std::to_string(dim);
          for (ReduceKind kind : {ReduceKind::sum, ReduceKind::max,
                                  ReduceKind::mean, ReduceKind::argmax}) {
            if (kind == ReduceKind::argmax && dims.size() > 1)
              continue;
            fb::ReduceAttrsT attrs;
            attrs.kind = kind;
            attrs.dims = dims;
            add(fb::EnumNameReduceKind(kind) + along, OpKind::reduce, attrs,
                {type});
          }
        }
        for (int64_t axis : {0, 1}) {
          std::string along = " axis " + std::to_string(axis);
          fb::AxisAttrsT softmax;
          softmax.axis = axis;
          add("softmax" + along, OpKind::softmax, softmax, {type});
          add("softmax_backward" + along, OpKind::softmax_backward, softmax,
              {type, type});
          fb::BatchNormAttrsT norm;
          norm.axis = axis;
          norm.epsilon = 1e-3;
          TensorType channels{dtype, {shape[static_cast<int>(axis)]}};
          // The fourth is the variance, which must be positive.
          add("batch_norm" + along,
              {type, channels, channels, channels, channels},
              [&](GraphBuilder &b, std::vector<int> values) {
                values[4] = b.op(OpKind::abs, {values[4]}, 1);
                return fuzz::move(b, OpKind::batch_norm, norm, values);
              });
        }
        addLayerNorms(type);
      }
}

/// A layer norm of rows, and its gradients.
void CaseList::addLayerNorms(const TensorType &type) {
  const TensorType row{type.dtype, {type.shape[1]}};
  const TensorType statistics = statisticsType(type, 1);
  fb::LayerNormAttrsT attrs;
  attrs.epsilon = 1e-5;
  add("layer_norm", OpKind::layer_norm, attrs, {type, row, row});
  add(OpKind::layer_norm_backward, {type, type, row, statistics, statistics});
}

//===----------------------------------------------------------------------===//
// Contractions and pools
//===----------------------------------------------------------------------===//

void CaseList::addContractions() {
  struct Product {
    int64_t rows, inner, columns;
  };
  for (DType dtype : {DType::f32, DType::bf16, DType::f64, DType::f16})
    for (auto [m, k, n] : {Product{1, 16, 16},
                           {1, 768, 768},
                           {16, 16, 16},
                           {64, 64, 64},
                           {128, 768, 768},
                           {8, 512, 64},
                           {512, 512, 8},
                           {1000, 3, 1000},
                           {256, 256, 256}}) {
      bool isSlow = dtype == DType::f64 || dtype == DType::f16;
      if (isSlow && m * k * n > 1 << 20)
        continue;
      for (bool isTransposed : {false, true}) {
        fb::MatmulAttrsT attrs;
        attrs.transpose_rhs = isTransposed;
        add(isTransposed ? "matmul(x, y^T)" : "matmul", OpKind::matmul, attrs,
            {{dtype, {m, k}},
             {dtype, isTransposed ? Shape{n, k} : Shape{k, n}}});
      }
      add("matmul", OpKind::matmul, fb::MatmulAttrsT(),
          {{dtype, {4, m, k}}, {dtype, {4, k, n}}});
    }
  for (DType dtype : {DType::f32, DType::bf16}) {
    addConv("stem", dtype, 3, 32, 224, 3, 2, 1);
    addConv("conv", dtype, 64, 64, 28, 3, 1, 1);
    addConv("conv", dtype, 128, 256, 14, 3, 2, 1);
    addConv("conv", dtype, 16, 16, 8, 3, 1, 1);
    addConv("pointwise", dtype, 16, 96, 56, 1, 1, 1);
    addConv("pointwise", dtype, 256, 64, 28, 1, 1, 1);
    addConv("depthwise", dtype, 128, 128, 28, 3, 1, 128);
    addConv("depthwise", dtype, 128, 128, 147, 3, 1, 128);
    addConv("depthwise", dtype, 96, 96, 56, 5, 2, 96);
    addConv("grouped", dtype, 64, 64, 28, 3, 1, 4);
  }
}

void CaseList::addConv(const std::string &what, DType dtype, int64_t inputs,
                       int64_t outputs, int64_t image, int64_t window,
                       int64_t stride, int64_t groups) {
  for (bool isLast : {false, true}) {
    fb::ConvAttrsT attrs;
    attrs.input_layout = attrs.output_layout = isLast ? "NHWC" : "NCHW";
    attrs.kernel_layout = isLast ? "HWIO" : "OIHW";
    attrs.strides = {stride, stride};
    attrs.pad_low = attrs.pad_high = {window / 2, window / 2};
    attrs.dilations = {1, 1};
    attrs.groups = groups;
    TensorType data{dtype, fuzz::arrange(attrs.input_layout, 1, 'N', inputs,
                                         {image, image})};
    Shape kernel = fuzz::arrange(attrs.kernel_layout, outputs, 'O',
                                 inputs / groups, {window, window});
    add(what + " " + attrs.input_layout + " stride " + std::to_string(stride) +
            " kernel " + kernel.str(),
        {data}, [&](GraphBuilder &b, const std::vector<int> &values) {
          int weights = b.randomConstant({dtype, kernel}, 1);
          return fuzz::conv(b, attrs, values[0], weights);
        });
  }
}

void CaseList::addPools() {
  struct Window {
    int64_t batch, channels, image, window, stride;
  };
  for (DType dtype : {DType::f32, DType::bf16})
    for (OpKind kind : {OpKind::max_pool, OpKind::avg_pool})
      for (const char *layout : {"NCHW", "NHWC"})
        for (Window w : {Window{1, 64, 112, 3, 2},
                         {8, 256, 14, 2, 2},
                         {1, 512, 7, 7, 1},
                         {1, 16, 8, 2, 2}}) {
          fb::PoolAttrsT attrs;
          attrs.layout = layout;
          attrs.window = {w.window, w.window};
          attrs.strides = {w.stride, w.stride};
          attrs.pad_low = attrs.pad_high = {0, 0};
          attrs.dilations = {1, 1};
          Shape shape = fuzz::arrange(layout, w.batch, 'N', w.channels,
                                      {w.image, w.image});
          add(std::string(fb::EnumNameOpKind(kind)) + " " + layout + " " +
                  std::to_string(w.window) + "x" + std::to_string(w.window),
              kind, attrs, {{dtype, shape}});
        }
}

std::vector<TierCase> makeOpCases() {
  CaseList list;
  list.addElementwise();
  list.addBroadcasts();
  list.addShapeOps();
  list.addReductions();
  list.addContractions();
  list.addPools();
  return list.take();
}

std::vector<TierCase> makeRandomCases(uint64_t seed, int count) {
  fuzz::GraphOptions options;
  options.dynamic = options.special = 0;
  std::vector<TierCase> cases;
  for (int i = 0; i < count; ++i)
    cases.push_back({"seed " + std::to_string(seed + i),
                     fuzz::makeRandomGraph(seed + i, options).toMLIR()});
  return cases;
}

} // namespace tandem::bench
