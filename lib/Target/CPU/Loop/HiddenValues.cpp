//===- HiddenValues.cpp - Values that LLVM does not know ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/HiddenValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// `number`, an integer, as a value that LLVM does not know.
static Value hideInteger(OpBuilder &builder, Location loc, Value number) {
  Type type = number.getType();
  Type whole =
      builder.getIntegerType(std::max(type.getIntOrFloatBitWidth(), 32U));
  if (type != whole)
    number = arith::ExtUIOp::create(builder, loc, whole, number);
  number = LLVM::InlineAsmOp::create(
               builder, loc, TypeRange(whole), number, /*asm_string=*/"",
               /*constraints=*/"=r,0", /*has_side_effects=*/false,
               /*is_align_stack=*/false, LLVM::TailCallKind::None,
               LLVM::AsmDialectAttr(), ArrayAttr())
               .getResult(0);
  if (type != whole)
    number = arith::TruncIOp::create(builder, loc, type, number);
  return number;
}

Value hideMask(OpBuilder &builder, Location loc, Value mask) {
  auto type = cast<VectorType>(mask.getType());
  Type bits =
      builder.getIntegerType(static_cast<unsigned>(type.getNumElements()));
  Value number = LLVM::BitcastOp::create(builder, loc, bits, mask);
  return LLVM::BitcastOp::create(builder, loc, type,
                                 hideInteger(builder, loc, number));
}

Value hiddenZero(OpBuilder &builder, Location loc, VectorType type) {
  Type element = type.getElementType();
  Type bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
  Value zero = arith::ConstantOp::create(builder, loc, bits,
                                         builder.getIntegerAttr(bits, 0));
  zero = hideInteger(builder, loc, zero);
  if (element != bits)
    zero = LLVM::BitcastOp::create(builder, loc, element, zero);
  Value first = arith::ConstantOp::create(builder, loc, builder.getI32Type(),
                                          builder.getI32IntegerAttr(0));
  return LLVM::InsertElementOp::create(
      builder, loc, LLVM::PoisonOp::create(builder, loc, type), zero, first);
}

} // namespace tandem
