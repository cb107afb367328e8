//===- ObjectCompiler.cpp - LLVM IR to object code ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCompiler.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace tandem;

namespace {

/// Short on purpose: kernels are loop nests without calls, whose compile time
/// is part of what the runtime weighs. Unrolling comes after vectorisation and
/// licm after unrolling, so that a short inner loop's loads leave the outer
/// one.
constexpr llvm::StringLiteral kPipeline =
    "always-inline,function("
    "simplifycfg,sroa,early-cse,instcombine,"
    "loop-mssa(loop-rotate,licm),"
    "loop(indvars,loop-deletion),"
    "loop-vectorize,"
    "instcombine,simplifycfg,loop-unroll<O2>,sroa,early-cse<memssa>,"
    "instcombine,loop-mssa(licm),simplifycfg)";

llvm::orc::JITTargetMachineBuilder
makeBuilder(const CPUTargetOptions &options) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::orc::JITTargetMachineBuilder builder =
      llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  if (!options.cpu.empty())
    builder.setCPU(options.cpu);
  if (!options.features.empty())
    builder.setFeatures(options.features);
  // A multiply and an add of it may become one instruction; no other liberty.
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Fast;
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  return builder;
}

} // namespace

Expected<llvm::TargetMachine *>
tandem::getTargetMachine(const CPUTargetOptions &options) {
  thread_local llvm::StringMap<std::unique_ptr<llvm::TargetMachine>> machines;
  auto &machine = machines[options.cpu + "/" + options.features];
  if (machine)
    return machine.get();
  auto created = makeBuilder(options).createTargetMachine();
  if (!created)
    return fail("codegen", "no target machine for '" + options.cpu +
                               "': " + llvm::toString(created.takeError()));
  machine = std::move(*created);
  return machine.get();
}

void tandem::setTarget(llvm::Module &module, llvm::TargetMachine &machine,
                       unsigned vectorBits) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  // LLVM takes 256 bits for the best on some processors with 512.
  unsigned bits = vectorBits;
  if (bits == 0)
    bits = machine.getMCSubtargetInfo()->checkFeatures("+avx512f") ? 512 : 256;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", std::to_string(bits));
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

void tandem::optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.LoopInterleaving = true;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kPipeline));
  passes.run(module, modules);
}

Expected<llvm::SmallVector<char, 0>>
tandem::emitObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return fail("codegen", "the target cannot emit object files");
  passes.run(module);
  return object;
}
