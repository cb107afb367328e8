//===- ElementwiseCases.cpp - Rewrites of elementwise ops -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteCases.h"

#include "tandem/Support/OpTable.h"
#include "tandem/Support/ShapeRules.h"

using namespace tandem;
using namespace tandem::test;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static Types typesWhere(bool (*holds)(DType)) {
  Types types;
  for (DType dtype : fb::EnumValuesDType())
    if (holds(dtype))
      types.push_back(dtype);
  return types;
}

Types test::floatTypes() { return typesWhere(isFloat); }
Types test::integerTypes() { return typesWhere(isInteger); }
Types test::unsignedTypes() { return typesWhere(isUnsigned); }
Types test::numberTypes() { return typesWhere(isNumber); }
Types test::allTypes() {
  return typesWhere([](DType) { return true; });
}
static Types signedTypes() {
  return typesWhere([](DType d) { return isNumber(d) && !isUnsigned(d); });
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {

/// Results may be this far from the reference's in other tiers: a function is
/// off by 4 units at most, of which a function of its result makes more.
constexpr Agreement kFunctions = {.ulps = 24, .mayFlush = true};
constexpr Agreement kZeros = {.eitherZero = true};

using Variants = std::vector<Variant>;

std::function<Variants(DType)> only(Variants variants) {
  return [=](DType) { return variants; };
}
std::function<Variants(DType)> swept(Variants variants) {
  return [=](DType dtype) { return withEachConstant(dtype, variants); };
}

/// %NAME = tandem.OP %OPERAND, on values of the inputs' type.
std::string unary(const std::string &name, const std::string &op,
                  const std::string &operand) {
  return "%" + name + " = tandem." + op + " %" + operand + " : {V}\n";
}
std::string binary(const std::string &name, const std::string &op,
                   const std::string &lhs, const std::string &rhs) {
  return unary(name, op, lhs + ", %" + rhs);
}

/// x OP c, and c OP x, for a scalar constant c.
Variants withScalar(const std::string &op, const std::string &constant) {
  const std::string c = "%c = tandem.constant dense<" + constant + "> : {S}\n";
  return {{c + "%r = tandem." + op + " %x, %c : ({V}, {S}) -> {V}"},
          {c + "%r = tandem." + op + " %c, %x : ({S}, {V}) -> {V}"}};
}

/// Whether the op takes operands of this element type.
bool accepts(OpKind kind, DType dtype) {
  OpDesc op;
  op.kind = kind;
  const TensorType scalar{dtype, Shape()};
  return inferType(op, std::vector(getOpInfo(kind).minOperands, scalar))
      .has_value();
}

template <size_t N>
std::vector<std::string> namesOf(const OpKind (&kinds)[N], DType dtype) {
  std::vector<std::string> names;
  for (OpKind kind : kinds)
    if (accepts(kind, dtype))
      names.emplace_back(name(kind));
  return names;
}

/// pow(f(x), exponent) for every function f, and for functions of absolute
/// values, constants and what moves elements.
Variants powersOf(const std::string &exponent, DType dtype) {
  const std::string power = "%e = tandem.constant dense<{=" + exponent +
                            "}> : {S}\n"
                            "%r = tandem.pow %a, %e : ({V}, {S}) -> {V}";
  Variants variants = {
      {binary("a", "mul", "x", "x") + power},
      {"%a = tandem.softmax %x axis = 0 : {V}\n" + power},
      {"%b = tandem.compare %x, %x predicate = eq : ({V}, {V}) -> {P}\n"
       "%a = tandem.cast %b : ({P}) -> {V}\n" +
       power},
      {"%b = tandem.cast %x : ({V}) -> tensor<{N}xi32>\n"
       "%c = tandem.abs %b : tensor<{N}xi32>\n"
       "%a = tandem.cast %c : (tensor<{N}xi32>) -> {V}\n" +
       power}};
  for (const std::string &op : namesOf(kUnaryKinds, dtype)) {
    variants.push_back({unary("a", op, "x") + power});
    variants.push_back({unary("b", "abs", "x") + unary("a", op, "b") + power});
  }
  for (const std::string &op : namesOf(kBinaryKinds, dtype)) {
    // Not specified for large operands that are no results of a sigmoid (S1).
    if (op == "sigmoid_backward")
      continue;
    const std::string abs = unary("b", "abs", "x");
    variants.push_back({abs + binary("a", op, "b", "y") + power});
    variants.push_back({abs + binary("a", op, "y", "b") + power});
    variants.push_back(
        {abs + unary("c", "abs", "y") + binary("a", op, "b", "c") + power});
    for (const char *constant : {"0", "-0", "1", "-1", "inf", "-inf"})
      variants.push_back({abs + "%c = tandem.constant dense<{=" + constant +
                          "}> : {S}\n%a = tandem." + op +
                          " %b, %c : ({V}, {S}) -> {V}\n" + power});
  }
  return variants;
}

/// x of type `dtype`, cast to each type and that to each type.
Variants castsOfCasts(DType) {
  Variants variants;
  for (DType middle : fb::EnumValuesDType())
    for (DType last : fb::EnumValuesDType()) {
      const std::string m = "tensor<{N}x" + std::string(name(middle)) + ">";
      const std::string l = "tensor<{N}x" + std::string(name(last)) + ">";
      variants.push_back({"%a = tandem.cast %x : ({V}) -> " + m +
                              "\n%r = tandem.cast %a : (" + m + ") -> " + l,
                          l});
    }
  return variants;
}

Variants comparisons() {
  Variants variants;
  for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"})
    variants.push_back({std::string("%r = tandem.compare %x, %x predicate = ") +
                            predicate + " : ({V}, {V}) -> {P}",
                        "{P}"});
  return variants;
}

Variants roundingsOf(const std::string &outer) {
  Variants variants;
  for (const char *inner : {"floor", "ceil", "round"})
    variants.push_back({unary("a", inner, "x") + unary("r", outer, "a")});
  return variants;
}

/// Ops of constants, in all combinations.
class ConstantOps {
public:
  explicit ConstantOps(DType dtype) {
    std::string firsts, seconds;
    const std::vector<Bits> all = specialValues(dtype);
    for (Bits first : all)
      for (Bits second : all) {
        const std::string comma = firsts.empty() ? "" : ", ";
        firsts += comma + constantText(dtype, first);
        seconds += comma + constantText(dtype, second);
      }
    size = std::to_string(all.size() * all.size());
    a = "%a = tandem.constant dense<[" + firsts + "]> : " + of("{T}") + "\n";
    b = "%b = tandem.constant dense<[" + seconds + "]> : " + of("{T}") + "\n";
  }

  Variant ofOne(const std::string &op, const std::string &to) const {
    return {a + "%r = tandem." + op + " %a : (" + of("{T}") + ") -> " + of(to),
            of(to)};
  }
  /// `more` is an attribute.
  Variant ofTwo(const std::string &op, const std::string &to,
                const std::string &more = "") const {
    return {a + b + "%r = tandem." + op + " %a, %b" + more + " : (" +
                of("{T}") + ", " + of("{T}") + ") -> " + of(to),
            of(to)};
  }

private:
  std::string of(const std::string &element) const {
    return "tensor<" + size + "x" + element + ">";
  }

  std::string size, a, b;
};

bool isFunction(OpKind kind) { return getOpInfo(kind).isRoundedFunction(); }

/// The ops of constants that are exact, or round once.
Variants exactOpsOfConstants(DType dtype) {
  const ConstantOps ops(dtype);
  Variants variants;
  for (OpKind kind : kUnaryKinds)
    if (accepts(kind, dtype) && !isFunction(kind))
      variants.push_back(ops.ofOne(std::string(name(kind)), "{T}"));
  for (OpKind kind : kBinaryKinds)
    if (accepts(kind, dtype) && kind != OpKind::max && kind != OpKind::min &&
        (!isFunction(kind) || !isFloat(dtype)))
      variants.push_back(ops.ofTwo(std::string(name(kind)), "{T}"));
  for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"})
    variants.push_back(
        ops.ofTwo("compare", "i1", std::string(" predicate = ") + predicate));
  for (DType to : fb::EnumValuesDType())
    variants.push_back(ops.ofOne("cast", std::string(name(to))));
  return variants;
}

Variants extremesOfConstants(DType dtype) {
  const ConstantOps ops(dtype);
  return {ops.ofTwo("max", "{T}"), ops.ofTwo("min", "{T}")};
}

Variants functionsOfConstants(DType dtype) {
  const ConstantOps ops(dtype);
  Variants variants = {ops.ofTwo("pow", "{T}")};
  for (OpKind kind : kUnaryKinds)
    if (isFunction(kind) && getOpInfo(kind).rounding != Rounding::cancelling)
      variants.push_back(ops.ofOne(std::string(name(kind)), "{T}"));
  return variants;
}

/// It cancels.
Variants geluOfConstants(DType dtype) {
  const ConstantOps ops(dtype);
  return {ops.ofOne("gelu", "{T}"), ops.ofOne("gelu_derivative", "{T}")};
}

/// Between %y and infinity, and between -infinity and %y.
const Variants kOneLimit = {
    {"%c = tandem.constant dense<{=inf}> : {S}\n"
     "%r = tandem.clamp %x, %y, %c : ({V}, {V}, {S}) -> {V}"},
    {"%c = tandem.constant dense<{=-inf}> : {S}\n"
     "%r = tandem.clamp %x, %c, %y : ({V}, {S}, {V}) -> {V}"}};

} // namespace

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

static std::vector<RewriteCase> casesOfOneOperand() {
  const auto twice = [](const char *inner, const char *outer) {
    return only({{unary("a", inner, "x") + unary("r", outer, "a")}});
  };
  return {
      {"NegOp: negOfNeg", numberTypes(), {}, twice("neg", "neg")},
      {"AbsOp: absOfAbs", numberTypes(), {}, twice("abs", "abs")},
      {"AbsOp: absOfNeg", signedTypes(), unsignedTypes(), twice("neg", "abs")},
      {"AbsOp: absOfUnsigned", unsignedTypes(), signedTypes(),
       only({{unary("r", "abs", "x")}})},
      {"ReluOp: reluOfRelu", numberTypes(), {}, twice("relu", "relu")},
      {"ReluOp: reluOfUnsigned", unsignedTypes(), signedTypes(),
       only({{unary("r", "relu", "x")}})},
      {"FloorOp: roundingOfRounded",
       floatTypes(),
       {},
       only(roundingsOf("floor"))},
      {"CeilOp: roundingOfRounded",
       floatTypes(),
       {},
       only(roundingsOf("ceil"))},
      {"RoundOp: roundingOfRounded",
       floatTypes(),
       {},
       only(roundingsOf("round"))},
      {"LogicalNotOp: notOfNot",
       {DType::i1},
       {},
       twice("logical_not", "logical_not")},
      {"CastOp: castToSameType",
       allTypes(),
       {},
       only({{"%r = tandem.cast %x : ({V}) -> {V}"}})},
      {"CastOp: castOfLosslessCast", allTypes(), {}, castsOfCasts},
  };
}

static std::vector<RewriteCase> casesOfConstantOperands() {
  const Types numbers = numberTypes();
  return {
      {"AddOp: addZero", numbers, {}, swept(withScalar("add", "{C}"))},
      {"SubOp: subtractZero", numbers, {}, swept(withScalar("sub", "{C}"))},
      {"MulOp: multiplyByOne", numbers, {}, swept(withScalar("mul", "{C}"))},
      {"MulOp: multiplyByZero", integerTypes(), floatTypes(),
       swept(withScalar("mul", "{C}"))},
      {"DivOp: divideByOne", numbers, {}, swept(withScalar("div", "{C}"))},
      {"PowOp: raiseToOne",
       numbers,
       {},
       swept(withScalar("pow", "{C}")),
       {},
       kFunctions},
      {"PowOp: raiseToZero",
       numbers,
       {},
       swept(withScalar("pow", "{C}")),
       {},
       kFunctions},
      {"LogicalAndOp: andTrue",
       {DType::i1},
       {},
       swept(withScalar("logical_and", "{C}"))},
      {"LogicalAndOp: andFalse",
       {DType::i1},
       {},
       swept(withScalar("logical_and", "{C}"))},
      {"LogicalOrOp: orFalse",
       {DType::i1},
       {},
       swept(withScalar("logical_or", "{C}"))},
      {"LogicalOrOp: orTrue",
       {DType::i1},
       {},
       swept(withScalar("logical_or", "{C}"))},
      {"PowToSquare",
       floatTypes(),
       {},
       only(withScalar("pow", "{=2}")),
       {.ulps = 1},
       kFunctions},
      {"PowToCube",
       floatTypes(),
       {},
       only(withScalar("pow", "{=3}")),
       {.ulps = 2},
       kFunctions},
      {"PowToReciprocal",
       floatTypes(),
       {},
       only(withScalar("pow", "{=-1}")),
       {.ulps = 1},
       kFunctions},
      {"DivToProduct", floatTypes(), {}, swept(withScalar("div", "{C}"))},
      {"MaxToRelu",
       numbers,
       {},
       swept(withScalar("max", "{C}")),
       kZeros,
       kZeros},
  };
}

static std::vector<RewriteCase> casesOfEqualOperands() {
  const Variants bySelect = {
      {"%c = tandem.constant dense<true> : tensor<i1>\n"
       "%r = tandem.select %c, %x, %y : (tensor<i1>, {V}, {V}) -> {V}"},
      {"%c = tandem.constant dense<false> : tensor<i1>\n"
       "%r = tandem.select %c, %x, %y : (tensor<i1>, {V}, {V}) -> {V}"}};
  const auto itself = [](const char *op) {
    return only({{binary("r", op, "x", "x")}});
  };
  return {
      {"SubOp: subtractFromItself", integerTypes(), floatTypes(),
       itself("sub")},
      {"MaxOp: ofEqualOperands", numberTypes(), {}, itself("max")},
      {"MinOp: ofEqualOperands", numberTypes(), {}, itself("min")},
      {"LogicalAndOp: ofEqualOperands", {DType::i1}, {}, itself("logical_and")},
      {"LogicalOrOp: ofEqualOperands", {DType::i1}, {}, itself("logical_or")},
      {"CompareOp: compareWithItself",
       typesWhere([](DType dtype) { return !isFloat(dtype); }), floatTypes(),
       only(comparisons())},
      {"SelectOp: selectFromEqual",
       allTypes(),
       {},
       only({{"%r = tandem.select %p, %x, %x : ({P}, {V}, {V}) -> {V}"}})},
      {"SelectOp: selectByConstant", allTypes(), {}, only(bySelect)},
      {"ClampOp: clampOfClamp",
       numberTypes(),
       {},
       only({{"%a = tandem.clamp %x, %y, %z : ({V}, {V}, {V}) -> {V}\n"
              "%r = tandem.clamp %a, %y, %z : ({V}, {V}, {V}) -> {V}"}}),
       kZeros,
       kZeros},
      {"ClampToOneLimit", floatTypes(), {}, only(kOneLimit), kZeros, kZeros},
      {"PowToSqrt",
       floatTypes(),
       {},
       [](DType dtype) { return powersOf("0.5", dtype); },
       {.ulps = 1},
       {},
       false,
       /*tiersAreBounded=*/true},
      {"PowToRsqrt",
       floatTypes(),
       {},
       [](DType dtype) { return powersOf("-0.5", dtype); },
       {.ulps = 2},
       {},
       false,
       /*tiersAreBounded=*/true},
  };
}

static std::vector<RewriteCase> casesOfConstants() {
  const std::string name = "Constants";
  std::vector<RewriteCase> cases = {
      {name, allTypes(), {}, exactOpsOfConstants},
      {name, numberTypes(), {}, extremesOfConstants, kZeros, kZeros},
      {name, floatTypes(), {}, functionsOfConstants, kFunctions, kFunctions},
      {name, floatTypes(), {}, geluOfConstants}};
  cases[1].note = "Extremes";
  cases[2].note = "Functions";
  cases[3].note = "Gelu";
  cases[3].isBounded = true;
  return cases;
}

std::vector<RewriteCase> test::elementwiseCases() {
  std::vector<RewriteCase> cases = casesOfOneOperand();
  for (const auto &more :
       {casesOfConstantOperands(), casesOfEqualOperands(), casesOfConstants()})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}
