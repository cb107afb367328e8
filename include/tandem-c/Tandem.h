//===- Tandem.h - The C API ---------------------------------------*- C -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads graphs, calls them with tensors and reports what happened.
//
// Errors. A function that can fail returns a TandemError, which the caller
// releases, or null on success. What it would have returned through pointers
// is then null. No function throws, prints, or ends the process; null
// handles and pointers are errors.
//
// Ownership. A handle that a function returns is the caller's, who releases
// it by the function whose name ends in Release; that of null does nothing.
// Strings that are returned belong to the handle that they are asked of, or
// to the library, and live as long. Arguments are read, and strings and
// arrays copied, before a function returns, unless it says otherwise.
//
// Threads. Every function may be called by any number of threads at a time,
// also with the same handles, except that a handle is released once and
// nothing else uses it then.
//
// Versions. Functions and fields of structs are added at the end and never
// change. Every struct begins with its size, which the caller sets to sizeof
// the struct. Fields that a caller does not have, or sets to 0, have their
// defaults.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_C_TANDEM_H
#define TANDEM_C_TANDEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An error, a function that can be called, and a tensor.
typedef struct TandemError TandemError;
typedef struct TandemFunction TandemFunction;
typedef struct TandemTensor TandemTensor;

/// DLPack's (https://dmlc.github.io/dlpack/latest/).
struct DLManagedTensor;

//===----------------------------------------------------------------------===//
// Version and process
//===----------------------------------------------------------------------===//

/// The version of this API that the header describes, and that the library has.
/// It is raised where something is added.
#define TANDEM_C_API_VERSION 3
uint32_t tandemAPIVersion(void);
/// The library's version: "0.1.0".
const char *tandemVersion(void);

/// The devices that graphs can be compiled for. The first is the default. The
/// name is what options take; null where there is no such device.
size_t tandemNumDevices(void);
const char *tandemDeviceName(size_t index);

/// Limits the threads that computations of this process use; less than 1 stands
/// for 1, and more than 1024 for that.
void tandemSetNumThreads(int threads);
/// The present limit, which is the number of processors at first.
int tandemNumThreads(void);

/// Whether the library may work while no call waits for it: compile in the
/// background, measure the machine, and ask libraries for better plans. It may
/// by default. Applies to functions that are loaded afterwards.
void tandemAllowBackgroundWork(bool isAllowed);
/// Sets how many threads compile in the background, for all functions; 1 at
/// first. Less than 1 stands for 1.
void tandemSetCompileThreads(int threads);

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The phase that failed, such as "parse", "input", "compile" or "execute"; one
/// sentence that names the constraint that was broken; the place in the graph's
/// text, `file:line:col`; and what can be done. The last two are "" where they
/// are not known.
const char *tandemErrorPhase(const TandemError *error);
const char *tandemErrorMessage(const TandemError *error);
const char *tandemErrorLocation(const TandemError *error);
const char *tandemErrorHint(const TandemError *error);
/// All of it: "location: error: phase: message (hint)".
const char *tandemErrorText(const TandemError *error);
void tandemErrorRelease(TandemError *error);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Element types. An i1 takes one byte, 0 or 1.
typedef int32_t TandemDType;
enum {
  TANDEM_F32 = 0,
  TANDEM_F64 = 1,
  TANDEM_F16 = 2,
  TANDEM_BF16 = 3,
  TANDEM_I1 = 4,
  TANDEM_I8 = 5,
  TANDEM_I32 = 6,
  TANDEM_I64 = 7,
  TANDEM_I16 = 8,
  TANDEM_UI8 = 9,
  TANDEM_UI16 = 10,
  TANDEM_UI32 = 11,
  TANDEM_UI64 = 12
};

/// The highest rank of a tensor, and the size of a dim that is not known before
/// a call.
#define TANDEM_MAX_RANK 8
#define TANDEM_DYNAMIC INT64_MIN

/// A tensor in memory.
typedef struct TandemTensorDesc {
  size_t structSize;
  /// The element at index 0 in all dims. May be null where there are none.
  void *data;
  TandemDType dtype;
  int32_t rank;
  /// `rank` sizes, outermost first. May be null for rank 0.
  const int64_t *shape;
  /// For each dim, the distance in elements from one index to the next, which
  /// may be 0 or negative. Null stands for a dense row-major tensor.
  const int64_t *strides;
  /// The name of the device whose memory it is; null for the host's memory.
  const char *device;
  /// Called once, with `data` and `context`, when nothing uses the memory any
  /// longer, by whichever thread that is. Null where the caller keeps the
  /// memory as long as tensors on it live.
  void (*deleter)(void *data, void *context);
  void *context;
} TandemTensorDesc;

/// Makes a tensor of the elements that `desc` describes. It is on the same
/// memory where that is dense, row-major and aligned to the size of an element,
/// and a copy otherwise, after which the deleter is called at once. Memory of a
/// device other than the host is not copied: that is an error. Where this
/// fails, the deleter is not called. Calls are fastest on memory that is
/// aligned to 64 bytes.
TandemError *tandemTensorCreate(const TandemTensorDesc *desc,
                                TandemTensor **tensor);
/// The same of another framework's tensor, whose deleter is called once nothing
/// uses the memory any longer. Where this fails, the caller keeps `managed`.
TandemError *tandemTensorFromDLPack(struct DLManagedTensor *managed,
                                    TandemTensor **tensor);
/// Describes a tensor to another framework, which calls the deleter of the
/// result. Until then the memory is kept, whether or not `tensor` is released.
TandemError *tandemTensorToDLPack(const TandemTensor *tensor,
                                  struct DLManagedTensor **managed);
/// Fills `desc`, whose size the caller has set. `data` and `shape` live as long
/// as the tensor. Tensors are dense: `strides` is null. So are the deleter and
/// its context.
TandemError *tandemTensorDescribe(const TandemTensor *tensor,
                                  TandemTensorDesc *desc);
/// Copies a tensor to the memory of a device, or to that of the host where
/// `device` is null, and waits for it. A tensor that is there already shares
/// its memory with the result.
TandemError *tandemTensorCopyTo(const TandemTensor *tensor, const char *device,
                                TandemTensor **copy);
void tandemTensorRelease(TandemTensor *tensor);

//===----------------------------------------------------------------------===//
// Functions that graphs call
//===----------------------------------------------------------------------===//

/// What the function of a custom_call is called with.
typedef struct TandemCustomCallArgs {
  size_t structSize;
  /// The op's.
  const char *config;
  /// Dense row-major tensors in the memory of the function's device; `strides`
  /// is never null, and the deleters are. Operands must not be written to;
  /// every element of the results must be. No result shares memory with an
  /// operand.
  size_t numOperands;
  const TandemTensorDesc *operands;
  size_t numResults;
  const TandemTensorDesc *results;
  /// Where the work is to be enqueued: the CUstream of a GPU; null on the CPU,
  /// where it is to be done before the function returns.
  void *stream;
  /// The registration's.
  void *context;
  /// Room for one sentence that says why the function failed.
  char *message;
  size_t messageSize;
} TandemCustomCallArgs;

/// Returns 0, or another number where it failed.
typedef int (*TandemCustomFunction)(const TandemCustomCallArgs *args);
/// Fills shapes[i], the sizes of result i, of which those that are written in
/// the graph are there already, the others being TANDEM_DYNAMIC. `data` of all
/// tensors is null.
typedef int (*TandemCustomShapes)(const TandemCustomCallArgs *args,
                                  int64_t *const *shapes);

/// A function that custom_call ops name as their target. It must be pure: the
/// same operands give the same results, whenever and however often it is
/// called. Any number of threads may call it at once; it must not throw.
typedef struct TandemCustomCall {
  size_t structSize;
  const char *target;
  /// The name of the device whose memory it works in; null for the CPU.
  const char *device;
  TandemCustomFunction run;
  /// What `run` is compared with, on the CPU; null stands for `run` of the CPU.
  TandemCustomFunction reference;
  /// An element of a result of `run` is at most relativeError * (|x| + rms)
  /// from the reference's element x, where rms is the root mean square of its
  /// tensor. At most 0.1.
  double relativeError;
  /// For ops whose written result types have dims that are not known; may be
  /// null.
  TandemCustomShapes inferShapes;
  /// Passed to the functions; must live as long as the process.
  void *context;
} TandemCustomCall;

/// Makes a function known to all graphs, for the rest of the process. Fails
/// where the target has one on this device.
TandemError *tandemCustomCallRegister(const TandemCustomCall *call);

/// What a library of such functions exports as `tandemRegisterCustomCalls`, for
/// `tandem-run --custom-calls=LIBRARY`. It calls `add`, which is
/// tandemCustomCallRegister, for each, and returns the first error. So a
/// library needs this header and nothing else.
typedef TandemError *(*TandemRegisterCustomCalls)(
    TandemError *(*add)(const TandemCustomCall *call));

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// How a function chooses between running op by op and running compiled, for
/// each signature: the types of a call's inputs (docs/Engine.md).
typedef int32_t TandemMode;
enum {
  /// AUTO; COMPILE where background work is not allowed.
  TANDEM_MODE_DEFAULT = 0,
  /// Op by op, always.
  TANDEM_MODE_EAGER = 1,
  /// Compiled. The first call of a signature compiles, and waits for that.
  TANDEM_MODE_COMPILE = 2,
  /// Op by op at first. A signature is compiled in the background when that is
  /// predicted to pay, and its calls run that once it has been certified to
  /// compute the same, and as long as it is faster.
  TANDEM_MODE_AUTO = 3,
  /// As AUTO, but the first call of a signature compiles and certifies.
  TANDEM_MODE_COMPILE_NOW = 4
};

/// How exact the libraries' f32 contractions are, on devices that have a
/// choice.
typedef int32_t TandemPrecision;
enum {
  TANDEM_PRECISION_STRICT = 0,
  TANDEM_PRECISION_TF32 = 1 ///< Operands are rounded to 10 mantissa bits.
};

/// Where signatures are compiled that calls do not wait for.
typedef int32_t TandemCompileIn;
enum {
  TANDEM_COMPILE_IN_DEFAULT = 0, ///< PROCESS.
  /// In a helper process, where one can be started: it disturbs the calls less,
  /// and if the compiler crashes, this process does not.
  TANDEM_COMPILE_IN_PROCESS = 1,
  TANDEM_COMPILE_IN_THREAD = 2 ///< On a thread of this process.
};

typedef struct TandemLoadOptions {
  size_t structSize;
  /// The name of the function in the file; null stands for "main".
  const char *function;
  /// A device's name; null stands for the default.
  const char *device;
  TandemMode mode;
  TandemPrecision precision;
  /// Where kernels that could not be compiled, and calls that were computed
  /// differently compiled, are written; null stands for a folder of temporary
  /// files.
  const char *reproducerDir;
  /// Whether such a call fails. Otherwise it returns what was computed op by
  /// op.
  bool isStrict;
  /// Whether every call is kept for TANDEM_REPORT_TRACE.
  bool isTraced;
  /// Called with each decision, as a line of text that lives during the call,
  /// and `context`, by the thread that takes it; several may at once. It must
  /// not throw, nor use the function. May be null.
  void (*log)(const char *event, void *context);
  void *context;
  TandemCompileIn compileIn;
} TandemLoadOptions;

/// Loads a graph from a file of MLIR, or from its text of `length` bytes.
/// `options` may be null.
TandemError *tandemFunctionLoadFile(const char *path,
                                    const TandemLoadOptions *options,
                                    TandemFunction **function);
TandemError *tandemFunctionLoadText(const char *text, size_t length,
                                    const TandemLoadOptions *options,
                                    TandemFunction **function);
/// The number of tensors that a call takes and returns; 0 for null.
size_t tandemFunctionNumInputs(const TandemFunction *function);
size_t tandemFunctionNumOutputs(const TandemFunction *function);
/// Fills `desc`, whose size the caller has set, with the type that input
/// `index` is declared with. Dims may be TANDEM_DYNAMIC. `shape` lives as long
/// as the function; the other pointers are null.
TandemError *tandemFunctionDescribeInput(const TandemFunction *function,
                                         size_t index, TandemTensorDesc *desc);
/// Calls the function, whose mode chooses how. Inputs must be in the memory of
/// the function's device. `outputs` has room for `numOutputs` tensors, which
/// must be the number that there are; each is released by the caller. An output
/// may share the memory of an input or of a constant of the graph, and must not
/// be written to. On the CPU the outputs are ready when this returns; those of
/// other devices once later work of the device, or tandemTensorCopyTo, reads
/// them.
TandemError *tandemFunctionCall(TandemFunction *function,
                                const TandemTensor *const *inputs,
                                size_t numInputs, TandemTensor **outputs,
                                size_t numOutputs);

/// Has the signature of `numInputs` inputs compiled in the background, ahead of
/// its first call. Only dtype, rank and shape of the descriptions are read.
TandemError *tandemFunctionCompileAhead(TandemFunction *function,
                                        const TandemTensorDesc *const *inputs,
                                        size_t numInputs);
/// Waits until nothing is compiled in the background for the function; or
/// cancels what has not begun and what is compiled in a helper process, and
/// waits for the rest.
TandemError *tandemFunctionWait(TandemFunction *function);
TandemError *tandemFunctionCancel(TandemFunction *function);

/// The forms of a report: for people; a JSON object; the log of decisions as
/// lines of JSON; and Chrome's trace event format, which Perfetto opens.
typedef int32_t TandemReportFormat;
enum {
  TANDEM_REPORT_TEXT = 0,
  TANDEM_REPORT_JSON = 1,
  TANDEM_REPORT_EVENTS = 2,
  TANDEM_REPORT_TRACE = 3
};
/// What the function knows of each signature, such as times, costs and
/// decisions, as a string that tandemStringRelease releases.
TandemError *tandemFunctionReport(const TandemFunction *function,
                                  TandemReportFormat format, char **report);
void tandemStringRelease(char *string);

/// Cancels compilations as tandemFunctionCancel does. Tensors that calls have
/// returned may outlive the function.
void tandemFunctionRelease(TandemFunction *function);

#ifdef __cplusplus
}
#endif

#endif // TANDEM_C_TANDEM_H
