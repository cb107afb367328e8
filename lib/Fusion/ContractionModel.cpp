//===- ContractionModel.cpp - A target's kernels of contractions ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/ContractionModel.h"

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace tandem {
namespace {

/// Adds a model to those of a context, when the dialect is loaded there.
class AddModel : public DialectExtension<AddModel, ir::TandemDialect> {
public:
  explicit AddModel(const ContractionModel &model) : model(model) {}

  void apply(MLIRContext *, ir::TandemDialect *dialect) const final {
    auto *models = dialect->getRegisteredInterface<ContractionModels>();
    if (!models)
      models = &dialect->addInterface<ContractionModels>();
    models->add(model);
  }

private:
  const ContractionModel &model;
};

} // namespace

void ContractionModels::add(DialectRegistry &registry,
                            const ContractionModel &model) {
  registry.addExtension(TypeID::getFromOpaquePointer(&model),
                        std::make_unique<AddModel>(model));
}

const ContractionModel *ContractionModels::find(MLIRContext *context,
                                                StringRef name) {
  auto *dialect = context->getLoadedDialect<ir::TandemDialect>();
  auto *models =
      dialect ? dialect->getRegisteredInterface<ContractionModels>() : nullptr;
  return models ? models->models.lookup(name) : nullptr;
}

} // namespace tandem
