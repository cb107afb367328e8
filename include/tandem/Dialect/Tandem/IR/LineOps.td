//===- LineOps.td - Scans and Fourier transforms --------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_LINEOPS_TD
#define TANDEM_DIALECT_LINEOPS_TD

include "tandem/Dialect/Tandem/IR/TandemBase.td"

def Tandem_ScanOp : Tandem_Op<"scan", "ScanAttrs"> {
  let summary = "Combines each element along a dim with all elements before it";
  let description = [{
    Element i of each line of the result along dim `axis` combines the elements
    0 to i of the same line of the input. With `exclusive`, it combines the
    elements 0 to i - 1. With `reverse`, the lines are read and written from
    their end. `kind` is `sum`, `prod`, `max`, `min` or `log_sum_exp`, which is
    the logarithm of the sum of the exponentials of the elements.

    The first element of an exclusive scan is the identity of the kind: 0 for a
    sum, 1 for a product, the least number of the type for `max` (-inf for
    floats), the greatest one for `min`, and -inf for `log_sum_exp`.

    Constraints:
    - C1: the element type is a float type or an integer type other than i1. For
      `log_sum_exp`, the element type is a float type.
    - C2: `axis` is a dim of the input.

    Special values:
    - S1: sums and products of integers wrap around.
    - S2: sums and products of floats are computed in f64 for f64, and in f32
      for other types, and each result is rounded to the element type once. The
      elements may be grouped: (a + b) + (c + d) instead of ((a + b) + c) + d.
      The grouping depends only on the sizes, and not on the number of threads.
      A result is not specified if a sum or product of some of its elements
      overflows.
    - S3: if one of the combined elements is NaN, the result is NaN.

    Gradients:
    - G1: the gradient of a running maximum or minimum belongs to the last of
      equal elements, or to the last NaN.

    Example:
    ```mlir
    %0 = tandem.scan %x kind = sum axis = 1 exclusive : tensor<?x100xf32>
    ```
  }];
  let arguments = (ins Tandem_Numeric:$input, Tandem_ScanKindAttr:$kind,
                       I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Tandem_Numeric:$result);
  let assemblyFormat = [{
    $input `kind` `=` `` $kind `axis` `=` $axis (`exclusive` $exclusive^)?
    (`reverse` $reverse^)? attr-dict `:`
    custom<Signature>(type($input), type($result))
  }];
}

def Tandem_FFTOp : Tandem_Op<"fft", "FFTAttrs"> {
  let summary = "Discrete Fourier transforms along a dim";
  let description = [{
    Transforms each line along dim `axis`. The last dim of a tensor of complex
    numbers has size 2 and holds the real and the imaginary part. `kind` is one
    of these, where n is the length of the transform:
    - `fft`: complex numbers to complex numbers. Element k of the result is the
      sum of `x[j] * exp(-2 pi i j k / n)` over all j.
    - `ifft`: the inverse of `fft`. Element k is the sum of
      `x[j] * exp(2 pi i j k / n)` over all j, divided by n.
    - `rfft`: real numbers to complex numbers. The result holds the elements 0
      to n / 2 of the `fft`. The operand has no dim of parts; the result has it
      as a new last dim.
    - `irfft`: the inverse of `rfft`, with `length` = n. The dim of the parts is
      removed. The imaginary parts of element 0 and, if n is even, of element
      n / 2 do not change the result if they are finite.

    Constraints:
    - C1: the element type is a float type.
    - C2: `axis` is a dim of the input, and is not the dim of the parts.
    - C3: the last dim of the input has size 2, unless `kind` is `rfft`.
    - C4: the size of dim `axis` is at least 1.
    - C5: for `irfft`, `length` is at least 1, and the size of dim `axis` is
      `length / 2 + 1`. For other kinds, `length` is 0.
    - C6: the result of an `rfft` has at most 8 dims.

    Special values:
    - S1: if a line has an element that is infinite or NaN, all elements of the
      line of the result are NaN.
    - S2: the error of an element is relative to the Euclidean norm of the line
      (`FourierError` in OpErrors.h). A result is not specified if the sum of
      the magnitudes of the line overflows.

    Example:
    ```mlir
    %0 = tandem.fft %x kind = rfft axis = 1
        : (tensor<?x400xf32>) -> tensor<?x201x2xf32>
    %1 = tandem.fft %0 kind = irfft axis = 1 length = 400
        : (tensor<?x201x2xf32>) -> tensor<?x400xf32>
    ```
  }];
  let arguments = (ins Tandem_Float:$input, Tandem_FFTKindAttr:$kind,
                       I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$length);
  let results = (outs Tandem_Float:$result);
  let assemblyFormat = [{
    $input `kind` `=` `` $kind `axis` `=` $axis (`length` `=` $length^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // TANDEM_DIALECT_LINEOPS_TD
