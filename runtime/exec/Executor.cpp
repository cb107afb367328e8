//===- Executor.cpp - Runs Programs ---------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Executor.h"

#include "../device/host/Threads.h"
#include "CapturedRuns.h"
#include "ConstantSteps.h"
#include "OpDispatch.h"
#include "OutputPlan.h"

#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Runtime/Program/ProgramSizes.h"
#include "tandem/Support/ObjectPool.h"

#include <deque>

using namespace tandem;
using namespace tandem::exec;

struct Executor::Impl {
  std::shared_ptr<const Program> program;
  ExecutorOptions options;
  DispatchContext context;
  /// The constants of the program, with the types of their slots, and the
  /// results of steps that run only once.
  std::vector<Constant> constants;
  std::vector<StepPlan> plans;
  OutputPlan outputPlan;
  /// By step, whether it runs only once; empty if no step does.
  std::vector<bool> runsOnce;
  /// One per step; a deque, as they cannot be moved.
  std::deque<PreparedCache> caches;
  /// Why runs are not captured though that was asked for.
  std::optional<Error> notCaptured;
  /// Null where runs are not captured.
  std::unique_ptr<CapturedRuns> capturedRuns;
  ObjectPool<Frame, 8> frames;

  Impl(std::shared_ptr<const Program> program, ExecutorOptions options)
      : program(std::move(program)), options(std::move(options)),
        context{*this->program,
                this->options.providers,
                *this->options.stream,
                this->options.stream->allocator(),
                this->options.stream->device().memory(),
                this->options.dispatchOnly},
        outputPlan(*this->program), caches(this->program->steps.size()) {}

  Status placeConstants();
  Status runConstantSteps();
  Status setInputs(std::span<const Tensor> inputs, Frame &frame) const;
  /// `*heldBytes` as CapturedRuns::run.
  Status runOn(Frame &frame, int64_t *heldBytes);
  Status createCapturedRuns();
  template <typename RunOn>
  Status withFrame(std::span<const Tensor> inputs,
                   std::span<const Tensor> given, std::vector<Tensor> &outputs,
                   RunOn runOn);
  Status runMeasured(std::span<const Tensor> inputs,
                     std::span<const Tensor> given,
                     std::vector<Tensor> &outputs, int64_t *peakBytes);
  Status collectOutputs(std::span<const Tensor> given, Frame &frame,
                        std::vector<Tensor> &outputs) const;
};

Expected<std::unique_ptr<Executor>>
Executor::create(std::shared_ptr<const Program> program,
                 ExecutorOptions options) {
  TANDEM_RETURN_IF_ERROR(verify(*program));
  applyThreadLimit();
  if (!options.stream)
    options.stream = &hostDevice().defaultStream();
  if (options.providers.empty())
    options.providers = options.stream->device().providers(options.libraries);
  auto impl = std::make_unique<Impl>(std::move(program), std::move(options));
  TANDEM_RETURN_IF_ERROR(impl->placeConstants());
  TANDEM_ASSIGN_OR_RETURN(impl->plans,
                          planSteps(*impl->program, impl->program->kernels,
                                    impl->options, impl->constants));
  TANDEM_RETURN_IF_ERROR(impl->runConstantSteps());
  if (impl->options.capture)
    TANDEM_RETURN_IF_ERROR(impl->createCapturedRuns());
  return std::unique_ptr<Executor>(new Executor(std::move(impl)));
}

Executor::Executor(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Executor::~Executor() = default;

const Program &Executor::program() const { return *impl->program; }
Stream &Executor::stream() const { return *impl->options.stream; }
ProviderList Executor::providers() const { return impl->options.providers; }

bool Executor::hasRunOnce(size_t step) const {
  return !impl->runsOnce.empty() && impl->runsOnce[step];
}

CaptureCounts Executor::captureCounts() const {
  return impl->capturedRuns ? impl->capturedRuns->counts() : CaptureCounts();
}

std::optional<Error> Executor::captureFailure() const {
  return impl->capturedRuns ? impl->capturedRuns->failure() : impl->notCaptured;
}

std::optional<int64_t> Executor::plannedPeakBytes() const {
  if (!areStepsPrepared(*impl->program, impl->plans))
    return std::nullopt;
  const std::vector<uint32_t> given = impl->outputPlan.overwritingSlots();
  if (impl->capturedRuns) {
    int64_t peak = impl->capturedRuns->peakBytes();
    for (uint32_t slot : given)
      peak -= fromFlat(*impl->program->slots[slot]->type).bytes();
    return peak;
  }
  std::vector<int64_t> workspaces;
  for (const StepPlan &plan : impl->plans)
    workspaces.push_back(workspaceBytes(plan));
  return tandem::plannedPeakBytes(*impl->program, workspaces, given);
}

/// Places the constants where the device reads them, under the types of their
/// slots.
Status Executor::Impl::placeConstants() {
  std::vector<Tensor> given;
  for (const Constant &constant : program->constants)
    given.push_back(
        constant.data.viewAs(fromFlat(*program->slots[constant.slot]->type)));
  Device &device = options.stream->device();
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> placed,
                          device.placeConstants(given, *options.stream));
  for (size_t i = 0; i < placed.size(); ++i)
    constants.push_back({program->constants[i].slot, std::move(placed[i])});
  // Prepared ops may read the constants at once.
  return options.stream->synchronize();
}

/// Runs the steps that depend on constants alone, and keeps what others read.
Status Executor::Impl::runConstantSteps() {
  ConstantSteps found = findConstantSteps(*program);
  if (found.runsOnce.empty())
    return {};
  Frame frame(*program, constants);
  for (size_t i = 0; i < plans.size(); ++i)
    if (found.runsOnce[i])
      TANDEM_RETURN_IF_ERROR(runStep(context, plans[i], caches[i], i, frame));
  for (uint32_t slot : found.kept)
    constants.push_back({slot, *frame.values[slot]});
  runsOnce = std::move(found.runsOnce);
  // Other streams may read these results next, by way of state that this
  // executor shares.
  return options.stream->synchronize();
}

/// What a tensor's memory is called in an error.
static std::string describePlace(const Device *device) {
  return device ? "on device '" + std::string(device->name()) + "'"
                : "in the host's memory";
}

/// Checks the types, unless they are those of the frame's last run.
Status Executor::Impl::setInputs(std::span<const Tensor> inputs,
                                 Frame &frame) const {
  std::vector<TensorType> &checked = frame.checkedInputs;
  bool known = checked.size() == inputs.size();
  for (size_t i = 0; known && i < inputs.size(); ++i)
    known = checked[i] == inputs[i].type();
  if (!known) [[unlikely]] {
    checked.clear();
    std::vector<TensorType> types = typesOf(inputs);
    TANDEM_RETURN_IF_ERROR(checkInputs(*program, types));
    frame.symbols = symbolSizes(*program, types);
    checked = std::move(types);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i])
      return fail("input", "input " + std::to_string(i) + " has no data");
    if (inputs[i].device() != context.memory) [[unlikely]]
      return fail("input",
                  "input " + std::to_string(i) + " is " +
                      describePlace(inputs[i].device()) +
                      ", and the program takes tensors " +
                      describePlace(context.memory),
                  "copyToDevice and copyToHost copy tensors");
    frame.values[program->inputs[i]] = &inputs[i];
  }
  return {};
}

/// What of the program cannot be captured; null if nothing.
static const char *whyNotCaptured(const Program &program) {
  if (hasLoops(program))
    return "a loop allocates memory in every run, which captured work cannot";
  for (const auto &step : program.steps)
    if (step->op && step->op->kind == OpKind::custom_call)
      return "what a custom_call does need not be work of the stream alone";
  return nullptr;
}

Status Executor::Impl::createCapturedRuns() {
  Device &device = options.stream->device();
  if (!device.canCapture())
    return fail("execute",
                "device '" + std::string(device.name()) + "' captures no work");
  if (!areStepsPrepared(*program, plans))
    return fail("execute", "only compiled programs of static shapes can be "
                           "captured");
  if (const char *why = whyNotCaptured(*program)) {
    notCaptured = Error{why, "execute", "", ""};
    return {};
  }
  // Nothing is to be done, and so to be captured.
  if (options.dispatchOnly)
    return {};
  capturedRuns = std::make_unique<CapturedRuns>(
      context, plans, [this](Stream &on, Frame &frame) {
        DispatchContext there{*program,       options.providers, on,
                              on.allocator(), context.memory,    false};
        return runSteps(there, plans, caches, frame);
      });
  return {};
}

Status Executor::Impl::runOn(Frame &frame, int64_t *heldBytes) {
  if (capturedRuns)
    return capturedRuns->run(frame, heldBytes);
  *heldBytes = 0;
  return runSteps(context, plans, caches, frame, nullptr, &runsOnce);
}

Status Executor::Impl::collectOutputs(std::span<const Tensor> given,
                                      Frame &frame,
                                      std::vector<Tensor> &outputs) const {
  // The inputs may be the elements of `outputs`: they are read before these are
  // replaced.
  frame.results.clear();
  for (uint32_t slot : program->outputs)
    frame.results.push_back(*frame.values[slot]);
  Status status;
  if (!given.empty()) [[unlikely]] {
    ++frame.begun;
    status = outputPlan.copyInto(given, frame.results, *options.stream);
  }
  if (status && options.ownsOutputs) [[unlikely]]
    status = outputPlan.separate(given, *options.stream, frame);
  frame.clear();
  if (!status)
    return status;
  outputs.resize(frame.results.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = std::move(frame.results[i]);
  frame.results.clear();
  return {};
}

/// The error of a run that has written to inputs which it updates.
static tl::unexpected<Error> stateLost(Error error) {
  error.message = "the call failed after it had begun to update its inputs, "
                  "whose elements are now undefined: " +
                  error.message;
  error.phase = kStateLostPhase;
  error.hint = "load the values of the updated inputs again";
  return tl::unexpected(std::move(error));
}

/// Calls `runOn` with a frame whose inputs are set, and takes the outputs.
template <typename RunOn>
Status Executor::Impl::withFrame(std::span<const Tensor> inputs,
                                 std::span<const Tensor> given,
                                 std::vector<Tensor> &outputs, RunOn runOn) {
  applyThreadLimit();
  std::unique_ptr<Frame> frame = frames.take();
  if (!frame)
    frame = std::make_unique<Frame>(*program, constants);
  frame->begun = 0;
  Status status = setInputs(inputs, *frame);
  if (status && !given.empty()) [[unlikely]]
    outputPlan.place(given, *frame);
  if (status)
    status = runOn(*frame);
  if (status)
    status = collectOutputs(given, *frame, outputs);
  if (!status) [[unlikely]] {
    if (outputPlan.hasOverwritten(given, *frame, frame->begun))
      status = stateLost(std::move(status.error()));
    frame->clear();
  }
  frame->placed.clear();
  frames.put(std::move(frame));
  return status;
}

Status Executor::Impl::runMeasured(std::span<const Tensor> inputs,
                                   std::span<const Tensor> given,
                                   std::vector<Tensor> &outputs,
                                   int64_t *peakBytes) {
  return withFrame(inputs, given, outputs, [&](Frame &frame) {
    MemoryScope memory;
    int64_t heldBytes = 0;
    Status status = runOn(frame, &heldBytes);
    if (peakBytes)
      *peakBytes = heldBytes + memory.peakBytes();
    return status;
  });
}

Status Executor::run(std::span<const Tensor> inputs,
                     std::vector<Tensor> &outputs, int64_t *peakBytes) {
  return impl->runMeasured(inputs, {}, outputs, peakBytes);
}

Status Executor::runInto(std::span<const Tensor> inputs,
                         std::span<const Tensor> given,
                         std::vector<Tensor> &outputs, int64_t *peakBytes) {
  TANDEM_RETURN_IF_ERROR(
      impl->outputPlan.check(inputs, given, impl->context.memory));
  return impl->runMeasured(inputs, given, outputs, peakBytes);
}

Status Executor::runInPlace(std::span<const Tensor> inputs,
                            std::vector<Tensor> &outputs, int64_t *peakBytes) {
  if (program().updates.empty())
    return run(inputs, outputs, peakBytes);
  TANDEM_ASSIGN_OR_RETURN(const std::vector<Tensor> given,
                          impl->outputPlan.withUpdates(inputs, {}));
  return runInto(inputs, given, outputs, peakBytes);
}

Status Executor::runObserved(std::span<const Tensor> inputs,
                             std::vector<Tensor> &outputs,
                             const StepObserver &observer, bool all) {
  return impl->withFrame(inputs, {}, outputs, [&](Frame &frame) {
    return runSteps(impl->context, impl->plans, impl->caches, frame, &observer,
                    all ? nullptr : &impl->runsOnce);
  });
}
