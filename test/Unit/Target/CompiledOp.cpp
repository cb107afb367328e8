//===- CompiledOp.cpp - Kernels as a provider of ops ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledOp.h"

#include "../../Fuzz/RandomGraph.h"

#include "tandem/Target/CPU/ContractionForms.h"
#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Runtime/Kernels/HostKernel.h"
#include "tandem/Target/CPU/CPUTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <map>

using namespace tandem;
using namespace tandem::test;

static mlir::MLIRContext &getContext() {
  // One per thread: kernels are compiled concurrently in different contexts.
  thread_local std::unique_ptr<mlir::MLIRContext> context = [] {
    mlir::DialectRegistry registry;
    registerCPUTargetDialects(registry);
    auto context = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    return context;
  }();
  return *context;
}

void CompiledKernel::run(std::vector<void *> args) const {
  Tensor workspace = *Tensor::allocate({DType::i8, {kernel.workspace}});
  run(std::move(args), workspace.as<std::byte>());
}

void CompiledKernel::run(std::vector<void *> args, std::byte *workspace) const {
  int64_t extent = kernel.extent;
  KernelFn function = functionOf(*loaded.front());
  // Its contents are undefined: NaNs in whichever type.
  auto runRange = [&](int64_t begin, int64_t end) {
    std::fill_n(workspace, kernel.workspace, std::byte(0xff));
    function(args.data(), /*sizes=*/nullptr, workspace, begin, end);
  };
  runRange(0, extent / 3);
  runRange(extent / 3, extent / 2);
  runRange(extent / 2, extent);
}

static Expected<CompiledKernel> compileModule(mlir::ModuleOp module,
                                              const CPUTargetOptions &options) {
  PhaseTimes times;
  TANDEM_ASSIGN_OR_RETURN(fb::KernelT kernel,
                          compileKernelForCPU(module, options, times));
  Program program;
  program.kernels.push_back(std::make_unique<fb::KernelT>(kernel));
  TANDEM_ASSIGN_OR_RETURN(auto loaded, loadCPUKernels(program));
  return CompiledKernel{std::move(kernel), std::move(loaded)};
}

Expected<CompiledKernel> test::compileKernel(const std::string &source,
                                             const CPUTargetOptions &options) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &getContext());
  if (!module)
    return fail("parse", "the kernel does not parse:\n" + source);
  return compileModule(*module, options);
}

/// A module with one kernel of one op; `attributes` are the module's.
static std::string printKernel(const char *attributes, const OpDesc &op,
                               std::span<const TensorType> operands,
                               const TensorType &result) {
  return std::string("module @k ") + attributes + " {\n" +
         fuzz::printFunction("k", op, operands, result) + "}";
}

namespace {

class CompiledOp : public PreparedOp {
public:
  explicit CompiledOp(CompiledKernel kernel) : kernel(std::move(kernel)) {}
  Status run(const StepContext &context, std::span<const Tensor> operands,
             std::span<Tensor> results) const override {
    std::vector<void *> args;
    for (const Tensor &tensor : operands)
      args.push_back(const_cast<void *>(tensor.data()));
    for (Tensor &tensor : results)
      args.push_back(tensor.data());
    kernel.run(std::move(args), context.workspace.data());
    return {};
  }
  int64_t workspaceBytes() const override { return kernel.kernel.workspace; }

private:
  CompiledKernel kernel;
};

class CompilingProvider : public Provider {
public:
  using Check = Status (*)(mlir::Operation *);
  CompilingProvider(const char *attributes, Check check,
                    const std::string &features = "")
      : attributes(attributes), check(check) {
    options.features = features;
  }
  std::string_view name() const override { return "compiled"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    std::string source = printKernel(attributes, signature.op,
                                     signature.operands, signature.result());
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(source, &getContext());
    if (!module)
      return fail("parse", "the kernel does not parse:\n" + source);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    if (!check(&function.getBody().front().front()))
      return nullptr;
    TANDEM_ASSIGN_OR_RETURN(auto kernel, compileModule(*module, options));
    return std::make_unique<CompiledOp>(std::move(kernel));
  }

private:
  const char *attributes;
  Check check;
  CPUTargetOptions options;
};

} // namespace

const Provider &test::compilingProvider() {
  static CompilingProvider provider("", checkElemental);
  return provider;
}

static Status checkHero(mlir::Operation *hero) {
  TANDEM_ASSIGN_OR_RETURN(Contraction contraction, describeContraction(hero));
  return checkContraction(hero, contraction);
}

const Provider &test::contractingProvider(const std::string &features) {
  static std::map<std::string, CompilingProvider> providers;
  return providers
      .try_emplace(
          features,
          "attributes {tandem.kind = #tandem<fusion_kind contraction>}",
          checkHero, features)
      .first->second;
}

const Provider &test::reducingProvider() {
  static CompilingProvider provider(
      "attributes {tandem.kind = #tandem<fusion_kind reduction>}",
      checkReduction);
  return provider;
}
