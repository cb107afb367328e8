//===- DLPackExchange.cpp - DLPack's fast exchange API --------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLPackExchange.h"

#include "Errors.h"

#include "tandem/Runtime/DLPack.h"

#include <nanobind/stl/string.h>

#include <array>
#include <memory>

using namespace tandem;
using namespace tandem::python;

static const DLPackExchangeAPI *readAPI(nb::handle type) {
  nb::object capsule =
      nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_CheckExact(capsule.ptr()) ||
      !PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api"))
    return nullptr;
  auto *api = static_cast<const DLPackExchangeAPI *>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  return api->header.major == 1 ? api : nullptr;
}

static ExchangeType readType(nb::handle type) {
  ExchangeType result;
  result.api = readAPI(type);
  PyObject *torch = PyImport_GetModule(nb::str("torch").ptr());
  nb::object module = nb::steal(torch);
  PyErr_Clear();
  if (!module || !nb::hasattr(module, "Tensor"))
    return result;
  nb::object base = module.attr("Tensor");
  result.isTorch = PyObject_IsSubclass(type.ptr(), base.ptr()) == 1;
  const char *dispatch = "__torch_dispatch__";
  result.isOpaque =
      result.isTorch && !type.attr(dispatch).is(base.attr(dispatch));
  return result;
}

ExchangeType python::exchangeTypeOf(nb::handle array) {
  // Programs pass arrays of few types. Guarded by the GIL.
  struct Entry {
    PyTypeObject *type = nullptr;
    ExchangeType known;
  };
  static std::array<Entry, 8> entries;
  static size_t next = 0;
  PyTypeObject *type = Py_TYPE(array.ptr());
  for (const Entry &entry : entries)
    if (entry.type == type)
      return entry.known;
  const ExchangeType known =
      readType(nb::handle(reinterpret_cast<PyObject *>(type)));
  // The reference keeps another type from having the same address.
  nb::object replaced =
      nb::steal(reinterpret_cast<PyObject *>(entries[next].type));
  Py_INCREF(reinterpret_cast<PyObject *>(type));
  entries[next] = {type, known};
  next = (next + 1) % entries.size();
  return known;
}

/// Gives the tensor to `versioned`, whose deleter deletes both.
static DLManagedTensorVersioned *withVersion(DLManagedTensor *managed) {
  const auto deleter = [](DLManagedTensorVersioned *self) {
    auto *inner = static_cast<DLManagedTensor *>(self->manager_ctx);
    inner->deleter(inner);
    delete self;
  };
  return new DLManagedTensorVersioned{1,       0, managed,
                                      deleter, 0, managed->dl_tensor};
}

nb::object python::makeArray(const DLPackExchangeAPI &api,
                             const Tensor &tensor) {
  if (!api.managed_tensor_to_py_object_no_sync)
    return {};
  void *array = nullptr;
  // DLPack does not specify who owns the tensor after a failure, so the tensor
  // is not deleted.
  if (api.managed_tensor_to_py_object_no_sync(
          withVersion(take(toDLPack(tensor))), &array) != 0)
    throw nb::python_error();
  return nb::steal(static_cast<PyObject *>(array));
}

//===----------------------------------------------------------------------===//
// Tensors of __dlpack__
//===----------------------------------------------------------------------===//

ImportedTensor python::importTensor(DLManagedTensor *managed,
                                    const std::string &what) {
  const DLTensor &from = managed->dl_tensor;
  const void *data = static_cast<const char *>(from.data) + from.byte_offset;
  Expected<Tensor> tensor = fromDLPack(managed);
  if (!tensor)
    raiseType(what + ": " + tensor.error().message);
  return {std::move(*tensor), data};
}

/// The result of array.__dlpack__, with a version if the library has versions.
static nb::object exportCapsule(nb::handle array) {
  nb::object method = array.attr("__dlpack__");
  try {
    return method(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (const nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
  }
  return method();
}

/// exportCapsule, which raises TypeError with the library's message.
static nb::object exportArray(nb::handle array, const std::string &what) {
  try {
    return exportCapsule(array);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_Exception))
      throw;
    nb::object text = nb::module_::import_("tandem._arrays")
                          .attr("why_unreadable")(array, error.value());
    nb::raise_from(error, PyExc_TypeError, "%s %s", what.c_str(),
                   nb::cast<std::string>(text).c_str());
  }
}

/// Makes a tensor without a version, whose deleter deletes both.
static std::unique_ptr<DLManagedTensor>
withoutVersion(DLManagedTensorVersioned *versioned) {
  const auto deleter = [](DLManagedTensor *self) {
    auto *inner = static_cast<DLManagedTensorVersioned *>(self->manager_ctx);
    if (inner->deleter)
      inner->deleter(inner);
    delete self;
  };
  return std::make_unique<DLManagedTensor>(
      DLManagedTensor{versioned->dl_tensor, versioned, deleter});
}

ImportedTensor python::importArray(nb::handle array, const std::string &what,
                                   bool isWritten) {
  nb::object capsule = exportArray(array, what);
  // A capsule without a version does not tell whether the tensor may be written
  // to. The tensors of jax, for example, must not be written to.
  const bool isVersioned =
      PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned");
  if (!isVersioned && !PyCapsule_IsValid(capsule.ptr(), "dltensor"))
    raiseType(what + ": __dlpack__ returns a " +
              nb::type_name(capsule.type()).c_str() +
              ", not a capsule with a \"dltensor\"");
  void *pointer =
      PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
  bool isReadOnly = !exchangeTypeOf(array).isTorch;
  std::unique_ptr<DLManagedTensor> wrapper;
  auto *managed = static_cast<DLManagedTensor *>(pointer);
  if (isVersioned) {
    auto *versioned = static_cast<DLManagedTensorVersioned *>(pointer);
    isReadOnly = versioned->flags & kDLReadOnly;
    wrapper = withoutVersion(versioned);
    managed = wrapper.get();
  }
  if (isWritten && isReadOnly)
    raise({what + " is read-only", "output", "", "pass a writable array"});
  // The capsule owns its tensor until here.
  ImportedTensor imported = importTensor(managed, what);
  PyCapsule_SetName(capsule.ptr(),
                    isVersioned ? "used_dltensor_versioned" : "used_dltensor");
  wrapper.release();
  return imported;
}
