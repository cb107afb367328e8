//===- TandemOps.td - All ops ---------------------------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEMOPS_TD
#define TANDEM_DIALECT_TANDEMOPS_TD

include "tandem/Dialect/Tandem/IR/BitOps.td"
include "tandem/Dialect/Tandem/IR/ContractionOps.td"
include "tandem/Dialect/Tandem/IR/ElementwiseOps.td"
include "tandem/Dialect/Tandem/IR/IndexingOps.td"
include "tandem/Dialect/Tandem/IR/LayerNormOps.td"
include "tandem/Dialect/Tandem/IR/LineOps.td"
include "tandem/Dialect/Tandem/IR/LoopOps.td"
include "tandem/Dialect/Tandem/IR/PoolOps.td"
include "tandem/Dialect/Tandem/IR/ShapeOps.td"
include "tandem/Dialect/Tandem/IR/StructureOps.td"
include "tandem/Dialect/Tandem/IR/TrigonometricOps.td"
include "tandem/Dialect/Tandem/IR/WindowOps.td"

#endif // TANDEM_DIALECT_TANDEMOPS_TD
