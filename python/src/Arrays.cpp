//===- Arrays.cpp - Arrays of Python as tensors ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

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

/// The kind of elements that this format character of Python's struct module
/// stands for. Nothing if tensors cannot have such elements.
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

/// numpy.ndarray. The import releases the GIL, so several threads may run this
/// function at the same time. They must not wait for each other, as they would
/// with a static object.
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

void Arrays::addTensor(const ImportedTensor &imported, const std::string &what,
                       bool isWritten) {
  if (imported.tensor.data() != imported.data && imported.tensor.bytes() > 0)
    countCopy(what, isWritten);
  all.push_back(imported.tensor);
}

/// Fills `buffer`, and returns whether the object has such a buffer.
static bool fetchBuffer(nb::handle object, bool isWritten, Py_buffer &buffer) {
  const int flags = PyBUF_STRIDES | PyBUF_FORMAT |
                    (isWritten ? PyBUF_WRITABLE : PyBUF_SIMPLE);
  if (PyObject_GetBuffer(object.ptr(), &buffer, flags) == 0)
    return true;
  PyErr_Clear();
  return false;
}

void Arrays::addNumpy(nb::handle array, const std::string &what,
                      bool isWritten) {
  if (Py_TYPE(array.ptr()) != numpyType() && nb::hasattr(array, "mask"))
    raiseType(what + " is a " + typeNameOf(array) +
              ", whose mask would be lost: pass x.filled(value)");
  Py_buffer buffer;
  if (fetchBuffer(array, isWritten, buffer)) {
    addBuffer(buffer, typeOfFormat(buffer.format, buffer.itemsize), array, what,
              isWritten);
    return;
  }
  // The bfloat16 of ml_dtypes has no format, but a view of its bits has one.
  if (dtypeOf(array) == "bfloat16") {
    nb::object bits = array.attr("view")("uint16");
    if (fetchBuffer(bits, isWritten, buffer)) {
      addBuffer(buffer, DType::bf16, array, what, isWritten);
      return;
    }
  }
  if (isWritten && !nb::cast<bool>(array.attr("flags").attr("writeable")))
    raise({what + " is read-only", "output", "", "pass a writable array"});
  raiseUnknownType(what, array);
}

void Arrays::addBuffer(const Py_buffer &buffer, std::optional<DType> dtype,
                       nb::handle array, const std::string &what,
                       bool isWritten) {
  buffers.push_back(buffer);
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
  addTensor(
      {take(toTensor({type, buffer.buf, strides, nullptr, {}})), buffer.buf},
      what, isWritten);
}

/// The result of a method or attribute of the array that is a bool.
static bool isTrue(PyObject *object) {
  nb::object held = nb::steal(object);
  if (!held)
    throw nb::python_error();
  return held.is(Py_True);
}

/// Raises TypeError for a tensor of torch whose gradient would be lost without
/// notice.
static void checkGradient(nb::handle tensor, const std::string &what) {
  static PyObject *const name = PyUnicode_InternFromString("requires_grad");
  if (isTrue(PyObject_GetAttr(tensor.ptr(), name)) &&
      nb::cast<bool>(nb::module_::import_("torch").attr("is_grad_enabled")()))
    raiseType(what + " needs a gradient, which Tandem does not compute: pass "
                     "x.detach(), or call under torch.no_grad()");
}

/// Raises TypeError for a tensor of torch whose memory holds the negated
/// elements. Such a tensor is the imaginary part of a conjugate, so that its
/// strides are even: with more than one element, it is not dense.
static void checkNegativeBit(nb::handle tensor, const std::string &what) {
  static PyObject *const name = PyUnicode_InternFromString("is_neg");
  if (isTrue(PyObject_CallMethodObjArgs(tensor.ptr(), name, nullptr)))
    raiseType(what + " has the negative bit: pass x.resolve_neg()");
}

bool Arrays::addExchanged(nb::handle array, const std::string &what,
                          bool isWritten) {
  const ExchangeType type = exchangeTypeOf(array);
  if (!type.api || !type.api->dltensor_from_py_object_no_sync)
    return false;
  if (type.isOpaque)
    raiseType(what + " is a " + typeNameOf(array) +
              ", whose elements are not in its memory");
  if (type.isTorch)
    checkGradient(array, what);
  // The array itself keeps the elements in place.
  DLManagedTensor view{};
  if (type.api->dltensor_from_py_object_no_sync(array.ptr(), &view.dl_tensor) !=
      0) {
    PyErr_Clear();
    return false; // The error of __dlpack__ says more.
  }
  const ImportedTensor imported = importTensor(&view, what);
  const Tensor &tensor = imported.tensor;
  if (type.isTorch && (tensor.data() != imported.data ||
                       tensor.bytes() == byteWidth(tensor.dtype())))
    checkNegativeBit(array, what);
  addTensor(imported, what, isWritten);
  return true;
}

void Arrays::add(nb::handle array, const std::string &what, bool isWritten) {
  ArrayKind kind = ArrayKind::numpy;
  Py_buffer buffer;
  if (PyObject_TypeCheck(array.ptr(), numpyType())) {
    addNumpy(array, what, isWritten);
  } else if (addExchanged(array, what, isWritten)) {
    kind = ArrayKind::exchanged;
  } else if (!PyType_Check(array.ptr()) && nb::hasattr(array, "__dlpack__")) {
    kind = ArrayKind::dlpack;
    // jax has buffers for most dtypes, which take a fifth of the time.
    if (!isWritten && fetchBuffer(array, isWritten, buffer))
      addBuffer(buffer, typeOfFormat(buffer.format, buffer.itemsize), array,
                what, isWritten);
    else
      addTensor(importArray(array, what, isWritten), what, isWritten);
  } else {
    raiseType(what + " is a " + typeNameOf(array) +
              ", not an array: pass numpy.asarray(x, dtype)");
  }
  if (!firstArray) {
    firstKind = kind;
    firstArray = array;
  }
  held.push_back(nb::borrow(array));
  if (isWritten)
    written.push_back(nb::borrow(array));
}

/// Calls note_write of tandem._arrays. An import releases the GIL, so that
/// threads must not wait for one another here, as for a static object.
static void noteWrite(nb::handle array) {
  static nb::handle function; // Guarded by the GIL.
  if (!function)
    function =
        nb::object(nb::module_::import_("tandem._arrays").attr("note_write"))
            .release();
  function(array);
}

void Arrays::noteWrites() const {
  for (const nb::object &array : written)
    if (exchangeTypeOf(array).isTorch)
      noteWrite(array);
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
  if (kind == ArrayKind::exchanged)
    if (nb::object array = makeArray(*exchangeTypeOf(like).api, tensor))
      return array;
  nb::object exported = nb::module_::import_("tandem._arrays")
                            .attr("Exported")(toCapsule(tensor));
  return nb::module_::import_("tandem._arrays")
      .attr("import_like")(exported, like);
}
