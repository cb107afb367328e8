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

struct TypeName {
  DType dtype;
  const char *numpy;
  /// The kind and the size in bytes, as in numpy's array interface.
  char kind;
  int size;
};

constexpr TypeName kTypeNames[] = {
    {DType::f32, "float32", 'f', 4}, {DType::f64, "float64", 'f', 8},
    {DType::f16, "float16", 'f', 2}, {DType::bf16, "bfloat16", 'V', 2},
    {DType::i1, "bool", 'b', 1},     {DType::i8, "int8", 'i', 1},
    {DType::i32, "int32", 'i', 4},   {DType::i64, "int64", 'i', 8},
    {DType::i16, "int16", 'i', 2},   {DType::ui8, "uint8", 'u', 1},
    {DType::ui16, "uint16", 'u', 2}, {DType::ui32, "uint32", 'u', 4},
    {DType::ui64, "uint64", 'u', 8}};

/// The type of elements with a format of the struct module; nothing for one
/// that tensors cannot have.
std::optional<DType> typeOfFormat(const char *format, Py_ssize_t size) {
  if (!format)
    return DType::ui8;
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (std::strlen(format) != 1)
    return std::nullopt;
  const char kind = *format == '?'                   ? 'b'
                    : std::strchr("efd", *format)    ? 'f'
                    : std::strchr("bhilqn", *format) ? 'i'
                    : std::strchr("BHILQN", *format) ? 'u'
                                                     : 'x';
  for (const TypeName &each : kTypeNames)
    if (each.kind == kind && each.size == size)
      return each.dtype;
  return std::nullopt;
}

/// kDLBool, which Debian's header does not have.
constexpr int kBool = 6;

std::optional<DType> typeOfDLPack(const DLDataType &type) {
  const char kind = type.code == kDLFloat    ? 'f'
                    : type.code == kDLBfloat ? 'V'
                    : type.code == kDLInt    ? 'i'
                    : type.code == kDLUInt   ? 'u'
                    : type.code == kBool     ? 'b'
                                             : 'x';
  for (const TypeName &each : kTypeNames)
    if (type.lanes == 1 && each.kind == kind && each.size * 8 == type.bits)
      return each.dtype;
  return std::nullopt;
}

[[noreturn]] void raiseType(const std::string &message) {
  PyErr_SetString(PyExc_TypeError, message.c_str());
  throw nb::python_error();
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

bool isNumpy(nb::handle array) {
  static nb::object &type =
      *new nb::object(nb::module_::import_("numpy").attr("ndarray"));
  return PyObject_TypeCheck(array.ptr(),
                            reinterpret_cast<PyTypeObject *>(type.ptr()));
}

} // namespace

std::string python::numpyName(DType dtype) {
  for (const TypeName &each : kTypeNames)
    if (each.dtype == dtype)
      return each.numpy;
  return "unknown";
}

DType python::parseDType(const std::string &text) {
  for (const TypeName &each : kTypeNames)
    if (text == each.numpy || text == name(each.dtype))
      return each.dtype;
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
    raise({what + " is not contiguous and row-major", "output", "",
           "pass an array that is, such as numpy.empty(shape, dtype)"});
  if (numCopies++ == 0)
    copied = what;
}

void Arrays::addStrided(const TensorType &type, void *data,
                        const std::vector<int64_t> &strides,
                        const Device *device, const std::string &what,
                        bool isWritten) {
  Tensor tensor = take(toTensor({type, data, strides, device, {}}));
  if (tensor.data() != data && tensor.bytes() > 0)
    countCopy(what, isWritten);
  all.push_back(std::move(tensor));
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
  if (buffer.ndim > kMaxRank)
    raise({what + " has " + std::to_string(buffer.ndim) + " dims, more than " +
               std::to_string(kMaxRank),
           "input", "", ""});
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
  addStrided(type, buffer.buf, strides, nullptr, what, isWritten);
}

bool Arrays::addExchanged(nb::handle array, const std::string &what,
                          bool isWritten) {
  const DLPackExchangeAPI *api = findExchangeAPI(array);
  if (!api)
    return false;
  DLTensor given;
  if (api->dltensor_from_py_object_no_sync(array.ptr(), &given) != 0) {
    PyErr_Clear();
    return false; // For example, it needs a gradient: DLPack says so.
  }
  if (given.device.device_type != kDLCPU)
    return false;
  std::optional<DType> dtype = typeOfDLPack(given.dtype);
  if (!dtype)
    raiseType(what + " has elements of a dtype that Tandem does not have");
  TensorType type{*dtype, {}};
  for (int i = 0; i < given.ndim; ++i)
    type.shape.push_back(given.shape[i]);
  std::vector<int64_t> strides;
  if (given.strides)
    strides.assign(given.strides, given.strides + given.ndim);
  addStrided(type, static_cast<char *>(given.data) + given.byte_offset, strides,
             nullptr, what, isWritten);
  return true;
}

void Arrays::addDLPack(nb::handle array, const std::string &what,
                       bool isWritten) {
  nb::object capsule = array.attr("__dlpack__")();
  auto *managed = static_cast<DLManagedTensor *>(
      PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!managed)
    throw nb::python_error();
  const void *data = static_cast<char *>(managed->dl_tensor.data) +
                     managed->dl_tensor.byte_offset;
  Tensor tensor = take(fromDLPack(managed));
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  if (tensor.data() != data && tensor.bytes() > 0)
    countCopy(what, isWritten);
  all.push_back(std::move(tensor));
}

void Arrays::add(nb::handle array, const std::string &what, bool isWritten) {
  ArrayKind kind = ArrayKind::numpy;
  if (isNumpy(array)) {
    addBuffer(array, what, isWritten);
  } else if (addExchanged(array, what, isWritten)) {
    kind = ArrayKind::torch;
  } else if (nb::hasattr(array, "__dlpack__")) {
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

static nb::object toNumpy(const Tensor &tensor) {
  nb::object owner =
      nb::steal(PyCapsule_New(new Tensor(tensor), nullptr, deleteOwner));
  const bool isBF16 = tensor.dtype() == DType::bf16;
  nb::dlpack::dtype dtype{0, 0, 1};
  for (const TypeName &each : kTypeNames)
    if (each.dtype == (isBF16 ? DType::ui16 : tensor.dtype())) {
      dtype.code = each.kind == 'f'   ? uint8_t(nb::dlpack::dtype_code::Float)
                   : each.kind == 'i' ? uint8_t(nb::dlpack::dtype_code::Int)
                   : each.kind == 'u' ? uint8_t(nb::dlpack::dtype_code::UInt)
                                      : uint8_t(nb::dlpack::dtype_code::Bool);
      dtype.bits = uint8_t(each.size * 8);
    }
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
