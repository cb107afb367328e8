//===- Arrays.cpp - Arrays of Python as tensors ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "DLPackExchange.h"

#include "tandem/Runtime/DLPack.h"
#include "tandem/Runtime/Device.h"
#include "tandem/Runtime/StridedTensor.h"

#include <dlpack/dlpack.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <bit>
#include <cstring>

using namespace tandem;
using namespace tandem::python;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {

/// The kind of elements with this format character of the struct module;
/// nothing for one that tensors cannot have.
std::optional<DTypeKind> kindOfFormat(char format) {
  if (format == '?')
    return DTypeKind::boolean;
  if (std::strchr("efd", format))
    return DTypeKind::floating;
  if (std::strchr("bhilqn", format))
    return DTypeKind::signedInt;
  if (std::strchr("BHILQN", format))
    return DTypeKind::unsignedInt;
  return std::nullopt;
}

/// The type of elements of `size` bytes with a format of the struct module.
std::optional<DType> typeOfFormat(const char *format, Py_ssize_t size) {
  if (!format)
    return std::nullopt;
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (std::strlen(format) != 1)
    return std::nullopt;
  const std::optional<DTypeKind> kind = kindOfFormat(*format);
  for (DType dtype : fb::EnumValuesDType())
    if (kind == kindOf(dtype) && byteWidth(dtype) == size &&
        dtype != DType::bf16)
      return dtype;
  return std::nullopt;
}

/// str(array.dtype).
std::string dtypeOf(nb::handle array) {
  nb::object dtype = array.attr("dtype");
  nb::object text = nb::steal(PyObject_Str(dtype.ptr()));
  return nb::cast<std::string>(text);
}

[[noreturn]] void raiseUnknownType(const std::string &what, nb::handle array) {
  raiseType(what + " has elements of dtype " + dtypeOf(array) +
            ", which Tandem does not have");
}

std::string typeNameOf(nb::handle object) {
  return nb::type_name(object.type()).c_str();
}

/// numpy.ndarray. The import releases the GIL, so that several threads may be
/// here: none of them may wait for another one, as for a static object.
PyTypeObject *numpyType() {
  static PyTypeObject *type = nullptr; // Guarded by the GIL.
  if (!type) {
    nb::object made = nb::module_::import_("numpy").attr("ndarray");
    type = reinterpret_cast<PyTypeObject *>(made.release().ptr());
  }
  return type;
}

} // namespace

std::string python::numpyName(DType dtype) {
  const std::string bits = std::to_string(8 * byteWidth(dtype));
  switch (kindOf(dtype)) {
  case DTypeKind::floating:
    return dtype == DType::bf16 ? "bfloat16" : "float" + bits;
  case DTypeKind::boolean:
    return "bool";
  case DTypeKind::signedInt:
    return "int" + bits;
  case DTypeKind::unsignedInt:
    return "uint" + bits;
  }
  __builtin_unreachable();
}

void python::checkRank(size_t rank, const std::string &what) {
  if (rank > size_t(kMaxRank))
    raise({what + " has " + std::to_string(rank) + " dims, more than " +
               std::to_string(kMaxRank),
           "input", "", ""});
}

DType python::parseDType(const std::string &text) {
  for (DType dtype : fb::EnumValuesDType())
    if (text == numpyName(dtype) || text == name(dtype))
      return dtype;
  raiseType("'" + text + "' is no element type of Tandem");
}

//===----------------------------------------------------------------------===//
// Arrays as tensors
//===----------------------------------------------------------------------===//

Arrays::~Arrays() {
  all.clear();
  for (Py_buffer &buffer : buffers)
    PyBuffer_Release(&buffer);
}

void Arrays::countCopy(const std::string &what, bool isWritten) {
  if (isWritten)
    raise({what + " is not contiguous, row-major and aligned", "output", "",
           "pass an array that is, such as numpy.empty(shape, dtype)"});
  if (numCopies++ == 0)
    copied = what;
}

void Arrays::addTensor(Tensor tensor, const void *data, const std::string &what,
                       bool isWritten) {
  if (tensor.data() != data && tensor.bytes() > 0)
    countCopy(what, isWritten);
  all.push_back(std::move(tensor));
}

/// The address of the element whose indices are all 0.
static const void *dataOf(const DLTensor &tensor) {
  return static_cast<const char *>(tensor.data) + tensor.byte_offset;
}

/// A tensor that owns `managed`. Raises TypeError, and leaves it to the caller,
/// if there is no such tensor.
static Tensor takeManaged(DLManagedTensor *managed, const std::string &what) {
  Expected<Tensor> tensor = fromDLPack(managed);
  if (!tensor)
    raiseType(what + ": " + tensor.error().message);
  return std::move(*tensor);
}

void Arrays::addBuffer(nb::handle array, const std::string &what,
                       bool isWritten) {
  nb::object source = nb::borrow(array);
  bool isBF16 = false;
  Py_buffer buffer;
  const int flags = PyBUF_STRIDES | PyBUF_FORMAT |
                    (isWritten ? PyBUF_WRITABLE : PyBUF_SIMPLE);
  if (PyObject_GetBuffer(source.ptr(), &buffer, flags) != 0) {
    PyErr_Clear();
    // ml_dtypes' bfloat16 has no format: its bits have.
    isBF16 = dtypeOf(array) == "bfloat16";
    if (isBF16)
      source = array.attr("view")("uint16");
    if (!isBF16 || PyObject_GetBuffer(source.ptr(), &buffer, flags) != 0) {
      PyErr_Clear();
      if (isWritten && !nb::cast<bool>(array.attr("flags").attr("writeable")))
        raise({what + " is read-only", "output", "", "pass a writable array"});
      raiseUnknownType(what, array);
    }
  }
  buffers.push_back(buffer);
  held.push_back(std::move(source));
  std::optional<DType> dtype =
      isBF16 ? DType::bf16 : typeOfFormat(buffer.format, buffer.itemsize);
  if (!dtype)
    raiseUnknownType(what, array);
  checkRank(size_t(buffer.ndim), what);
  TensorType type{*dtype, {}};
  std::vector<int64_t> strides;
  bool isWhole = true;
  for (int i = 0; i < buffer.ndim; ++i) {
    type.shape.push_back(buffer.shape[i]);
    strides.push_back(buffer.strides[i] / buffer.itemsize);
    isWhole &= buffer.strides[i] % buffer.itemsize == 0;
  }
  if (!isWhole)
    raise({what + " has strides that are no multiple of its elements", "input",
           "", "pass numpy.ascontiguousarray(x)"});
  addTensor(take(toTensor({type, buffer.buf, strides, nullptr, {}})),
            buffer.buf, what, isWritten);
}

bool Arrays::addExchanged(nb::handle array, const std::string &what,
                          bool isWritten) {
  const DLPackExchangeAPI *api = findExchangeAPI(array);
  if (!api)
    return false;
  auto managed = std::make_unique<DLManagedTensor>();
  if (api->dltensor_from_py_object_no_sync(array.ptr(), &managed->dl_tensor) !=
      0) {
    PyErr_Clear();
    return false; // For example, it needs a gradient: DLPack says so.
  }
  // The array itself keeps the elements in place.
  managed->deleter = [](DLManagedTensor *self) { delete self; };
  const void *data = dataOf(managed->dl_tensor);
  Tensor tensor = takeManaged(managed.get(), what);
  managed.release();
  addTensor(std::move(tensor), data, what, isWritten);
  return true;
}

/// array.__dlpack__(). Raises TypeError with the reason if the array cannot be
/// exported.
static nb::object callDLPack(nb::handle array, const std::string &what) {
  try {
    return array.attr("__dlpack__")();
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_Exception))
      throw;
    nb::object text = nb::steal(PyObject_Str(error.value().ptr()));
    nb::raise_from(error, PyExc_TypeError, "%s: %s", what.c_str(),
                   nb::cast<std::string>(text).c_str());
  }
}

void Arrays::addDLPack(nb::handle array, const std::string &what,
                       bool isWritten) {
  nb::object capsule = callDLPack(array, what);
  if (!PyCapsule_IsValid(capsule.ptr(), "dltensor"))
    raiseType(what + ": __dlpack__ returns a " + typeNameOf(capsule) +
              ", not a capsule with a \"dltensor\"");
  auto *managed = static_cast<DLManagedTensor *>(
      PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  const void *data = dataOf(managed->dl_tensor);
  Tensor tensor = takeManaged(managed, what);
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  addTensor(std::move(tensor), data, what, isWritten);
}

void Arrays::add(nb::handle array, const std::string &what, bool isWritten) {
  ArrayKind kind = ArrayKind::numpy;
  if (PyObject_TypeCheck(array.ptr(), numpyType())) {
    if (Py_TYPE(array.ptr()) != numpyType() && nb::hasattr(array, "mask"))
      raiseType(what + " is a " + typeNameOf(array) +
                ", whose mask would be lost: pass x.filled(value)");
    addBuffer(array, what, isWritten);
  } else if (addExchanged(array, what, isWritten)) {
    kind = ArrayKind::torch;
  } else if (!PyType_Check(array.ptr()) && nb::hasattr(array, "__dlpack__")) {
    kind = ArrayKind::dlpack;
    addDLPack(array, what, isWritten);
  } else {
    raiseType(what + " is a " + typeNameOf(array) +
              ", not an array: pass numpy.asarray(x, dtype)");
  }
  if (!firstArray) {
    firstKind = kind;
    firstArray = array;
  }
  held.push_back(nb::borrow(array));
}

//===----------------------------------------------------------------------===//
// Tensors as arrays
//===----------------------------------------------------------------------===//

static void deleteOwner(PyObject *capsule) {
  delete static_cast<Tensor *>(PyCapsule_GetPointer(capsule, nullptr));
}

static nb::dlpack::dtype_code codeOf(DTypeKind kind) {
  switch (kind) {
  case DTypeKind::floating:
    return nb::dlpack::dtype_code::Float;
  case DTypeKind::boolean:
    return nb::dlpack::dtype_code::Bool;
  case DTypeKind::signedInt:
    return nb::dlpack::dtype_code::Int;
  case DTypeKind::unsignedInt:
    return nb::dlpack::dtype_code::UInt;
  }
  __builtin_unreachable();
}

static nb::object toNumpy(const Tensor &tensor) {
  nb::object owner =
      nb::steal(PyCapsule_New(new Tensor(tensor), nullptr, deleteOwner));
  // numpy itself has no bfloat16: ml_dtypes views the bits.
  const bool isBF16 = tensor.dtype() == DType::bf16;
  const DType given = isBF16 ? DType::ui16 : tensor.dtype();
  const nb::dlpack::dtype dtype{uint8_t(codeOf(kindOf(given))),
                                uint8_t(8 * byteWidth(given)), 1};
  std::vector<size_t> shape(tensor.shape().span().begin(),
                            tensor.shape().span().end());
  nb::ndarray<nb::numpy> array(tensor.data(), shape.size(), shape.data(), owner,
                               nullptr, dtype);
  nb::object result = nb::cast(array);
  if (!isBF16)
    return result;
  return result.attr("view")(
      nb::module_::import_("ml_dtypes").attr("bfloat16"));
}

static void deleteCapsule(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor"))
    return; // Its receiver owns the tensor.
  auto *managed =
      static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

nb::object python::toCapsule(const Tensor &tensor) {
  DLManagedTensor *managed = take(toDLPack(tensor));
  return nb::steal(PyCapsule_New(managed, "dltensor", deleteCapsule));
}

nb::object python::toArray(const Tensor &tensor, ArrayKind kind,
                           nb::handle like) {
  if (kind == ArrayKind::numpy)
    return toNumpy(tensor);
  nb::object exported = nb::module_::import_("tandem._arrays")
                            .attr("Exported")(toCapsule(tensor));
  return nb::module_::import_("tandem._arrays")
      .attr("import_like")(exported, like);
}
