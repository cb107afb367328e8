//===- call.c - Calls a graph from C --------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: call-c graph.mlir
//
//===----------------------------------------------------------------------===//

#include "tandem-c/Tandem.h"

#include <stdio.h>

/// Prints an error, if there is one, and says whether there is none.
static bool isOk(TandemError *error) {
  if (!error)
    return true;
  fprintf(stderr, "%s\n", tandemErrorText(error));
  tandemErrorRelease(error);
  return false;
}

/// A tensor on memory that the caller keeps.
static TandemTensor *borrow(float *data, int64_t size) {
  TandemTensorDesc desc = {.structSize = sizeof desc,
                           .data = data,
                           .dtype = TANDEM_F32,
                           .rank = 1,
                           .shape = &size};
  TandemTensor *tensor;
  isOk(tandemTensorCreate(&desc, &tensor));
  return tensor;
}

static bool print(const TandemTensor *tensor) {
  TandemTensorDesc desc = {.structSize = sizeof desc};
  if (!isOk(tandemTensorDescribe(tensor, &desc)))
    return false;
  for (int64_t i = 0; i < desc.shape[0]; ++i)
    printf(" %g", ((const float *)desc.data)[i]);
  printf("\n");
  return true;
}

static bool call(TandemFunction *function) {
  float x[] = {1, -2, 3}, y[] = {1, 2, 3};
  TandemTensor *first = borrow(x, 3), *second = borrow(y, 3);
  const TandemTensor *inputs[] = {first, second};
  TandemTensor *output;
  bool ok = isOk(tandemFunctionCall(function, inputs, 2, &output, 1)) &&
            print(output);
  tandemTensorRelease(output);
  tandemTensorRelease(first);
  tandemTensorRelease(second);
  return ok;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s graph.mlir\n", argv[0]);
    return 1;
  }
  TandemFunction *function;
  if (!isOk(tandemFunctionLoadFile(argv[1], NULL, &function)))
    return 1;
  printf("Tandem %s:", tandemVersion());
  bool ok = call(function);
  tandemFunctionRelease(function);
  return ok ? 0 : 1;
}
