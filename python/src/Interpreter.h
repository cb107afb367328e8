//===- Interpreter.h - The GIL, forks and the end of Python -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When Python ends, daemon threads may still call functions. Up to Python 3.13,
// a thread that asks for the GIL after the end is ended by pthread_exit, which
// unwinds its stack: C++ destructors would run without the GIL, and functions
// that are noexcept would end the process. Therefore Python waits at its end
// for the threads that use the library, and threads that would use the library
// later sleep until the process is gone.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_PYTHON_INTERPRETER_H
#define TANDEM_PYTHON_INTERPRETER_H

#include <nanobind/nanobind.h>

#include <atomic>
#include <pthread.h>
#include <unistd.h>
#include <utility>

namespace tandem::python {

/// The state of threads that use the library, and of the end of Python. The GIL
/// guards the number of scopes of all threads.
struct Interpreter {
  static inline int numScopes = 0;
  static inline thread_local int numOwnScopes = 0;

  /// Set when Python begins to end, by the thread that ends it.
  static inline std::atomic<bool> isEnding{false};
  static inline pthread_t endingThread;

  /// True if another thread ends Python.
  static bool endsElsewhere() {
    return isEnding && !pthread_equal(pthread_self(), endingThread);
  }

  [[noreturn]] static void sleepForever() {
    while (true)
      pause();
  }

  [[noreturn]] static void sleepWithoutGIL() {
    PyEval_SaveThread();
    sleepForever();
  }

  /// Calls `body`, which takes the GIL. If Python has ended, that unwinds the
  /// stack.
  template <typename Body> static auto withoutUnwinding(Body body) {
    try {
      return body();
    } catch (...) {
      sleepForever();
    }
  }
};

/// The scope in which a thread uses the library. Begins and ends with the GIL
/// held. Scopes of one thread may be nested.
class LibraryScope {
public:
  LibraryScope() {
    // Python waits for threads that have a scope.
    if (Interpreter::numOwnScopes == 0 && Interpreter::endsElsewhere())
      Interpreter::sleepWithoutGIL();
    ++Interpreter::numScopes;
    ++Interpreter::numOwnScopes;
  }
  LibraryScope(const LibraryScope &) = delete;
  ~LibraryScope() {
    --Interpreter::numScopes;
    --Interpreter::numOwnScopes;
  }
};

/// Releases the GIL for the lifetime of the object.
class ReleasedGIL {
public:
  ReleasedGIL() : state(PyEval_SaveThread()) {}
  ReleasedGIL(const ReleasedGIL &) = delete;
  ~ReleasedGIL() { PyEval_RestoreThread(state); }

private:
  LibraryScope scope;
  PyThreadState *state;
};

/// Holds the GIL for the lifetime of the object, in a function that the library
/// calls. Converts to false, without the GIL, if Python has ended or is about
/// to end.
class AcquiredGIL {
public:
  AcquiredGIL()
      : isHeld(Py_IsInitialized() && (Interpreter::numOwnScopes > 0 ||
                                      !Interpreter::endsElsewhere())) {
    if (!isHeld)
      return;
    state = Interpreter::withoutUnwinding([] { return PyGILState_Ensure(); });
  }
  AcquiredGIL(const AcquiredGIL &) = delete;
  ~AcquiredGIL() {
    if (isHeld)
      PyGILState_Release(state);
  }
  explicit operator bool() const { return isHeld; }

  /// Calls `function`, which need not return: the thread leaves its scopes
  /// meanwhile. Returns null with a Python exception if the call fails.
  PyObject *call(nanobind::handle function, nanobind::handle arguments,
                 nanobind::handle keywords) const {
    const int scopes = std::exchange(Interpreter::numOwnScopes, 0);
    Interpreter::numScopes -= scopes;
    PyObject *result = Interpreter::withoutUnwinding([&] {
      return PyObject_Call(function.ptr(), arguments.ptr(), keywords.ptr());
    });
    if (scopes > 0 && Interpreter::endsElsewhere())
      Interpreter::sleepWithoutGIL();
    Interpreter::numOwnScopes = scopes;
    Interpreter::numScopes += scopes;
    return result;
  }

private:
  bool isHeld;
  PyGILState_STATE state{};
};

/// Calls `body` without the GIL.
template <typename Body> auto withoutGIL(Body body) {
  ReleasedGIL released;
  return body();
}

/// Prepares the library for the end of Python. The GIL must be held.
/// `beforeEnd` should cancel background work.
inline void endPython(void (*beforeEnd)()) {
  Interpreter::endingThread = pthread_self();
  Interpreter::isEnding = true;
  beforeEnd();
  // Objects of Python and static objects of the library are about to be
  // destroyed.
  while (Interpreter::numScopes > Interpreter::numOwnScopes) {
    PyThreadState *state = PyEval_SaveThread();
    usleep(1000);
    PyEval_RestoreThread(state);
  }
}

/// Makes Python call `beforeFork` before each os.fork, and `beforeEnd` when
/// Python ends, after the functions that are registered with `atexit` later.
/// Both functions are called with the GIL held, and may release it. Call
/// watchInterpreter once.
inline void watchInterpreter(void (*beforeFork)(), void (*beforeEnd)()) {
  nanobind::module_::import_("atexit").attr("register")(
      nanobind::cpp_function([beforeEnd] { endPython(beforeEnd); }));
  // A child does not have the other threads.
  nanobind::module_::import_("os").attr("register_at_fork")(
      nanobind::arg("before") = nanobind::cpp_function(beforeFork),
      nanobind::arg("after_in_child") = nanobind::cpp_function(
          [] { Interpreter::numScopes = Interpreter::numOwnScopes; }));
}

} // namespace tandem::python

#endif // TANDEM_PYTHON_INTERPRETER_H
