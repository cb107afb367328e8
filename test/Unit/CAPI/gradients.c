//===- gradients.c - Gradients by the C API -------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"

/// The sum of x * w, and a value that is no loss.
static const char kLoss[] =
    "func.func @main(%x: tensor<?xf32>, %w: tensor<1xf32>)\n"
    "    -> (tensor<f32>, tensor<?xf32>) {\n"
    "  %0 = tandem.mul %x, %w\n"
    "      : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>\n"
    "  %1 = tandem.reduce %0 kind = sum dims = [0]\n"
    "      : (tensor<?xf32>) -> tensor<f32>\n"
    "  return %1, %0 : tensor<f32>, tensor<?xf32>\n"
    "}\n";

static TandemFunction *loadLoss(TandemMode mode) {
  TandemLoadOptions options = {.structSize = sizeof options, .mode = mode};
  TandemFunction *function = NULL;
  CHECK_OK(
      tandemFunctionLoadText(kLoss, sizeof kLoss - 1, &options, &function));
  return function;
}

static TandemTensorDesc describeFloats(const int64_t *size) {
  TandemTensorDesc desc = {.structSize = sizeof desc,
                           .dtype = TANDEM_F32,
                           .rank = 1,
                           .shape = size};
  return desc;
}

/// Makes the function with the gradients of kLoss for `size` elements of x.
static TandemError *differentiate(TandemFunction *function, int64_t size,
                                  const TandemGradientOptions *options,
                                  TandemFunction **gradient) {
  const int64_t one = 1;
  const TandemTensorDesc x = describeFloats(&size), w = describeFloats(&one);
  const TandemTensorDesc *inputs[] = {&x, &w};
  return tandemFunctionWithGradient(function, inputs, 2, options, gradient);
}

static void checkFloats(const TandemTensor *tensor, const float *expected,
                        int64_t count) {
  TandemTensorDesc desc = {.structSize = sizeof desc};
  CHECK_OK(tandemTensorDescribe(tensor, &desc));
  CHECK(desc.dtype == TANDEM_F32 && (desc.rank == 0 || *desc.shape == count));
  CHECK(memcmp(desc.data, expected, (size_t)count * sizeof(float)) == 0);
}

/// The gradients are those of all inputs; the function that was differentiated
/// is no longer needed.
static void testAllInputs(TandemMode mode) {
  TandemFunction *function = loadLoss(mode), *gradient = NULL;
  CHECK_OK(differentiate(function, 3, NULL, &gradient));
  tandemFunctionRelease(function);
  CHECK(tandemFunctionNumInputs(gradient) == 2);
  CHECK(tandemFunctionNumOutputs(gradient) == 4);
  float x[] = {1, 2, 4}, w[] = {3};
  const int64_t three = 3, one = 1;
  TandemTensor *inputs[] = {makeFloats(x, 1, &three), makeFloats(w, 1, &one)};
  TandemTensor *outputs[4];
  CHECK_OK(tandemFunctionCall(gradient, (const TandemTensor *const *)inputs, 2,
                              outputs, 4));
  const float loss[] = {21}, dx[] = {3, 3, 3}, dw[] = {7};
  checkFloats(outputs[0], loss, 1);
  checkFloats(outputs[2], dx, 3);
  checkFloats(outputs[3], dw, 1);
  for (int i = 0; i < 4; ++i)
    tandemTensorRelease(outputs[i]);
  tandemTensorRelease(inputs[0]);
  tandemTensorRelease(inputs[1]);
  tandemFunctionRelease(gradient);
}

/// One input, and an output that is multiplied by a seed.
static void testSeed(void) {
  TandemFunction *function = loadLoss(TANDEM_MODE_EAGER), *gradient = NULL;
  const size_t wrt[] = {1};
  TandemGradientOptions options = {.structSize = sizeof options,
                                   .numWrt = 1,
                                   .wrt = wrt,
                                   .loss = 1,
                                   .hasSeed = true};
  CHECK_OK(differentiate(function, 2, &options, &gradient));
  CHECK(tandemFunctionNumInputs(gradient) == 3);
  CHECK(tandemFunctionNumOutputs(gradient) == 3);
  float x[] = {1, 2}, w[] = {3}, seed[] = {10, 100};
  const int64_t two = 2, one = 1;
  TandemTensor *inputs[] = {makeFloats(x, 1, &two), makeFloats(w, 1, &one),
                            makeFloats(seed, 1, &two)};
  TandemTensor *outputs[3];
  CHECK_OK(tandemFunctionCall(gradient, (const TandemTensor *const *)inputs, 3,
                              outputs, 3));
  const float dw[] = {210};
  checkFloats(outputs[2], dw, 1);
  for (int i = 0; i < 3; ++i) {
    tandemTensorRelease(outputs[i]);
    tandemTensorRelease(inputs[i]);
  }
  tandemFunctionRelease(gradient);
  tandemFunctionRelease(function);
}

static void testWrongArguments(void) {
  TandemFunction *function = loadLoss(TANDEM_MODE_EAGER), *gradient = function;
  TandemGradientOptions options = {.structSize = sizeof options, .loss = 1};
  CHECK_ERROR(differentiate(function, 3, &options, &gradient),
              "the loss, result 1, has the type 'tensor<3xf32>'");
  CHECK(!gradient);
  options.loss = 7;
  CHECK_ERROR(differentiate(function, 3, &options, &gradient), "result 7");
  options.loss = 0;
  options.numWrt = 1;
  CHECK_ERROR(differentiate(function, 3, &options, &gradient),
              "options->wrt is null");
  const size_t wrt[] = {5};
  options.wrt = wrt;
  CHECK_ERROR(differentiate(function, 3, &options, &gradient), "argument 5");
  options.structSize = 1;
  CHECK_ERROR(differentiate(function, 3, &options, &gradient), "structSize");
  CHECK_ERROR(differentiate(NULL, 3, NULL, &gradient), "function is null");
  CHECK_ERROR(differentiate(function, 3, NULL, NULL), "gradient is null");
  CHECK_ERROR(tandemFunctionWithGradient(function, NULL, 2, NULL, &gradient),
              "inputs is null");
  CHECK_ERROR(tandemFunctionWithGradient(function, NULL, 0, NULL, &gradient),
              "the graph has 2 inputs, not 0");
  CHECK_ERROR(differentiate(function, TANDEM_DYNAMIC, NULL, &gradient), "");
  tandemFunctionRelease(function);
}

void testGradients(void) {
  for (TandemMode mode = TANDEM_MODE_DEFAULT; mode <= TANDEM_MODE_COMPILE_NOW;
       ++mode)
    testAllInputs(mode);
  testSeed();
  testWrongArguments();
}
