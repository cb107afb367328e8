// A written result type that a run contradicts is an error in every tier, of
// ops that compute and of those that only see their operand differently.

// RUN: split-file %s %t
// RUN: not tandem-run %t/add.mlir --tier=reference --arg=random:3 --arg=random:3 2>&1 | FileCheck %s
// RUN: not tandem-run %t/add.mlir --tier=eager --arg=random:3 --arg=random:3 2>&1 | FileCheck %s
// RUN: not tandem-run %t/add.mlir --tier=compiled --arg=random:3 --arg=random:3 2>&1 | FileCheck %s
// RUN: not tandem-run %t/reshape.mlir --tier=reference --arg=random:3x2 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not tandem-run %t/reshape.mlir --tier=eager --arg=random:3x2 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not tandem-run %t/reshape.mlir --tier=compiled --arg=random:3x2 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: tandem-run %t/add.mlir --tier=eager --arg=random:4 --arg=random:1

// CHECK: add.mlir:2:8: error: {{.*}}add{{.*}}tensor<3xf32>{{.*}}tensor<4xf32>
// VIEW: reshape.mlir:2:8: error: {{.*}}reshape{{.*}}tensor<6xf32>{{.*}}tensor<4xf32>

//--- add.mlir
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<4xf32> {
  %0 = tandem.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- reshape.mlir
func.func @main(%a: tensor<?x2xf32>) -> tensor<4xf32> {
  %0 = tandem.reshape %a shape = [-1] : (tensor<?x2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
