//===- DecomposeConvBackwardData.cpp - Transposed convs as convs ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tandem-decompose-conv-backward-data. ConvPhases.h explains phases.
//
//===----------------------------------------------------------------------===//

#include "ConvPhases.h"

#include "tandem/Dialect/Tandem/Transforms/Passes.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMDECOMPOSECONVBACKWARDDATA
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Replaces one op. The channels of a convolution of several phases are, from
/// the outermost, the groups of the op, the phases of each spatial dim, and the
/// channels of a group.
class Decomposition {
public:
  explicit Decomposition(ir::ConvBackwardDataOp op);
  void run();

private:
  /// One group of phases for each spatial dim.
  using Choice = ArrayRef<const PhaseGroup *>;

  Value gather(Value value, ArrayRef<int64_t> indices, int64_t axis);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  /// Takes `value` as a tensor of the shape `parts`, transposes that, and takes
  /// the result as one of the shape `shape`.
  Value rearrange(Value value, ArrayRef<int64_t> parts, ArrayRef<int64_t> order,
                  ArrayRef<int64_t> shape);
  Value slice(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> limits);

  Value kernelFor(Choice chosen);
  Value biasFor(Choice chosen);
  Value convolve(Choice chosen);
  /// The results of `chosen`. Their dims are those of the result, with two dims
  /// for each spatial dim: the positions q, and the phases.
  Value partFor(Choice chosen);
  /// The results of all phases of the dims behind those that are chosen.
  Value assemble(SmallVector<const PhaseGroup *> &chosen);
  /// Makes the positions and the phases of each spatial dim one dim, and leaves
  /// out what is outside the result.
  Value merge(Value value);
  Value addBias(Value value);

  int64_t numSpatial() const { return static_cast<int64_t>(dims.size()); }
  /// The channels of one group of the op.
  int64_t channels() { return shapeOf(kernel)[1]; }
  /// The number of the spatial dim with a letter.
  int64_t dimOf(char letter) const {
    return static_cast<int64_t>(
        StringRef("DHW").take_back(dims.size()).find(letter));
  }
  static bool isSpatial(char letter) { return letter != 'N' && letter != 'C'; }
  /// The dim of a part with the phases of spatial dim `i`.
  int64_t phaseAxis(int64_t i) const {
    const int64_t axis = spatialAxis(outputLayout, i, dims.size());
    return axis + 1 + llvm::count_if(outputLayout.take_front(axis), isSpatial);
  }
  DenseI64ArrayAttr list(ArrayRef<int64_t> values) {
    return builder.getDenseI64ArrayAttr(values);
  }

  ir::ConvBackwardDataOp op;
  OpBuilder builder;
  Location loc;
  StringRef outputLayout;
  SmallVector<SpatialDim> dims;
  SmallVector<SmallVector<PhaseGroup>> groups;
  /// Whether each result is one of a convolution, which may add the bias.
  bool isCovered = true;
  /// The kernel with its dims in the order O, I, spatial dims.
  Value kernel;
};

Decomposition::Decomposition(ir::ConvBackwardDataOp op)
    : op(op), builder(op), loc(op.getLoc()),
      outputLayout(op.getLayout().getOutput()), dims(spatialDimsOf(op)) {
  const StringRef layout = op.getLayout().getKernel();
  SmallVector<int64_t> order = {static_cast<int64_t>(layout.find('O')),
                                static_cast<int64_t>(layout.find('I'))};
  for (SpatialDim &dim : dims) {
    order.push_back(spatialAxis(layout, groups.size(), dims.size()));
    groups.push_back(dim.chooseOrigin(mustSplitPhases(op)));
    for (const PhaseGroup &group : groups.back())
      isCovered &= !dim.isZero(group);
  }
  ArrayRef<int64_t> given = shapeOf(op.getKernel());
  SmallVector<int64_t> ordered;
  for (int64_t axis : order)
    ordered.push_back(given[axis]);
  kernel = rearrange(op.getKernel(), given, order, ordered);
}

Value Decomposition::gather(Value value, ArrayRef<int64_t> indices,
                            int64_t axis) {
  auto identity = llvm::seq<int64_t>(0, shapeOf(value)[axis]);
  if (llvm::equal(indices, identity))
    return value;
  Value constant = ir::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({int64_t(indices.size())},
                                                   builder.getI64Type()),
                             indices));
  return ir::GatherOp::create(builder, loc, value, constant,
                              builder.getI64IntegerAttr(axis));
}

Value Decomposition::reshape(Value value, ArrayRef<int64_t> shape) {
  if (shapeOf(value) == shape)
    return value;
  return ir::ReshapeOp::create(builder, loc, value, list(shape));
}

Value Decomposition::rearrange(Value value, ArrayRef<int64_t> parts,
                               ArrayRef<int64_t> order,
                               ArrayRef<int64_t> shape) {
  // Dims of size 1 do not count against the largest rank.
  SmallVector<int64_t> kept, number(parts.size(), -1), permutation;
  for (auto [i, size] : llvm::enumerate(parts)) {
    if (size == 1)
      continue;
    number[i] = static_cast<int64_t>(kept.size());
    kept.push_back(size);
  }
  for (int64_t axis : order)
    if (number[axis] >= 0)
      permutation.push_back(number[axis]);
  if (!llvm::is_sorted(permutation))
    value = ir::TransposeOp::create(builder, loc, reshape(value, kept),
                                    list(permutation));
  return reshape(value, shape);
}

Value Decomposition::slice(Value value, ArrayRef<int64_t> starts,
                           ArrayRef<int64_t> limits) {
  if (limits == shapeOf(value) &&
      llvm::all_of(starts, [](int64_t start) { return start == 0; }))
    return value;
  return ir::SliceOp::create(builder, loc, value, list(starts), list(limits),
                             list(SmallVector<int64_t>(starts.size(), 1)));
}

/// From (O, I, taps) to (groups, phases, channels; inputs; taps).
Value Decomposition::kernelFor(Choice chosen) {
  const int64_t opGroups = op.getGroups(),
                inputs = shapeOf(kernel)[0] / opGroups;
  SmallVector<int64_t> parts = {opGroups, inputs, channels()};
  SmallVector<int64_t> order = {0}, shape = {opGroups * channels(), inputs};
  Value result = kernel;
  for (auto [i, group] : llvm::enumerate(chosen)) {
    SmallVector<int64_t> indices;
    for (int64_t tap = group->taps - 1; tap >= 0; --tap)
      for (int64_t first : group->firstTaps)
        indices.push_back(first + tap * dims[i].tapStep());
    result = gather(result, indices, 2 + static_cast<int64_t>(i));
    order.push_back(static_cast<int64_t>(parts.size()) + 1);
    parts.append({group->taps, group->phases()});
    shape[0] *= group->phases();
    shape.push_back(group->taps);
  }
  order.append({2, 1});
  for (int64_t i = 0; i < numSpatial(); ++i)
    order.push_back(3 + 2 * i);
  return rearrange(result, parts, order, shape);
}

Value Decomposition::biasFor(Choice chosen) {
  if (!op.getBias() || !isCovered)
    return {};
  int64_t phases = 1;
  for (const PhaseGroup *group : chosen)
    phases *= group->phases();
  const int64_t opGroups = op.getGroups();
  if (phases == 1)
    return op.getBias();
  Value repeated = ir::BroadcastOp::create(
      builder, loc, reshape(op.getBias(), {opGroups, channels()}),
      list({opGroups, phases, channels()}), list({0, 2}));
  return reshape(repeated, {opGroups * phases * channels()});
}

Value Decomposition::convolve(Choice chosen) {
  const StringRef inputLayout = op.getLayout().getInput();
  SmallVector<int64_t> starts(inputLayout.size(), 0),
      limits(shapeOf(op.getInput())), low, high, dilations;
  for (auto [i, group] : llvm::enumerate(chosen)) {
    auto [before, after] = dims[i].pads(*group);
    const int64_t axis = spatialAxis(inputLayout, i, dims.size());
    starts[axis] -= std::min<int64_t>(before, 0);
    limits[axis] += std::min<int64_t>(after, 0);
    low.push_back(std::max<int64_t>(before, 0));
    high.push_back(std::max<int64_t>(after, 0));
    dilations.push_back(dims[i].elementStep());
  }
  const std::string kernelLayout =
      "OI" + std::string("DHW").substr(3 - dims.size());
  return ir::ConvOp::create(
      builder, loc, slice(op.getInput(), starts, limits), kernelFor(chosen),
      biasFor(chosen), list(SmallVector<int64_t>(dims.size(), 1)), list(low),
      list(high), list(dilations), builder.getI64IntegerAttr(op.getGroups()),
      ir::ConvLayoutAttr::get(builder.getContext(), inputLayout, kernelLayout,
                              outputLayout));
}

Value Decomposition::partFor(Choice chosen) {
  // The dims of a convolution's result with the parts of its channels, the
  // order in which they become those of a part, and the shape of a part.
  SmallVector<int64_t> parts, order, shape;
  const int64_t behindChannels = numSpatial() + 1;
  const auto channelAxis = static_cast<int64_t>(outputLayout.find('C'));
  bool isZero = false;
  for (auto [axis, letter] : llvm::enumerate(outputLayout)) {
    const auto at = static_cast<int64_t>(parts.size());
    order.push_back(at);
    shape.push_back(shapeOf(op.getResult())[axis]);
    if (letter == 'C') {
      parts.push_back(op.getGroups());
      for (const PhaseGroup *group : chosen)
        parts.push_back(group->phases());
      order.push_back(at + behindChannels);
      parts.push_back(channels());
      continue;
    }
    if (letter != 'N') {
      const int64_t i = dimOf(letter);
      order.push_back(channelAxis + 1 + i);
      shape.back() = dims[i].count();
      parts.push_back(shape.back());
      shape.push_back(chosen[i]->phases());
      isZero |= dims[i].isZero(*chosen[i]);
    } else {
      parts.push_back(shape.back());
    }
  }
  if (!isZero)
    return rearrange(convolve(chosen), parts, order, shape);
  auto type =
      RankedTensorType::get(shape, typeOf(op.getResult()).getElementType());
  return ir::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
}

Value Decomposition::assemble(SmallVector<const PhaseGroup *> &chosen) {
  const auto dim = static_cast<int64_t>(chosen.size());
  if (dim == numSpatial())
    return partFor(chosen);
  SmallVector<Value> parts;
  for (const PhaseGroup &group : groups[dim]) {
    chosen.push_back(&group);
    parts.push_back(assemble(chosen));
    chosen.pop_back();
  }
  if (parts.size() == 1)
    return parts[0];
  return ir::ConcatOp::create(builder, loc, parts,
                              builder.getI64IntegerAttr(phaseAxis(dim)));
}

Value Decomposition::merge(Value value) {
  SmallVector<int64_t> merged(shapeOf(op.getResult())),
      starts(merged.size(), 0), limits(merged);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    const int64_t axis = spatialAxis(outputLayout, i, dims.size());
    merged[axis] = dim.count() * dim.stride;
    starts[axis] = dim.origin;
    limits[axis] += starts[axis];
  }
  return slice(reshape(value, merged), starts, limits);
}

Value Decomposition::addBias(Value value) {
  if (!op.getBias() || isCovered)
    return value;
  SmallVector<int64_t> shape(outputLayout.size(), 1);
  shape[outputLayout.find('C')] = shapeOf(op.getBias())[0];
  return ir::AddOp::create(builder, loc, value, reshape(op.getBias(), shape));
}

void Decomposition::run() {
  SmallVector<const PhaseGroup *> chosen;
  op.replaceAllUsesWith(addBias(merge(assemble(chosen))));
  op.erase();
}

struct DecomposeConvBackwardDataPass
    : impl::TandemDecomposeConvBackwardDataBase<DecomposeConvBackwardDataPass> {
  void runOnOperation() override {
    SmallVector<ir::ConvBackwardDataOp> ops;
    auto isFull = [](Value value) {
      auto type = cast<RankedTensorType>(value.getType());
      return type.hasStaticShape() && type.getNumElements() > 0;
    };
    getOperation()->walk([&](ir::ConvBackwardDataOp op) {
      if (isFull(op.getInput()) && isFull(op.getKernel()) &&
          isFull(op.getResult()) && pays(op))
        ops.push_back(op);
    });
    for (ir::ConvBackwardDataOp op : ops)
      Decomposition(op).run();
  }

private:
  /// Each convolution is compiled by itself.
  static constexpr size_t kMaxConvolutions = 16;

  /// Not if most phases are cut off by padding, if there would be many
  /// convolutions, or if they would have one output channel: each element of
  /// the operand would be read for one product, and the eager tier's matrix
  /// product is faster.
  static bool pays(ir::ConvBackwardDataOp op) {
    const StringRef layout = op.getLayout().getKernel();
    int64_t channels = shapeOf(op.getKernel())[layout.find('I')];
    size_t convolutions = 1;
    for (SpatialDim &dim : spatialDimsOf(op)) {
      if (dim.stride / 2 > dim.result + dim.window)
        return false;
      const auto groups = dim.chooseOrigin(mustSplitPhases(op));
      convolutions *= groups.size();
      channels *= fewestPhases(groups);
      if (convolutions > kMaxConvolutions)
        return false;
    }
    return op.getGroups() > 1 || channels > 1;
  }
  static int64_t fewestPhases(ArrayRef<PhaseGroup> groups) {
    int64_t fewest = groups[0].phases();
    for (const PhaseGroup &group : groups)
      fewest = std::min(fewest, group.phases());
    return fewest;
  }
};

} // namespace
} // namespace tandem
