//===- ProgramEmitter.cpp - Functions to Programs -------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/Program/ProgramEmitter.h"

#include "ConstantBytes.h"
#include "SizeExpressions.h"

#include "tandem/Dialect/Tandem/IR/LibraryCall.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tandem {
namespace {

class ProgramEmitter {
public:
  ProgramEmitter(func::FuncOp function, const KernelIndices &kernels)
      : function(function), kernels(kernels) {}

  FailureOr<Program> emit();

private:
  /// The arguments, ops and results of a function or of a loop's region.
  LogicalResult emitBody(Block &body);
  LogicalResult emitInput(BlockArgument argument);
  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation &op);
  LogicalResult emitConstant(Operation &op, ElementsAttr value);
  LogicalResult emitFusion(ir::FusionOp fusion);
  LogicalResult emitLaunch(ir::LaunchOp launch);
  LogicalResult emitLibraryCall(ir::FusionOp fusion);
  template <typename Loop> LogicalResult emitLoop(Loop loop, Block &body);
  LogicalResult emitRunLoop(ir::RunLoopOp loop);
  LogicalResult emitTableOp(ir::TandemOpInterface op);

  /// Gives `value` a new slot.
  FailureOr<uint32_t> addSlot(Value value);
  /// Appends a step with slots for the operands and results of `op`.
  FailureOr<fb::StepT *> addStep(Operation &op);
  /// The slot of `value` with its one dim that is not 1 alone: where it has
  /// others, that of a reshape, which is appended.
  uint32_t addVector(Value value, Location loc);

  func::FuncOp function;
  const KernelIndices &kernels;
  Program program;
  llvm::DenseMap<Value, uint32_t> slots;
};

static std::unique_ptr<fb::SlotT> makeSlot(const TensorType &type) {
  auto slot = std::make_unique<fb::SlotT>();
  slot->type = std::make_unique<fb::TensorTypeT>(toFlat(type));
  return slot;
}

FailureOr<uint32_t> ProgramEmitter::addSlot(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !ir::isTandemTensor(type))
    return emitError(value.getLoc(), "a program has no values of type ")
           << value.getType();
  program.slots.push_back(makeSlot(ir::toTandemType(type)));
  uint32_t index = program.slots.size() - 1;
  slots[value] = index;
  return index;
}

uint32_t ProgramEmitter::addVector(Value value, Location loc) {
  const TensorType type =
      ir::toTandemType(cast<RankedTensorType>(value.getType()));
  const uint32_t slot = slots.lookup(value);
  if (type.shape.rank() == 1)
    return slot;
  const int64_t size = type.shape.numElements();
  fb::ReshapeAttrsT attrs;
  attrs.shape = {size};
  auto step = std::make_unique<fb::StepT>();
  step->op = std::make_unique<fb::OpT>();
  step->op->kind = OpKind::reshape;
  step->op->attrs.Set(std::move(attrs));
  step->location = renderLocation(loc);
  step->operands = {slot};
  program.slots.push_back(makeSlot({type.dtype, {size}}));
  step->results = {uint32_t(program.slots.size() - 1)};
  program.steps.push_back(std::move(step));
  return program.steps.back()->results[0];
}

/// Says where the step comes from.
static void locate(fb::StepT &step, Location location) {
  std::vector<std::string> sources = renderLocations(location);
  if (!sources.empty())
    step.location = sources.front();
  if (sources.size() > 1)
    step.sources = std::move(sources);
}

FailureOr<fb::StepT *> ProgramEmitter::addStep(Operation &op) {
  auto step = std::make_unique<fb::StepT>();
  locate(*step, op.getLoc());
  for (Value operand : op.getOperands())
    step->operands.push_back(slots.lookup(operand));
  for (Value result : op.getResults()) {
    FailureOr<uint32_t> slot = addSlot(result);
    if (failed(slot))
      return failure();
    step->results.push_back(*slot);
  }
  program.steps.push_back(std::move(step));
  return program.steps.back().get();
}

/// Has the constants of a loop's body given to it with what stays the same.
static void takeConstants(fb::StepT &step, Program &body, Program &program) {
  for (Constant &constant : body.constants) {
    body.inputs.push_back(constant.slot);
    program.slots.push_back(
        std::make_unique<fb::SlotT>(*body.slots[constant.slot]));
    const uint32_t slot = program.slots.size() - 1;
    program.constants.push_back({slot, std::move(constant.data)});
    step.operands.push_back(slot);
  }
}

template <typename Loop>
LogicalResult ProgramEmitter::emitLoop(Loop loop, Block &body) {
  ProgramEmitter inner(function, kernels);
  if (failed(inner.emitBody(body)))
    return failure();
  inner.program.input_dims.clear();
  FailureOr<fb::StepT *> step = addStep(*loop);
  if (failed(step))
    return failure();
  takeConstants(**step, inner.program, program);
  auto result = std::make_unique<fb::LoopT>();
  result->carried = loop.getCarried().size();
  result->scanned = loop.getScanned().size();
  result->trips = loop.getTrips().value_or(-1);
  for (bool isReversed : loop.getDirections())
    result->reversed.push_back(isReversed);
  result->body = std::make_unique<fb::ProgramT>(std::move(inner.program));
  (*step)->loop = std::move(result);
  return success();
}

LogicalResult ProgramEmitter::emitRunLoop(ir::RunLoopOp loop) {
  auto body = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      loop, loop.getBodyAttr());
  if (!body || !body.getBody().hasOneBlock())
    return loop.emitOpError("runs @")
           << loop.getBody() << ", which has no body";
  return emitLoop(loop, body.getBody().front());
}

LogicalResult ProgramEmitter::emitInput(BlockArgument argument) {
  FailureOr<uint32_t> slot = addSlot(argument);
  if (failed(slot))
    return failure();
  program.inputs.push_back(*slot);

  auto names = std::make_unique<fb::DimNamesT>();
  int64_t rank = cast<RankedTensorType>(argument.getType()).getRank();
  ArrayAttr dims;
  if (argument.getOwner() == &function.getBody().front())
    dims = function.getArgAttrOfType<ArrayAttr>(
        argument.getArgNumber(), ir::TandemDialect::kDimsAttrName);
  for (int64_t i = 0; i < rank; ++i)
    names->names.push_back(dims ? cast<StringAttr>(dims[i]).str() : "");
  program.input_dims.push_back(std::move(names));
  return success();
}

LogicalResult ProgramEmitter::emitConstant(Operation &op, ElementsAttr value) {
  FailureOr<Tensor> bytes = constantBytes(value, op.getLoc());
  if (failed(bytes))
    return failure();
  FailureOr<uint32_t> slot = addSlot(op.getResult(0));
  if (failed(slot))
    return failure();
  program.constants.push_back({*slot, std::move(*bytes)});
  return success();
}

LogicalResult ProgramEmitter::emitFusion(ir::FusionOp fusion) {
  Block &body = fusion.getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), fusion.getInputs()))
    slots[argument] = slots.lookup(input);
  if (failed(emitBlock(body)))
    return failure();
  for (auto [output, value] :
       llvm::zip_equal(fusion.getOutputs(), fusion.getYield().getValues()))
    slots[output] = slots.lookup(value);
  return success();
}

LogicalResult ProgramEmitter::emitLaunch(ir::LaunchOp launch) {
  auto kernel = kernels.find(launch.getKernel());
  if (kernel == kernels.end())
    return launch.emitOpError("launches @")
           << launch.getKernel() << ", which has not been compiled";
  FailureOr<fb::StepT *> step = addStep(*launch);
  if (failed(step))
    return failure();
  (*step)->kernel = kernel->second;
  // The root, which is the first of the locations, is the last of the ops.
  std::vector<std::string> &sources = (*step)->sources;
  if (!sources.empty())
    std::rotate(sources.begin(), sources.begin() + 1, sources.end());
  return success();
}

LogicalResult ProgramEmitter::emitLibraryCall(ir::FusionOp fusion) {
  for (auto [argument, input] :
       llvm::zip_equal(fusion.getBody().getArguments(), fusion.getInputs()))
    slots[argument] = slots.lookup(input);
  Expected<ir::LibraryCall> call = ir::describeLibraryCall(fusion);
  if (!call)
    return fusion.emitOpError("is no call of a library: it ")
           << call.error().message;
  auto step = std::make_unique<fb::StepT>();
  SmallVector<Location> locations{call->contraction.getLoc()};
  for (Operation &op : fusion.getBody().front().without_terminator())
    locations.push_back(op.getLoc());
  locate(*step, FusedLoc::get(fusion.getContext(), locations));
  step->op = std::make_unique<fb::OpT>(
      cast<ir::TandemOpInterface>(*call->contraction).getOpDesc());
  step->epilogue = std::make_unique<fb::EpilogueT>();
  step->epilogue->has_residual = bool(call->residual);
  if (call->activation)
    step->epilogue->activation = isa<ir::ReluOp>(call->activation)
                                     ? fb::Activation::relu
                                     : fb::Activation::gelu_tanh;
  for (Value operand : call->operands())
    step->operands.push_back(operand == call->bias
                                 ? addVector(operand, fusion.getLoc())
                                 : slots.lookup(operand));
  FailureOr<uint32_t> result = addSlot(fusion.getOutputs().front());
  if (failed(result))
    return failure();
  step->results = {*result};
  program.steps.push_back(std::move(step));
  return success();
}

LogicalResult ProgramEmitter::emitTableOp(ir::TandemOpInterface op) {
  FailureOr<fb::StepT *> step = addStep(*op);
  if (failed(step))
    return failure();
  (*step)->op = std::make_unique<fb::OpT>(op.getOpDesc());
  return emitSizes(op, function, **step, program);
}

LogicalResult ProgramEmitter::emitOp(Operation &op) {
  ElementsAttr constant;
  if (matchPattern(&op, m_Constant(&constant)))
    return emitConstant(op, constant);
  if (auto fusion = dyn_cast<ir::FusionOp>(op))
    return fusion.getKind() == ir::FusionKind::library ? emitLibraryCall(fusion)
                                                       : emitFusion(fusion);
  if (auto launch = dyn_cast<ir::LaunchOp>(op))
    return emitLaunch(launch);
  if (auto loop = dyn_cast<ir::LoopOp>(op))
    return emitLoop(loop, loop.getBody().front());
  if (auto loop = dyn_cast<ir::RunLoopOp>(op))
    return emitRunLoop(loop);
  if (auto stop = dyn_cast<ir::StopGradientOp>(op)) {
    slots[stop.getResult()] = slots.lookup(stop.getInput());
    return success();
  }
  if (auto tableOp = dyn_cast<ir::TandemOpInterface>(op))
    return emitTableOp(tableOp);
  return op.emitOpError("cannot be executed: a program holds ops of the tandem "
                        "dialect alone");
}

LogicalResult ProgramEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(op)))
      return failure();
  return success();
}

LogicalResult ProgramEmitter::emitBody(Block &body) {
  for (BlockArgument argument : body.getArguments())
    if (failed(emitInput(argument)))
      return failure();
  if (failed(emitBlock(body)))
    return failure();
  Operation *result = body.getTerminator();
  if (!isa<func::ReturnOp, ir::YieldOp>(result))
    return result->emitOpError("must be a return");
  for (Value value : result->getOperands())
    program.outputs.push_back(slots.lookup(value));
  return success();
}

FailureOr<Program> ProgramEmitter::emit() {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitOpError("must have a body of one block");
  program.name = function.getName().str();
  if (failed(emitBody(function.getBody().front())))
    return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto input = function.getResultAttrOfType<IntegerAttr>(
            i, ir::TandemDialect::kUpdatesAttrName))
      program.updates.emplace_back(static_cast<uint32_t>(input.getInt()), i);
  return std::move(program);
}

} // namespace

FailureOr<Program> emitProgram(func::FuncOp function,
                               const KernelIndices &kernels) {
  return ProgramEmitter(function, kernels).emit();
}

} // namespace tandem
