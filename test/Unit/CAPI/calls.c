/*===- calls.c - Calls of functions by the C API -----------------*- C -*-===*\
|*                                                                            *|
|* Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.        *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "check.h"

static const char kAdd[] =
    "func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>)\n"
    "    -> (tensor<?xf32>, tensor<?xf32>) {\n"
    "  %0 = tandem.add %x, %y : tensor<?xf32>\n"
    "  %1 = tandem.relu %0 : tensor<?xf32>\n"
    "  return %1, %0 : tensor<?xf32>, tensor<?xf32>\n"
    "}\n";

TandemTensor *makeFloats(float *data, int32_t rank, const int64_t *shape) {
  TandemTensorDesc desc = {.structSize = sizeof desc,
                           .data = data,
                           .dtype = TANDEM_F32,
                           .rank = rank,
                           .shape = shape,
                           .strides = NULL,
                           .device = NULL,
                           .deleter = NULL,
                           .context = NULL};
  TandemTensor *tensor = NULL;
  CHECK_OK(tandemTensorCreate(&desc, &tensor));
  return tensor;
}

TandemFunction *loadAdd(TandemMode mode) {
  TandemLoadOptions options = {.structSize = sizeof options,
                               .function = NULL,
                               .device = NULL,
                               .mode = mode,
                               .precision = TANDEM_PRECISION_STRICT,
                               .reproducerDir = NULL};
  TandemFunction *function = NULL;
  CHECK_OK(tandemFunctionLoadText(kAdd, sizeof kAdd - 1, &options, &function));
  CHECK(function);
  return function;
}

/* Outputs may outlive the function, and be inputs. */
static void testModes(void) {
  float x[] = {1, -2, 3}, y[] = {1, 1, 1};
  const int64_t shape[] = {3};
  for (TandemMode mode = TANDEM_MODE_DEFAULT; mode <= TANDEM_MODE_COMPILE;
       ++mode) {
    TandemFunction *function = loadAdd(mode);
    CHECK(tandemFunctionNumInputs(function) == 2);
    CHECK(tandemFunctionNumOutputs(function) == 2);
    TandemTensor *inputs[] = {makeFloats(x, 1, shape), makeFloats(y, 1, shape)};
    TandemTensor *outputs[2], *again[2];
    CHECK_OK(tandemFunctionCall(function, (const TandemTensor *const *)inputs,
                                2, outputs, 2));
    CHECK_OK(tandemFunctionCall(function, (const TandemTensor *const *)outputs,
                                2, again, 2));
    tandemFunctionRelease(function);
    TandemTensorDesc desc = {.structSize = sizeof desc};
    CHECK_OK(tandemTensorDescribe(outputs[0], &desc));
    CHECK(desc.structSize == sizeof desc && desc.dtype == TANDEM_F32);
    CHECK(desc.rank == 1 && desc.shape[0] == 3);
    CHECK(!desc.strides && !desc.device && !desc.deleter);
    const float relu[] = {2, 0, 4}, sum[] = {4, -1, 8};
    CHECK(memcmp(desc.data, relu, sizeof relu) == 0);
    CHECK_OK(tandemTensorDescribe(again[1], &desc));
    CHECK(memcmp(desc.data, sum, sizeof sum) == 0);
    for (int i = 0; i < 2; ++i) {
      tandemTensorRelease(inputs[i]);
      tandemTensorRelease(outputs[i]);
      tandemTensorRelease(again[i]);
    }
  }
}

static void testInputsAreDescribed(void) {
  TandemFunction *function = loadAdd(TANDEM_MODE_EAGER);
  TandemTensorDesc desc = {.structSize = sizeof desc};
  CHECK_OK(tandemFunctionDescribeInput(function, 1, &desc));
  CHECK(desc.dtype == TANDEM_F32 && desc.rank == 1);
  CHECK(desc.shape[0] == TANDEM_DYNAMIC && !desc.data);
  CHECK_ERROR(tandemFunctionDescribeInput(function, 2, &desc), "no input 2");
  tandemFunctionRelease(function);
}

static void testProcess(void) {
  CHECK(tandemAPIVersion() == TANDEM_C_API_VERSION);
  CHECK(strchr(tandemVersion(), '.'));
  CHECK(tandemNumDevices() >= 1);
  CHECK(strcmp(tandemDeviceName(0), "cpu") == 0);
  CHECK(!tandemDeviceName(tandemNumDevices()));
  CHECK(tandemNumThreads() >= 1);
  tandemSetNumThreads(0);
  CHECK(tandemNumThreads() == 1);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  tandemAllowBackgroundWork(false);
  testProcess();
  testModes();
  testInputsAreDescribed();
  testTensors();
  testErrors();
  TandemFunction *function = NULL;
  CHECK_OK(tandemFunctionLoadFile(argv[1], NULL, &function));
  CHECK(tandemFunctionNumInputs(function) == 2);
  tandemFunctionRelease(function);
  puts("the C API holds");
  return 0;
}
