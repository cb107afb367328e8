//===- Importer.h - ONNX models to functions of the dialect -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_MODEL_IMPORTER_H
#define TANDEM_LIB_IMPORT_ONNX_MODEL_IMPORTER_H

#include "Model/ImportState.h"

#include "tandem/Import/ONNX/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringSet.h"

#include <deque>
#include <set>
#include <unordered_map>

namespace tandem::onnx {

/// Imports one model. Errors are emitted as diagnostics.
class Importer {
public:
  Importer(mlir::MLIRContext *context, ModelFile &file,
           const ImportOptions &options)
      : state(context, file, options), graph(file.model().graph()) {
    state.addGraph = [this](const proto::GraphProto &inner,
                            llvm::ArrayRef<NamedValue> operands) {
      return addGraph(inner, operands);
    };
  }

  mlir::LogicalResult run();

  ImportedModel result;

private:
  struct Input {
    mlir::RankedTensorType type;
    /// The name of each dim; empty for a dim that is not free.
    std::vector<std::string> dimNames;
    Sizes sizes;
  };

  mlir::LogicalResult checkVersions();
  mlir::LogicalResult checkOps();
  /// The model-local function that a node calls; null where it calls none.
  const proto::FunctionProto *findFunction(const proto::NodeProto &node) const;
  /// Calls `visit` with each node, also in graphs within nodes and in functions
  /// that are called.
  void
  forEachNode(const google::protobuf::RepeatedPtrField<proto::NodeProto> &nodes,
              llvm::function_ref<void(const proto::NodeProto &)> visit,
              std::set<const proto::FunctionProto *> &seen) const;
  void addShapeInputs(const std::string &name);
  void findShapeInputs();
  /// Finds the sizes that the options give free dims.
  mlir::LogicalResult bindDims();
  mlir::FailureOr<Input> describeInput(const proto::ValueInfoProto &info);
  mlir::LogicalResult fixInput(const proto::ValueInfoProto &info,
                               mlir::RankedTensorType type,
                               llvm::ArrayRef<double> values);
  mlir::LogicalResult addInput(const proto::ValueInfoProto &info);
  /// Whether the options have values or a shape for an input.
  bool isGiven(const std::string &input) const;
  /// An error where they have some for what is no input.
  mlir::LogicalResult checkGiven();
  mlir::LogicalResult addInputs();
  /// Gives a name to a value of the innermost scope. It may stand for another
  /// one outside, as ONNX Runtime allows, though ONNX does not.
  mlir::LogicalResult declare(const std::string &name, mlir::Location loc);
  /// Closes the innermost scope: names stand again for what they do outside.
  void leaveScope();
  /// Whether `name` is that of a result which is computed further down.
  bool isPending(llvm::StringRef name) const;
  mlir::LogicalResult checkOperands(const proto::NodeProto &node,
                                    mlir::Location loc);
  /// Adds what computes a node to the function, and says what became of it.
  mlir::LogicalResult addNode(const proto::NodeProto &node);
  /// Adds what computes a node, which may have failed half-way.
  mlir::LogicalResult convertNode(const proto::NodeProto &node);
  void tryNode(const proto::NodeProto &node, ModelNode &entry);
  /// Gives the result of a node that cannot be imported what stands for it: an
  /// input, where the model tells its type.
  void refuseResult(const std::string &name);
  /// The outputs beside those of the model, each once: what nodes read that
  /// cannot be imported, and the results of all nodes where that is asked for.
  llvm::SmallVector<mlir::Value> furtherOutputs();
  mlir::LogicalResult addCall(const proto::NodeProto &node,
                              const proto::FunctionProto &function);
  mlir::LogicalResult addWeights(const proto::GraphProto &of);
  /// An error where functions and graphs expand to too much with one more, of
  /// `count` nodes.
  mlir::LogicalResult countNodes(int count, mlir::Location loc);
  mlir::LogicalResult addBody(const proto::GraphProto &inner,
                              llvm::ArrayRef<NamedValue> operands);
  mlir::FailureOr<llvm::SmallVector<NamedValue>>
  addGraph(const proto::GraphProto &inner, llvm::ArrayRef<NamedValue> operands);
  mlir::LogicalResult addOutputs();

  ImportState state;
  const proto::GraphProto &graph;
  int64_t opset = 1;
  /// Nodes of functions, with the attributes of their calls.
  std::deque<proto::NodeProto> expanded;
  /// The functions and graphs that are being added, one in another.
  int depth = 0;
  /// The nodes that were added within functions and graphs.
  size_t innerNodes = 0;
  /// The names of a graph or a call while it is being added.
  struct Scope {
    llvm::StringSet<> names;
    /// The names of results that are not computed yet, and that stand for
    /// something else outside.
    llvm::StringSet<> pending;
    /// What the names that are given anew here stand for outside.
    std::vector<std::pair<std::string, NamedValue>> shadowed;
  };
  /// From the outermost to the innermost.
  std::vector<Scope> scopes{1};
  mlir::func::FuncOp function;
  std::vector<Input> inputs;
  /// The sizes of free dims that are given, and the dims that inputs have.
  std::map<std::string, int64_t> boundDims;
  std::set<std::string> usedDims;
  /// What nodes read that cannot be imported.
  std::vector<std::string> refusedInputs;
  /// Values that determine shapes.
  std::set<std::string> shapeInputs;
  /// The node that computes each value.
  std::unordered_map<std::string, const proto::NodeProto *> makers;
};

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_MODEL_IMPORTER_H
