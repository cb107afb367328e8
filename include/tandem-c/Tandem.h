//===- Tandem.h - The C API ---------------------------------------*- C -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API loads graphs, calls the graphs with tensors, and reports how the
// calls were executed.
//
// Errors. A function that can fail returns null on success. On failure it
// returns a TandemError, which the caller releases, and it sets the handles and
// strings that it returns through pointers to null. No function throws, prints,
// or ends the process. Passing a null handle or pointer is an error, unless the
// function's comment allows null.
//
// Ownership. The caller owns every handle that a function returns, and releases
// the handle with the function of the handle's type whose name ends in Release.
// Releasing null has no effect. A returned `const char *` belongs to the handle
// that was passed to the function and is valid until that handle is released.
// If no handle was passed, the string belongs to the library and is always
// valid. A function reads its arguments and copies strings and arrays before it
// returns, unless the function's comment states otherwise.
//
// Threads. Any number of threads may call any functions at the same time, even
// with the same handles. Release each handle exactly once, when no other thread
// uses the handle.
//
// Versions. New functions and new struct fields may be added, fields only at
// the end of a struct. Existing functions and fields never change. Every struct
// begins with the field structSize, which the caller sets to sizeof the struct.
// A field that the caller's version of the struct lacks has its default value.
// A field set to 0 also has its default value.
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

/// An error, returned by a function that failed.
typedef struct TandemError TandemError;
/// A loaded graph, which can be called with tensors.
typedef struct TandemFunction TandemFunction;
/// A dense row-major tensor in the memory of a device or of the host.
typedef struct TandemTensor TandemTensor;

/// The tensor struct of DLPack (https://dmlc.github.io/dlpack/latest/).
struct DLManagedTensor;

//===----------------------------------------------------------------------===//
// Version and process
//===----------------------------------------------------------------------===//

/// The version of the API that this header declares. The version increases with
/// every addition to the API.
#define TANDEM_C_API_VERSION 5
/// Returns the version of the API that the loaded library implements.
uint32_t tandemAPIVersion(void);
/// Returns the version of the library, in the form "MAJOR.MINOR.PATCH".
const char *tandemVersion(void);

/// Returns the number of devices that graphs can be compiled for.
size_t tandemNumDevices(void);
/// Returns the name of a device, in the form that TandemLoadOptions::device
/// accepts. Device 0 is the default. Returns null if `index` is not less than
/// tandemNumDevices().
const char *tandemDeviceName(size_t index);

/// Sets the maximum number of threads that computations of this process use.
/// `threads` is clamped to the range from 1 to 1024.
void tandemSetNumThreads(int threads);
/// Returns the maximum number of threads that computations use. The default is
/// the number of processors.
int tandemNumThreads(void);

/// Sets whether the library may do work that no call waits for: compile in the
/// background, measure the machine, and search for faster execution plans of
/// libraries (cuDNN). The default is true. The setting applies to functions
/// that are loaded after this call.
void tandemAllowBackgroundWork(bool isAllowed);
/// Sets the number of threads that compile in the background. All functions of
/// the process share these threads. The default is 1; a value less than 1 means
/// 1.
void tandemSetCompileThreads(int threads);

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Returns the phase that failed, e.g. "parse", "input", "compile" or
/// "execute". This function and the next four return "" for a null error.
const char *tandemErrorPhase(const TandemError *error);
/// Returns one sentence that names the violated constraint.
const char *tandemErrorMessage(const TandemError *error);
/// Returns the location in the text of the graph, `file:line:col`; "" if the
/// location is not known.
const char *tandemErrorLocation(const TandemError *error);
/// Returns a suggestion for fixing the error; "" if there is none.
const char *tandemErrorHint(const TandemError *error);
/// Returns the whole error as one text: "location: error: phase: message
/// (hint)". Parts that are empty are left out.
const char *tandemErrorText(const TandemError *error);
/// Releases an error.
void tandemErrorRelease(TandemError *error);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The type of a tensor's elements: one of the enumerators below. An i1 element
/// is stored as one byte with the value 0 or 1.
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

/// The highest rank of a tensor.
#define TANDEM_MAX_RANK 8
/// The value that stands for the size of a dynamic dim, i.e. of a dim whose
/// size is known only when the graph is called.
#define TANDEM_DYNAMIC INT64_MIN

/// A description of a tensor in memory.
typedef struct TandemTensorDesc {
  /// sizeof(TandemTensorDesc).
  size_t structSize;
  /// The address of the element whose indices are all 0. May be null if the
  /// tensor has no elements.
  void *data;
  TandemDType dtype;
  /// The number of dims, from 0 to TANDEM_MAX_RANK.
  int32_t rank;
  /// The sizes of the `rank` dims, outermost first. May be null for rank 0.
  const int64_t *shape;
  /// For each dim, the distance in elements from one index to the next. Strides
  /// may be 0 or negative. Null means that the tensor is dense and row-major.
  const int64_t *strides;
  /// The name of the device that holds the memory. Null means host memory.
  const char *device;
  /// Called exactly once, with `data` and `context`, when nothing uses the
  /// memory anymore. Any thread may make this call. If the deleter is null, the
  /// caller must keep the memory alive as long as any tensor uses the memory.
  void (*deleter)(void *data, void *context);
  /// The second argument of `deleter`.
  void *context;
} TandemTensorDesc;

/// Creates a tensor with the elements that `desc` describes. If the memory is
/// dense, row-major and aligned to the size of an element, the tensor uses that
/// memory. Otherwise the elements are copied, and the deleter is called before
/// this function returns. The elements can be copied only if they are in host
/// memory. If elements in other memory would have to be copied, this function
/// fails. If this function fails, the deleter is not called. Calls are fastest
/// with memory that is aligned to 64 bytes.
TandemError *tandemTensorCreate(const TandemTensorDesc *desc,
                                TandemTensor **tensor);
/// Creates a tensor from a DLPack tensor of another framework and takes
/// ownership of `managed`. The elements are shared or copied by the rules of
/// tandemTensorCreate. The deleter of `managed` is called when nothing uses the
/// memory anymore. If this function fails, the caller still owns `managed`.
TandemError *tandemTensorFromDLPack(struct DLManagedTensor *managed,
                                    TandemTensor **tensor);
/// Returns a DLPack tensor that shares the memory of `tensor`. The receiver
/// must call the deleter of the result. The memory stays valid until then, even
/// if `tensor` is released earlier.
TandemError *tandemTensorToDLPack(const TandemTensor *tensor,
                                  struct DLManagedTensor **managed);
/// Fills `desc` with a description of `tensor`. The caller sets
/// `desc->structSize` beforehand. `desc->data` and `desc->shape` are valid as
/// long as the tensor. Every TandemTensor is dense and row-major, so
/// `desc->strides` is null. The deleter and the context are null as well.
TandemError *tandemTensorDescribe(const TandemTensor *tensor,
                                  TandemTensorDesc *desc);
/// Copies a tensor to the memory of a device and waits until the copy is done.
/// A null `device` means host memory. If the tensor is already in the requested
/// memory, the result shares the memory of the tensor.
TandemError *tandemTensorCopyTo(const TandemTensor *tensor, const char *device,
                                TandemTensor **copy);
/// Releases a tensor.
void tandemTensorRelease(TandemTensor *tensor);

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// How a function chooses between running the graph op by op and running a
/// compiled program. The choice is made separately for each signature, i.e. for
/// each combination of input types (docs/Engine.md).
typedef int32_t TandemMode;
enum {
  /// TANDEM_MODE_AUTO, or TANDEM_MODE_COMPILE if background work is not
  /// allowed.
  TANDEM_MODE_DEFAULT = 0,
  /// Calls always run op by op.
  TANDEM_MODE_EAGER = 1,
  /// Calls always run compiled. The first call of a signature compiles and
  /// waits for the compilation.
  TANDEM_MODE_COMPILE = 2,
  /// Calls run op by op at first. A signature is compiled in the background
  /// when compilation is predicted to pay off. A certificate then checks that
  /// the compiled program computes the same results as running op by op. After
  /// the certificate has passed, calls run the compiled program for as long as
  /// it is faster than running op by op. Loading with this mode fails if
  /// background work is not allowed.
  TANDEM_MODE_AUTO = 3,
  /// Like TANDEM_MODE_AUTO, but the first call of a signature compiles the
  /// signature and makes the certificate.
  TANDEM_MODE_COMPILE_NOW = 4
};

/// The precision of f32 contractions in libraries, on devices whose libraries
/// offer a choice of precision.
typedef int32_t TandemPrecision;
enum {
  TANDEM_PRECISION_STRICT = 0, ///< Operands keep all bits of f32.
  TANDEM_PRECISION_TF32 = 1    ///< Operands may be rounded to 10 mantissa bits.
};

/// The place where background compilation happens.
typedef int32_t TandemCompileIn;
enum {
  TANDEM_COMPILE_IN_DEFAULT = 0, ///< TANDEM_COMPILE_IN_PROCESS.
  /// Compiles in a helper process if one can be started. A helper process slows
  /// down concurrent calls less than a thread of this process does, and a crash
  /// of the compiler in a helper process does not end this process.
  TANDEM_COMPILE_IN_PROCESS = 1,
  TANDEM_COMPILE_IN_THREAD = 2 ///< On a thread of this process.
};

/// Options for loading a graph. The default value of each field is 0, false or
/// null.
typedef struct TandemLoadOptions {
  /// sizeof(TandemLoadOptions).
  size_t structSize;
  /// The name of the function in the file. Null means "main".
  const char *function;
  /// The name of the device to run on. Null means the default device.
  const char *device;
  TandemMode mode;
  TandemPrecision precision;
  /// The directory for reproducers. The library writes a reproducer for each
  /// kernel that cannot be compiled and for each call whose compiled results
  /// disagree with the results computed op by op. Null means
  /// $TANDEM_REPRODUCER_DIR or, if that variable is not set, the directory
  /// `tandem-reproducers-UID` in the system's directory of temporary files.
  const char *reproducerDir;
  /// If true, calls of a signature fail after the compiled results were found
  /// to disagree with the results computed op by op, or could not be certified
  /// in several tries. If false, such calls return the results computed op by
  /// op.
  bool isStrict;
  /// True to record every call for TANDEM_REPORT_TRACE.
  bool isTraced;
  /// Called for each decision about tiers, on the thread that makes the
  /// decision, with `context` and a line of text that is valid only during the
  /// call. Several threads may call `log` at the same time. `log` must not
  /// throw and must not use the loaded function. May be null.
  void (*log)(const char *event, void *context);
  /// The second argument of `log`.
  void *context;
  TandemCompileIn compileIn;
  /// The free dims of a model that get a fixed size: the number of these dims,
  /// their names and their sizes. Must be 0 for an MLIR graph, which has no
  /// free dims.
  size_t numDims;
  const char *const *dimNames;
  const int64_t *dimSizes;
  /// If true, each output of a call has memory of its own, which the caller may
  /// write to. If false, an output may be a view of an input, of a constant or
  /// of another output.
  bool ownsOutputs;
  /// The number of updates. In update i, output updatingOutputs[i] updates
  /// input updatedInputs[i]; for example, new weights replace the old ones. A
  /// call writes the output to the memory of the input, and returns a tensor
  /// with this memory. Inputs and outputs are counted from 0. The input and the
  /// output must have the same type. If `numUpdates` is 0, the graph has the
  /// updates that its file declares (tandem.updates).
  size_t numUpdates;
  const size_t *updatedInputs;
  const size_t *updatingOutputs;
} TandemLoadOptions;

/// Loads a graph from an MLIR file (text or bytecode) or from an ONNX model.
/// `options` may be null.
TandemError *tandemFunctionLoadFile(const char *path,
                                    const TandemLoadOptions *options,
                                    TandemFunction **function);
/// Loads a graph from `length` bytes of MLIR text. `options` may be null.
TandemError *tandemFunctionLoadText(const char *text, size_t length,
                                    const TandemLoadOptions *options,
                                    TandemFunction **function);
/// Loads a graph from `length` bytes: an ONNX model, MLIR text or MLIR
/// bytecode. The weights of a model stay in this memory, which must not change.
/// `release` is called exactly once, with `data` and `context`, when nothing
/// uses the memory anymore; any thread may make this call. If `release` is
/// null, the bytes are copied. If this function fails, `release` is not called.
/// `options` may be null.
TandemError *tandemFunctionLoadBytes(const void *data, size_t length,
                                     void (*release)(void *data, void *context),
                                     void *context,
                                     const TandemLoadOptions *options,
                                     TandemFunction **function);

/// Options for differentiating a function (docs/Gradients.md): the loss, and
/// the inputs with respect to which the loss is differentiated. The default
/// value of each field is 0, false or null.
typedef struct TandemGradientOptions {
  /// sizeof(TandemGradientOptions).
  size_t structSize;
  /// The indices of the inputs to differentiate with respect to. They must have
  /// a float type. If `numWrt` is 0, the gradients of all float inputs are
  /// computed.
  size_t numWrt;
  const size_t *wrt;
  /// The number of the output that is the loss. Without a seed, the loss must
  /// have one element.
  size_t loss;
  /// If true, the new function has one more input, the seed, with the type of
  /// the loss. The gradients are then those of sum(loss * seed), where `*`
  /// multiplies element by element.
  bool hasSeed;
} TandemGradientOptions;

/// Creates a function whose outputs are those of `function`, followed by the
/// gradients of the loss with respect to the inputs `options->wrt`, each with
/// the type of its input. `inputs` describes the `numInputs` tensors of a call;
/// only dtype, rank and shape are read, and all dims must be static. The new
/// function accepts only inputs of these types. The new function has the
/// options that `function` was loaded with, and may outlive `function`. The
/// `context` of these options must be valid until both functions are released.
/// `options` may be null. Fails with phase "differentiate" if the types do not
/// fit, or if an op between these inputs and the loss has no gradient.
TandemError *tandemFunctionWithGradient(const TandemFunction *function,
                                        const TandemTensorDesc *const *inputs,
                                        size_t numInputs,
                                        const TandemGradientOptions *options,
                                        TandemFunction **gradient);

/// Returns the number of input tensors of a call; 0 for a null function.
size_t tandemFunctionNumInputs(const TandemFunction *function);
/// Returns the number of output tensors of a call; 0 for a null function.
size_t tandemFunctionNumOutputs(const TandemFunction *function);
/// Fills `desc` with the declared type of input `index`. The caller sets
/// `desc->structSize` beforehand. Dims may be TANDEM_DYNAMIC. `desc->shape` is
/// valid as long as the function; the other pointers are null. Fails if there
/// is no such input.
TandemError *tandemFunctionDescribeInput(const TandemFunction *function,
                                         size_t index, TandemTensorDesc *desc);
/// Like tandemFunctionDescribeInput, for output `index`.
TandemError *tandemFunctionDescribeOutput(const TandemFunction *function,
                                          size_t index, TandemTensorDesc *desc);
/// Returns the name of input `index`; "" if there is no such input or name.
const char *tandemFunctionInputName(const TandemFunction *function,
                                    size_t index);
/// Returns the name of output `index`, like tandemFunctionInputName.
const char *tandemFunctionOutputName(const TandemFunction *function,
                                     size_t index);
/// Returns the name of dim `dim` of input `input`; "" if there is no such dim
/// or name.
const char *tandemFunctionDimName(const TandemFunction *function, size_t input,
                                  size_t dim);
/// Calls the function. The function's mode chooses between running op by op and
/// running compiled. Inputs must be in the memory of the function's device.
/// `numOutputs` must be the number of outputs of the function, and the array
/// `outputs` must have space for that many handles. The caller releases each
/// output. An output may share memory with an input or with a constant of the
/// graph, so outputs must not be written to. On the CPU, the outputs are ready
/// when this function returns. On other devices, the outputs may not be ready
/// yet, but they can be passed to later calls on the same device and to
/// tandemTensorCopyTo, which wait for the elements.
TandemError *tandemFunctionCall(TandemFunction *function,
                                const TandemTensor *const *inputs,
                                size_t numInputs, TandemTensor **outputs,
                                size_t numOutputs);

/// Like tandemFunctionCall, but writes the outputs into the tensors `outputs`,
/// which must have the types of the outputs and be in the memory of the
/// function's device. The call fails if an output overlaps an input or another
/// output. After a failed call, the contents of the outputs are undefined.
TandemError *tandemFunctionCallInto(TandemFunction *function,
                                    const TandemTensor *const *inputs,
                                    size_t numInputs,
                                    const TandemTensor *const *outputs,
                                    size_t numOutputs);

/// Requests a background compilation of a signature before the signature is
/// called for the first time. `inputs` describes `numInputs` tensors; only
/// dtype, rank and shape are read.
TandemError *tandemFunctionCompileAhead(TandemFunction *function,
                                        const TandemTensorDesc *const *inputs,
                                        size_t numInputs);
/// Waits until all background compilations and certificates of the function are
/// done.
TandemError *tandemFunctionWait(TandemFunction *function);
/// Cancels the function's compilations that have not begun and those that run
/// in a helper process. Waits for compilations on threads of this process.
TandemError *tandemFunctionCancel(TandemFunction *function);

/// The format of a report.
typedef int32_t TandemReportFormat;
enum {
  TANDEM_REPORT_TEXT = 0,   ///< Text for people.
  TANDEM_REPORT_JSON = 1,   ///< A JSON object.
  TANDEM_REPORT_EVENTS = 2, ///< The log of decisions, one JSON object per line.
  TANDEM_REPORT_TRACE = 3   ///< Chrome's trace event format, for Perfetto.
};
/// Returns a report with the times, costs and decisions of each signature. The
/// caller releases the string with tandemStringRelease.
TandemError *tandemFunctionReport(const TandemFunction *function,
                                  TandemReportFormat format, char **report);
/// Releases a string that tandemFunctionReport has returned.
void tandemStringRelease(char *string);

/// Cancels the compilations of a function, as tandemFunctionCancel does, and
/// releases the function. Tensors that calls have returned may outlive the
/// function.
void tandemFunctionRelease(TandemFunction *function);

#ifdef __cplusplus
}
#endif

#include "tandem-c/CustomCalls.h"

#endif // TANDEM_C_TANDEM_H
