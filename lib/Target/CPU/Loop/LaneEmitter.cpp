//===- LaneEmitter.cpp - Scalar bodies on vectors of lanes ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/LaneEmitter.h"

#include "tandem/Target/CPU/CPUDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tandem {

LaneEmitter::LaneEmitter(OpBuilder &builder, Location loc, int64_t lanes,
                         ValueRange loops, Value tailMask,
                         function_ref<Buffer(Value)> getBuffer,
                         std::optional<unsigned> laneLoop)
    : IndexBuilder(builder, loc), lanes(lanes), tailMask(tailMask),
      getBuffer(getBuffer) {
  for (Value loop : loops)
    this->loops.push_back({LaneValue::Uniform, loop});
  if (lanes > 1 && !loops.empty()) {
    LaneValue &lane = this->loops[laneLoop.value_or(loops.size() - 1)];
    lane.kind = LaneValue::Stepped;
    lane.steps = llvm::to_vector<0>(llvm::seq<int64_t>(lanes));
  }
}

void LaneEmitter::foldLoops(ArrayRef<int64_t> sizes) {
  int64_t size = llvm::product_of(sizes);
  auto step = [&](auto stepOf) {
    LaneValue loop{LaneValue::Stepped, {}};
    for (int64_t lane = 0; lane < lanes; ++lane)
      loop.steps.push_back(stepOf(lane));
    return loop;
  };
  Value first = loops.back().value;
  loops.back() = step([&](int64_t lane) { return lane / size; });
  loops.back().value = first;
  for (int64_t inner : sizes) {
    size /= inner;
    loops.push_back(step([&](int64_t lane) { return lane / size % inner; }));
    loops.back().value = index(0);
  }
}

void LaneEmitter::emitBody(linalg::GenericOp op) {
  SmallVector<LaneValue> elements = emitElements(op);
  for (auto [result, element] : llvm::zip(op.getResults(), elements))
    emitStore(getBuffer(result), loops, element, /*isStreamed=*/false);
}

SmallVector<LaneValue> LaneEmitter::getIndices(linalg::GenericOp op,
                                               OpOperand *input) {
  AffineMap map = op.getMatchingIndexingMap(input);
  SmallVector<LaneValue> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(emitAffine(expr, map.getNumDims(), loops));
  return indices;
}

LaneValue LaneEmitter::loadInput(linalg::GenericOp op, OpOperand *input) {
  return emitLoad(getBuffer(input->get()), getIndices(op, input));
}

/// The most inputs that are loaded outside of a row. The values of more inputs
/// would take registers that vectors need; as memory operands, they are
/// broadcast at no cost.
static constexpr size_t kMaxOuterInputs = 8;

BoundInputs LaneEmitter::loadOuterInputs(linalg::GenericOp op,
                                         unsigned numOuter) {
  BoundInputs inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isOuter =
        llvm::none_of(llvm::seq(numOuter, map.getNumDims()),
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); });
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (isOuter && !argument.use_empty())
      inputs.push_back({argument, {}});
  }
  if (inputs.size() > kMaxOuterInputs)
    return {};
  for (auto &[argument, value] : inputs)
    value = loadInput(op, &op->getOpOperand(argument.getArgNumber())).value;
  return inputs;
}

SmallVector<LaneValue> LaneEmitter::emitElements(linalg::GenericOp op) {
  Block *body = op.getBody();
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = body->getArgument(input->getOperandNumber());
    if (argument.use_empty() || values.contains(argument))
      continue;
    values[argument] = loadInput(op, input);
  }
  emitOps(*body);
  return llvm::map_to_vector(body->getTerminator()->getOperands(),
                             [&](Value value) { return lookUp(value); });
}

void LaneEmitter::store(Buffer buffer, AffineMap map, LaneValue value,
                        bool isStreamed) {
  SmallVector<LaneValue> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(emitAffine(expr, map.getNumDims(), loops));
  emitStore(buffer, indices, value, isStreamed);
}

LaneValue LaneEmitter::lookUp(Value value) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  assert(constant && "verified: only constants come from outside");
  return {LaneValue::Uniform, builder.clone(*constant)->getResult(0)};
}

void LaneEmitter::emitOps(Block &block) {
  for (Operation &op : block.without_terminator())
    emitOp(op);
}

Value LaneEmitter::emitIndexValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (!values.contains(value) && !op->hasTrait<OpTrait::ConstantLike>()) {
    for (Value operand : op->getOperands())
      emitIndexValue(operand);
    emitOp(*op);
  }
  return lookUp(value).value;
}

void LaneEmitter::emitOp(Operation &op) {
  if (known && op.getNumResults() == 1)
    if (auto it = known->find(op.getResult(0)); it != known->end()) {
      Value result = arith::ConstantOp::create(builder, loc,
                                               builder.getBoolAttr(it->second));
      values[op.getResult(0)] = {LaneValue::Uniform, result};
      return;
    }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    values[constant] = {LaneValue::Uniform, builder.clone(op)->getResult(0)};
    return;
  }
  if (auto indexOp = dyn_cast<linalg::IndexOp>(op)) {
    values[indexOp] = loops[indexOp.getDim()];
    return;
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<LaneValue> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(lookUp(operand));
    values[apply] = emitAffine(apply.getAffineMap().getResult(0),
                               apply.getAffineMap().getNumDims(), operands);
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    if (emitLookup(extract))
      return;
    SmallVector<LaneValue> indices;
    for (Value operand : extract.getIndices())
      indices.push_back(lookUp(operand));
    values[extract] = emitLoad(getBuffer(extract.getTensor()), indices);
    return;
  }
  if (isa<scf::IfOp>(op))
    return emitIf(op);
  if (!emitSteppedIndex(op) && !emitIndexCast(op) && !emitIndexCompare(op))
    emitElementwise(op);
}

/// The value of 8 bits that `index` extends without a sign; null if there is
/// none.
static Value findByte(Value index) {
  auto position = index.getDefiningOp<arith::IndexCastOp>();
  Value value = position ? position.getIn() : index;
  if (auto extension = value.getDefiningOp<arith::ExtSIOp>())
    value = extension.getIn();
  auto extension = value.getDefiningOp<arith::ExtUIOp>();
  return extension && extension.getIn().getType().isInteger(8)
             ? extension.getIn()
             : Value();
}

/// Reads a table of 256 bytes, in which each byte is the index of another.
bool LaneEmitter::emitLookup(tensor::ExtractOp op) {
  RankedTensorType type = op.getTensor().getType();
  if (type.getRank() != 1 || type.getDimSize(0) != cpu::kByteTableSize ||
      !type.getElementType().isInteger(8))
    return false;
  Value byte = findByte(op.getIndices().front());
  LaneValue bytes = byte ? lookUp(byte) : LaneValue();
  Buffer table = getBuffer(op.getTensor());
  if (!byte || bytes.kind != LaneValue::Varying || table.shift)
    return false;
  values[op] = {
      LaneValue::Varying,
      cpu::LookUpBytesOp::create(builder, loc, table.pointer, bytes.value)};
  return true;
}

/// Scalars where all operands are; else the same op on vectors.
void LaneEmitter::emitElementwise(Operation &op) {
  SmallVector<LaneValue> operands;
  bool isUniform = true;
  for (Value operand : op.getOperands()) {
    operands.push_back(lookUp(operand));
    isUniform &= operands.back().kind == LaneValue::Uniform;
  }
  OperationState state(loc, op.getName());
  for (LaneValue operand : operands)
    state.addOperands(isUniform ? operand.value : toVector(operand));
  for (Type type : op.getResultTypes())
    state.addTypes(isUniform ? type : vectorOf(type));
  state.propertiesAttr = op.getPropertiesAsAttribute();
  state.addAttributes(op.getDiscardableAttrDictionary().getValue());
  Operation *result = builder.create(state);
  SmallVector<Value> results(result->getResults());
  // Fold masks, so that constant masks are recognized as constants.
  SmallVector<Value> folded;
  if (isa<arith::AndIOp>(op) && succeeded(builder.tryFold(result, folded)) &&
      !folded.empty()) {
    results = folded;
    result->erase();
  }
  for (auto [from, to] : llvm::zip_equal(op.getResults(), results))
    values[from] = {isUniform ? LaneValue::Uniform : LaneValue::Varying, to};
}

/// Vectors of indices are of i64.
VectorType LaneEmitter::vectorOf(Type type) {
  return VectorType::get({lanes}, type.isIndex() ? builder.getI64Type() : type);
}

} // namespace tandem
