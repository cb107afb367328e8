//===- Arrays.h - Arrays of Python as tensors -------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PYTHON_ARRAYS_H
#define TANDEM_PYTHON_ARRAYS_H

#include "DLPackExchange.h"
#include "Errors.h"

#include "tandem/Runtime/Tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace tandem::python {

/// The way in which arrays are read and made: through numpy's buffers, through
/// DLPack's exchange API (torch), or through `__dlpack__`.
enum class ArrayKind { numpy, exchanged, dlpack };

/// Tensors that refer to the memory of Python's arrays, and what keeps that
/// memory in place. Must be destroyed with the GIL held.
class Arrays {
public:
  Arrays() = default;
  Arrays(const Arrays &) = delete;
  ~Arrays();

  /// Makes room for `count` arrays.
  void reserve(size_t count) {
    all.reserve(count);
    held.reserve(count);
  }

  /// Adds an array of numpy, of torch, or of any library that has DLPack. An
  /// array that is not contiguous and row-major is copied, unless it is to be
  /// written. `what` names the array in errors: "input 'x'". Raises TypeError
  /// if the object is not an array, and tandem.Error for other problems.
  void add(nb::handle array, const std::string &what, bool isWritten = false);

  /// Notifies libraries that track writes that the arrays that were added with
  /// `isWritten` were written to.
  void noteWrites() const;

  const std::vector<Tensor> &tensors() const { return all; }
  /// The array that was added as number `index`.
  nb::object array(size_t index) const { return held[index]; }
  /// The library of the first array.
  ArrayKind kind() const { return firstKind; }
  /// The first array; null if there is none.
  nb::handle first() const { return firstArray; }
  /// The number of arrays that were copied, and the name of the first.
  size_t copies() const { return numCopies; }
  const std::string &firstCopy() const { return copied; }

private:
  void addNumpy(nb::handle array, const std::string &what, bool isWritten);
  /// Adds a buffer of `array`. Raises TypeError if `dtype` is empty.
  void addBuffer(const Py_buffer &buffer, std::optional<DType> dtype,
                 nb::handle array, const std::string &what, bool isWritten);
  bool addExchanged(nb::handle array, const std::string &what, bool isWritten);
  void addTensor(const ImportedTensor &imported, const std::string &what,
                 bool isWritten);
  void countCopy(const std::string &what, bool isWritten);

  std::vector<Tensor> all;
  std::vector<Py_buffer> buffers;
  std::vector<nb::object> held;
  std::vector<nb::object> written;
  ArrayKind firstKind = ArrayKind::numpy;
  nb::handle firstArray;
  size_t numCopies = 0;
  std::string copied;
};

/// Returns the tensor as an array of the library that `like` belongs to; of
/// numpy if `like` is null. The array keeps the tensor's memory alive.
nb::object toArray(const Tensor &tensor, ArrayKind kind, nb::handle like);

/// The name of numpy's dtype for the type: "float32", "bfloat16", "bool".
std::string numpyName(DType dtype);
/// The inverse of numpyName; also takes names of the dialect ("f32"). Raises
/// TypeError for any other text.
DType parseDType(const std::string &text);

/// Raises tandem.Error if a shape of `rank` dims is too long. `what` names the
/// shape in the error.
void checkRank(size_t rank, const std::string &what);

/// Makes a capsule with the tensor (DLPack's "dltensor").
nb::object toCapsule(const Tensor &tensor);

} // namespace tandem::python

#endif // TANDEM_PYTHON_ARRAYS_H
