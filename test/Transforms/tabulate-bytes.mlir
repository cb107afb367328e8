// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-tabulate-bytes))' | FileCheck %s

// x * sigmoid(x), quantized behind each op, is one function of a byte. The
// table begins with its results for 0 to 7, which NumPy computes as well.

// CHECK-LABEL: func.func @swish
// CHECK-SAME: (%[[Q:.*]]: tensor<?x8xui8>)
// CHECK: %[[TABLE:.*]] = tandem.constant dense<"0x0E0E0E0E0E0E0D0D
// CHECK-SAME: : tensor<256xui8>
// CHECK: %[[I:.*]] = tandem.cast %[[Q]] : (tensor<?x8xui8>) -> tensor<?x8xi32>
// CHECK: %[[R:.*]] = tandem.gather %[[TABLE]], %[[I]] axis = 0
// CHECK-SAME: (tensor<256xui8>, tensor<?x8xi32>) -> tensor<?x8xui8>
// CHECK-NEXT: return %[[R]]
func.func @swish(%q: tensor<?x8xui8>) -> tensor<?x8xui8> {
  %z = tandem.constant dense<128> : tensor<ui8>
  %zf = tandem.cast %z : (tensor<ui8>) -> tensor<f32>
  %s = tandem.constant dense<0.03125> : tensor<f32>
  %n = tandem.constant dense<0.00390625> : tensor<1x1xf32>
  %t = tandem.constant dense<0.01953125> : tensor<f32>
  %o = tandem.constant dense<1.8e+01> : tensor<f32>
  %0 = tandem.cast %q : (tensor<?x8xui8>) -> tensor<?x8xf32>
  %1 = tandem.sub %0, %zf : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %x = tandem.mul %1, %s : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %2 = tandem.sigmoid %x : tensor<?x8xf32>
  %3 = tandem.div %2, %n : (tensor<?x8xf32>, tensor<1x1xf32>) -> tensor<?x8xf32>
  %4 = tandem.round %3 : tensor<?x8xf32>
  %5 = tandem.cast %4 : (tensor<?x8xf32>) -> tensor<?x8xui8>
  %6 = tandem.cast %5 : (tensor<?x8xui8>) -> tensor<?x8xf32>
  %7 = tandem.mul %6, %n : (tensor<?x8xf32>, tensor<1x1xf32>) -> tensor<?x8xf32>
  %8 = tandem.mul %x, %7 : tensor<?x8xf32>
  %9 = tandem.div %8, %t : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %10 = tandem.round %9 : tensor<?x8xf32>
  %11 = tandem.add %10, %o : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %12 = tandem.cast %11 : (tensor<?x8xf32>) -> tensor<?x8xui8>
  return %12 : tensor<?x8xui8>
}

// Much arithmetic is worth a table as well, here x * clamp(x / 6 + 0.5, 0, 1).

// CHECK-LABEL: func.func @hard_swish
// CHECK-NOT: tandem.clamp
// CHECK: tandem.gather
func.func @hard_swish(%q: tensor<4xui8>) -> tensor<4xui8> {
  %z = tandem.constant dense<128.0> : tensor<f32>
  %s = tandem.constant dense<0.03125> : tensor<f32>
  %sixth = tandem.constant dense<0.166666672> : tensor<f32>
  %half = tandem.constant dense<0.5> : tensor<f32>
  %lower = tandem.constant dense<0.0> : tensor<f32>
  %upper = tandem.constant dense<1.0> : tensor<f32>
  %n = tandem.constant dense<0.00390625> : tensor<f32>
  %t = tandem.constant dense<0.01953125> : tensor<f32>
  %o = tandem.constant dense<1.8e+01> : tensor<f32>
  %0 = tandem.cast %q : (tensor<4xui8>) -> tensor<4xf32>
  %1 = tandem.sub %0, %z : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %x = tandem.mul %1, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = tandem.mul %x, %sixth : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = tandem.add %2, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = tandem.clamp %3, %lower, %upper
      : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %5 = tandem.div %4, %n : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = tandem.round %5 : tensor<4xf32>
  %7 = tandem.cast %6 : (tensor<4xf32>) -> tensor<4xui8>
  %8 = tandem.cast %7 : (tensor<4xui8>) -> tensor<4xf32>
  %9 = tandem.mul %8, %n : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %10 = tandem.mul %x, %9 : tensor<4xf32>
  %11 = tandem.div %10, %t : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %12 = tandem.round %11 : tensor<4xf32>
  %13 = tandem.add %12, %o : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %14 = tandem.cast %13 : (tensor<4xf32>) -> tensor<4xui8>
  return %14 : tensor<4xui8>
}

// A byte of i8 is found by its bits. Byte 0x80 is -128, the 128th of the table.

// CHECK-LABEL: func.func @signed
// CHECK: tandem.constant dense<"0x00{{.*}}"> : tensor<256xi8>
// CHECK: %[[U:.*]] = tandem.bitcast %{{.*}} : (tensor<4xi8>) -> tensor<4xui8>
// CHECK: %[[I:.*]] = tandem.cast %[[U]] : (tensor<4xui8>) -> tensor<4xi32>
// CHECK: tandem.gather %{{.*}}, %[[I]] axis = 0
func.func @signed(%q: tensor<4xi8>) -> tensor<4xi8> {
  %s = tandem.constant dense<127.0> : tensor<f32>
  %0 = tandem.cast %q : (tensor<4xi8>) -> tensor<4xf32>
  %1 = tandem.tanh %0 : tensor<4xf32>
  %2 = tandem.mul %1, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = tandem.cast %2 : (tensor<4xf32>) -> tensor<4xi8>
  return %3 : tensor<4xi8>
}

// A result in the middle that something else reads has a table of its own.

// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: tandem.gather
// CHECK-NOT: tandem.tanh
func.func @two(%q: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  %0 = tandem.cast %q : (tensor<4xi8>) -> tensor<4xf32>
  %1 = tandem.tanh %0 : tensor<4xf32>
  %2 = tandem.cast %1 : (tensor<4xf32>) -> tensor<4xi8>
  %3 = tandem.cast %2 : (tensor<4xi8>) -> tensor<4xf32>
  %4 = tandem.exp %3 : tensor<4xf32>
  %5 = tandem.cast %4 : (tensor<4xf32>) -> tensor<4xi8>
  return %2, %5 : tensor<4xi8>, tensor<4xi8>
}

// These stay: arithmetic alone, a function of two tensors, one whose result is
// no byte, and one that depends on more constants than one number.

// CHECK-LABEL: func.func @others
// CHECK-NOT: tandem.gather
// CHECK: return
func.func @others(%q: tensor<4xi8>, %p: tensor<4xi8>)
    -> (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) {
  %v = tandem.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = tandem.cast %q : (tensor<4xi8>) -> tensor<4xf32>
  %1 = tandem.cast %p : (tensor<4xi8>) -> tensor<4xf32>
  %2 = tandem.relu %0 : tensor<4xf32>
  %3 = tandem.cast %2 : (tensor<4xf32>) -> tensor<4xi8>
  %4 = tandem.mul %0, %1 : tensor<4xf32>
  %5 = tandem.tanh %4 : tensor<4xf32>
  %6 = tandem.cast %5 : (tensor<4xf32>) -> tensor<4xi8>
  %7 = tandem.tanh %0 : tensor<4xf32>
  %8 = tandem.mul %7, %v : tensor<4xf32>
  %9 = tandem.cast %8 : (tensor<4xf32>) -> tensor<4xi8>
  return %3, %6, %7, %9 : tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>
}
