//===- tensors.c - Tensors of the C API -----------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <dlpack/dlpack.h>

static int numDeleted = 0;

static void countDeletion(void *data, void *context) {
  CHECK(data == context);
  ++numDeleted;
}

static const float *floatsOf(const TandemTensor *tensor) {
  TandemTensorDesc desc = {.structSize = sizeof desc};
  CHECK_OK(tandemTensorDescribe(tensor, &desc));
  return (const float *)desc.data;
}

/// A 2 x 3 tensor with a deleter.
static TandemTensorDesc describe(float *data, const int64_t *strides) {
  static const int64_t shape[] = {2, 3};
  TandemTensorDesc desc = {.structSize = sizeof desc,
                           .data = data,
                           .dtype = TANDEM_F32,
                           .rank = 2,
                           .shape = shape,
                           .strides = strides,
                           .device = NULL,
                           .deleter = countDeletion,
                           .context = data};
  return desc;
}

static void testDeleter(void) {
  float x[] = {0, 1, 2, 3, 4, 5};
  TandemTensorDesc desc = describe(x, NULL);
  TandemTensor *tensor = NULL, *same = NULL;
  numDeleted = 0;
  CHECK_OK(tandemTensorCreate(&desc, &tensor));
  CHECK(floatsOf(tensor) == x);
  CHECK_OK(tandemTensorCopyTo(tensor, NULL, &same));
  CHECK(floatsOf(same) == x);
  tandemTensorRelease(tensor);
  CHECK(numDeleted == 0);
  tandemTensorRelease(same);
  CHECK(numDeleted == 1);
}

static void testStrides(void) {
  float x[] = {0, 1, 2, 3, 4, 5};
  const float transposed[] = {0, 2, 4, 1, 3, 5};
  const int64_t columns[] = {1, 2};
  TandemTensorDesc desc = describe(x, columns);
  TandemTensor *tensor = NULL;
  numDeleted = 0;
  CHECK_OK(tandemTensorCreate(&desc, &tensor));
  CHECK(numDeleted == 1);
  CHECK(floatsOf(tensor) != x);
  CHECK(memcmp(floatsOf(tensor), transposed, sizeof transposed) == 0);
  tandemTensorRelease(tensor);
  CHECK(numDeleted == 1);
}

static void testMisalignedMemory(void) {
  char bytes[6 * sizeof(float) + 1];
  const float x[] = {0, 1, 2, 3, 4, 5};
  memcpy(bytes + 1, x, sizeof x);
  TandemTensorDesc desc = describe((float *)(void *)(bytes + 1), NULL);
  TandemTensor *tensor = NULL;
  CHECK_OK(tandemTensorCreate(&desc, &tensor));
  CHECK(memcmp(floatsOf(tensor), x, sizeof x) == 0);
  tandemTensorRelease(tensor);
}

static void testDLPack(void) {
  float x[] = {0, 1, 2, 3, 4, 5};
  TandemTensorDesc desc = describe(x, NULL);
  TandemTensor *tensor = NULL, *back = NULL;
  struct DLManagedTensor *managed = NULL;
  numDeleted = 0;
  CHECK_OK(tandemTensorCreate(&desc, &tensor));
  CHECK_OK(tandemTensorToDLPack(tensor, &managed));
  tandemTensorRelease(tensor);
  CHECK(managed->dl_tensor.data == x && managed->dl_tensor.ndim == 2);
  CHECK(managed->dl_tensor.shape[1] == 3 && numDeleted == 0);
  CHECK_OK(tandemTensorFromDLPack(managed, &back));
  CHECK(floatsOf(back) == x && numDeleted == 0);
  tandemTensorRelease(back);
  CHECK(numDeleted == 1);
  CHECK_ERROR(tandemTensorFromDLPack(NULL, &back), "null");
  CHECK_ERROR(tandemTensorToDLPack(NULL, &managed), "tensor is null");
}

/// The deleter is not called where there is no tensor.
static void testRefusals(void) {
  float x[6] = {0};
  const int64_t negative[] = {2, -3};
  TandemTensor *tensor = NULL;
  numDeleted = 0;
#define CHECK_REFUSED(change, part)                                            \
  do {                                                                         \
    TandemTensorDesc desc = describe(x, NULL);                                 \
    change;                                                                    \
    CHECK_ERROR(tandemTensorCreate(&desc, &tensor), part);                     \
    CHECK(!tensor);                                                            \
  } while (0)
  CHECK_REFUSED(desc.data = NULL, "data is null");
  CHECK_REFUSED(desc.dtype = 100, "dtype is 100");
  CHECK_REFUSED(desc.dtype = -1, "dtype is -1");
  CHECK_REFUSED(desc.rank = 9, "rank is 9");
  CHECK_REFUSED(desc.rank = -1, "rank is -1");
  CHECK_REFUSED(desc.shape = NULL, "shape is null");
  CHECK_REFUSED(desc.shape = negative, "negative dim");
  CHECK_REFUSED(desc.device = "abacus", "no device 'abacus'");
  CHECK_REFUSED(desc.structSize = 0, "structSize is 0");
#undef CHECK_REFUSED
  CHECK(numDeleted == 0);
  CHECK_ERROR(tandemTensorCreate(NULL, &tensor), "desc is null");
  CHECK_ERROR(tandemTensorCreate(NULL, NULL), "tensor is null");
}

/// Callers that know less of a struct, or more, than the library.
static void testStructSizes(void) {
  float x[] = {1};
  struct {
    TandemTensorDesc desc;
    int64_t unknown;
  } newer = {describe(x, NULL), 0};
  TandemTensor *tensor = NULL;
  newer.desc.structSize = sizeof newer;
  newer.desc.rank = 0;
  CHECK_OK(tandemTensorCreate(&newer.desc, &tensor));
  tandemTensorRelease(tensor);
  newer.unknown = 1;
  CHECK_ERROR(tandemTensorCreate(&newer.desc, &tensor), "does not know");

  /// Without a deleter and its context, which an older version had not got.
  numDeleted = 0;
  newer.desc.structSize = offsetof(TandemTensorDesc, deleter);
  CHECK_OK(tandemTensorCreate(&newer.desc, &tensor));
  TandemTensorDesc out = {.structSize = offsetof(TandemTensorDesc, shape),
                          .shape = (const int64_t *)-1};
  CHECK_OK(tandemTensorDescribe(tensor, &out));
  CHECK(out.data == x && out.shape == (const int64_t *)-1);
  tandemTensorRelease(tensor);
  CHECK(numDeleted == 0);
}

void testTensors(void) {
  testDeleter();
  testStrides();
  testMisalignedMemory();
  testDLPack();
  testRefusals();
  testStructSizes();
  tandemTensorRelease(NULL);
}
