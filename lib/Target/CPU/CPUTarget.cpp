//===- CPUTarget.cpp - Kernel modules to machine code for the host --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/CPUTarget.h"

#include "CodeGen.h"
#include "FrameLog.h"
#include "HostMachine.h"
#include "InPlace.h"

#include "tandem/Conversion/TandemToLinalg/TandemToLinalg.h"
#include "tandem/Dialect/Tandem/IR/TandemDialect.h"
#include "tandem/Runtime/Kernels/HostKernel.h"
#include "tandem/Target/CPU/CPUDialect.h"
#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace tandem {

void registerCPUTargetDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect,
                  ir::TandemDialect, cpu::TandemCPUDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static Status lowerToLinalg(ModuleOp kernel, const CPUTargetOptions &options,
                            PhaseTimes &times) {
  PhaseTimer timer(times, "linalg");
  if (failed(lowerKernelToLinalg(kernel, options.deviceSpec)))
    return fail("codegen", "cannot be expressed as loops");
  return {};
}

void buildCPUKernelPipeline(OpPassManager &passes,
                            const CPUTargetOptions &options) {
  CPUTargetOptions target = resolve(options);
  LowerKernelToLoopsOptions loops;
  loops.vectorBits = target.vectorBits;
  loops.bf16 = hasBF16(target);
  loops.vnni = hasVNNI(target);
  loops.wordPairs = hasWordPairs(target);
  loops.amxInt8 = hasAMXInt8(target);
  loops.deviceSpec = target.deviceSpec;
  passes.addPass(createLowerKernelToLoops(loops));
  if (const char *mutant = getMutant())
    passes.addPass(createMutateKernel({mutant}));

  ExpandMathOptions math;
  math.avx512 = target.vectorBits == 512;
  math.fma = hasFMA(target);
  math.vbmi = math.avx512 && hasVBMI(target);
  math.shuffledBytes = target.vectorBits >= 256 && hasWordPairs(target)
                           ? target.vectorBits / 8
                           : 0;
  math.stock = target.stockMath;
  passes.addPass(createExpandMath(math));
  passes.addPass(createSoftenBF16());
  // The emitters of tiles and lanes emit about half of their ops twice. Each op
  // that CSE removes need not be converted, translated and optimized.
  passes.addPass(createCSEPass());
  passes.addPass(createLowerLoopsToLLVM());
}

static Status lowerToLLVM(ModuleOp kernel, const CPUTargetOptions &options) {
  PassManager passes(kernel->getContext(), ModuleOp::getOperationName());
  // Verify once, after all passes.
  passes.enableVerifier(false);
  buildCPUKernelPipeline(passes, options);
  if (failed(passes.run(kernel)) || failed(verify(kernel)))
    return fail("codegen", "cannot be lowered to LLVM");
  return {};
}

namespace {
/// Keeps LLVM's first error, for which LLVM's own handler would end the
/// process. Adds up the stack frames of all functions, in bytes: no function is
/// recursive, and each calls another at most once.
struct DiagnosticCollector : llvm::DiagnosticHandler {
  DiagnosticCollector(std::string &message, int64_t &frameBytes)
      : message(message), frameBytes(frameBytes) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &diagnostic) override {
    // LLVM leaves out the return address, what aligning the frame takes, and
    // the red zone below it.
    constexpr int64_t kUncounted = 256;
    if (auto *frame =
            llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&diagnostic))
      frameBytes += static_cast<int64_t>(frame->getStackSize()) + kUncounted;
    if (diagnostic.getSeverity() == llvm::DS_Error && message.empty()) {
      llvm::raw_string_ostream stream(message);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      diagnostic.print(printer);
    }
    return true;
  }
  std::string &message;
  int64_t &frameBytes;
};
} // namespace

static int64_t getAttr(ModuleOp kernel, StringRef name, int64_t otherwise) {
  auto attr = kernel->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : otherwise;
}

/// From a kernel in phase `linalg` to an object, whatever frame that needs.
static Expected<fb::KernelT>
compileFor(ModuleOp kernel, const CPUTargetOptions &target, PhaseTimes &times) {
  fb::KernelT result;
  result.target = fb::KernelTarget::cpu_object;
  result.name = kernel.getSymName().value_or("kernel").str();
  TANDEM_ASSIGN_OR_RETURN(PooledTargetMachine machine,
                          PooledTargetMachine::get(target));
  {
    PhaseTimer timer(times, "lower");
    TANDEM_RETURN_IF_ERROR(lowerToLLVM(kernel, target));
  }
  result.extent = getAttr(kernel, kExtentAttrName, 1);
  result.grain = getAttr(kernel, kGrainAttrName, 1);
  result.workspace = getAttr(kernel, kWorkspaceAttrName, 0);
  for (InPlacePair pair : getInPlacePairs(kernel))
    result.in_place.emplace_back(pair.operand, pair.result);
  llvm::LLVMContext context;
  std::string message;
  context.setDiagnosticHandler(
      std::make_unique<DiagnosticCollector>(message, result.frame));
  std::unique_ptr<llvm::Module> module;
  {
    PhaseTimer timer(times, "optimize");
    module = translateModuleToLLVMIR(kernel, context, result.name);
    if (!module)
      return fail("codegen", "has no LLVM IR");
    optimize(*module, *machine, target);
  }
  PhaseTimer timer(times, "codegen");
  TANDEM_ASSIGN_OR_RETURN(result.code, emitObject(*module, *machine));
  if (!message.empty())
    return fail("codegen", message);
  return result;
}

Expected<fb::KernelT> compileKernelForCPU(ModuleOp kernel,
                                          const CPUTargetOptions &options,
                                          PhaseTimes &times) {
  constexpr unsigned kNarrowest = 64;
  TANDEM_RETURN_IF_ERROR(lowerToLinalg(kernel, options, times));
  CPUTargetOptions target = resolve(options);
  while (true) {
    OwningOpRef<ModuleOp> copy = kernel.clone();
    TANDEM_ASSIGN_OR_RETURN(fb::KernelT result,
                            compileFor(*copy, target, times));
    if (result.frame <= kMaxFrameBytes) {
      logFrame(result.frame);
      return result;
    }
    // A kernel that spills this much works on many lanes. With half of them it
    // spills less.
    if (target.vectorBits <= kNarrowest)
      return fail("codegen", "needs " + std::to_string(result.frame) +
                                 " bytes of stack, where a kernel may take " +
                                 std::to_string(kMaxFrameBytes));
    target.vectorBits /= 2;
  }
}

} // namespace tandem
