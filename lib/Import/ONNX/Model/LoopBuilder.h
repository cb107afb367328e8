//===- LoopBuilder.h - Building tandem.loop ---------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_MODEL_LOOPBUILDER_H
#define TANDEM_LIB_IMPORT_ONNX_MODEL_LOOPBUILDER_H

#include "Model/Node.h"

namespace tandem::onnx {

/// The most iterations that are copies of the body, each with ops of its own.
/// In copies, what is known of an iteration's number folds, and the first one's
/// zeros cost nothing; but compiling takes time for each, so that more become a
/// loop.
inline constexpr int64_t kMaxCopies = 16;

/// Builds a loop. From its construction to its end, what the node emits becomes
/// the loop's body, which may use all values before it.
class LoopBuilder {
public:
  /// What is scanned has the iterations as its first dim. Without any, there
  /// are `trips`.
  LoopBuilder(Node &node, llvm::ArrayRef<mlir::Value> carried,
              llvm::ArrayRef<mlir::Value> scanned,
              std::optional<int64_t> trips = std::nullopt);
  ~LoopBuilder();
  LoopBuilder(const LoopBuilder &) = delete;

  /// What an iteration is given; null after an error.
  mlir::Value carried(unsigned i) { return argument(i); }
  mlir::Value slice(unsigned i) { return argument(initial.size() + i); }

  /// Ends the body, which makes `values`: what is carried on, and slices of
  /// what is stacked. `reversed`: of each scanned, then each stacked value,
  /// whether the first iteration has the last slice. Returns the loop's
  /// results; nulls, with an error, where a value cannot be carried on.
  llvm::SmallVector<mlir::Value> finish(llvm::ArrayRef<mlir::Value> values,
                                        llvm::ArrayRef<bool> reversed);

private:
  mlir::Value argument(unsigned i) {
    return i < body->getNumArguments() ? body->getArgument(i) : mlir::Value();
  }
  mlir::Value addArgument(mlir::RankedTensorType type, Sizes sizes);
  bool canCarryOn(llvm::ArrayRef<mlir::Value> values);
  /// Emits what follows after the loop again.
  void leave();

  Node &node;
  llvm::SmallVector<mlir::Value> initial, scanned;
  std::optional<int64_t> trips;
  std::unique_ptr<mlir::Region> region;
  mlir::Block *body;
  mlir::OpBuilder::InsertPoint before;
  /// Whether this is no loop within a loop.
  bool isOutermost;
};

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_MODEL_LOOPBUILDER_H
