//===- TandemTypes.cpp - MLIR types to and from Tandem's ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

using namespace mlir;
using namespace tandem;

std::optional<DType> ir::toDType(Type type) {
  for (DType dtype : fb::EnumValuesDType())
    if (type == toMlirType(type.getContext(), dtype))
      return dtype;
  return std::nullopt;
}

Type ir::toMlirType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::f32:
    return Float32Type::get(context);
  case DType::f64:
    return Float64Type::get(context);
  case DType::f16:
    return Float16Type::get(context);
  case DType::bf16:
    return BFloat16Type::get(context);
  case DType::i1:
    return IntegerType::get(context, 1);
#define TANDEM_INTEGER(name, ...) case DType::name:
#include "tandem/Support/DTypes.def"
    return IntegerType::get(context, 8 * byteWidth(dtype),
                            isUnsigned(dtype) ? IntegerType::Unsigned
                                              : IntegerType::Signless);
  }
  return {};
}

bool ir::isTandemTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() <= kMaxRank && !tensor.getEncoding() &&
         toDType(tensor.getElementType());
}

tandem::TensorType ir::toTandemType(RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  return {*toDType(type.getElementType()),
          Shape(std::span<const int64_t>(shape.data(), shape.size()))};
}

RankedTensorType ir::toMlirType(MLIRContext *context,
                                const tandem::TensorType &type) {
  ArrayRef<int64_t> shape(type.shape.begin(), type.shape.end());
  return RankedTensorType::get(shape, toMlirType(context, type.dtype));
}
