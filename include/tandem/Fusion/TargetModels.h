//===- TargetModels.h - Models that a context knows -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_FUSION_TARGETMODELS_H
#define TANDEM_FUSION_TARGETMODELS_H

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringMap.h"

#include <memory>

namespace tandem {

/// The models of one kind (`Model`) that are registered in a context. Pass
/// options refer to them by name. The table is an interface of the dialect
/// `tandem`.
template <typename Model>
class TargetModels : public mlir::DialectInterface::Base<TargetModels<Model>> {
public:
  explicit TargetModels(mlir::Dialect *dialect)
      : mlir::DialectInterface::Base<TargetModels<Model>>(dialect) {}

  /// Registers `model` for all contexts that are created from `registry`.
  /// `model` must outlive these contexts.
  static void add(mlir::DialectRegistry &registry, const Model &model) {
    registry.addExtension(mlir::TypeID::getFromOpaquePointer(&model),
                          std::make_unique<Extension>(model));
  }
  /// Returns the model called `name`, or null if `context` has none.
  static const Model *find(mlir::MLIRContext *context, llvm::StringRef name) {
    auto *dialect = context->getLoadedDialect<ir::TandemDialect>();
    auto *known =
        dialect ? dialect->getRegisteredInterface<TargetModels>() : nullptr;
    return known ? known->models.lookup(name) : nullptr;
  }

private:
  /// Adds a model to the models of a context when the context loads the
  /// dialect.
  class Extension
      : public mlir::DialectExtension<Extension, ir::TandemDialect> {
  public:
    explicit Extension(const Model &model) : model(model) {}

    void apply(mlir::MLIRContext *, ir::TandemDialect *dialect) const final {
      auto *known = dialect->getRegisteredInterface<TargetModels>();
      if (!known)
        known = &dialect->addInterface<TargetModels>();
      known->models[model.name()] = &model;
    }

  private:
    const Model &model;
  };

  llvm::StringMap<const Model *> models;
};

} // namespace tandem

#endif // TANDEM_FUSION_TARGETMODELS_H
