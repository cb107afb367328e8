//===- CompileHelper.h - The program tandem-compile-helper -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_COMPILER_REMOTE_COMPILEHELPER_H
#define TANDEM_LIB_COMPILER_REMOTE_COMPILEHELPER_H

/// The main function of the program tandem-compile-helper. Serves the process
/// whose ID is `parent`, a decimal number, and returns the exit status. The
/// shared library exports this function, so that the program itself is a few
/// kilobytes.
extern "C" int tandemRunCompileHelper(const char *parent);

#endif // TANDEM_LIB_COMPILER_REMOTE_COMPILEHELPER_H
