//===- check.h - Checks of the C API's test -----------------------*- C -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_UNIT_CAPI_CHECK_H
#define TANDEM_TEST_UNIT_CAPI_CHECK_H

#include "tandem-c/Tandem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Ends the process where a condition does not hold.
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);          \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/// Ends the process where there is an error.
#define CHECK_OK(call)                                                         \
  do {                                                                         \
    TandemError *error = (call);                                               \
    if (error) {                                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              tandemErrorText(error));                                         \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/// Ends the process unless there is an error whose text contains `part`.
#define CHECK_ERROR(call, part)                                                \
  do {                                                                         \
    TandemError *error = (call);                                               \
    if (!error || !strstr(tandemErrorText(error), part)) {                     \
      fprintf(stderr, "%s:%d: not \"%s\" but: %s\n", __FILE__, __LINE__, part, \
              tandemErrorText(error));                                         \
      exit(1);                                                                 \
    }                                                                          \
    tandemErrorRelease(error);                                                 \
  } while (0)

/// A tensor of f32 on memory that the caller keeps.
TandemTensor *makeFloats(float *data, int32_t rank, const int64_t *shape);

/// x + y, of the same sizes, which may be any: relu(x + y) and x + y.
TandemFunction *loadAdd(TandemMode mode);

void testTensors(void);
void testErrors(void);
void testCustomCalls(void);
void testGradients(void);

#endif
