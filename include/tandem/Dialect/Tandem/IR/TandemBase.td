//===- TandemBase.td - Types and classes of ops ---------- -*- tablegen -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_DIALECT_TANDEMBASE_TD
#define TANDEM_DIALECT_TANDEMBASE_TD

include "tandem/Dialect/Tandem/IR/TandemAttributes.td"
include "tandem/Dialect/Tandem/IR/TandemInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// A dense tensor with at most eight dims. The limit exists because the runtime
// stores shapes inline.
class Tandem_TensorOf<list<Type> elements>
    : ConfinedType<RankedTensorOf<elements>,
        [CPred<"::tandem::ir::isTandemTensor($_self)">],
        "tensor of at most 8 dims, without encoding, of " #
          !interleave(!foreach(t, elements, t.summary), " or ") # " values",
        "::mlir::RankedTensorType">;

defvar Tandem_Floats = [F32, F64, F16, BF16];
// A signless integer type such as i8 denotes signed integers. In arith and
// linalg, all integers are signless, so code generation takes the signedness
// from the type in this dialect.
def Tandem_IntElement : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64],
                                  "8, 16, 32 or 64-bit integer">;
defvar Tandem_Ints = [Tandem_IntElement];
def Tandem_Float : Tandem_TensorOf<Tandem_Floats>;
def Tandem_Bool : Tandem_TensorOf<[I1]>;
def Tandem_Index : Tandem_TensorOf<[I32, I64]>;
// The data, the weights and the result of a convolution.
def Tandem_FloatOrByte : Tandem_TensorOf<!listconcat(Tandem_Floats, [I8, UI8])>;
def Tandem_FloatOrI8 : Tandem_TensorOf<!listconcat(Tandem_Floats, [I8])>;
def Tandem_FloatOrI32 : Tandem_TensorOf<!listconcat(Tandem_Floats, [I32])>;
def Tandem_Int : Tandem_TensorOf<Tandem_Ints>;
def Tandem_Numeric : Tandem_TensorOf<!listconcat(Tandem_Floats, Tandem_Ints)>;
def Tandem_Tensor
    : Tandem_TensorOf<!listconcat(Tandem_Floats, [I1], Tandem_Ints)>;

def Tandem_DTypeAttr : ConfinedAttr<TypeAttr, [AttrConstraint<
    CPred<"::tandem::ir::toDType("
          "::llvm::cast<::mlir::TypeAttr>($_self).getValue())">,
    "of a Tandem tensor's element type">]>;

class Tandem_BaseOp<string mnemonic, list<Trait> traits = []>
    : Op<Tandem_Dialect, mnemonic, !listconcat([Pure], traits)>;

// An op of the op table (Ops.def). The runtime can execute these ops.
class Tandem_TableOp<string mnemonic, list<Trait> traits>
    : Tandem_BaseOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<TandemOpInterface>], traits)> {
  let hasVerifier = 1;
}

// An op of the op table whose result type is inferred by its shape rule.
// `attrsTable` is the name of the op's attribute table in Op.fbs, or "" if the
// op has no attributes. The .cpp file of the op's family defines describeAttrs.
// Only describeAttrs converts the attributes of the op to that table. Type
// inference, verification, costs and the emission of Programs all use it.
class Tandem_Op<string mnemonic, string attrsTable = "",
                list<Trait> traits = [], code moreDefinitions = "">
    : Tandem_TableOp<mnemonic,
        !listconcat([InferTypeOpAdaptorWithIsCompatible,
                     DeclareOpInterfaceMethods<DifferentiableOpInterface>],
                    traits)> {
  let extraClassDeclaration = [{
    /// Returns the kind and the attributes of the op that `op` describes.
    static ::tandem::OpDesc describe(Adaptor op);
  }] # !if(!empty(attrsTable), "",
      "  static void describeAttrs(Adaptor op, ::tandem::fb::" # attrsTable #
      "T &attrs);\n");
  let extraClassDefinition = [{
    ::tandem::OpDesc $cppClass::describe(Adaptor op) {
      ::tandem::OpDesc desc;
      desc.kind = ::tandem::fb::OpKind::}] # mnemonic # ";\n" #
      !if(!empty(attrsTable), "",
          "  ::tandem::fb::" # attrsTable # "T attrs;\n" #
          "  describeAttrs(op, attrs);\n" #
          "  desc.attrs.Set(std::move(attrs));\n") # [{
      return desc;
    }
    ::tandem::OpDesc $cppClass::getOpDesc() { return describe(*this); }
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tandem::ir::detail::verifyResultTypes(*this);
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes) {
      return ::tandem::ir::detail::inferResultTypes(
          location, describe(adaptor), adaptor.getOperands(),
          inferredReturnTypes);
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange declared) {
      return ::tandem::ir::detail::areCompatible(inferred, declared);
    }
  }] # moreDefinitions;
}

#endif // TANDEM_DIALECT_TANDEMBASE_TD
