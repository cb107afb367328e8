//===- BuildOp.cpp - Ops from their descriptions --------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/BuildOp.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

namespace {

/// The attributes of an op under their names in the dialect, from its table in
/// Op.fbs: one overload of `add` per table, the inverse of the ops'
/// describeAttrs. Fails where an enumerator is out of range.
class AttributeBuilder {
public:
  AttributeBuilder(MLIRContext *context, OpKind kind)
      : builder(context), kind(kind) {}

  FailureOr<NamedAttrList> build(const fb::OpAttrsUnion &from);

private:
  void add(const fb::GeluAttrsT &from) {
    flag("approximate_tanh", from.approximate_tanh);
  }
  void add(const fb::CastAttrsT &from) {
    attribute("dtype",
              TypeAttr::get(toMlirType(builder.getContext(), from.dtype)));
  }
  void add(const fb::CompareAttrsT &from) {
    enumerator<ComparePredicateAttr>(
        "predicate", symbolizeComparePredicate(uint32_t(from.predicate)));
  }
  void add(const fb::ReshapeAttrsT &from) { list("shape", from.shape); }
  void add(const fb::TransposeAttrsT &from) {
    list("permutation", from.permutation);
  }
  void add(const fb::BroadcastAttrsT &from) {
    list("shape", from.shape);
    list("dims", from.dims);
  }
  void add(const fb::SliceAttrsT &from) {
    list("starts", from.starts);
    list("limits", from.limits);
    list("strides", from.strides);
  }
  void add(const fb::PadAttrsT &from) {
    list("low", from.low);
    list("high", from.high);
    list("interior", from.interior);
    attribute("value", builder.getF64FloatAttr(from.value));
  }
  void add(const fb::AxisAttrsT &from) { integer("axis", from.axis); }
  void add(const fb::GatherAttrsT &from) { integer("axis", from.axis); }
  void add(const fb::ScatterAttrsT &from) {
    integer("axis", from.axis);
    enumerator<ScatterKindAttr>("kind",
                                symbolizeScatterKind(uint32_t(from.kind)));
  }
  void add(const fb::TopKAttrsT &from) {
    integer("axis", from.axis);
    integer("k", from.k);
    flag("ascending", from.ascending);
  }
  void add(const fb::SortAttrsT &from) {
    integer("axis", from.axis);
    flag("descending", from.descending);
  }
  void add(const fb::ScanAttrsT &from) {
    integer("axis", from.axis);
    enumerator<ScanKindAttr>("kind", symbolizeScanKind(uint32_t(from.kind)));
    flag("exclusive", from.exclusive);
    flag("reverse", from.reverse);
  }
  void add(const fb::FFTAttrsT &from) {
    integer("axis", from.axis);
    enumerator<FFTKindAttr>("kind", symbolizeFFTKind(uint32_t(from.kind)));
    integer("length", from.length);
  }
  void add(const fb::IotaAttrsT &from) { integer("axis", from.axis); }
  void add(const fb::ConvAttrsT &from) {
    addWindow(from);
    integer("groups", from.groups);
    attribute("layout",
              ConvLayoutAttr::get(builder.getContext(), from.input_layout,
                                  from.kernel_layout, from.output_layout));
    if (kind == OpKind::conv_backward_data)
      list("output_padding", from.output_padding);
    if (kind == OpKind::conv_backward_weights)
      list("window", from.window);
  }
  void add(const fb::MatmulAttrsT &from) {
    flag("transpose_lhs", from.transpose_lhs);
    flag("transpose_rhs", from.transpose_rhs);
    flag("widen", from.widen);
  }
  void add(const fb::PoolAttrsT &from) {
    addWindow(from);
    list("window", from.window);
    attribute("layout", builder.getStringAttr(from.layout));
    if (kind == OpKind::avg_pool || kind == OpKind::avg_pool_backward)
      flag("count_include_pad", from.count_include_pad);
    if (kind == OpKind::avg_pool_backward || kind == OpKind::max_pool_backward)
      list("input_sizes", from.input_sizes);
  }
  void add(const fb::ResizeAttrsT &from) {
    list("dims", from.dims);
    if (!from.sizes.empty())
      list("sizes", from.sizes);
    realList("scales", from.scales);
    enumerator<ResizeModeAttr>("mode",
                               symbolizeResizeMode(uint32_t(from.mode)));
    enumerator<ResizeCoordinatesAttr>(
        "coordinates", symbolizeResizeCoordinates(uint32_t(from.coordinates)));
    enumerator<NearestRoundingAttr>(
        "rounding", symbolizeNearestRounding(uint32_t(from.rounding)));
    attribute("cubic_coeff_a", builder.getF64FloatAttr(from.cubic_coeff_a));
    flag("antialias", from.antialias);
    flag("exclude_outside", from.exclude_outside);
    realList("starts", from.starts);
    realList("ends", from.ends);
    attribute("extrapolation_value",
              builder.getF64FloatAttr(from.extrapolation_value));
  }
  void add(const fb::ReduceAttrsT &from) {
    enumerator<ReduceKindAttr>("kind",
                               symbolizeReduceKind(uint32_t(from.kind)));
    list("dims", from.dims);
    flag("keep_dims", from.keep_dims);
  }
  void add(const fb::MomentsAttrsT &from) {
    list("dims", from.dims);
    flag("keep_dims", from.keep_dims);
  }
  void add(const fb::RandomAttrsT &from) { list("shape", from.shape); }
  void add(const fb::BatchNormAttrsT &from) {
    attribute("epsilon", builder.getF64FloatAttr(from.epsilon));
    integer("axis", from.axis);
  }
  void add(const fb::LayerNormAttrsT &from) {
    attribute("epsilon", builder.getF64FloatAttr(from.epsilon));
  }
  void add(const fb::CustomCallAttrsT &from) {
    attribute("target", builder.getStringAttr(from.target));
    attribute("config", builder.getStringAttr(from.config));
  }

  template <typename Table> void addWindow(const Table &from) {
    list("strides", from.strides);
    list("pad_low", from.pad_low);
    list("pad_high", from.pad_high);
    list("dilations", from.dilations);
  }
  void attribute(StringRef name, Attribute value) { result.set(name, value); }
  void list(StringRef name, const std::vector<int64_t> &values) {
    attribute(name, builder.getDenseI64ArrayAttr(values));
  }
  /// A list that the dialect leaves out if it is empty.
  void realList(StringRef name, const std::vector<double> &values) {
    if (!values.empty())
      attribute(name, builder.getDenseF64ArrayAttr(values));
  }
  void integer(StringRef name, int64_t value) {
    attribute(name, builder.getI64IntegerAttr(value));
  }
  void flag(StringRef name, bool value) {
    if (value)
      attribute(name, builder.getUnitAttr());
  }
  template <typename Attr, typename Enum>
  void enumerator(StringRef name, std::optional<Enum> value) {
    isValid &= value.has_value();
    if (value)
      attribute(name, Attr::get(builder.getContext(), *value));
  }

  Builder builder;
  OpKind kind;
  NamedAttrList result;
  bool isValid = true;
};

FailureOr<NamedAttrList> AttributeBuilder::build(const fb::OpAttrsUnion &from) {
  switch (from.type) {
  case fb::OpAttrs::NONE:
    break;
#define TABLE(name)                                                            \
  case fb::OpAttrs::name:                                                      \
    add(*from.As##name());                                                     \
    break;
    TABLE(GeluAttrs)
    TABLE(CastAttrs)
    TABLE(CompareAttrs)
    TABLE(ReshapeAttrs)
    TABLE(TransposeAttrs)
    TABLE(BroadcastAttrs)
    TABLE(SliceAttrs)
    TABLE(PadAttrs)
    TABLE(AxisAttrs)
    TABLE(GatherAttrs)
    TABLE(ScatterAttrs)
    TABLE(TopKAttrs)
    TABLE(SortAttrs)
    TABLE(ScanAttrs)
    TABLE(FFTAttrs)
    TABLE(IotaAttrs)
    TABLE(ConvAttrs)
    TABLE(MatmulAttrs)
    TABLE(PoolAttrs)
    TABLE(ResizeAttrs)
    TABLE(ReduceAttrs)
    TABLE(MomentsAttrs)
    TABLE(RandomAttrs)
    TABLE(BatchNormAttrs)
    TABLE(LayerNormAttrs)
    TABLE(CustomCallAttrs)
#undef TABLE
  }
  if (!isValid)
    return failure();
  return result;
}

/// The result types that a custom_call declares.
FailureOr<SmallVector<Type>> declaredTypes(MLIRContext *context,
                                           const fb::CustomCallAttrsT &attrs) {
  SmallVector<Type> types;
  for (const auto &type : attrs.results) {
    if (!type || type->dims.size() > kMaxRank)
      return failure();
    types.push_back(toMlirType(context, fromFlat(*type)));
  }
  return types;
}

} // namespace

/// The types of the op's results.
static FailureOr<SmallVector<Type>>
typesOfResults(Location location, const OpDesc &op, ValueRange operands) {
  if (const auto *call = op.attrs.AsCustomCallAttrs())
    return declaredTypes(location.getContext(), *call);
  SmallVector<Type> types;
  if (failed(ir::detail::inferResultTypes(location, op, operands, types)))
    return failure();
  return types;
}

FailureOr<Operation *> ir::buildOp(OpBuilder &builder, Location location,
                                   const OpDesc &op, ValueRange operands) {
  FailureOr<SmallVector<Type>> types = typesOfResults(location, op, operands);
  if (failed(types))
    return failure();
  FailureOr<NamedAttrList> attributes =
      AttributeBuilder(builder.getContext(), op.kind).build(op.attrs);
  if (failed(attributes))
    return emitError(location)
           << name(op.kind) << ": an enumerator is out of range";
  std::string opName =
      (TandemDialect::getDialectNamespace() + "." + name(op.kind)).str();
  OperationState state(location, opName);
  state.addTypes(*types);
  state.addOperands(operands);
  state.attributes = std::move(*attributes);
  return builder.create(state);
}
