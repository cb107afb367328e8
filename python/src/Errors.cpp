//===- Errors.cpp - Errors as Python exceptions ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include <nanobind/stl/string.h>

using namespace tandem;

void python::raise(const Error &error) {
  nb::object type = nb::module_::import_("tandem._errors").attr("Error");
  nb::object instance =
      type(error.message, error.phase, error.location, error.hint);
  PyErr_SetObject(type.ptr(), instance.ptr());
  throw nb::python_error();
}

void python::raiseType(const std::string &message) {
  PyErr_SetString(PyExc_TypeError, message.c_str());
  throw nb::python_error();
}
