//===- RandomElementwise.cpp - Random elementwise ops ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "tandem/Support/OpTable.h"

#include <algorithm>
#include <cmath>

using namespace tandem;
using namespace tandem::fuzz;

namespace {

/// A function of one float on |x| <= most, and a bound on its value where the
/// table of ops has none. x is multiplied by `factor` before.
struct Smooth {
  OpKind kind;
  double (*magnitude)(double m) = nullptr;
  bool needsPositive = false; ///< asks for x >= 1/2
  double most = 8;
  double factor = 1;
};

double same(double m) { return m; }

const Smooth kSmooth[] = {
    {OpKind::neg, same},
    {OpKind::abs, same},
    {OpKind::relu, same},
    {OpKind::exp, [](double m) { return std::exp(m); }},
    {OpKind::expm1, [](double m) { return std::exp(m); }},
    {OpKind::log, [](double m) { return std::max(1.0, std::log(m)); }, true},
    {OpKind::log1p, [](double m) { return std::log1p(m); }, true},
    {OpKind::sqrt, [](double m) { return std::sqrt(m); }, true},
    {OpKind::rsqrt, [](double) { return 1.5; }, true},
    {OpKind::tanh},
    {OpKind::sigmoid},
    {OpKind::gelu, same},
    {OpKind::gelu_derivative, [](double) { return 1.2; }},
    {OpKind::erf},
    {OpKind::sin},
    {OpKind::cos},
    {OpKind::asin, [](double) { return 1.6; }, false, 1},
    {OpKind::acos, [](double) { return 3.2; }, false, 1},
    {OpKind::atan, [](double) { return 1.6; }},
    {OpKind::softplus, [](double m) { return m + 1; }},
    {OpKind::erfinv, [](double) { return 0.5; }, false, 1, 0.5},
};

void appendSmooth(GraphBuilder &b) {
  const Smooth &f = kSmooth[b.random.below(std::size(kSmooth))];
  int x = b.tamed(b.pickFloat(), f.most);
  if (f.needsPositive)
    x = b.awayFromZero(x);
  if (f.factor != 1)
    x = b.op(OpKind::mul, {x, b.constant({b.type(x).dtype, {}}, f.factor)},
             f.factor * b.node(x).magnitude);
  OpDesc desc;
  desc.kind = f.kind;
  if (getOpInfo(f.kind).attrs == fb::OpAttrs::GeluAttrs) {
    fb::GeluAttrsT attrs;
    attrs.approximate_tanh = b.random.chance(50);
    desc.attrs.Set(attrs);
  }
  b.op(std::move(desc), {x},
       getOpInfo(f.kind).isInUnit() ? 1 : f.magnitude(b.node(x).magnitude));
}

/// Functions with jumps, of values that every execution agrees on.
void appendJump(GraphBuilder &b) {
  OpKind kind =
      b.random.pick({OpKind::sign, OpKind::floor, OpKind::ceil, OpKind::round});
  int x = b.pickExact();
  double magnitude =
      getOpInfo(kind).isInUnit() ? 1 : std::ceil(b.node(x).magnitude);
  b.op(kind, {x}, magnitude);
}

/// The largest magnitude of an integer type's values.
double limitOf(DType dtype) {
  return std::exp2(8 * byteWidth(dtype) - (isUnsigned(dtype) ? 0 : 1));
}

void appendCast(GraphBuilder &b) {
  bool fromInteger = b.random.chance(30), toInteger = b.random.chance(25);
  int x = fromInteger ? b.pickInteger()
          : toInteger ? b.pickExact()
                      : b.pickFloat();
  DType to = toInteger ? b.randomInteger() : b.randomFloat();
  if (to == DType::f16 && b.node(x).magnitude > 1000)
    to = DType::f32;
  fb::CastAttrsT attrs;
  attrs.dtype = to;
  OpDesc desc;
  desc.kind = OpKind::cast;
  desc.attrs.Set(attrs);
  // Negative integers become large.
  bool wraps = fromInteger && isUnsigned(to) && !isUnsigned(b.type(x).dtype);
  b.op(std::move(desc), {x}, wraps ? limitOf(to) : b.node(x).magnitude);
}

/// A second operand of the same element type: a value that broadcasts, or a
/// new input, or a constant.
int pickPartner(GraphBuilder &b, int x) {
  const TensorType type = b.type(x);
  if (b.random.chance(15))
    return b.constant({type.dtype, Shape{}}, b.random.chance(50) ? 0.5 : 2);
  return b.pick(
      [&](const Node &n) {
        if (n.type.dtype != type.dtype)
          return false;
        const Shape &s = n.type.shape;
        if (s.rank() > type.shape.rank())
          return false;
        int offset = type.shape.rank() - s.rank();
        for (int i = 0; i < s.rank(); ++i)
          if (s[i] != 1 && s[i] != type.shape[i + offset])
            return false;
        return true;
      },
      [&] { return TensorType{type.dtype, b.broadcastableTo(type.shape)}; });
}

void appendBinary(GraphBuilder &b) {
  OpKind kind = b.random.pick(
      {OpKind::add, OpKind::sub, OpKind::mul, OpKind::div, OpKind::max,
       OpKind::min, OpKind::pow, OpKind::rem, OpKind::sigmoid_backward});
  int x = b.tamed(b.pickFloat());
  int y = b.tamed(pickPartner(b, x));
  if (kind == OpKind::div || kind == OpKind::rem)
    y = b.awayFromZero(y);
  if (kind == OpKind::pow) {
    x = b.awayFromZero(b.tamed(x, 2));
    y = b.tamed(y, 2);
  }
  double mx = b.node(x).magnitude, my = b.node(y).magnitude;
  double m = mx + my;
  if (kind == OpKind::mul)
    m = mx * my;
  else if (kind == OpKind::div)
    m = 2 * mx;
  else if (kind == OpKind::rem)
    m = mx;
  else if (kind == OpKind::max || kind == OpKind::min)
    m = std::max(mx, my);
  else if (kind == OpKind::sigmoid_backward)
    m = mx * (1 + mx) * my;
  else if (kind == OpKind::pow)
    m = std::pow(std::max(mx, 2.0), my);
  const bool isDivision = kind == OpKind::div || kind == OpKind::rem;
  if (b.random.chance(50) && !isDivision && kind != OpKind::pow &&
      kind != OpKind::sigmoid_backward)
    std::swap(x, y);
  b.op(kind, {x, y}, m);
}

void appendIntegerBinary(GraphBuilder &b) {
  OpKind kind =
      b.random.pick({OpKind::add, OpKind::sub, OpKind::mul, OpKind::div,
                     OpKind::rem, OpKind::max, OpKind::min});
  int x = b.pickInteger(), y = pickPartner(b, x);
  double mx = b.node(x).magnitude, my = b.node(y).magnitude;
  double limit = limitOf(b.type(x).dtype);
  double m = kind == OpKind::mul ? mx * my : mx + my;
  // Past the limit, and below zero where there is no sign, integers wrap
  // around, so anything is possible.
  bool wraps = isUnsigned(b.type(x).dtype) &&
               (kind == OpKind::sub || kind == OpKind::div);
  b.op(kind, {x, y}, wraps ? limit : std::min(m, limit));
}

void appendIntegerUnary(GraphBuilder &b) {
  int x = b.pickInteger();
  OpKind kind = b.random.pick(
      {OpKind::neg, OpKind::abs, OpKind::sign, OpKind::bitwise_not});
  bool wraps = isUnsigned(b.type(x).dtype) || kind == OpKind::bitwise_not;
  b.op(kind, {x},
       wraps ? limitOf(b.type(x).dtype) : std::max(1.0, b.node(x).magnitude));
}

void appendBits(GraphBuilder &b) {
  int x = b.pickInteger();
  DType from = b.type(x).dtype, to = b.randomInteger();
  if (b.random.chance(30) && byteWidth(from) == byteWidth(to)) {
    fb::CastAttrsT attrs;
    attrs.dtype = to;
    OpDesc desc;
    desc.kind = OpKind::bitcast;
    desc.attrs.Set(attrs);
    b.op(std::move(desc), {x}, limitOf(to));
    return;
  }
  OpKind kind = b.random.pick({OpKind::bitwise_and, OpKind::bitwise_or,
                               OpKind::bitwise_xor, OpKind::shift_left,
                               OpKind::shift_right});
  b.op(kind, {x, pickPartner(b, x)}, limitOf(from));
}

void appendCompare(GraphBuilder &b) {
  int x = b.random.chance(30) ? b.pickInteger() : b.pickExact();
  const TensorType type = b.type(x);
  int y = b.pick(
      [&](const Node &n) { return n.type == type && n.isExact; },
      [&] { return TensorType{type.dtype, b.broadcastableTo(type.shape)}; });
  fb::CompareAttrsT attrs;
  attrs.predicate = static_cast<fb::ComparePredicate>(b.random.below(6));
  OpDesc desc;
  desc.kind = OpKind::compare;
  desc.attrs.Set(attrs);
  b.op(std::move(desc), {x, y}, 1);
}

void appendLogical(GraphBuilder &b) {
  int x = b.pickBool(b.randomShape(0, 3));
  if (b.random.chance(30)) {
    b.op(OpKind::logical_not, {x}, 1);
    return;
  }
  int y = b.pickBool(b.type(x).shape);
  b.op(b.random.pick({OpKind::logical_and, OpKind::logical_or}), {x, y}, 1);
}

void appendSelect(GraphBuilder &b) {
  int x = b.random.chance(80) ? b.pickFloat() : b.pickInteger();
  int y = pickPartner(b, x);
  int condition = b.pickBool(b.type(x).shape);
  b.op(OpKind::select, {condition, x, y},
       std::max(b.node(x).magnitude, b.node(y).magnitude));
}

void appendClamp(GraphBuilder &b) {
  int x = b.random.chance(80) ? b.pickFloat() : b.pickInteger();
  DType dtype = b.type(x).dtype;
  int low = b.constant({dtype, Shape{}}, isFloat(dtype) ? -0.75 : 1);
  int high = b.constant({dtype, Shape{}}, isFloat(dtype) ? 0.5 : 5);
  b.op(OpKind::clamp, {x, low, high}, isFloat(dtype) ? 0.75 : 5);
}

} // namespace

void fuzz::appendElementwise(GraphBuilder &b) {
  static void (*const kinds[])(GraphBuilder &) = {
      appendSmooth,  appendSmooth,        appendSmooth,       appendBinary,
      appendBinary,  appendBinary,        appendBinary,       appendJump,
      appendCast,    appendIntegerBinary, appendIntegerUnary, appendCompare,
      appendLogical, appendSelect,        appendClamp,        appendBits};
  kinds[b.random.below(std::size(kinds))](b);
}
