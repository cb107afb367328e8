//===- DLPackExchange.cpp - DLPack's fast exchange API --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLPackExchange.h"

#include <utility>

using namespace tandem::python;
namespace nb = nanobind;

static const DLPackExchangeAPI *read(nb::handle type) {
  nb::object capsule =
      nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_CheckExact(capsule.ptr()) ||
      !PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api"))
    return nullptr;
  auto *api = static_cast<const DLPackExchangeAPI *>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  return api->header.major == 1 ? api : nullptr;
}

const DLPackExchangeAPI *tandem::python::findExchangeAPI(nb::handle array) {
  // Programs pass arrays of one type, nearly always. Guarded by the GIL.
  static PyTypeObject *lastType = nullptr;
  static const DLPackExchangeAPI *last = nullptr;
  PyTypeObject *type = Py_TYPE(array.ptr());
  if (type == lastType)
    return last;
  // Other threads may be here while Python reads or destroys a type.
  nb::object kept = nb::borrow(reinterpret_cast<PyObject *>(type));
  const DLPackExchangeAPI *api = read(kept);
  last = api;
  nb::object dropped = nb::steal(reinterpret_cast<PyObject *>(std::exchange(
      lastType, reinterpret_cast<PyTypeObject *>(kept.release().ptr()))));
  return api;
}
