//===- DecomposeConvBackwardWeights.cpp - Weights' gradients as convs -----===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tandem-cpu-decompose-conv-backward-weights. With the channels of the
// input as the innermost spatial dim, the op is a convolution whose register
// tiles have input channels as rows and output channels as columns, and whose
// sum runs over the positions and images.
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "ReadCPUDevice.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"
#include "tandem/Target/CPU/ContractionCosts.h"
#include "tandem/Target/CPU/ContractionStrategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "tandem-contractions"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_DECOMPOSECONVBACKWARDWEIGHTS
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// The number of bytes of outputs that a register tile reads at each position.
constexpr int64_t kTileRowBytes = 64;

/// The largest number of spatial dims of a `conv`.
constexpr size_t kMaxSpatial = 3;

/// Builds the ops that replace one op, which must have one group. The new ops
/// are inserted before this op.
class Decomposition {
public:
  Decomposition(ir::ConvBackwardWeightsOp op, const DeviceModel &device);

  /// True if each window is one element.
  bool isPointwise();
  /// True if, in addition, windows have no strides and no padding, so that the
  /// op is a matrix product.
  bool isProduct();
  /// True if the op can be decomposed. Either it is a product of operands with
  /// channels last, or its windows have several elements and reach the input,
  /// and a convolution can have one more spatial dim than the op.
  bool isPossible();
  /// Returns the result.
  Value build();
  /// The convolution or matrix product that was built.
  Operation *contraction() const { return product; }
  /// The bytes of partial sums and transposed operands that are written.
  int64_t additionalBytes() const { return bytes; }
  void erase() {
    for (Operation *each : llvm::reverse(created))
      each->erase();
  }

private:
  template <typename Op, typename... Args> Value create(Args &&...args) {
    auto made = Op::create(builder, loc, std::forward<Args>(args)...);
    created.push_back(made);
    return made->getResult(0);
  }
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    return shapeOf(x) == shape
               ? x
               : create<ir::ReshapeOp>(x, builder.getDenseI64ArrayAttr(shape));
  }
  /// Transposes from one layout to another.
  Value arrange(Value x, StringRef from, StringRef to);
  /// Cuts off the elements that no window reaches.
  Value cut(Value x);
  Value buildProduct(Value x, Value g);
  Value buildConv(Value x, Value g);
  /// The number of blocks among which the sum over the images is split.
  int64_t countBlocks(int64_t images, int64_t positions);
  /// Adds the partial sums along `dim`.
  Value addBlocks(Value partial, int64_t dim);
  int64_t sizeOf(Value value, StringRef layout, char letter) const {
    return shapeOf(value)[layout.find(letter)];
  }
  DenseI64ArrayAttr list(ArrayRef<int64_t> values) {
    return builder.getDenseI64ArrayAttr(values);
  }

  ir::ConvBackwardWeightsOp op;
  const DeviceModel &device;
  OpBuilder builder;
  Location loc;
  ir::ConvLayoutAttr layout;
  std::string spatial;
  /// For each spatial dim, the end of the elements that windows reach, and the
  /// padding behind the last element that windows reach.
  SmallVector<int64_t> limits, padHigh;
  SmallVector<Operation *> created;
  Operation *product = nullptr;
  int64_t bytes = 0;
};

} // namespace

static int64_t bytesOf(Value value) {
  return ir::toTandemType(cast<RankedTensorType>(value.getType())).bytes();
}

Decomposition::Decomposition(ir::ConvBackwardWeightsOp op,
                             const DeviceModel &device)
    : op(op), device(device), builder(op), loc(op.getLoc()),
      layout(op.getLayout()),
      spatial(StringRef("DHW").take_back(op.getStrides().size())) {
  for (auto [i, letter] : llvm::enumerate(spatial)) {
    const int64_t size = sizeOf(op.getInput(), layout.getInput(), letter),
                  count = sizeOf(op.getGradient(), layout.getOutput(), letter);
    const int64_t reached = (op.getWindow()[i] - 1) * op.getDilations()[i] +
                            (count - 1) * op.getStrides()[i] + 1 -
                            op.getPadLow()[i];
    limits.push_back(std::min(size, reached));
    padHigh.push_back(std::max<int64_t>(0, reached - size));
  }
}

static bool isAll(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [&](int64_t each) { return each == value; });
}

bool Decomposition::isPointwise() { return isAll(op.getWindow(), 1); }

bool Decomposition::isProduct() {
  return isPointwise() && isAll(op.getStrides(), 1) &&
         isAll(op.getPadLow(), 0) && isAll(op.getPadHigh(), 0);
}

/// Two cases are left to the library. It multiplies images with channels first
/// without reordering them. It is also faster for strided windows of one
/// element (by a fifth for 256 to 512 channels at 56x56, Zen 4), because a
/// single tap reads each row of the input.
bool Decomposition::isPossible() {
  if (isProduct())
    return layout.getInput().back() == 'C' && layout.getOutput().back() == 'C';
  return !isPointwise() && spatial.size() < kMaxSpatial &&
         llvm::all_of(limits, [](int64_t limit) { return limit > 0; });
}

Value Decomposition::arrange(Value x, StringRef from, StringRef to) {
  if (from == to)
    return x;
  SmallVector<int64_t> order;
  for (char letter : to)
    order.push_back(static_cast<int64_t>(from.find(letter)));
  bytes += bytesOf(x);
  return create<ir::TransposeOp>(x, list(order));
}

Value Decomposition::cut(Value x) {
  SmallVector<int64_t> ends(shapeOf(x));
  llvm::copy(limits, ends.begin() + 1);
  if (ArrayRef(ends) == shapeOf(x))
    return x;
  const SmallVector<int64_t> zeros(ends.size(), 0), ones(ends.size(), 1);
  return create<ir::SliceOp>(x, list(zeros), list(ends), list(ones));
}

/// A sum is split among blocks of images if the rows of outputs that a tile
/// reads for a block would fill a first-level cache. The partial sums then cost
/// little.
static int64_t leastPositionsOfBlock(const DeviceModel &device) {
  return std::max<int64_t>(getCoreModel(device).l1Bytes / kTileRowBytes, 1);
}

int64_t Decomposition::countBlocks(int64_t images, int64_t positions) {
  // Partial sums of 16 bits would be rounded.
  if (!getElementTypeOrSelf(op.getResult()).isF32())
    return 1;
  int64_t blocks = std::clamp<int64_t>(
      images * positions / leastPositionsOfBlock(device), 1, images);
  while (images % blocks != 0)
    --blocks;
  return blocks;
}

Value Decomposition::addBlocks(Value partial, int64_t dim) {
  bytes += bytesOf(partial);
  return create<ir::ReduceOp>(partial, ir::ReduceKind::sum, list({dim}),
                              /*keepDims=*/false);
}

/// `x` and `g` have channels last.
Value Decomposition::buildProduct(Value x, Value g) {
  const int64_t inputs = shapeOf(x).back(), outputs = shapeOf(g).back();
  const int64_t positions = llvm::product_of(shapeOf(x)) / inputs;
  const int64_t blocks = countBlocks(positions, 1);
  Value sums = create<ir::MatmulOp>(
      reshape(x, {blocks, positions / blocks, inputs}),
      reshape(g, {blocks, positions / blocks, outputs}), /*transposeLhs=*/true,
      /*transposeRhs=*/false);
  product = sums.getDefiningOp();
  if (blocks > 1)
    sums = addBlocks(sums, 0);
  SmallVector<int64_t> shape(spatial.size(), 1);
  shape.append({inputs, outputs});
  return reshape(sums, shape);
}

/// The spatial dims of the convolution are those of the op and the input
/// channels; its channels are the images. A block of images is a group.
Value Decomposition::buildConv(Value x, Value g) {
  const int64_t images = shapeOf(x)[0], outputs = shapeOf(g).back();
  const int64_t blocks =
      countBlocks(images, llvm::product_of(shapeOf(g)) / (images * outputs));
  const StringRef dims = StringRef("DHW").take_back(spatial.size() + 1);
  SmallVector<int64_t> data = {1}, window;
  x = cut(x);
  llvm::append_range(data, shapeOf(x));
  x = reshape(x, data);
  // The kernel has dims (image of a block, spatial dims, 1, block, output
  // channel).
  SmallVector<int64_t> split = {blocks, images / blocks};
  llvm::append_range(split, shapeOf(g).drop_front());
  SmallVector<int64_t> order;
  for (size_t i = 1; i + 1 < split.size(); ++i)
    order.push_back(static_cast<int64_t>(i));
  order.append({0, static_cast<int64_t>(split.size()) - 1});
  if (blocks > 1)
    g = create<ir::TransposeOp>(reshape(g, split), list(order));
  window.push_back(images / blocks);
  for (size_t i = 0; i < spatial.size(); ++i)
    window.push_back(split[i + 2]);
  window.append({1, blocks * outputs});
  g = reshape(g, window);
  const auto with = [&](ArrayRef<int64_t> values, int64_t last) {
    SmallVector<int64_t> all(values);
    all.push_back(last);
    return list(all);
  };
  Value sums = create<ir::ConvOp>(
      x, g, /*bias=*/Value(), with(op.getDilations(), 1),
      with(op.getPadLow(), 0), with(padHigh, 0), with(op.getStrides(), 1),
      builder.getI64IntegerAttr(blocks),
      ir::ConvLayoutAttr::get(op.getContext(), ("NC" + dims).str(),
                              ("I" + dims + "O").str(),
                              ("N" + dims + "C").str()));
  product = sums.getDefiningOp();
  SmallVector<int64_t> shape(op.getWindow());
  shape.append({shapeOf(x).back(), blocks, outputs});
  if (blocks > 1)
    return addBlocks(reshape(sums, shape),
                     static_cast<int64_t>(shape.size()) - 2);
  shape.erase(shape.end() - 2);
  return reshape(sums, shape);
}

Value Decomposition::build() {
  const std::string last = "N" + spatial + "C";
  Value x = arrange(op.getInput(), layout.getInput(), last),
        g = arrange(op.getGradient(), layout.getOutput(), last);
  Value weights = isProduct() ? buildProduct(x, g) : buildConv(x, g);
  return arrange(weights, spatial + "IO", layout.getKernel());
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// The time of the ops that were built, or nothing if there are no register
/// tiles for the contraction among them.
static std::optional<double> getGeneratedNs(const Decomposition &ops,
                                            const DeviceModel &device) {
  SmallVector<ContractionCost, 4> ways =
      estimateContractionCosts(ops.contraction(), /*isConstant=*/false, device);
  std::optional<double> best;
  for (const ContractionCost &way : ArrayRef(ways).drop_back())
    if (way.way != ContractionWay::Loop)
      best = std::min(best.value_or(way.getNs()), way.getNs());
  if (!best)
    return std::nullopt;
  const double moved = 2 * static_cast<double>(ops.additionalBytes());
  return *best + (moved > 0 ? device.launchNs : 0) +
         estimateNs(device, {0, moved});
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct DecomposeConvBackwardWeightsPass
    : impl::DecomposeConvBackwardWeightsBase<DecomposeConvBackwardWeightsPass> {
  using DecomposeConvBackwardWeightsBase::DecomposeConvBackwardWeightsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return readCPUDevice(context, deviceSpec.getValue(), device);
  }

  void runOnOperation() override {
    if (how == Contractions::library)
      return;
    SmallVector<ir::ConvBackwardWeightsOp> ops;
    getOperation()->walk(
        [&](ir::ConvBackwardWeightsOp op) { ops.push_back(op); });
    for (ir::ConvBackwardWeightsOp op : ops)
      visit(op);
  }

private:
  /// True if the operands and the result have elements, and register tiles
  /// exist for the op's type and number of groups.
  static bool isCandidate(ir::ConvBackwardWeightsOp op) {
    const auto isFull = [](Value value) {
      auto type = cast<RankedTensorType>(value.getType());
      return type.hasStaticShape() && type.getNumElements() > 0;
    };
    return op.getGroups() == 1 && isFull(op.getInput()) &&
           isFull(op.getGradient()) && isFull(op.getResult()) &&
           !getElementTypeOrSelf(op.getResult()).isF64();
  }

  void visit(ir::ConvBackwardWeightsOp op) {
    if (!isCandidate(op))
      return;
    Decomposition ops(op, device);
    if (!ops.isPossible())
      return;
    Value result = ops.build();
    const std::optional<double> generatedNs = getGeneratedNs(ops, device);
    const BackendCosts costs{generatedNs.value_or(0),
                             estimateLibraryNs(op, device)};
    LLVM_DEBUG(llvm::dbgs()
               << op << "\n  generated " << int64_t(costs.generatedNs)
               << " ns, by the library " << int64_t(costs.libraryNs)
               << " ns\n");
    const bool usesLibrary =
        how != Contractions::generated && generatedNs && prefersLibrary(costs);
    if (generatedNs && !usesLibrary) {
      op.replaceAllUsesWith(result);
      return op.erase();
    }
    ops.erase();
    if (usesLibrary)
      chooseLibrary(op, costs);
  }

  DeviceModel device;
};

} // namespace
} // namespace tandem
