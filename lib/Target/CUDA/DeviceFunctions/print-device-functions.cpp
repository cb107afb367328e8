//===- print-device-functions.cpp - Elementwise ops as device functions ---===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints, while Tandem is built, the functions of single elements that the
// GPU's own kernels are made of (runtime/eager/cuda), by the very conversions
// that compiled kernels take: tandem, linalg, EmitC, CUDA C++. The runtime,
// which links no compiler, contains the text.
//
//===----------------------------------------------------------------------===//

#include "eager/cuda/ElementwiseFunctions.h"

#include "../PrintKernel.h"
#include "Conversion/KernelToEmitC/CTypes.h"

#include "tandem/Conversion/KernelToEmitC/KernelToEmitC.h"
#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Dialect/Tandem/IR/ValueTypes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using tandem::DType;
using tandem::cuda::ElementwiseFunction;
using tandem::cuda::FunctionGroup;

namespace {

/// Elements of the tensors from which a function is taken. Of one element the
/// loop would go.
constexpr int64_t kElements = 2;

std::string attributesOf(const tandem::OpDesc &op) {
  if (const auto *attrs = op.attrs.AsGeluAttrs())
    return attrs->approximate_tanh ? " <{approximate_tanh}>" : "";
  if (const auto *attrs = op.attrs.AsCastAttrs())
    return " <{dtype = " + std::string(tandem::name(attrs->dtype)) + "}>";
  if (const auto *attrs = op.attrs.AsCompareAttrs())
    return std::string(" <{predicate = #tandem<compare_predicate ") +
           tandem::fb::EnumNameComparePredicate(attrs->predicate) + ">}>";
  return "";
}

std::string tensorOf(DType dtype) {
  return tandem::TensorType{dtype, {kElements}}.str();
}

/// A kernel of the one op.
std::string graphOf(const ElementwiseFunction &function) {
  std::string arguments, operands, types;
  for (size_t i = 0; i < function.operands.size(); ++i) {
    const std::string separator = i == 0 ? "" : ", ";
    const std::string type = tensorOf(function.operands[i]);
    arguments += separator + "%x" + std::to_string(i) + ": " + type;
    operands += separator + "%x" + std::to_string(i);
    types += separator + type;
  }
  const std::string result = tensorOf(function.result);
  return "func.func @" + function.name + "(" + arguments + ") -> " + result +
         " {\n  %y = \"tandem." + std::string(tandem::name(function.op.kind)) +
         "\"(" + operands + ")" + attributesOf(function.op) + " : (" + types +
         ") -> " + result + "\n  return %y : " + result + "\n}\n";
}

/// Rewrites kernels on tensors as functions on one element each.
class ScalarFunction {
public:
  ScalarFunction(func::FuncOp kernel) : kernel(kernel), builder(kernel) {}

  LogicalResult run();

private:
  Value load(Value tensor);
  func::FuncOp createFunction();
  Location named(const Twine &name) {
    return NameLoc::get(builder.getStringAttr(name), kernel.getLoc());
  }

  func::FuncOp kernel;
  OpBuilder builder;
  func::FuncOp function;
  Value zero;
};

func::FuncOp ScalarFunction::createFunction() {
  SmallVector<Type> types;
  const FunctionType type = kernel.getFunctionType();
  for (Type tensor :
       llvm::concat<const Type>(type.getInputs(), type.getResults()))
    types.push_back(
        MemRefType::get(1, cast<RankedTensorType>(tensor).getElementType()));
  auto created =
      func::FuncOp::create(builder, kernel.getLoc(), kernel.getName(),
                           builder.getFunctionType(types, {}));
  created.addEntryBlock();
  for (BlockArgument argument : created.getArguments()) {
    const unsigned number = argument.getArgNumber();
    argument.setLoc(named(number + 1 == types.size() ? Twine("out")
                                                     : "in" + Twine(number)));
  }
  return created;
}

Value ScalarFunction::load(Value tensor) {
  const unsigned number = cast<BlockArgument>(tensor).getArgNumber();
  return memref::LoadOp::create(builder, named("x" + Twine(number)),
                                function.getArgument(number), zero);
}

LogicalResult ScalarFunction::run() {
  auto generics = kernel.getOps<linalg::GenericOp>();
  if (!llvm::hasSingleElement(generics))
    return kernel.emitOpError("is not one loop in linalg");
  linalg::GenericOp generic = *generics.begin();
  function = createFunction();
  builder.setInsertionPointToStart(&function.getBody().front());
  zero = arith::ConstantIndexOp::create(builder, kernel.getLoc(), 0);
  IRMapping values;
  for (auto [operand, argument] :
       llvm::zip(generic.getDpsInputs(), generic.getRegionInputArgs()))
    values.map(argument, load(operand));
  for (auto constant : kernel.getOps<arith::ConstantOp>())
    if (!isa<ShapedType>(constant.getType()))
      builder.clone(*constant, values);
  for (Operation &op : generic.getBody()->without_terminator())
    builder.clone(op, values);
  const Value result = generic.getBody()->getTerminator()->getOperand(0);
  memref::StoreOp::create(builder, kernel.getLoc(),
                          values.lookupOrDefault(result),
                          function.getArguments().back(), zero);
  func::ReturnOp::create(builder, kernel.getLoc());
  IRRewriter rewriter(builder);
  (void)runRegionDCE(rewriter, function->getRegions());
  kernel.erase();
  return success();
}

LogicalResult convert(ModuleOp module) {
  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (failed(tandem::convertKernelToLinalg(kernel)) ||
        failed(ScalarFunction(kernel).run()))
      return failure();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(tandem::createConvertKernelToEmitC());
  if (failed(passes.run(module)))
    return failure();
  OpBuilder builder(module.getContext());
  for (auto function : module.getOps<emitc::FuncOp>())
    function.setSpecifiersAttr(
        builder.getStrArrayAttr({"__device__", "__forceinline__"}));
  return success();
}

/// The functions of a group on a type; nothing where there are none.
FailureOr<std::string> print(MLIRContext &context, FunctionGroup group,
                             DType dtype) {
  std::string graphs;
  for (const ElementwiseFunction &function :
       tandem::cuda::elementwiseFunctions(group, dtype))
    graphs += graphOf(function);
  if (graphs.empty())
    return std::string();
  auto module = parseSourceString<ModuleOp>(graphs, &context);
  if (!module || failed(convert(*module)))
    return failure();
  return tandem::printKernel(*module);
}

/// How kernels spell types, by their names in MLIR: integers without a sign.
LogicalResult printTypes(MLIRContext &context, raw_ostream &os) {
  os << "constexpr std::pair<std::string_view, std::string_view> "
        "kCTypes[] = {\n";
  for (DType dtype : tandem::fb::EnumValuesDType()) {
    const std::string_view name = tandem::name(dtype);
    Type type = tandem::ir::toMlirType(&context, dtype);
    if (type.isUnsignedInteger())
      type = tandem::getComputeType(type);
    os << "{\"" << name << "\", \"" << tandem::conversion::cTypeName(type)
       << "\"},\n";
  }
  os << "};\n";
  return success();
}

LogicalResult printAll(MLIRContext &context, raw_ostream &os) {
  os << "// Generated by print-device-functions.\n";
  if (failed(printTypes(context, os)))
    return failure();
  os << "// CUDA C++ by group and type.\n"
        "constexpr std::pair<std::string_view, std::string_view> "
        "kDeviceFunctions[] = {\n";
  for (FunctionGroup group : tandem::cuda::kFunctionGroups)
    for (DType dtype : tandem::fb::EnumValuesDType()) {
      FailureOr<std::string> text = print(context, group, dtype);
      if (failed(text))
        return failure();
      os << "{\"" << tandem::cuda::name(group) << "." << tandem::name(dtype)
         << "\", R\"TANDEM(" << *text << ")TANDEM\"},\n";
    }
  os << "};\n";
  return success();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: print-device-functions FILE\n";
    return 1;
  }
  DialectRegistry registry;
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  emitc::EmitCDialect, func::FuncDialect, gpu::GPUDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect, tandem::ir::TandemDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::error_code error;
  llvm::raw_fd_ostream file(argv[1], error);
  if (error) {
    llvm::errs() << argv[1] << ": " << error.message() << "\n";
    return 1;
  }
  return failed(printAll(context, file));
}
