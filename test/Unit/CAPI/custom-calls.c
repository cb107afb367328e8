//===- custom-calls.c - Functions that graphs call, in C ------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"

static const char kText[] =
    "func.func @main(%x: tensor<?x3xf32>) -> tensor<?xf32> {\n"
    "  %0 = tandem.neg %x : tensor<?x3xf32>\n"
    "  %1 = tandem.custom_call \"first\"(%0) config = \"c\" :"
    " (tensor<?x3xf32>) -> tensor<?xf32>\n"
    "  %2 = tandem.exp %1 : tensor<?xf32>\n"
    "  %3 = tandem.log %2 : tensor<?xf32>\n"
    "  return %3 : tensor<?xf32>\n"
    "}";

/// How often the function of `context` ran, and whether it is to fail.
typedef struct State {
  int numRuns, numShapes;
  bool shallFail;
} State;

/// The first element of each row. It checks what it is given.
static int first(const TandemCustomCallArgs *args) {
  State *state = args->context;
  CHECK(args->structSize == sizeof *args && !strcmp(args->config, "c"));
  CHECK(args->numOperands == 1 && args->numResults == 1 && !args->stream);
  const TandemTensorDesc *from = args->operands, *to = args->results;
  CHECK(from->structSize == sizeof *from && from->rank == 2 && to->rank == 1);
  CHECK(from->dtype == TANDEM_F32 && from->shape[1] == 3 && !from->device);
  CHECK(from->strides[0] == 3 && from->strides[1] == 1 && to->strides[0] == 1);
  CHECK(to->shape[0] == from->shape[0] && !from->deleter);
  ++state->numRuns;
  if (state->shallFail) {
    snprintf(args->message, args->messageSize, "no luck");
    return 7;
  }
  for (int64_t i = 0; i < to->shape[0]; ++i)
    ((float *)to->data)[i] = ((const float *)from->data)[i * from->strides[0]];
  return 0;
}

static int shapeOfFirst(const TandemCustomCallArgs *args,
                        int64_t *const *shapes) {
  CHECK(!args->operands[0].data && !args->results[0].data);
  CHECK(args->results[0].shape[0] == TANDEM_DYNAMIC);
  CHECK(shapes[0][0] == TANDEM_DYNAMIC);
  ++((State *)args->context)->numShapes;
  shapes[0][0] = args->operands[0].shape[0];
  return 0;
}

static void testRegistrationErrors(void) {
  TandemCustomCall call = {.structSize = sizeof call};
  CHECK_ERROR(tandemCustomCallRegister(NULL), "call is null");
  CHECK_ERROR(tandemCustomCallRegister(&call), "call->target is null");
  call.target = "";
  CHECK_ERROR(tandemCustomCallRegister(&call), "call->run is null");
  call.run = first;
  CHECK_ERROR(tandemCustomCallRegister(&call), "must not be empty");
  call.target = "other";
  call.device = "abacus";
  CHECK_ERROR(tandemCustomCallRegister(&call), "no device 'abacus'");
  call.device = NULL;
  call.relativeError = 0.5;
  CHECK_ERROR(tandemCustomCallRegister(&call), "between 0 and 0.1");
  call.structSize = 1;
  CHECK_ERROR(tandemCustomCallRegister(&call), "structSize is 1");
}

/// Calls the function with two rows.
static TandemError *callRows(TandemFunction *function, TandemTensor **output) {
  static float x[] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {2, 3};
  TandemTensor *input = makeFloats(x, 2, shape);
  const TandemTensor *inputs[] = {input};
  TandemError *error = tandemFunctionCall(function, inputs, 1, output, 1);
  tandemTensorRelease(input);
  return error;
}

static void testCalls(TandemMode mode, State *state) {
  TandemFunction *function = NULL;
  TandemLoadOptions options = {.structSize = sizeof options, .mode = mode};
  CHECK_OK(
      tandemFunctionLoadText(kText, sizeof kText - 1, &options, &function));
  TandemTensor *output = NULL;
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(callRows(function, &output));
    TandemTensorDesc desc = {.structSize = sizeof desc};
    CHECK_OK(tandemTensorDescribe(output, &desc));
    CHECK(desc.rank == 1 && desc.shape[0] == 2);
    const float *y = desc.data;
    CHECK(y[0] > -1.001f && y[0] < -0.999f && y[1] > -4.001f && y[1] < -3.999f);
    tandemTensorRelease(output);
  }
  state->shallFail = true;
  CHECK_ERROR(callRows(function, &output),
              "<string>:3:8: error: execute: custom_call \"first\": no luck");
  state->shallFail = false;
  tandemFunctionRelease(function);
}

void testCustomCalls(void) {
  testRegistrationErrors();
  static State state; // Registrations are for the rest of the process.
  char target[] = "first";
  TandemCustomCall call = {.structSize = sizeof call,
                           .target = target,
                           .run = first,
                           .inferShapes = shapeOfFirst,
                           .context = &state};
  CHECK_OK(tandemCustomCallRegister(&call));
  CHECK_ERROR(tandemCustomCallRegister(&call), "it is registered already");
  memset(target, 'x', sizeof target - 1); // It was copied.
  testCalls(TANDEM_MODE_EAGER, &state);
  testCalls(TANDEM_MODE_COMPILE, &state);
  // The compiled program is certified, and taken.
  testCalls(TANDEM_MODE_COMPILE_NOW, &state);
  CHECK(state.numRuns >= 9 && state.numShapes >= 3);
}
