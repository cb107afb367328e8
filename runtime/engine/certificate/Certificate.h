//===- Certificate.h - Does a compiled program compute the same? *- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The equivalence certificate: before a compiled program takes over, its
// outputs on a call's own inputs are compared with eager's. docs/Engine.md says
// what is compared, and what a certificate is worth.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_ENGINE_CERTIFICATE_CERTIFICATE_H
#define TANDEM_RUNTIME_ENGINE_CERTIFICATE_CERTIFICATE_H

#include "engine/certificate/Tolerance.h"

#include "tandem/Runtime/ErrorBounds.h"
#include "tandem/Runtime/Tensor.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::tiering {

/// What a comparison of a compiled program with eager came to.
struct Certificate {
  enum class Verdict {
    passed,
    provisional, ///< Nothing is wrong, but these inputs do not show enough.
    undecided,   ///< An element may be wrong: only a weak bound allows for it.
    failed,
  };
  /// Why a certificate is provisional or undecided.
  enum class Reason {
    none,
    nearJump,  ///< Differences that values near a jump may explain.
    constant,  ///< All elements of an input or output are equal.
    notFinite, ///< An element of an input or output is infinite or NaN.
    weak,      ///< The error bound is so large that wrong results could pass.
  };
  Verdict verdict = Verdict::passed;
  Reason reason = Reason::none;
  /// What the reason, or the failure, is about: the index of an input or of an
  /// output.
  bool isInput = false;
  size_t index = 0;
  /// The element that exceeds its bound by most, of those that were compared,
  /// or -1 where all are within them. `expected` is eager's value, or the
  /// reference's where the error bounds decided that it is wrong; `actual` is
  /// compiled's. If the verdict is undecided, `bound` is the tolerance.
  int64_t element = -1;
  double expected = 0, actual = 0, bound = 0;
  /// Elements of all outputs, those beyond their bounds, and those of them that
  /// values near a jump may explain.
  int64_t compared = 0, mismatches = 0, explained = 0;
  /// Elements of the results of jumps whose operands are within tolerance of
  /// the jump.
  int64_t nearJumps = 0;
  /// Whether the error bounds decided, which know the data, because the
  /// tolerance was exceeded.
  bool isByErrorBounds = false;

  /// The text "failed: output 0, element 17: 3.5 instead of 2.5, bound 1e-06; 1
  /// of 64 elements differ".
  std::string str() const;
};

/// "passed", "provisional", "undecided", "failed".
std::string_view name(Certificate::Verdict verdict);
/// "near a jump", "constant", …
std::string_view name(Certificate::Reason reason);

/// Certifies the compiled programs of one signature. Immutable and thread-safe.
class Certifier {
public:
  /// `eager` is the eager program of the graph, and `inputs` are the static
  /// types of the signature. Fails as deriveTolerance does.
  static Expected<Certifier> create(std::shared_ptr<const Program> eager,
                                    std::span<const TensorType> inputs,
                                    Precision precision = Precision::strict);

  /// The eager program that is run for a certificate: it has the operands of
  /// jumps as further outputs, behind its own. It is the eager program itself
  /// where there are none.
  const std::shared_ptr<const Program> &program() const { return certifying; }
  const Tolerance &tolerance() const { return derived; }

  /// Compares the outputs of a compiled program with those of `program()`. All
  /// tensors are in the host's memory. What exceeds the tolerance is a failure;
  /// where that is not certain to be wrong, `confirm` decides.
  Certificate certify(std::span<const Tensor> inputs,
                      std::span<const Tensor> eagerOutputs,
                      std::span<const Tensor> compiledOutputs) const;

  /// Judges the outputs that exceed their tolerance by the error bounds of
  /// these inputs (evaluateWithBounds), which takes some ten runs of the
  /// reference. To be called with the arguments of `certify` where that failed.
  /// An element that exceeds its error bound, too, is wrong: the verdict is
  /// failed. An element beyond its tolerance that only a weak bound allows for
  /// makes the verdict undecided: a weak bound is infinite, or larger than
  /// kWeakBound times the largest magnitude of the output. The call fails when
  /// `isStopped` (which may be empty) returns true.
  Expected<Certificate>
  confirm(std::span<const Tensor> inputs, std::span<const Tensor> eagerOutputs,
          std::span<const Tensor> compiledOutputs,
          const std::function<bool()> &isStopped = {}) const;

private:
  Certifier() = default;
  void judge(Certificate &certificate, size_t output,
             const BoundedTensor &expected, const Tensor &eager,
             const Tensor &compiled, double mayDiffer) const;

  std::shared_ptr<const Program> eager, certifying;
  Precision precision = Precision::strict;
  Tolerance derived;
  /// For each operand of each jump, its index among the outputs of
  /// `certifying`.
  std::vector<std::vector<size_t>> jumpOperands;
};

/// A hash of inputs. The hash for a provisional certificate is compared with
/// those of later calls. It reads at most some kilobytes of each tensor, which
/// must be in the host's memory; inputs that only differ elsewhere have the
/// same hash.
uint64_t fingerprint(std::span<const Tensor> inputs);

/// A failed certificate, to be written to files.
struct FailedCertificate {
  const Certificate &certificate;
  /// The eager program, and the MLIR text that it was made from; empty where
  /// that is not known.
  const Program &program;
  std::string_view source;
  /// In the host's memory.
  std::span<const Tensor> inputs, eagerOutputs, compiledOutputs;
};

/// Writes a folder with the graph, the inputs and both outputs as .npy files,
/// and `run.sh`, which shows the difference with tandem-run; returns its path.
/// It is made in `directory`, or, where that is empty, in the directory of
/// reproducers (openReproducerDirectory). A failure that has been written
/// before is not written again.
Expected<std::string> writeReproducer(const FailedCertificate &failed,
                                      const std::string &directory = {});

} // namespace tandem::tiering

#endif // TANDEM_RUNTIME_ENGINE_CERTIFICATE_CERTIFICATE_H
