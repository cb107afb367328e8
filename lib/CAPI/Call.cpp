//===- Call.cpp - Functions of the C API ----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace tandem;
using namespace tandem::capi;

size_t tandemFunctionNumInputs(const TandemFunction *function) {
  return function ? function->inputs.size() : 0;
}

size_t tandemFunctionNumOutputs(const TandemFunction *function) {
  return function ? function->function->program().outputs.size() : 0;
}

/// Describes one of `types`, which are those of the function's `kind`s.
static TandemError *describe(const TandemFunction *function,
                             std::vector<TensorType> TandemFunction::*types,
                             const char *kind, size_t index,
                             TandemTensorDesc *desc) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TANDEM_RETURN_IF_ERROR(checkArgument(desc, "desc"));
    const std::vector<TensorType> &all = function->*types;
    if (index >= all.size())
      return fail("input", std::string("there is no ") + kind + " " +
                               std::to_string(index) + "; there are " +
                               std::to_string(all.size()));
    const TensorType &type = all[index];
    TandemTensorDesc to{};
    to.dtype = int(type.dtype);
    to.rank = type.shape.rank();
    to.shape = type.shape.begin();
    return writeStruct(to, desc, "desc");
  });
}

TandemError *tandemFunctionDescribeInput(const TandemFunction *function,
                                         size_t index, TandemTensorDesc *desc) {
  return describe(function, &TandemFunction::inputs, "input", index, desc);
}

TandemError *tandemFunctionDescribeOutput(const TandemFunction *function,
                                          size_t index,
                                          TandemTensorDesc *desc) {
  return describe(function, &TandemFunction::outputs, "output", index, desc);
}

static const char *at(const std::vector<std::string> &names, size_t index) {
  return index < names.size() ? names[index].c_str() : "";
}

const char *tandemFunctionInputName(const TandemFunction *function,
                                    size_t index) {
  return function ? at(function->function->program().input_names, index) : "";
}

const char *tandemFunctionOutputName(const TandemFunction *function,
                                     size_t index) {
  return function ? at(function->function->program().output_names, index) : "";
}

const char *tandemFunctionDimName(const TandemFunction *function, size_t input,
                                  size_t dim) {
  if (!function || input >= function->function->program().input_dims.size())
    return "";
  return at(function->function->program().input_dims[input]->names, dim);
}

/// The tensors of an array of handles.
static Expected<std::vector<Tensor>>
tensorsOf(const TandemTensor *const *handles, size_t count,
          const std::string &name) {
  if (count > 0)
    TANDEM_RETURN_IF_ERROR(checkArgument(handles, name.c_str()));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < count; ++i) {
    if (!handles[i])
      return fail("input", name + "[" + std::to_string(i) + "] is null");
    tensors.push_back(handles[i]->tensor);
  }
  return tensors;
}

static Status call(TandemFunction &function, std::span<const Tensor> inputs,
                   std::span<TandemTensor *> outputs) {
  const size_t expected = tandemFunctionNumOutputs(&function);
  if (outputs.size() != expected)
    return fail("input", "numOutputs is " + std::to_string(outputs.size()) +
                             "; the function has " + std::to_string(expected) +
                             " outputs");
  TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> results,
                          function.function->call(inputs));
  std::vector<std::unique_ptr<TandemTensor>> handles;
  for (Tensor &result : results)
    handles.push_back(std::make_unique<TandemTensor>(std::move(result)));
  for (size_t i = 0; i < handles.size(); ++i)
    outputs[i] = handles[i].release();
  return {};
}

TandemError *tandemFunctionCall(TandemFunction *function,
                                const TandemTensor *const *inputs,
                                size_t numInputs, TandemTensor **outputs,
                                size_t numOutputs) {
  return guarded([&]() -> Status {
    if (numOutputs > 0)
      TANDEM_RETURN_IF_ERROR(checkArgument(outputs, "outputs"));
    std::fill_n(outputs, numOutputs, nullptr);
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> tensors,
                            tensorsOf(inputs, numInputs, "inputs"));
    return call(*function, tensors, {outputs, numOutputs});
  });
}

TandemError *tandemFunctionCallInto(TandemFunction *function,
                                    const TandemTensor *const *inputs,
                                    size_t numInputs,
                                    const TandemTensor *const *outputs,
                                    size_t numOutputs) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> tensors,
                            tensorsOf(inputs, numInputs, "inputs"));
    TANDEM_ASSIGN_OR_RETURN(std::vector<Tensor> given,
                            tensorsOf(outputs, numOutputs, "outputs"));
    if (given.empty() && tandemFunctionNumOutputs(function) > 0)
      return fail("input", "numOutputs is 0");
    TANDEM_RETURN_IF_ERROR(
        function->function->call(tensors, {.outputs = given}));
    return {};
  });
}

TandemError *tandemFunctionCompileAhead(TandemFunction *function,
                                        const TandemTensorDesc *const *inputs,
                                        size_t numInputs) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TANDEM_ASSIGN_OR_RETURN(const std::vector<TensorType> signature,
                            signatureOf(inputs, numInputs));
    return function->function->compileAhead({&signature, 1});
  });
}

TandemError *tandemFunctionWait(TandemFunction *function) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    function->function->wait();
    return {};
  });
}

TandemError *tandemFunctionCancel(TandemFunction *function) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    function->function->cancel();
    return {};
  });
}

static Expected<std::string> print(const FunctionReport &report,
                                   TandemReportFormat format) {
  switch (format) {
  case TANDEM_REPORT_TEXT:
    return report.str();
  case TANDEM_REPORT_JSON:
    return report.json();
  case TANDEM_REPORT_EVENTS:
    return report.eventLines();
  case TANDEM_REPORT_TRACE:
    return report.trace();
  default:
    return fail("input",
                "format is " + std::to_string(format) + ", which is no format");
  }
}

TandemError *tandemFunctionReport(const TandemFunction *function,
                                  TandemReportFormat format, char **report) {
  return guarded([&]() -> Status {
    TANDEM_RETURN_IF_ERROR(checkArgument(report, "report"));
    *report = nullptr;
    TANDEM_RETURN_IF_ERROR(checkArgument(function, "function"));
    TANDEM_ASSIGN_OR_RETURN(std::string text,
                            print(function->function->report(), format));
    *report = new char[text.size() + 1];
    std::memcpy(*report, text.c_str(), text.size() + 1);
    return {};
  });
}

void tandemStringRelease(char *string) { delete[] string; }

void tandemFunctionRelease(TandemFunction *function) { delete function; }
