//===- Node.h - A node that is being imported -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_MODEL_NODE_H
#define TANDEM_LIB_IMPORT_ONNX_MODEL_NODE_H

#include "Model/ImportState.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include <string>

namespace tandem::onnx {

using Ints = llvm::SmallVector<int64_t, 4>;

/// The most elements of a table that is computed while importing.
inline constexpr int64_t kMaxTableElements = int64_t(1) << 24;

/// The most elements along a dim of windows, and the largest stride, dilation
/// or padding. The product of two and sums of a few of those do not overflow.
inline constexpr int64_t kMaxSize = int64_t(1) << 30;

/// A node of the model on its way into the function. Whatever is wrong is
/// emitted as an error at the node, once; from then on, values are null, and
/// functions of null values are null, so that the functions of the op table
/// need not check anything.
class Node {
public:
  Node(ImportState &state, const proto::NodeProto &proto, int64_t opset);

  const proto::NodeProto &proto() const { return node; }
  /// The version of the operator set that the node's op is of.
  int64_t opset() const { return version; }
  ImportState &state() { return context; }
  mlir::Location location() const { return loc; }

  void error(const llvm::Twine &message, const llvm::Twine &hint = "");
  /// Records an error that has been emitted elsewhere.
  void fail() { failed = true; }
  bool hasFailed() const { return failed; }
  /// An error unless `condition` holds. Returns the condition.
  bool require(bool condition, const llvm::Twine &message);
  /// An error unless all `sizes` are at least `least`, and below kMaxSize.
  bool requireSizes(llvm::ArrayRef<int64_t> sizes, int64_t least,
                    const llvm::Twine &message);
  /// An error unless `what` has `wanted` dims.
  bool requireRank(const llvm::Twine &what, int64_t rank, int64_t wanted);
  /// An error unless `what` has `wanted` elements.
  bool requireCount(const llvm::Twine &what, int64_t count, int64_t wanted);
  /// An error unless a table of `count` elements may be computed while
  /// importing. Returns whether it may.
  bool requireTable(int64_t count);

  // Attributes. One of another type than asked for is an error.
  bool hasAttribute(llvm::StringRef name) const { return find(name); }
  int64_t getInt(llvm::StringRef name, int64_t otherwise);
  double getFloat(llvm::StringRef name, double otherwise);
  std::string getString(llvm::StringRef name, llvm::StringRef otherwise = "");
  /// The element type that a number of ONNX names.
  mlir::Type getType(llvm::StringRef name, int64_t otherwise);
  Ints getInts(llvm::StringRef name, Ints otherwise = {});
  /// The attribute, to be looked into; null where there is none.
  const proto::AttributeProto *find(llvm::StringRef name) const;

  // Operands.
  unsigned numOperands() const { return node.input_size(); }
  bool hasOperand(unsigned i) const;
  /// What errors call an operand: "operand 1 ('scale')".
  std::string nameOf(unsigned operand) const;
  /// Operand `i`; an error where it is left out.
  mlir::Value operand(unsigned i);
  /// From now on operands of 16-bit floats are cast to f32, and results of f32
  /// to the type of the first of those.
  void widenHalves() { widens = true; }
  /// All operands.
  llvm::SmallVector<mlir::Value> operands();
  /// What operand `i` stands for; nothing where it is left out.
  NamedValue &named(unsigned i) { return context.values[node.input(i)]; }
  /// `named` as a value; it is called `name` in errors.
  mlir::Value valueOf(NamedValue &named, llvm::StringRef name);
  /// The elements of an operand where they are known, without an error.
  std::optional<Integers> known(unsigned i);
  std::optional<Integers> known(NamedValue &named);
  /// The elements of what follows from constants, of any number and type;
  /// nothing where `value` does not. An error where they take too long to
  /// compute.
  std::optional<Tensor> elementsOf(mlir::Value value);
  /// The integers that `known` gives, or else those that running the ops before
  /// `named` on constants gives; nothing where they depend on inputs.
  std::optional<Integers> computed(NamedValue &named, llvm::StringRef name);
  /// The only element of `named`, where it is known or computed.
  std::optional<int64_t> knownScalar(NamedValue &named);
  /// The integers of an operand with which shapes are computed; an error where
  /// they are not known.
  Sizes sizes(unsigned i);
  /// `elements` as integers; an error where free dims are among them.
  Ints asConstants(const Sizes &elements, const llvm::Twine &name);
  /// The same as `sizes`, but an error if free dims are among them.
  Ints constants(unsigned i);
  /// The integers or floats of an operand that follows from constants; an error
  /// where it does not.
  llvm::SmallVector<double> numbers(unsigned i);
  /// From operand `i`, where there is one, or else from the attribute.
  Ints constantsOr(unsigned i, llvm::StringRef attribute, Ints otherwise = {});

  // Results.
  bool isWanted(unsigned i) const;
  /// Errors with null values have been reported before.
  void result(unsigned i, mlir::Value value);
  void result(unsigned i, Integers integers);
  void result(unsigned i, NamedValue named);

  // Types. Those of a null value are of a scalar.
  mlir::RankedTensorType type(mlir::Value value) const;
  int64_t rank(mlir::Value value) const { return type(value).getRank(); }
  mlir::Type element(mlir::Value value) const {
    return type(value).getElementType();
  }
  bool isFloat(mlir::Value value) const;
  Sizes sizesOf(mlir::Value value);
  /// A dim's size; an error, and 1, where it is free.
  int64_t dim(mlir::Value value, int64_t i);
  /// All of them; ones after an error.
  Ints dims(mlir::Value value);
  /// An axis of a tensor of `rank` dims, counted from the end if negative.
  int64_t axis(int64_t value, int64_t rank);
  Ints axes(Ints values, int64_t rank);

  // Ops.
  template <typename Op>
  mlir::Value emit(mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return check(
        context.create(Op::getOperationName(), loc, operands, attributes));
  }
  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Attribute value);
  mlir::NamedAttribute ints(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> value);
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute unit(llvm::StringRef name);

  /// A scalar of the type of `like`'s elements, or of `type`.
  mlir::Value scalar(mlir::Value like, double value);
  mlir::Value scalar(mlir::Type type, double value);
  mlir::Value constant(mlir::ElementsAttr elements);
  /// Numbers that were computed in double precision, as floats or integers of
  /// `type`.
  mlir::Value table(mlir::RankedTensorType type, llvm::ArrayRef<double> values);
  /// A vector of i64.
  mlir::Value vector(llvm::ArrayRef<int64_t> values);

  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  mlir::Value compare(ir::ComparePredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value onTrue,
                     mlir::Value onFalse);
  mlir::Value cast(mlir::Value value, mlir::Type type);
  /// An error where more than one size is free.
  mlir::Value reshape(mlir::Value value, const Sizes &shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value reduce(ir::ReduceKind kind, mlir::Value value,
                     llvm::ArrayRef<int64_t> dims, bool keepDims = true);
  mlir::Value gather(mlir::Value value, mlir::Value indices, int64_t axis);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  /// Elements start, start + stride, … before `limit` of dim `axis`.
  mlir::Value slice(mlir::Value value, int64_t axis, int64_t start,
                    int64_t limit, int64_t stride = 1);
  mlir::Value pad(mlir::Value value, llvm::ArrayRef<int64_t> low,
                  llvm::ArrayRef<int64_t> high,
                  llvm::ArrayRef<int64_t> interior, double with);
  mlir::Value iota(llvm::ArrayRef<int64_t> shape, int64_t axis,
                   mlir::Type element);
  /// `value` in a static shape with which it broadcasts.
  mlir::Value expand(mlir::Value value, llvm::ArrayRef<int64_t> shape);

private:
  mlir::Value check(mlir::Value value) {
    failed |= !value;
    return value;
  }
  const proto::AttributeProto *find(llvm::StringRef name,
                                    proto::AttributeProto::AttributeType type);

  ImportState &context;
  const proto::NodeProto &node;
  int64_t version;
  mlir::Location loc;
  bool failed = false;
  /// See widenHalves. `narrow` is null as long as nothing was cast.
  bool widens = false;
  mlir::Type narrow;
};

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_MODEL_NODE_H
