// RUN: tandem-opt %s --canonicalize | FileCheck %s
// RUN: not tandem-opt %s --no-such-option 2>&1 | FileCheck %s --check-prefix=ERR

// ERR: Unknown command line argument '--no-such-option'

// CHECK-LABEL: func.func @fold
// CHECK-NEXT: %[[C:.*]] = arith.constant 3 : i32
// CHECK-NEXT: return %[[C]]
func.func @fold() -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.constant 2 : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
