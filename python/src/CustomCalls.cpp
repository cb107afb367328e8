//===- CustomCalls.cpp - Python functions that graphs call ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomCalls.h"

#include "Arrays.h"
#include "Interpreter.h"

#include "tandem/Runtime/CustomCall.h"

#include <nanobind/stl/string.h>

#include <cstring>

using namespace tandem;
using namespace tandem::python;

/// A copy of a tensor as an array, which the function may keep.
static nb::object copyToArray(const Tensor &tensor) {
  Tensor copy = take(Tensor::allocate(tensor.type()));
  if (tensor.bytes() > 0)
    std::memcpy(copy.data(), tensor.data(), size_t(tensor.bytes()));
  return toArray(copy, ArrayKind::numpy, {});
}

/// Copies what the function returned into the results.
static Status copyResults(const std::string &target, nb::object returned,
                          std::span<Tensor> results) {
  nb::list arrays;
  if (nb::isinstance<nb::tuple>(returned) || nb::isinstance<nb::list>(returned))
    for (nb::handle each : returned)
      arrays.append(each);
  else
    arrays.append(returned);
  if (arrays.size() != results.size())
    return fail("execute", "custom_call '" + target + "' returned " +
                               std::to_string(arrays.size()) + " arrays, not " +
                               std::to_string(results.size()));
  Arrays given;
  for (size_t i = 0; i < results.size(); ++i) {
    given.add(arrays[i], "result " + std::to_string(i) + " of custom_call '" +
                             target + "'");
    const Tensor &tensor = given.tensors()[i];
    if (tensor.type() != results[i].type())
      return fail("execute", "custom_call '" + target + "' returned " +
                                 tensor.type().str() + ", not " +
                                 results[i].type().str());
    if (tensor.bytes() > 0)
      std::memcpy(results[i].data(), tensor.data(), size_t(tensor.bytes()));
  }
  return {};
}

/// Calls the function with the GIL, which no caller of the runtime holds.
static Status callPython(const std::string &target, nb::handle function,
                         const CustomCallArgs &args) {
  const AcquiredGIL acquired;
  if (!acquired)
    return fail("execute", "custom_call '" + target + "': Python has ended");
  try {
    nb::list operands;
    for (const Tensor &operand : args.operands)
      operands.append(copyToArray(operand));
    nb::dict keywords;
    if (!args.config.empty())
      keywords["config"] = nb::str(args.config.data(), args.config.size());
    const nb::tuple arguments(operands);
    nb::object returned =
        nb::steal(acquired.call(function, arguments, keywords));
    if (!returned)
      throw nb::python_error();
    return copyResults(target, std::move(returned), args.results);
  } catch (const nb::python_error &error) {
    nb::object text = nb::steal(PyObject_Str(error.value().ptr()));
    return fail("execute", "custom_call '" + target +
                               "': " + nb::type_name(error.type()).c_str() +
                               ": " + nb::cast<std::string>(text));
  } catch (const std::exception &error) {
    return fail("execute", "custom_call '" + target + "': " + error.what());
  }
}

static bool hasCustomCalls = false;

bool python::areCustomCallsKnown() { return hasCustomCalls; }

void python::addCustomCall(const std::string &target, nb::object function,
                           double relativeError, const std::string &gradient) {
  if (!nb::isinstance<nb::callable>(function))
    raiseType("function is a " +
              std::string(nb::type_name(function.type()).c_str()) +
              ", which cannot be called");
  CustomCall call;
  // Registered for the rest of the process.
  nb::handle kept = function.release();
  call.run = [target, kept](const CustomCallArgs &args) {
    return callPython(target, kept, args);
  };
  call.relativeError = relativeError;
  call.gradient = gradient;
  take(registerCustomCall(target, std::move(call)));
  hasCustomCalls = true;
}
