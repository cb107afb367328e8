//===- functions.c - Functions that graphs call ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library of three functions that Tandem has no ops for. It needs a C
// compiler and Tandem's header:
//   cc -shared -fPIC -I PREFIX/include -o libfunctions.so functions.c -lm
//   tandem-run graph.mlir --custom-calls=libfunctions.so --tier=compiled
// A program registers them itself, with tandemCustomCallRegister.
//
//===----------------------------------------------------------------------===//

#include "tandem-c/Tandem.h"

#include <math.h>
#include <stdio.h>

/// Says why a function failed.
static int fail(const TandemCustomCallArgs *args, const char *why) {
  snprintf(args->message, args->messageSize, "%s", why);
  return 1;
}

static int64_t product(const int64_t *sizes, int32_t count) {
  int64_t result = 1;
  for (int32_t i = 0; i < count; ++i)
    result *= sizes[i];
  return result;
}

/// Whether the call has this many operands and results, the first operand being
/// f32 and of one dim at least.
static int hasShape(const TandemCustomCallArgs *args, size_t numOperands,
                    size_t numResults) {
  return args->numOperands == numOperands && args->numResults == numResults &&
         args->operands[0].dtype == TANDEM_F32 && args->operands[0].rank > 0;
}

/// The rows of the first operand.
typedef struct Rows {
  const float *data;
  int64_t size, count;
} Rows;

static Rows rowsOf(const TandemCustomCallArgs *args) {
  const TandemTensorDesc *from = &args->operands[0];
  const Rows rows = {from->data, from->shape[from->rank - 1],
                     product(from->shape, from->rank - 1)};
  return rows;
}

//===----------------------------------------------------------------------===//
// rms_norm: each row over the root of its mean square and "epsilon=…"
//===----------------------------------------------------------------------===//

static int checkNorm(const TandemCustomCallArgs *args, double *epsilon) {
  if (!hasShape(args, 1, 1) || args->results[0].dtype != TANDEM_F32)
    return fail(args, "it takes rows of f32 to rows of f32");
  if (sscanf(args->config, "epsilon=%lf", epsilon) != 1)
    return fail(args, "its config must be epsilon=NUMBER");
  return 0;
}

static int rmsNorm(const TandemCustomCallArgs *args) {
  double epsilon;
  if (checkNorm(args, &epsilon))
    return 1;
  const Rows rows = rowsOf(args);
  const int64_t size = rows.size;
  for (int64_t row = 0; row < rows.count; ++row) {
    const float *x = rows.data + row * size;
    float *y = (float *)args->results[0].data + row * size;
    float squares[4] = {0, 0, 0, 0};
    for (int64_t i = 0; i < size; ++i)
      squares[i % 4] += x[i] * x[i];
    const float sum = squares[0] + squares[1] + squares[2] + squares[3];
    const float factor = 1 / sqrtf(sum / (float)size + (float)epsilon);
    for (int64_t i = 0; i < size; ++i)
      y[i] = x[i] * factor;
  }
  return 0;
}

/// The same in f64.
static int rmsNormReference(const TandemCustomCallArgs *args) {
  double epsilon;
  if (checkNorm(args, &epsilon))
    return 1;
  const Rows rows = rowsOf(args);
  const int64_t size = rows.size;
  for (int64_t row = 0; row < rows.count; ++row) {
    const float *x = rows.data + row * size;
    float *y = (float *)args->results[0].data + row * size;
    double sum = 0;
    for (int64_t i = 0; i < size; ++i)
      sum += (double)x[i] * x[i];
    for (int64_t i = 0; i < size; ++i)
      y[i] = (float)(x[i] / sqrt(sum / (double)size + epsilon));
  }
  return 0;
}

static int shapeOfRmsNorm(const TandemCustomCallArgs *args,
                          int64_t *const *shapes) {
  double epsilon;
  if (checkNorm(args, &epsilon))
    return 1;
  if (args->results[0].rank != args->operands[0].rank)
    return fail(args, "its result must have as many dims as its operand");
  for (int32_t i = 0; i < args->operands[0].rank; ++i)
    shapes[0][i] = args->operands[0].shape[i];
  return 0;
}

//===----------------------------------------------------------------------===//
// sort: the elements of each row in ascending order, and where each was
//===----------------------------------------------------------------------===//

static int sortRows(const TandemCustomCallArgs *args) {
  if (!hasShape(args, 1, 2) || args->results[1].dtype != TANDEM_I64)
    return fail(args, "it takes rows of f32 to rows of f32 and of i64");
  const Rows rows = rowsOf(args);
  const int64_t size = rows.size;
  for (int64_t row = 0; row < rows.count; ++row) {
    const float *x = rows.data + row * size;
    float *y = (float *)args->results[0].data + row * size;
    int64_t *at = (int64_t *)args->results[1].data + row * size;
    for (int64_t i = 0; i < size; ++i) {
      int64_t place = i;
      for (; place > 0 && y[place - 1] > x[i]; --place) {
        y[place] = y[place - 1];
        at[place] = at[place - 1];
      }
      y[place] = x[i];
      at[place] = i;
    }
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// repeat_rows: the tensor "times=…" times, along its first dim
//===----------------------------------------------------------------------===//

static int repeatRows(const TandemCustomCallArgs *args) {
  if (!hasShape(args, 1, 1))
    return fail(args, "it takes one tensor of f32");
  const TandemTensorDesc *from = &args->operands[0], *to = &args->results[0];
  const int64_t size = product(from->shape, from->rank);
  const int64_t total = product(to->shape, to->rank);
  for (int64_t i = 0; i < total; ++i)
    ((float *)to->data)[i] = ((const float *)from->data)[i % size];
  return 0;
}

static int shapeOfRepeatRows(const TandemCustomCallArgs *args,
                             int64_t *const *shapes) {
  long long times;
  if (sscanf(args->config, "times=%lld", &times) != 1 || times < 0)
    return fail(args, "its config must be times=NUMBER");
  if (!hasShape(args, 1, 1) || args->operands[0].rank != args->results[0].rank)
    return fail(args, "its result must have as many dims as its operand");
  for (int32_t i = 0; i < args->results[0].rank; ++i)
    shapes[0][i] = args->operands[0].shape[i] * (i == 0 ? times : 1);
  return 0;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

TandemError *
tandemRegisterCustomCalls(TandemError *(*add)(const TandemCustomCall *call)) {
  const TandemCustomCall calls[] = {
      {.structSize = sizeof(TandemCustomCall),
       .target = "rms_norm",
       .run = rmsNorm,
       .reference = rmsNormReference,
       .relativeError = 1e-6,
       .inferShapes = shapeOfRmsNorm},
      {.structSize = sizeof(TandemCustomCall),
       .target = "sort",
       .run = sortRows},
      {.structSize = sizeof(TandemCustomCall),
       .target = "repeat_rows",
       .run = repeatRows,
       .inferShapes = shapeOfRepeatRows},
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    TandemError *error = add(&calls[i]);
    if (error)
      return error;
  }
  return NULL;
}
