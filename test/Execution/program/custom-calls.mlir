// Functions that are registered for custom_call, in every tier, and the kernels
// around them.
//
// They are registered for the CPU, and this device has its functions; a GPU has
// none of them.
// UNSUPPORTED: cuda

// DEFINE: %{run} = tandem-run --custom-calls=%obj/lib/example-custom-calls.so
// RUN: split-file %s %t
// RUN: %{run} %t/norm.mlir --arg=random:5x33 --arg=random:33 --profile --tier=compiled \
// RUN:   | FileCheck %t/norm.mlir
// RUN: %{run} %t/norm.mlir --arg=random:5x33 --arg=random:33 --check=steps \
// RUN:   | FileCheck %t/norm.mlir --check-prefix=STEPS
// RUN: %{run} %t/norm.mlir --arg=random:5x33 --arg=random:33 --certify \
// RUN:   | FileCheck %t/norm.mlir --check-prefix=CERTIFIED

// RUN: %{run} %t/sort.mlir --arg=[3,1,2,-1,-2,-3]:2x3 --print --tier=reference | FileCheck %t/sort.mlir
// RUN: %{run} %t/sort.mlir --arg=[3,1,2,-1,-2,-3]:2x3 --print --tier=eager | FileCheck %t/sort.mlir
// RUN: %{run} %t/sort.mlir --arg=[3,1,2,-1,-2,-3]:2x3 --print --tier=compiled | FileCheck %t/sort.mlir

// Sizes that only the function knows.
// RUN: %{run} %t/repeat.mlir --arg=iota:2x2 --print --tier=reference | FileCheck %t/repeat.mlir
// RUN: %{run} %t/repeat.mlir --arg=iota:2x2 --print --tier=eager | FileCheck %t/repeat.mlir
// RUN: %{run} %t/repeat.mlir --arg=iota:2x2 --print --tier=compiled | FileCheck %t/repeat.mlir
// RUN: env TANDEM_CUSTOM_CALLS=%obj/lib/example-custom-calls.so \
// RUN:   tandem-run %t/repeat.mlir --arg=iota:2x2 --print --tier=compiled | FileCheck %t/repeat.mlir

// What is wrong is said, with the place in the graph.
// RUN: not tandem-run %t/config.mlir --arg=random:5x33 --tier=compiled 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: config.mlir:2:8: error: execute: custom_call "rms_norm" is not registered for
// RUN: not tandem-run %t/repeat.mlir --arg=iota:2x2 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: repeat.mlir:2:8: error: shape: custom_call "repeat_rows" has a result of unknown size
// RUN: not %{run} %t/config.mlir --arg=random:5x33 2>&1 | FileCheck %s --check-prefix=CONFIG
// CONFIG: error: execute: custom_call "rms_norm": its config must be epsilon=NUMBER
// RUN: not %{run} %t/config.mlir --func=sizes --arg=iota:2x2 --tier=compiled 2>&1 | FileCheck %s --check-prefix=TIMES
// TIMES: config.mlir:6:8: error: {{.*}}custom_call "repeat_rows": its config must be times=NUMBER
// RUN: not %{run} %t/config.mlir --func=contradicted --arg=iota:2x2 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: config.mlir:10:8: error: shape: custom_call "repeat_rows": result 0 is tensor<6x2xf32>, where tensor<?x3xf32> is written

// RUN: not tandem-run --custom-calls=%t/none.so %t/norm.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: --custom-calls: {{.*}}none.so: cannot open shared object file
// RUN: not tandem-run --custom-calls=%obj/lib/libTandemFakeCUDA.so %t/norm.mlir 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: --custom-calls: {{.*}} exports no tandemRegisterCustomCalls
// RUN: not tandem-run --custom-calls=%obj/lib/example-custom-calls.so,%obj/lib/example-custom-calls.so %t/norm.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// TWICE: --custom-calls: error: register: custom_call "rms_norm": it is registered already, for cpu

//--- norm.mlir
func.func @main(%x: tensor<?x33xf32>, %s: tensor<33xf32>) -> (tensor<?x33xf32>, tensor<?x33xf32>) {
  %0 = tandem.exp %x : tensor<?x33xf32>
  %1 = tandem.custom_call "rms_norm"(%0) config = "epsilon=1e-5" : (tensor<?x33xf32>) -> tensor<?x33xf32>
  %2 = tandem.mul %1, %s : (tensor<?x33xf32>, tensor<33xf32>) -> tensor<?x33xf32>
  %3 = tandem.tanh %2 : tensor<?x33xf32>
  %4 = tandem.sub %3, %0 : tensor<?x33xf32>
  return %4, %2 : tensor<?x33xf32>, tensor<?x33xf32>
}
// Two kernels, and the function between them.
// CHECK-DAG: kernel_0 {{.*}} 2:8
// CHECK-DAG: custom_call custom calls {{.*}} 3:8
// CHECK-DAG: kernel_1 {{.*}} 4:8, 5:8, 6:8
// STEPS: eager {{.*}} ok
// STEPS: compiled {{.*}} ok
// CERTIFIED: certificate passed; 0 of 330 elements differ

//--- sort.mlir
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %0 = tandem.neg %x : tensor<2x3xf32>
  %1:2 = tandem.custom_call "sort"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %2 = tandem.add %1#0, %1#0 : tensor<2x3xf32>
  return %2, %1#1 : tensor<2x3xf32>, tensor<2x3xi64>
}
// CHECK: {{\[}}[-6, -4, -2],
// CHECK: [2, 4, 6]]
// CHECK: {{\[}}[0, 2, 1],
// CHECK: [0, 1, 2]]

//--- repeat.mlir
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tandem.custom_call "repeat_rows"(%x) config = "times=3" : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tandem.neg %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
// CHECK:      {{\[}}[{{-?}}0, -1],
// CHECK-NEXT: [-2, -3],
// CHECK-NEXT: [{{-?}}0, -1],
// CHECK-NEXT: [-2, -3],
// CHECK-NEXT: [{{-?}}0, -1],
// CHECK-NEXT: [-2, -3]]

//--- config.mlir
func.func @main(%x: tensor<5x33xf32>) -> tensor<5x33xf32> {
  %0 = tandem.custom_call "rms_norm"(%x) : (tensor<5x33xf32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}
func.func @sizes(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tandem.custom_call "repeat_rows"(%x) config = "x" : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @contradicted(%x: tensor<?x?xf32>) -> tensor<?x3xf32> {
  %0 = tandem.custom_call "repeat_rows"(%x) config = "times=3" : (tensor<?x?xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
