//===- CodeGen.cpp - LLVM IR to an object ---------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGen.h"
#include "FatalErrors.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Pass.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace tandem {

/// The optimizations that the emitted code still needs: folding of address
/// arithmetic, common subexpression elimination, and hoisting of loop
/// invariants.
static FunctionPassManager buildPipeline() {
  FunctionPassManager passes;
  auto hoistInvariants = [&] {
    passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                   /*UseMemorySSA=*/true));
  };
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass());
  hoistInvariants();
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass());
  // InstCombine reassociates address computations differently in each loop, so
  // hoist again.
  hoistInvariants();
  return passes;
}

/// If both operands of a division are zero in a lane, LLVM 22's instruction
/// selection assumes that the result is zero in that lane
/// (TargetLowering::SimplifyDemandedVectorElts), and drops the mask that would
/// make it zero. The result is NaN. An arithmetic fence around the dividend,
/// which emits no instruction, hides it from this analysis.
static void fenceDividends(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      unsigned opcode = instruction.getOpcode();
      if ((opcode != Instruction::FDiv && opcode != Instruction::FRem) ||
          !instruction.getType()->isVectorTy())
        continue;
      IRBuilder<> builder(&instruction);
      instruction.setOperand(
          0, builder.CreateArithmeticFence(instruction.getOperand(0),
                                           instruction.getType()));
    }
}

/// Rounds f16 values to integral values in f32. InstCombine removes the
/// conversions around floor, ceil and roundeven, because they do not change the
/// result. Without AVX512-FP16, instruction selection would then round one
/// element after the other.
static void widenRoundings(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || !call->getType()->getScalarType()->isHalfTy() ||
          !is_contained(
              {Intrinsic::floor, Intrinsic::ceil, Intrinsic::roundeven},
              call->getIntrinsicID()))
        continue;
      IRBuilder<> builder(call);
      Type *wide = call->getType()->getWithNewType(builder.getFloatTy());
      Value *rounded = builder.CreateUnaryIntrinsic(
          call->getIntrinsicID(),
          builder.CreateFPExt(call->getArgOperand(0), wide));
      call->replaceAllUsesWith(builder.CreateFPTrunc(rounded, call->getType()));
      call->eraseFromParent();
    }
}

static void splitMaskedLoad(IntrinsicInst &load, unsigned vectorBits) {
  auto *type = cast<FixedVectorType>(load.getType());
  Type *element = type->getElementType();
  unsigned lanes = type->getNumElements(), bits = type->getScalarSizeInBits();
  unsigned most = vectorBits / bits;
  // AVX2 has no masked loads of narrower elements; these are loaded one by one.
  if (lanes <= most || bits < 32)
    return;
  Value *pointer = load.getArgOperand(0), *mask = load.getArgOperand(1);
  Value *otherwise = load.getArgOperand(2);
  Align alignment = load.getParamAlign(0).valueOrOne();
  IRBuilder<> builder(&load);
  SmallVector<Value *> parts;
  for (unsigned first = 0; first < lanes; first += most) {
    unsigned count = std::min(most, lanes - first);
    auto of = llvm::to_vector(llvm::seq<int>(first, first + count));
    parts.push_back(builder.CreateMaskedLoad(
        FixedVectorType::get(element, count),
        builder.CreateConstGEP1_64(element, pointer, first),
        commonAlignment(alignment, first * bits / 8),
        builder.CreateShuffleVector(mask, of),
        builder.CreateShuffleVector(otherwise, of)));
  }
  load.replaceAllUsesWith(concatenateVectors(builder, parts));
  load.eraseFromParent();
}

/// Splits masked loads that are wider than a register, because LLVM 22 does so
/// incorrectly on AVX2. If a constant mask disables all lanes of a part, LLVM
/// loads that part without a mask. The values of these lanes are wrong, and the
/// load may access unmapped memory. LLVM handles the constant mask of a single
/// register correctly.
static void splitMaskedLoads(Module &module, unsigned vectorBits) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (call && call->getIntrinsicID() == Intrinsic::masked_load &&
          !isa<llvm::Constant>(call->getArgOperand(1)))
        splitMaskedLoad(*call, vectorBits);
    }
}

void optimize(Module &module, TargetMachine &machine,
              const CPUTargetOptions &options) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", options.cpu);
    function.addFnAttr("target-features", options.features);
    function.addFnAttr("prefer-vector-width",
                       std::to_string(options.vectorBits));
    function.addFnAttr(Attribute::NoUnwind);
    // A frame larger than a page must not jump over a stack's guard page.
    function.addFnAttr("probe-stack", "inline-asm");
    // Has LLVM tell the size of every frame.
    function.addFnAttr("warn-stack-size", "0");
  }
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(buildPipeline()));
  passes.run(module, modules);
  fenceDividends(module);
  widenRoundings(module);
  splitMaskedLoads(module, options.vectorBits);
}

namespace {
/// Passes of LLVM's code generation that cost time and gain nothing here.
bool isWasted(StringRef name) {
  return llvm::is_contained(
      {
          // Half of code generation where a loop has many addresses; without it
          // the kernels are as fast, for their loops advance one index and x86
          // adds it to a base and an offset in each access.
          "Loop Strength Reduction",
          // Kernels are emitted in an order that fits the registers, and the
          // processor executes out of order. This scheduler moved loads of a
          // tile ahead of its products, so that accumulators were spilled.
          "Machine Instruction Scheduler",
          "Post RA top-down list latency scheduler",
      },
      name);
}

class CodeGenPasses : public legacy::PassManager {
public:
  void add(Pass *pass) override {
    if (isWasted(pass->getPassName()))
      delete pass;
    else
      legacy::PassManager::add(pass);
  }
};
} // namespace

Expected<std::vector<uint8_t>> emitObject(Module &module,
                                          TargetMachine &machine) {
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  bool canEmit = false;
  TANDEM_RETURN_IF_ERROR(runUntilFatalError([&] {
    CodeGenPasses passes;
    canEmit = !machine.addPassesToEmitFile(passes, stream, nullptr,
                                           CodeGenFileType::ObjectFile);
    if (canEmit)
      passes.run(module);
  }));
  if (!canEmit)
    return fail("codegen", "LLVM cannot emit objects for this host");
  return std::vector<uint8_t>(object.begin(), object.end());
}

} // namespace tandem
