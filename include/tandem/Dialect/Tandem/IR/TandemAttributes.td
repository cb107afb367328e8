//===- TandemAttributes.td - Attributes and enums -------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEMATTRIBUTES_TD
#define TANDEM_DIALECT_TANDEMATTRIBUTES_TD

include "tandem/Dialect/Tandem/IR/TandemDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tandem_Attr<string name, string mnemonicName, list<Trait> traits = []>
    : AttrDef<Tandem_Dialect, name, traits> {
  let mnemonic = mnemonicName;
}

def Tandem_ConvLayoutAttr : Tandem_Attr<"ConvLayout", "conv_layout"> {
  let summary = "Layouts of a convolution's input, kernel and output";
  let description = [{
    Each layout has one letter per dim, outermost dim first. N is the batch, and
    C are the channels. O and I are the output and input channels of the kernel.
    The spatial dims are W, HW or DHW, at any position. The verifier of `conv`
    checks the layouts (conv C1).

    Example: `#tandem.conv_layout<input = "NHWC", kernel = "HWIO",
    output = "NHWC">`
  }];
  let parameters = (ins StringRefParameter<"input layout">:$input,
                        StringRefParameter<"kernel layout">:$kernel,
                        StringRefParameter<"output layout">:$output);
  let assemblyFormat = "`<` struct(params) `>`";
}

// The enumerators of these enums must have the values that they have in Op.fbs.
// static_asserts check the values.
class Tandem_Enum<string name, string summary, list<I32EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::tandem::ir";
}

def Tandem_ComparePredicate : Tandem_Enum<"ComparePredicate",
    "predicate of a comparison", [
      I32EnumCase<"eq", 0>, I32EnumCase<"ne", 1>, I32EnumCase<"lt", 2>,
      I32EnumCase<"le", 3>, I32EnumCase<"gt", 4>, I32EnumCase<"ge", 5>]>;
def Tandem_ComparePredicateAttr
    : EnumAttr<Tandem_Dialect, Tandem_ComparePredicate, "compare_predicate">;

def Tandem_ReduceKind : Tandem_Enum<"ReduceKind", "kind of a reduction", [
      I32EnumCase<"sum", 0>, I32EnumCase<"prod", 1>, I32EnumCase<"max", 2>,
      I32EnumCase<"min", 3>, I32EnumCase<"mean", 4>,
      I32EnumCase<"argmax", 5>]>;
def Tandem_ReduceKindAttr
    : EnumAttr<Tandem_Dialect, Tandem_ReduceKind, "reduce_kind">;

def Tandem_ScatterKind : Tandem_Enum<"ScatterKind",
    "how scatter combines an update with an element", [
      I32EnumCase<"replace", 0>, I32EnumCase<"add", 1>, I32EnumCase<"mul", 2>,
      I32EnumCase<"min", 3>, I32EnumCase<"max", 4>]>;
def Tandem_ScatterKindAttr
    : EnumAttr<Tandem_Dialect, Tandem_ScatterKind, "scatter_kind">;

def Tandem_ResizeMode : Tandem_Enum<"ResizeMode", "how resize interpolates", [
      I32EnumCase<"nearest", 0>, I32EnumCase<"linear", 1>,
      I32EnumCase<"cubic", 2>]>;
def Tandem_ResizeModeAttr
    : EnumAttr<Tandem_Dialect, Tandem_ResizeMode, "resize_mode">;

def Tandem_ResizeCoordinates : Tandem_Enum<"ResizeCoordinates",
    "where elements of a resized tensor lie in the operand", [
      I32EnumCase<"half_pixel", 0>, I32EnumCase<"half_pixel_symmetric", 1>,
      I32EnumCase<"pytorch_half_pixel", 2>, I32EnumCase<"align_corners", 3>,
      I32EnumCase<"asymmetric", 4>, I32EnumCase<"tf_crop_and_resize", 5>]>;
def Tandem_ResizeCoordinatesAttr
    : EnumAttr<Tandem_Dialect, Tandem_ResizeCoordinates, "resize_coordinates">;

def Tandem_NearestRounding : Tandem_Enum<"NearestRounding",
    "which element counts as the nearest one", [
      I32EnumCase<"round_prefer_floor", 0>, I32EnumCase<"round_prefer_ceil", 1>,
      I32EnumCase<"floor", 2>, I32EnumCase<"ceil", 3>]>;
def Tandem_NearestRoundingAttr
    : EnumAttr<Tandem_Dialect, Tandem_NearestRounding, "nearest_rounding">;
def Tandem_ScanKind : Tandem_Enum<"ScanKind",
    "how a scan combines elements", [
      I32EnumCase<"sum", 0>, I32EnumCase<"prod", 1>, I32EnumCase<"max", 2>,
      I32EnumCase<"min", 3>, I32EnumCase<"log_sum_exp", 4>]>;
def Tandem_ScanKindAttr
    : EnumAttr<Tandem_Dialect, Tandem_ScanKind, "scan_kind">;

def Tandem_FFTKind : Tandem_Enum<"FFTKind", "kind of a Fourier transform", [
      I32EnumCase<"fft", 0>, I32EnumCase<"ifft", 1>, I32EnumCase<"rfft", 2>,
      I32EnumCase<"irfft", 3>]>;
def Tandem_FFTKindAttr : EnumAttr<Tandem_Dialect, Tandem_FFTKind, "fft_kind">;

def Tandem_FusionKind : Tandem_Enum<"FusionKind", "kind of a fusion", [
      I32EnumCase<"loop", 0>, I32EnumCase<"reduction", 1>,
      I32EnumCase<"contraction", 2>, I32EnumCase<"library", 3>]>;
def Tandem_FusionKindAttr
    : EnumAttr<Tandem_Dialect, Tandem_FusionKind, "fusion_kind">;

#endif // TANDEM_DIALECT_TANDEMATTRIBUTES_TD
