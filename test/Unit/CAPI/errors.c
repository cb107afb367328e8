//===- errors.c - Errors of the C API -------------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"

static TandemError *loadText(const char *text, const TandemLoadOptions *options,
                             TandemFunction **function) {
  return tandemFunctionLoadText(text, strlen(text), options, function);
}

static void testParts(void) {
  TandemFunction *function = NULL;
  TandemError *error =
      loadText("func.func @f() {\n  return\n}", NULL, &function);
  CHECK(error && !function);
  CHECK(strcmp(tandemErrorPhase(error), "parse") == 0);
  CHECK(strcmp(tandemErrorMessage(error), "no function @main") == 0);
  CHECK(strcmp(tandemErrorLocation(error), "<string>") == 0);
  CHECK(strstr(tandemErrorHint(error), "@f"));
  CHECK(strstr(tandemErrorText(error), "error: parse: no function @main"));
  tandemErrorRelease(error);
  tandemErrorRelease(NULL);
  CHECK(strcmp(tandemErrorText(NULL), "") == 0);
  CHECK(strcmp(tandemErrorPhase(NULL), "") == 0);
}

static void testLoading(void) {
  TandemFunction *function = NULL;
  TandemLoadOptions options = {.structSize = sizeof options};
  CHECK_ERROR(loadText("tandem", NULL, &function),
              "<string>:1:1: error: parse");
  CHECK_ERROR(tandemFunctionLoadText(NULL, 0, NULL, &function), "text is null");
  CHECK_ERROR(tandemFunctionLoadFile(NULL, NULL, &function), "path is null");
  CHECK_ERROR(tandemFunctionLoadFile("/nowhere.mlir", NULL, &function),
              "cannot read the file");
  CHECK_ERROR(loadText("", NULL, NULL), "function is null");
  options.mode = 77;
  CHECK_ERROR(loadText("", &options, &function), "mode is 77");
  options.mode = TANDEM_MODE_DEFAULT;
  options.precision = -1;
  CHECK_ERROR(loadText("", &options, &function), "precision is -1");
  options.precision = TANDEM_PRECISION_TF32;
  options.compileIn = 3;
  CHECK_ERROR(loadText("", &options, &function), "compileIn is 3");
  options.compileIn = TANDEM_COMPILE_IN_DEFAULT;
  options.device = "abacus";
  CHECK_ERROR(loadText("func.func @main() {\n  return\n}", &options, &function),
              "no device 'abacus'");
  CHECK(!function);
}

static void testCalls(void) {
  float x[] = {1, 2, 3, 4};
  const int64_t four[] = {4}, square[] = {2, 2};
  TandemFunction *function = loadAdd(TANDEM_MODE_EAGER);
  TandemTensor *line = makeFloats(x, 1, four), *box = makeFloats(x, 2, square);
  TandemTensor *outputs[2] = {line, line};
  const TandemTensor *good[] = {line, line}, *null[] = {line, NULL};
  const TandemTensor *wrong[] = {line, box};
  CHECK_ERROR(tandemFunctionCall(NULL, good, 2, outputs, 2),
              "function is null");
  CHECK(!outputs[0] && !outputs[1]);
  CHECK_ERROR(tandemFunctionCall(function, NULL, 2, outputs, 2),
              "inputs is null");
  CHECK_ERROR(tandemFunctionCall(function, null, 2, outputs, 2),
              "inputs[1] is null");
  CHECK_ERROR(tandemFunctionCall(function, good, 2, NULL, 2),
              "outputs is null");
  CHECK_ERROR(tandemFunctionCall(function, good, 2, outputs, 1),
              "numOutputs is 1");
  CHECK_ERROR(tandemFunctionCall(function, good, 1, outputs, 2),
              "1 inputs are given");
  CHECK_ERROR(tandemFunctionCall(function, wrong, 2, outputs, 2),
              "input 1: tensor<2x2xf32> is given where tensor<?xf32>");
  tandemTensorRelease(line);
  tandemTensorRelease(box);
  tandemFunctionRelease(function);
  tandemFunctionRelease(NULL);
  CHECK(tandemFunctionNumInputs(NULL) == 0);
  CHECK(tandemFunctionNumOutputs(NULL) == 0);
}

void testErrors(void) {
  testParts();
  testLoading();
  testCalls();
}
