// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-quantize-before-moves))' | FileCheck %s
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-quantize-before-moves,tandem-tabulate-bytes))' | FileCheck %s --check-prefix=TABLE

// Numbers of any rank become scalars.

// CHECK-LABEL: func.func @reshape
// CHECK-SAME: (%[[X:.*]]: tensor<?x4x5xf32>)
// CHECK: %[[S:.*]] = tandem.constant dense<2.500000e-01> : tensor<1x1xf32>
// CHECK: %[[SCALE:.*]] = tandem.reshape %[[S]] shape = []
// CHECK: %[[D:.*]] = tandem.div %[[X]], %[[SCALE]]
// CHECK: %[[R:.*]] = tandem.round %[[D]]
// CHECK: %[[Q:.*]] = tandem.cast %[[R]] : (tensor<?x4x5xf32>) -> tensor<?x4x5xui8>
// CHECK: %[[M:.*]] = tandem.reshape %[[Q]] shape = [-1, 20]
// CHECK-SAME: (tensor<?x4x5xui8>) -> tensor<?x20xui8>
// CHECK-NEXT: return %[[M]]
func.func @reshape(%x: tensor<?x4x5xf32>) -> tensor<?x20xui8> {
  %s = tandem.constant dense<0.25> : tensor<1x1xf32>
  %0 = tandem.reshape %x shape = [-1, 20]
      : (tensor<?x4x5xf32>) -> tensor<?x20xf32>
  %1 = tandem.div %0, %s : (tensor<?x20xf32>, tensor<1x1xf32>) -> tensor<?x20xf32>
  %2 = tandem.round %1 : tensor<?x20xf32>
  %3 = tandem.cast %2 : (tensor<?x20xf32>) -> tensor<?x20xui8>
  return %3 : tensor<?x20xui8>
}

// Several ops that move elements, one of them with several operands. The first
// operand has the same scale, and stays as it is.

// CHECK-LABEL: func.func @concat
// CHECK-COUNT-2: tandem.cast {{.*}}xi8>{{$}}
// CHECK: tandem.concat {{.*}} axis = 1 : (tensor<2x6xi8>, tensor<2x6xi8>) -> tensor<2x12xi8>

// TABLE-LABEL: func.func @concat
// TABLE-SAME: (%[[A:.*]]: tensor<6x2xi8>, %{{.*}}: tensor<2x6xf32>)
// TABLE-DAG: %[[T:.*]] = tandem.transpose %[[A]] permutation = [1, 0]
// TABLE-DAG: %[[Q:.*]] = tandem.cast {{.*}} : (tensor<2x6xf32>) -> tensor<2x6xi8>
// TABLE: tandem.concat %[[T]], %[[Q]] axis = 1
func.func @concat(%a: tensor<6x2xi8>, %b: tensor<2x6xf32>) -> tensor<2x12xi8> {
  %s = tandem.constant dense<0.3> : tensor<f32>
  %z = tandem.constant dense<3.0> : tensor<f32>
  %0 = tandem.cast %a : (tensor<6x2xi8>) -> tensor<6x2xf32>
  %1 = tandem.sub %0, %z : (tensor<6x2xf32>, tensor<f32>) -> tensor<6x2xf32>
  %2 = tandem.mul %1, %s : (tensor<6x2xf32>, tensor<f32>) -> tensor<6x2xf32>
  %3 = tandem.transpose %2 permutation = [1, 0]
      : (tensor<6x2xf32>) -> tensor<2x6xf32>
  %4 = tandem.concat %3, %b axis = 1
      : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x12xf32>
  %5 = tandem.div %4, %s : (tensor<2x12xf32>, tensor<f32>) -> tensor<2x12xf32>
  %6 = tandem.round %5 : tensor<2x12xf32>
  %7 = tandem.add %6, %z : (tensor<2x12xf32>, tensor<f32>) -> tensor<2x12xf32>
  %8 = tandem.cast %7 : (tensor<2x12xf32>) -> tensor<2x12xi8>
  return %8 : tensor<2x12xi8>
}

// A resize that repeats elements.

// CHECK-LABEL: func.func @enlarge
// CHECK: tandem.cast {{.*}} -> tensor<1x3x4x4xui8>
// CHECK: tandem.resize {{.*}} -> tensor<1x3x8x8xui8>
func.func @enlarge(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xui8> {
  %0 = tandem.resize %x mode = nearest dims = [2, 3] scales = [2.0, 2.0]
      coordinates = asymmetric rounding = floor
      : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32>
  %1 = tandem.cast %0 : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xui8>
  return %1 : tensor<1x3x8x8xui8>
}

// A resize that leaves out elements, and one that computes others.

// CHECK-LABEL: func.func @resize
// CHECK: tandem.resize {{.*}} -> tensor<4x2xf32>
// CHECK: tandem.resize {{.*}} -> tensor<4x8xf32>
func.func @resize(%x: tensor<4x4xf32>) -> (tensor<4x2xui8>, tensor<4x8xui8>) {
  %0 = tandem.resize %x mode = nearest dims = [1] scales = [0.5]
      : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %1 = tandem.cast %0 : (tensor<4x2xf32>) -> tensor<4x2xui8>
  %2 = tandem.resize %x mode = linear dims = [1] scales = [2.0]
      : (tensor<4x4xf32>) -> tensor<4x8xf32>
  %3 = tandem.cast %2 : (tensor<4x8xf32>) -> tensor<4x8xui8>
  return %1, %3 : tensor<4x2xui8>, tensor<4x8xui8>
}

// Another op reads the moved floats, or the scales vary.

// CHECK-LABEL: func.func @keep
// CHECK: tandem.transpose {{.*}} -> tensor<3x2xf32>
// CHECK: tandem.transpose {{.*}} -> tensor<2x3xf32>
func.func @keep(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>, %s: tensor<3xf32>)
    -> (tensor<3x2xf32>, tensor<3x2xui8>, tensor<2x3xui8>) {
  %0 = tandem.transpose %x permutation = [1, 0]
      : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = tandem.cast %0 : (tensor<3x2xf32>) -> tensor<3x2xui8>
  %2 = tandem.transpose %y permutation = [1, 0]
      : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %3 = tandem.div %2, %s : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = tandem.cast %3 : (tensor<2x3xf32>) -> tensor<2x3xui8>
  return %0, %1, %4 : tensor<3x2xf32>, tensor<3x2xui8>, tensor<2x3xui8>
}
