//===- PyFunction.h - Functions for Python ----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PYTHON_PYFUNCTION_H
#define TANDEM_PYTHON_PYFUNCTION_H

#include "Arrays.h"
#include "Interpreter.h"

#include "tandem/Tandem.h"

#include <deque>
#include <mutex>

namespace tandem::python {

/// Events of functions, which background threads add and Python drains into
/// `logging`: a background thread never takes the GIL. Thread-safe.
class EventQueue {
public:
  void add(std::string line);
  std::vector<std::string> drain();
  bool isEmpty() const { return count.load(std::memory_order_relaxed) == 0; }

private:
  /// The oldest events beyond this number are dropped.
  static constexpr size_t kMaxEvents = 10000;
  std::mutex mutex;
  std::deque<std::string> lines;
  std::atomic<size_t> count{0};
};

/// A graph with a Function of the runtime, called with arrays.
class PyFunction {
public:
  static std::shared_ptr<PyFunction> create(std::unique_ptr<Graph> graph,
                                            const CompileOptions &options,
                                            TieringOptions tiering);

  PyFunction() = default;
  PyFunction(const PyFunction &) = delete;
  /// Releases the GIL: a certificate that runs meanwhile may call Python.
  ~PyFunction();

  /// Calls the function: `arguments` in the order of the inputs, `keywords` by
  /// the names of inputs; `out` is an array, or a tuple of arrays, that
  /// receives the outputs; `tier` is the name of a tier.
  nb::object call(const nb::args &arguments, const nb::kwargs &keywords);

  /// The mean time of `count` calls in C++, in nanoseconds. This is the cost of
  /// a call without Python.
  double timeCalls(int count, const nb::args &arguments);

  /// (name, dtype, dims) of each input or output. A dim is a number, a name or
  /// None.
  nb::list inputs() const { return describe(true); }
  nb::list outputs() const { return describe(false); }

  /// Compiles signatures in the background. A signature is a list of (dtype,
  /// shape).
  void compileAhead(const nb::list &signatures);
  /// Waits for background work. KeyboardInterrupt ends the wait.
  void wait();
  void cancel();
  std::string reportText() const;
  std::string reportJSON() const;
  std::string trace() const;
  /// Prepares a tier for a signature, and returns the compile time in
  /// nanoseconds.
  double prepare(const nb::list &signature, const std::string &tier);
  /// Function::profile as a dict. `tier` is the name of a tier or empty.
  nb::dict profile(const nb::args &inputs, const nb::kwargs &named,
                   const std::string &tier, int runs);
  /// The nodes of Graph::coverage as dicts.
  nb::list coverage(const nb::list &signature, const std::string &tier) const;
  /// See Graph::printIR and Graph::explainFusion.
  std::string ir(const std::string &phase, const nb::list &signature) const;
  std::string explain(const nb::list &signature) const;
  /// A function of Graph::withGradient, with the options of this one.
  std::shared_ptr<PyFunction> withGradient(const nb::list &signature,
                                           const std::vector<int64_t> &wrt,
                                           int64_t loss, bool hasSeed) const;
  /// A function of Graph::withUpdates, with the options of this one. Each
  /// update is a pair of an input's and an output's number.
  std::shared_ptr<PyFunction>
  withUpdates(const std::vector<std::pair<int64_t, int64_t>> &updates) const;
  /// The function of makeTrainingStep and the result of layOutTraining for the
  /// loss that this function computes, with the options of this one. `settings`
  /// has the fields of TrainingOptions and Optimizer.
  std::shared_ptr<PyFunction> trainingStep(const nb::list &signature,
                                           const nb::dict &settings) const;
  nb::dict trainingLayout(const nb::dict &settings) const;
  /// waitForAll waits for the background work of all functions, and cancelAll
  /// cancels it. The GIL must be held, and is released meanwhile.
  static void waitForAll();
  static void cancelAll();
  std::vector<std::string> drainEvents() { return events->drain(); }
  bool hasEvents() const { return !events->isEmpty(); }
  size_t copies() const { return numCopies; }

private:
  static void forAll(void (Function::*method)());
  nb::list describe(bool isInput) const;
  void bind(const nb::args &arguments, const nb::kwargs &keywords,
            Arrays &inputs) const;
  void bindOutputs(nb::handle out, Arrays &outputs) const;
  void noteCopies(const Arrays &arrays);
  nb::object outputArray(size_t number, const Tensor &output,
                         const Arrays &inputs) const;

  std::unique_ptr<Graph> graph;
  std::shared_ptr<Function> function;
  CompileOptions options;
  /// The options that `create` was given.
  TieringOptions tiering;
  std::shared_ptr<EventQueue> events = std::make_shared<EventQueue>();
  std::vector<std::string> inputLabels, outputLabels;
  /// For each input, whether calls write to it. For each output, the number of
  /// the input that it updates.
  std::vector<bool> isUpdated;
  std::vector<std::optional<size_t>> updatedInputs;
  size_t numCopies = 0;
};

/// A signature from (dtype, shape) pairs.
std::vector<TensorType> toTypes(const nb::list &signature);

} // namespace tandem::python

#endif // TANDEM_PYTHON_PYFUNCTION_H
