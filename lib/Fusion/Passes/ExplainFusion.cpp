//===- ExplainFusion.cpp - Why two ops are not in one kernel --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Fusion/FusionReport.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

using namespace mlir;

namespace tandem {
namespace {

class Explainer {
public:
  Explainer(Block &block, const FusionReportData &data)
      : block(block), data(data), out(text) {}

  std::string explain(Operation *a, Operation *b);

private:
  const FusionGroup *sharedKernel(Operation *a, Operation *b) const;
  void printPlace(Operation *op);
  void printOp(Operation *op);
  /// The ops of a shortest way from `from` to `to` by use; none if there is no
  /// such way.
  SmallVector<Operation *> findPath(Operation *from, Operation *to) const;
  void printEntry(const FusionLogEntry &entry);
  /// What was refused about computing `producer` along with `consumer`.
  unsigned printRefusals(Operation *producer, Operation *consumer);
  unsigned printSiblingRefusals(Operation *a, Operation *b);
  bool isNear(Operation *root, Operation *op) const;

  Block &block;
  const FusionReportData &data;
  std::string text;
  llvm::raw_string_ostream out;
};

const FusionGroup *Explainer::sharedKernel(Operation *a, Operation *b) const {
  for (const FusionGroup &group : data.kernels)
    if (llvm::is_contained(group.ops, a) && llvm::is_contained(group.ops, b))
      return &group;
  return nullptr;
}

void Explainer::printOp(Operation *op) {
  out << "'" << op->getName() << "'";
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    out << " at line " << place.getLine();
}

void Explainer::printPlace(Operation *op) {
  out << "  ";
  printOp(op);
  out << " is";
  bool isFused = false;
  for (auto [index, group] : llvm::enumerate(data.kernels))
    if (llvm::is_contained(group.ops, op)) {
      out << (isFused ? " and" : "") << " in kernel " << index << " ("
          << ir::stringifyFusionKind(group.kind) << ")";
      isFused = true;
    }
  out << (isFused ? "\n" : " an op step\n");
}

SmallVector<Operation *> Explainer::findPath(Operation *from,
                                             Operation *to) const {
  llvm::DenseMap<Operation *, Operation *> before{{from, nullptr}};
  std::deque<Operation *> worklist{from};
  while (!worklist.empty() && !before.contains(to)) {
    Operation *op = worklist.front();
    worklist.pop_front();
    for (Operation *user : op->getUsers())
      if (user->getBlock() == &block && before.try_emplace(user, op).second)
        worklist.push_back(user);
  }
  SmallVector<Operation *> path;
  if (before.contains(to))
    for (Operation *op = to; op; op = before.lookup(op))
      path.push_back(op);
  std::reverse(path.begin(), path.end());
  return path;
}

void Explainer::printEntry(const FusionLogEntry &entry) {
  out << "  ";
  printOp(entry.producer);
  switch (entry.question) {
  case FusionQuestion::ProducerConsumer:
    out << " was not fused into ";
    break;
  case FusionQuestion::MultiOutput:
    out << " was not made one more result of ";
    break;
  case FusionQuestion::Siblings:
    out << " and its kernel were not joined with ";
    break;
  case FusionQuestion::Hero:
    out << " was not made the hero of a kernel";
    break;
  case FusionQuestion::PrologueOrEpilogue:
    out << " was not made part of ";
    break;
  }
  if (entry.consumer) {
    out << "the kernel of ";
    printOp(entry.consumer);
  } else if (entry.question != FusionQuestion::Hero) {
    out << "its consumers";
  }
  out << ": " << entry.decision.str() << " [" << name(entry.decision.reason())
      << "]\n";
}

/// Whether `root` is `op` or in a kernel with it.
bool Explainer::isNear(Operation *root, Operation *op) const {
  return root == op || sharedKernel(root, op);
}

unsigned Explainer::printRefusals(Operation *producer, Operation *consumer) {
  unsigned count = 0;
  for (const FusionLogEntry &entry : data.log) {
    if (entry.decision || entry.question == FusionQuestion::Siblings)
      continue;
    bool isAsked = entry.producer == producer &&
                   (!entry.consumer || isNear(entry.consumer, consumer));
    // A hero asks its consumers instead.
    bool isPrologueOrEpilogue =
        entry.question == FusionQuestion::PrologueOrEpilogue &&
        entry.producer == consumer && entry.consumer &&
        isNear(entry.consumer, producer);
    if (!isAsked && !isPrologueOrEpilogue)
      continue;
    printEntry(entry);
    ++count;
  }
  return count;
}

unsigned Explainer::printSiblingRefusals(Operation *a, Operation *b) {
  unsigned count = 0;
  for (const FusionLogEntry &entry : data.log) {
    if (entry.decision || entry.question != FusionQuestion::Siblings)
      continue;
    if (!(isNear(entry.producer, a) && isNear(entry.consumer, b)) &&
        !(isNear(entry.producer, b) && isNear(entry.consumer, a)))
      continue;
    printEntry(entry);
    ++count;
  }
  return count;
}

std::string Explainer::explain(Operation *a, Operation *b) {
  if (b->isBeforeInBlock(a))
    std::swap(a, b);
  if (const FusionGroup *group = sharedKernel(a, b)) {
    out << "fused: both are in kernel " << group - data.kernels.data() << " ("
        << ir::stringifyFusionKind(group->kind) << ")\n";
    return text;
  }
  out << "not fused:\n";
  printPlace(a);
  if (a != b)
    printPlace(b);
  unsigned reasons = 0;
  SmallVector<Operation *> path = findPath(a, b);
  for (size_t i = 0; i + 1 < path.size(); ++i)
    if (!sharedKernel(path[i], path[i + 1]))
      reasons += printRefusals(path[i], path[i + 1]);
  if (path.size() < 2)
    reasons += printSiblingRefusals(a, b);
  if (reasons == 0 && a == b)
    reasons += printRefusals(a, a);
  if (reasons == 0)
    out << (path.empty() ? "  neither needs the other, and they share no value "
                           "that their loops read whole: nothing is saved\n"
                         : "  the ops between them are in kernels that keep "
                           "them apart\n");
  return text;
}

} // namespace

std::string explainFusion(Block &block, const FusionReportData &data,
                          Operation *a, Operation *b) {
  return Explainer(block, data).explain(a, b);
}

} // namespace tandem
