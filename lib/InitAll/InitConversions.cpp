//===- InitConversions.cpp - Upstream conversions Tandem uses -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registered one by one: the umbrella header mlir/Conversion/Passes.h takes
// more than twice as long to compile as the headers below.
//
//===----------------------------------------------------------------------===//

#include "InitConversions.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToEmitC/ArithToEmitCPass.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToEmitC/FuncToEmitCPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToEmitC/MathToEmitCPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToEmitC/MemRefToEmitCPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/SCFToEmitC/SCFToEmitC.h"
#include "mlir/Conversion/TensorToLinalg/TensorToLinalgPass.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void tandem::registerUpstreamConversions() {
  for (std::unique_ptr<Pass> (*create)() : {
           // To LLVM.
           +[] { return createArithToLLVMConversionPass(); },
           +[] { return createConvertBufferizationToMemRefPass(); },
           +[] { return createConvertControlFlowToLLVMPass(); },
           +[] { return createConvertFuncToLLVMPass(); },
           +[] { return createConvertIndexToLLVMPass(); },
           +[] { return createConvertMathToLLVMPass(); },
           +[] { return createConvertMathToLibmPass(); },
           +[] { return createConvertToLLVMPass(); },
           +[] { return createConvertVectorToLLVMPass(); },
           +[] { return createFinalizeMemRefToLLVMConversionPass(); },
           +[] { return createReconcileUnrealizedCastsPass(); },
           +[] { return createUBToLLVMConversionPass(); },
           // To EmitC.
           +[] { return createConvertArithToEmitC(); },
           +[] { return createConvertFuncToEmitC(); },
           +[] { return createConvertMathToEmitC(); },
           +[] { return createConvertMemRefToEmitC(); },
           +[] { return createSCFToEmitC(); },
           // Between the middle dialects.
           +[] { return createConvertTensorToLinalgPass(); },
           +[] { return createConvertVectorToSCFPass(); },
           +[] { return createLowerAffinePass(); },
           +[] { return createSCFToControlFlowPass(); },
       })
    registerPass(create);
}
