// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:zero-last-store 2>/dev/null | FileCheck %s --check-prefix=LAST
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:zero-last-store@1 2>/dev/null | FileCheck %s --check-prefix=FIRST
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:zero-last-store@2 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=rows:f32:zero-results 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f64:zero-results 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:reverse-lanes 2>/dev/null | FileCheck %s --check-prefix=LANES
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:drop-task 2>/dev/null | FileCheck %s --check-prefix=TASK
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:drop-step 2>/dev/null | FileCheck %s --check-prefix=STEP
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:drop-row 2>/dev/null | FileCheck %s --check-prefix=ROW
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:drop-product 2>/dev/null | FileCheck %s --check-prefix=PRODUCT
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:shift-load 2>/dev/null | FileCheck %s --check-prefix=LOAD
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:close-mask 2>/dev/null | FileCheck %s --check-prefix=MASK
// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:zero-results 2>&1 >/dev/null | FileCheck %s --check-prefix=SAYS
// RUN: not tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:drop-all 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: not tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=outputs:f32:drop-row@x 2>&1 | FileCheck %s --check-prefix=NUMBER

// RUN: tandem-opt %s --split-input-file --tandem-cpu-mutate-kernel=mutant=list 2>&1 >/dev/null | FileCheck %s --check-prefix=LIST

// LIST: mutant outputs:f32:zero-results{{$}}
// LIST-NEXT: mutant outputs:f32:zero-last-store{{$}}
// LIST-NEXT: mutant outputs:f32:zero-last-store@1{{$}}
// LIST-NEXT: mutant outputs:f32:reverse-lanes
// LIST-NOT: mutant outputs:f32:zero-results
// SAYS: mutant outputs:f32:zero-results is at work
// SAYS-NOT: at work
// NAMES: error: no fault '{{.*}}drop-all': there are zero-results, zero-last-store
// NUMBER: error: no number of a place: 'x'

// SAME-NOT: is at work

// A kernel of sums of rows, and what stores them.
module attributes {tandem.form = "outputs", tandem.dtype = "f32"} {
  // LAST-LABEL: @k.body
  // FIRST-LABEL: @k.body
  // TASK-LABEL: @k.body
  // TASK: %[[END:.*]] = arith.index_cast
  // STEP-LABEL: @k.body
  // ROW-LABEL: @k.body
  // PRODUCT-LABEL: @k.body
  // LOAD-LABEL: @k.body
  llvm.func @k.body(%x: !llvm.ptr {llvm.readonly}, %y: !llvm.ptr {llvm.writeonly}, %z: !llvm.ptr {llvm.writeonly}, %mask: vector<4xi1>, %count: i64) {
    %end = arith.index_cast %count : i64 to index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rows = arith.constant 6 : index
    %steps = arith.constant 10 : index
    %none = arith.constant dense<0.0> : vector<4xf32>
    // TASK: %[[LESS:.*]] = arith.subi %[[END]], %[[ONE:.*]] : index
    // TASK: scf.for %{{.*}} = %{{.*}} to %[[LESS]] step %[[ONE]]
    scf.for %task = %zero to %end step %one {
      // ROW: arith.subi %c6
      // ROW-NEXT: scf.for
      scf.for %row = %zero to %rows step %one {
        // STEP: arith.subi %c10
        // STEP-NEXT: scf.for
        %sum = scf.for %i = %zero to %steps step %one iter_args(%partial = %none) -> (vector<4xf32>) {
          %at = arith.index_cast %i : index to i64
          // LOAD: arith.xori %{{.*}}, %c1_i64
          // LOAD: llvm.getelementptr
          %p = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %v = llvm.load %p : !llvm.ptr -> vector<4xf32>
          // PRODUCT: llvm.intr.fmuladd(%{{.*}}, %{{.*}}, %[[PARTIAL:[a-z0-9]+]])
          // PRODUCT-NEXT: scf.yield %[[PARTIAL]]
          %next = llvm.intr.fmuladd(%v, %v, %partial) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
          scf.yield %next : vector<4xf32>
        }
        // FIRST: scf.yield
        // FIRST: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
        // FIRST: llvm.store %[[ZERO]], %arg1
        // LANES: %[[TURNED:.*]] = llvm.shufflevector %{{.*}} [3, 2, 1, 0]
        // LANES-NEXT: llvm.store %[[TURNED]]
        llvm.store %sum, %y : vector<4xf32>, !llvm.ptr
        // LAST: llvm.store %{{.*}}, %arg1
        // LAST: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
        // LAST-NEXT: llvm.intr.masked.store %[[ZERO]], %arg2
        // MASK: %[[CLOSED:.*]] = arith.constant dense<false>
        // MASK-NEXT: llvm.intr.masked.store %{{.*}}, %arg2, %[[CLOSED]]
        llvm.intr.masked.store %sum, %z, %mask {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
      }
    }
    llvm.return
  }
}
