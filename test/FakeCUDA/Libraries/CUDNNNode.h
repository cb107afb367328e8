//===- CUDNNNode.h - Descriptors of the fake cuDNN --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_LIBRARIES_CUDNNNODE_H
#define TANDEM_TEST_FAKECUDA_LIBRARIES_CUDNNNODE_H

#include "Reports.h"

#include "tandem/Support/TensorType.h"

#include <map>
#include <memory>
#include <vector>

namespace fake::cudnn {

// The enumerations, each a namespace.
#define TANDEM_CONSTANT(enumeration, name, symbol, value)                      \
  namespace enumeration {                                                      \
  [[maybe_unused]] inline constexpr int name = value;                          \
  }
#include "tandem/Runtime/Libraries/CUDNNConstants.def"
#undef TANDEM_CONSTANT

/// cudnnStatus_t, as far as it is given out beside kSuccess.
enum : Result {
  kNotInitialized = 1001,
  kBadParam = 2000,
  kNotFinalized = 2004,
  kTooSmall = 2006,
  kShapeMismatch = 2008,
  kWrongType = 2010,
  kNotSupported = 3000,
  kPatternNotSupported = 3001,
  kLayoutNotSupported = 3004,
  kPaddingNotSupported = 3011,
  kExecutionFailed = 5000,
};

struct Node;
using NodeRef = std::shared_ptr<const Node>;

/// The value of an attribute.
struct Value {
  int type;
  int64_t count;
  std::vector<char> bytes;
  /// The nodes that descriptors refer to, as they were when they were set.
  std::vector<NodeRef> nodes;
};

/// A descriptor.
struct Node {
  int kind;
  bool isFinal = false;
  std::map<int, Value> values;
  /// The number and the graph of an engine and its configuration.
  int64_t engine = -1;
  NodeRef graph;

  bool has(int attribute) const { return values.contains(attribute); }
  template <typename T> T get(int attribute) const {
    return *reinterpret_cast<const T *>(values.at(attribute).bytes.data());
  }
  std::vector<int64_t> list(int attribute) const {
    const Value &value = values.at(attribute);
    const auto *first = reinterpret_cast<const int64_t *>(value.bytes.data());
    return {first, first + value.count};
  }
  const Node &node(int attribute, size_t index = 0) const {
    return *values.at(attribute).nodes[index];
  }
};

/// The attributes of a convolution operation.
struct ContractionAttributes {
  int input, kernel, output, convolution, alpha, beta;

  static ContractionAttributes of(int kind) {
    if (kind == Kind::convolutionBackwardData)
      return {Attribute::backwardDataInput,  Attribute::backwardDataKernel,
              Attribute::backwardDataOutput, Attribute::backwardDataConvolution,
              Attribute::backwardDataAlpha,  Attribute::backwardDataBeta};
    if (kind == Kind::convolutionBackwardFilter)
      return {
          Attribute::backwardFilterInput,  Attribute::backwardFilterGradient,
          Attribute::backwardFilterOutput, Attribute::backwardFilterConvolution,
          Attribute::backwardFilterAlpha,  Attribute::backwardFilterBeta};
    return {Attribute::forwardInput,  Attribute::forwardKernel,
            Attribute::forwardOutput, Attribute::forwardConvolution,
            Attribute::forwardAlpha,  Attribute::forwardBeta};
  }
};

/// The descriptors of a convolution operation, forward or backward. `input` and
/// `kernel` are its operands: of the gradient of the weights, x and dy.
struct ContractionNodes {
  explicit ContractionNodes(const Node &operation)
      : isBackwardData(operation.kind == Kind::convolutionBackwardData),
        isBackwardFilter(operation.kind == Kind::convolutionBackwardFilter),
        attributes(ContractionAttributes::of(operation.kind)),
        input(operation.node(attributes.input)),
        kernel(operation.node(attributes.kernel)),
        output(operation.node(attributes.output)),
        convolution(operation.node(attributes.convolution)) {}

  /// The tensor that windows lie over, the one with an element for each window,
  /// and the one with an element for each tap.
  const Node &windowed() const { return isBackwardData ? output : input; }
  const Node &positions() const {
    return isBackwardData ? input : isBackwardFilter ? kernel : output;
  }
  const Node &weights() const { return isBackwardFilter ? output : kernel; }

  const bool isBackwardData, isBackwardFilter;
  const ContractionAttributes attributes;
  const Node &input, &kernel, &output, &convolution;
};

/// The element type of a number of cudnnDataType_t.
tandem::DType elementType(int dataType);

/// Whether the node has what its kind needs, and what it has fits. Reports what
/// does not.
Result check(const Node &node);

/// An engine of the fake's: what it can do, and what is noted of it.
struct Engine {
  int64_t index;
  std::vector<int> numerical, behavior;
  int64_t workspaceBytes;
  bool keepsNaN, roundsToTF32;
  bool keepsInfinity = true, keepsGroupsApart = true;
  /// What becomes of sums of bytes.
  bool roundsToF32 = false, saturatesAtI16 = false;
};
/// The one knob that each engine has, and what the heuristics choose for it.
inline constexpr int kKnobType = 5;
inline int64_t knobOf(int64_t engine) { return 100 + engine; }
/// The engines for a graph, the best first; none if no engine has its pattern.
std::vector<Engine> enginesFor(const Node &graph);
Engine engineOf(const Node &graph, int64_t index);
/// Whether the engine computes the graph, or the status that says why not.
Result supports(const Engine &engine, const Node &graph);

/// A plan on tensors at these addresses, by id.
struct Execution {
  Engine engine;
  NodeRef graph;
  std::map<int64_t, char *> pointers;

  void run() const;
};
/// The tensors of the graph's interface: those that are not virtual. The one
/// that is written comes last.
std::vector<NodeRef> interfaceOf(const Node &graph);

} // namespace fake::cudnn

#endif // TANDEM_TEST_FAKECUDA_LIBRARIES_CUDNNNODE_H
