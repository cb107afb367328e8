//===- PyBuilder.h - Building graphs in Python ------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PYTHON_PYBUILDER_H
#define TANDEM_PYTHON_PYBUILDER_H

#include "Errors.h"

#include "tandem/GraphBuilder.h"

namespace tandem::python {

/// An op from its name and its attributes, a JSON object with the fields of the
/// op's table in Op.fbs. Every op of the op table works, without code of its
/// own here. Raises tandem.Error for an unknown op or attribute.
OpDesc parseOp(const std::string &name, const std::string &attributes);

/// The names of all ops.
std::vector<std::string> opNames();

/// Whether the result of an op has the shape to which NumPy's rules broadcast the
/// operands.
bool isElementwise(const std::string &name);

/// The names of the attributes of an op.
std::vector<std::string> attributesOf(const std::string &name);

} // namespace tandem::python

#endif // TANDEM_PYTHON_PYBUILDER_H
