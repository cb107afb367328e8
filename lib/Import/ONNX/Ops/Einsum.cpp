//===- Einsum.cpp - Sums of products that letters describe ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are contracted from left to right, by one matrix product for each
// where indices are summed over, else by a product of elements.
//
//===----------------------------------------------------------------------===//

#include "Model/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// An index: a letter, or -1, -2, … for the dims that an ellipsis stands for,
/// from the last.
using Index = int64_t;
using Indices = SmallVector<Index, 4>;

/// A tensor with the index of each of its dims.
struct Term {
  Value value;
  Indices indices;
};

Indices without(ArrayRef<Index> indices, ArrayRef<Index> others) {
  Indices result;
  llvm::copy_if(indices, std::back_inserter(result), [&](Index index) {
    return !llvm::is_contained(others, index);
  });
  return result;
}

Indices concat(ArrayRef<Index> first, ArrayRef<Index> second,
               ArrayRef<Index> third = {}) {
  Indices result(first);
  result.append(second.begin(), second.end());
  result.append(third.begin(), third.end());
  return result;
}

//===----------------------------------------------------------------------===//
// The equation
//===----------------------------------------------------------------------===//

/// The indices of a term such as "a...b" whose ellipsis stands for `count`
/// dims.
Indices parseTerm(Node &node, StringRef text, int64_t count) {
  auto [before, after] = text.split("...");
  Indices indices(before.begin(), before.end());
  if (before.size() != text.size())
    for (int64_t i = count; i > 0; --i)
      indices.push_back(-i);
  indices.append(after.begin(), after.end());
  node.require(llvm::all_of(indices,
                            [](Index index) {
                              return index < 0 || llvm::isAlpha(index);
                            }),
               "'" + text + "' is not made of letters and one '...'");
  return indices;
}

/// The number of dims that the ellipsis in a term for `rank` dims stands for.
int64_t countHidden(Node &node, StringRef text, int64_t rank) {
  const bool hasEllipsis = text.contains("...");
  int64_t count = rank - static_cast<int64_t>(text.size()) + 3 * hasEllipsis;
  node.require(hasEllipsis ? count >= 0 : count == 0,
               "'" + text + "' is for an operand of another rank than " +
                   Twine(rank));
  return std::max<int64_t>(count, 0);
}

/// The dims of ellipses, and the letters that occur once in alphabetical order:
/// of an equation without a result.
Indices impliedResult(ArrayRef<Term> terms, int64_t hidden) {
  Indices result, all;
  for (const Term &term : terms)
    all.append(term.indices);
  for (int64_t i = hidden; i > 0; --i)
    result.push_back(-i);
  llvm::sort(all);
  llvm::copy_if(all, std::back_inserter(result), [&](Index index) {
    return index > 0 && llvm::count(all, index) == 1;
  });
  return result;
}

/// The terms of the operands; `result` is set to the indices of the result.
SmallVector<Term> parseEquation(Node &node, Indices &result) {
  std::string equation = node.getString("equation");
  llvm::erase(equation, ' ');
  const size_t arrow = equation.find("->");
  SmallVector<StringRef> texts;
  StringRef(equation).substr(0, arrow).split(texts, ',');
  SmallVector<Term> terms;
  if (!node.require(texts.size() == node.numOperands(),
                    "an equation of " + Twine(texts.size()) + " operands"))
    return terms;
  int64_t hidden = 0;
  for (auto [i, text] : llvm::enumerate(texts)) {
    Value value = node.operand(i);
    if (node.hasFailed())
      return terms;
    int64_t count = countHidden(node, text, node.rank(value));
    terms.push_back({value, parseTerm(node, text, count)});
    hidden = std::max(hidden, count);
  }
  result = arrow == std::string::npos
               ? impliedResult(terms, hidden)
               : parseTerm(node, StringRef(equation).substr(arrow + 2), hidden);
  for (Index index : result) {
    const bool isGiven = llvm::any_of(terms, [&](const Term &term) {
      return llvm::is_contained(term.indices, index);
    });
    node.require(isGiven, "an index of the result that is in no operand");
    node.require(llvm::count(result, index) == 1,
                 "an index that is twice in the result");
  }
  return terms;
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// The dims of `indices` in a term, in this order.
Ints dimsOf(const Term &term, ArrayRef<Index> indices) {
  Ints dims;
  for (Index index : indices)
    dims.push_back(llvm::find(term.indices, index) - term.indices.begin());
  return dims;
}

Term transpose(Node &node, const Term &term, ArrayRef<Index> indices) {
  Ints order = dimsOf(term, indices);
  return {llvm::is_sorted(order) ? term.value
                                 : node.transpose(term.value, order),
          Indices(indices)};
}

/// The sum over `indices`. They are kept as dims of 1 if `keepsDims`.
Term sum(Node &node, const Term &term, ArrayRef<Index> indices,
         bool keepsDims = false) {
  if (indices.empty())
    return term;
  return {node.reduce(ir::ReduceKind::sum, term.value, dimsOf(term, indices),
                      keepsDims),
          keepsDims ? term.indices : without(term.indices, indices)};
}

/// The elements whose indices are equal where an index occurs twice: each n + 1
/// elements of two dims of n as one.
Term takeDiagonals(Node &node, Term term) {
  for (size_t last = term.indices.size(); last-- > 0 && !node.hasFailed();) {
    const Index index = term.indices[last];
    const size_t first = llvm::find(term.indices, index) - term.indices.begin();
    if (first == last)
      continue;
    int64_t size = node.dim(term.value, first);
    if (!node.require(size == node.dim(term.value, last),
                      "a diagonal of dims of other sizes"))
      break;
    Ints order = range(0, node.rank(term.value));
    order.erase(order.begin() + last);
    order.erase(order.begin() + first);
    int64_t axis = order.size();
    order.append({static_cast<int64_t>(first), static_cast<int64_t>(last)});
    Value value = node.transpose(term.value, order);
    Sizes shape = node.sizesOf(value);
    if (node.hasFailed())
      break;
    shape.pop_back_n(2);
    shape.push_back(Size(size * size));
    term.value =
        node.slice(node.reshape(value, shape), axis, 0, size * size, size + 1);
    term.indices.erase(term.indices.begin() + last);
    term.indices.erase(term.indices.begin() + first);
    term.indices.push_back(index);
    last = term.indices.size();
  }
  return term;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// The sizes of `indices` in a term, 1 where it has none.
Sizes sizesOf(Node &node, const Term &term, ArrayRef<Index> indices) {
  Sizes sizes, all = node.sizesOf(term.value);
  for (int64_t dim : dimsOf(term, indices))
    sizes.push_back(dim < static_cast<int64_t>(all.size()) ? all[dim]
                                                           : Size(1));
  return sizes;
}

/// The term with dims `batch`, and one dim each for the products of the two
/// groups.
Value group(Node &node, const Term &term, ArrayRef<Index> batch,
            ArrayRef<Index> first, ArrayRef<Index> second) {
  Value value = transpose(node, term, concat(batch, first, second)).value;
  if (first.size() == 1 && second.size() == 1)
    return value;
  Sizes shape = sizesOf(node, term, batch);
  for (ArrayRef<Index> indices : {first, second}) {
    std::optional<Size> size = productOf(sizesOf(node, term, indices));
    if (!node.require(size.has_value(), "a size that overflows"))
      return {};
    shape.push_back(*size);
  }
  return node.reshape(value, shape);
}

/// The product of elements, for each combination of the indices.
Term multiply(Node &node, const Term &lhs, const Term &rhs) {
  Indices indices = concat(lhs.indices, without(rhs.indices, lhs.indices));
  auto spread = [&](const Term &term) {
    Indices own = without(indices, without(indices, term.indices));
    return node.reshape(transpose(node, term, own).value,
                        sizesOf(node, term, indices));
  };
  return {node.mul(spread(lhs), spread(rhs)), indices};
}

/// Sums a dim of one term where that of the other is 1.
void shrink(Node &node, Term &lhs, Term &rhs, Index index) {
  Size left = sizesOf(node, lhs, index)[0],
       right = sizesOf(node, rhs, index)[0];
  if (left != right)
    (left == Size(1) ? rhs : lhs) =
        sum(node, left == Size(1) ? rhs : lhs, index, /*keepsDims=*/true);
}

/// The product of two terms, summed over all indices but those that are
/// `needed`.
Term contract(Node &node, Term lhs, Term rhs, ArrayRef<Index> needed) {
  lhs = sum(node, lhs, without(lhs.indices, concat(needed, rhs.indices)));
  rhs = sum(node, rhs, without(rhs.indices, concat(needed, lhs.indices)));
  Indices left = without(lhs.indices, rhs.indices);
  Indices right = without(rhs.indices, lhs.indices);
  Indices shared = without(lhs.indices, left);
  Indices summed = without(shared, needed);
  Indices batch = without(shared, summed);
  if (node.hasFailed())
    return {};
  for (Index index : summed)
    shrink(node, lhs, rhs, index);
  if (summed.empty() || (left.empty() && right.empty()))
    return sum(node, multiply(node, lhs, rhs), summed);
  Value product = multiplyMatrices(node, group(node, lhs, batch, left, summed),
                                   group(node, rhs, batch, summed, right));
  Indices indices = concat(batch, left, right);
  if (node.hasFailed() || (left.size() == 1 && right.size() == 1))
    return {product, indices};
  Sizes shape(ArrayRef(node.sizesOf(product)).take_front(batch.size()));
  shape.append(sizesOf(node, lhs, left));
  shape.append(sizesOf(node, rhs, right));
  return {node.reshape(product, shape), indices};
}

} // namespace

void convertEinsum(Node &node) {
  Indices result;
  SmallVector<Term> terms = parseEquation(node, result);
  for (Term &term : terms)
    if (!node.hasFailed())
      term = takeDiagonals(node, term);
  if (node.hasFailed())
    return;
  Term all = terms.front();
  for (size_t i = 1; i < terms.size() && !node.hasFailed(); ++i) {
    Indices needed = result;
    for (const Term &later : ArrayRef(terms).drop_front(i + 1))
      needed.append(later.indices);
    all = contract(node, all, terms[i], needed);
  }
  if (node.hasFailed())
    return;
  all = sum(node, all, without(all.indices, result));
  node.result(0, transpose(node, all, result).value);
}

} // namespace tandem::onnx
