// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-fit-bytes{device-spec=%S/Inputs/vnni.json}))' | FileCheck %s
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-fit-bytes))' | FileCheck %s --check-prefix=OLD
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-evaluate-constants,tandem-cpu-fit-bytes{sums=f32}))' | FileCheck %s --check-prefix=F32
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-fit-bytes{sums=i32}))' | FileCheck %s --check-prefix=I32
// I32-NOT: tandem.sums_in_f32

// Data of i8 becomes ui8 where an instruction takes such data; padding comes
// before that.

// CHECK-LABEL: func.func @signed
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x3x4xi8>)
// CHECK: %[[P:.*]] = tandem.pad %[[X]] low = [0, 1, 1, 0] high = [0, 0, 0, 0]
// CHECK: %[[XOR:.*]] = tandem.bitwise_xor %[[P]]
// CHECK: %[[U:.*]] = tandem.bitcast %[[XOR]] : (tensor<1x4x4x4xi8>) -> tensor<1x4x4x4xui8>
// CHECK: %[[SUMS:.*]] = tandem.constant dense<{{\[\[\[\[}}-2048, 2048]]]]> : tensor<1x1x1x2xi32>
// CHECK: %[[C:.*]] = tandem.conv %[[U]], {{.*}} : (tensor<1x4x4x4xui8>, tensor<2x2x4x2xi8>) -> tensor<1x3x3x2xi32>
// CHECK: tandem.sub %[[C]], %[[SUMS]]
// OLD-LABEL: func.func @signed
// OLD-NOT: tandem.pad
// OLD: tandem.conv {{.*}} : (tensor<1x3x3x4xi8>
func.func @signed(%x: tensor<1x3x3x4xi8>) -> tensor<1x3x3x2xi32> {
  %w = tandem.constant dense<[[[[-1, 1], [-1, 1], [-1, 1], [-1, 1]], [[-1, 1], [-1, 1], [-1, 1], [-1, 1]]],
                              [[[-1, 1], [-1, 1], [-1, 1], [-1, 1]], [[-1, 1], [-1, 1], [-1, 1], [-1, 1]]]]>
      : tensor<2x2x4x2xi8>
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] : (tensor<1x3x3x4xi8>, tensor<2x2x4x2xi8>) -> tensor<1x3x3x2xi32>
  return %0 : tensor<1x3x3x2xi32>
}

// Three channels are filled up to a quad, on every processor.

// CHECK-LABEL: func.func @image
// OLD-LABEL: func.func @image
// OLD-SAME: (%[[X:.*]]: tensor<1x3x5x5xui8>)
// OLD-DAG: %[[P:.*]] = tandem.pad %[[X]] low = [0, 0, 0, 0] high = [0, 1, 0, 0] {{.*}} -> tensor<1x4x5x5xui8>
// OLD-DAG: %[[W:.*]] = tandem.constant dense<{{\[\[\[\[}}1]], {{\[\[}}2]], {{\[\[}}3]], {{\[\[}}0]]], {{\[\[\[}}4]], {{\[\[}}5]], {{\[\[}}6]], {{\[\[}}0]]]]> : tensor<2x4x1x1xi8>
// OLD: tandem.conv %[[P]], %[[W]]
func.func @image(%x: tensor<1x3x5x5xui8>) -> tensor<1x2x5x5xi32> {
  %w = tandem.constant dense<[[[[1]], [[2]], [[3]]], [[[4]], [[5]], [[6]]]]> : tensor<2x3x1x1xi8>
  %0 = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<1x3x5x5xui8>, tensor<2x3x1x1xi8>) -> tensor<1x2x5x5xi32>
  return %0 : tensor<1x2x5x5xi32>
}

// Floats and weights that are not constant stay as they are.

// CHECK-LABEL: func.func @others
// CHECK-NOT: tandem.bitcast
// CHECK: return
func.func @others(%x: tensor<2x3xi8>, %w: tensor<3x4xi8>, %f: tensor<2x3xf32>)
    -> (tensor<2x4xi32>, tensor<2x4xf32>) {
  %v = tandem.constant dense<1.0> : tensor<3x4xf32>
  %0 = tandem.matmul %x, %w widen : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  %1 = tandem.matmul %f, %v : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xi32>, tensor<2x4xf32>
}

// Sums are exact in f32 if none exceeds 2^24. Data of ui8 is at most 255, so 518
// weights of 127 are exact and 519 are not. Positive and negative weights are
// summed separately.

// F32-LABEL: func.func @limits
// F32: tandem.matmul %arg0, {{.*}} {tandem.sums_in_f32}
// F32: tandem.matmul %arg1, {{.*}} widen :
// F32: tandem.matmul %arg2, {{.*}} {tandem.sums_in_f32}
// F32: tandem.matmul %arg3, {{.*}} widen :
func.func @limits(%x: tensor<2x518xui8>, %y: tensor<2x519xui8>, %z: tensor<2x1024xi8>,
                  %a: tensor<2x1025xi8>)
    -> (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>) {
  %w = tandem.constant dense<127> : tensor<518x4xi8>
  %v = tandem.constant dense<-127> : tensor<519x4xi8>
  %u = tandem.constant dense<-128> : tensor<1024x4xi8>
  %0 = tandem.matmul %x, %w widen : (tensor<2x518xui8>, tensor<518x4xi8>) -> tensor<2x4xi32>
  %1 = tandem.matmul %y, %v widen : (tensor<2x519xui8>, tensor<519x4xi8>) -> tensor<2x4xi32>
  // 1024 products of -128 and -128 are 2^24.
  %2 = tandem.matmul %z, %u widen : (tensor<2x1024xi8>, tensor<1024x4xi8>) -> tensor<2x4xi32>
  %t = tandem.constant dense<-128> : tensor<1025x4xi8>
  %3 = tandem.matmul %a, %t widen : (tensor<2x1025xi8>, tensor<1025x4xi8>) -> tensor<2x4xi32>
  return %0, %1, %2, %3 : tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>
}

// The attribute is removed where nothing is proved, and weights without outputs
// are left alone.

// F32-LABEL: func.func @unproved
// F32: tandem.matmul %arg0, %arg1 widen :
// F32: tandem.matmul %arg0, {{.*}} widen :
func.func @unproved(%x: tensor<2x3xi8>, %w: tensor<3x4xi8>) -> (tensor<2x4xi32>, tensor<2x0xi32>) {
  %none = tandem.constant dense<1> : tensor<3x0xi8>
  %0 = tandem.matmul %x, %w widen {tandem.sums_in_f32} : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  %1 = tandem.matmul %x, %none widen : (tensor<2x3xi8>, tensor<3x0xi8>) -> tensor<2x0xi32>
  return %0, %1 : tensor<2x4xi32>, tensor<2x0xi32>
}

// Weights of both signs: 650 of 100 and 650 of -100. The products of ui8 with
// weights of one sign have sums of 255 * 65,000, which is less than 2^24, and
// those of both signs do not add up.

// F32-LABEL: func.func @signs
// F32: tandem.matmul %arg0, {{.*}} transpose_rhs widen {tandem.sums_in_f32}
// F32: tandem.matmul %arg1, {{.*}} transpose_rhs widen {tandem.sums_in_f32}
func.func @signs(%x: tensor<2x1300xui8>, %y: tensor<2x1300xi8>) -> (tensor<2x1xi32>, tensor<2x1xi32>) {
  %i = tandem.iota axis = 0 : tensor<1300xi32>
  %1 = tandem.constant dense<1> : tensor<i32>
  %n = tandem.constant dense<200> : tensor<i32>
  %100 = tandem.constant dense<100> : tensor<i32>
  %a = tandem.bitwise_and %i, %1 : (tensor<1300xi32>, tensor<i32>) -> tensor<1300xi32>
  %b = tandem.mul %a, %n : (tensor<1300xi32>, tensor<i32>) -> tensor<1300xi32>
  %c = tandem.sub %b, %100 : (tensor<1300xi32>, tensor<i32>) -> tensor<1300xi32>
  %d = tandem.cast %c : (tensor<1300xi32>) -> tensor<1300xi8>
  %w = tandem.reshape %d shape = [1, 1300] : (tensor<1300xi8>) -> tensor<1x1300xi8>
  %0 = tandem.matmul %x, %w transpose_rhs widen : (tensor<2x1300xui8>, tensor<1x1300xi8>) -> tensor<2x1xi32>
  %2 = tandem.matmul %y, %w transpose_rhs widen : (tensor<2x1300xi8>, tensor<1x1300xi8>) -> tensor<2x1xi32>
  return %0, %2 : tensor<2x1xi32>, tensor<2x1xi32>
}
