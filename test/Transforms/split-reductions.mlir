// RUN: tandem-opt %s --tandem-split-reductions | FileCheck %s
// RUN: tandem-opt %s --tandem-split-reductions=device-spec=generic:1 \
// RUN:   | FileCheck %s --check-prefix=ONE

// Two statistics of tall columns read the same view; the mean is divided once.

// CHECK-LABEL: func @columns
// CHECK-SAME: (%[[X:.*]]: tensor<64x32x32x256xf32>)
// CHECK: %[[S:.*]] = tandem.reshape %[[X]] shape = [256, 256, 256]
// CHECK: %[[P:.*]] = tandem.reduce %[[S]] kind = sum dims = [1]
// CHECK-SAME: -> tensor<256x256xf32>
// CHECK: %[[T:.*]] = tandem.reduce %[[P]] kind = sum dims = [0]
// CHECK: %[[N:.*]] = tandem.constant dense<6.553600e+04> : tensor<f32>
// CHECK: %[[MEAN:.*]] = tandem.div %[[T]], %[[N]]
// CHECK-NOT: tandem.reshape
// CHECK: %[[Q:.*]] = tandem.mul %[[S]], %[[S]]
// CHECK: tandem.reduce %[[Q]] kind = max dims = [1]
// CHECK-NOT: tensor<64x32x32x256xf32>
// CHECK: return %[[MEAN]]
func.func @columns(%x: tensor<64x32x32x256xf32>)
    -> (tensor<256xf32>, tensor<256xf32>) {
  %mean = tandem.reduce %x kind = mean dims = [0, 1, 2]
      : (tensor<64x32x32x256xf32>) -> tensor<256xf32>
  %0 = tandem.mul %x, %x : tensor<64x32x32x256xf32>
  %1 = tandem.reduce %0 kind = max dims = [0, 1, 2]
      : (tensor<64x32x32x256xf32>) -> tensor<256xf32>
  return %mean, %1 : tensor<256xf32>, tensor<256xf32>
}

// Few long rows: what is broadcast to them is so to their parts. Partial sums
// are not rounded to half precision.

// A core alone gains nothing by parts of rows, only by those of columns.

// ONE-LABEL: func @columns
// ONE: tandem.reshape
// ONE-LABEL: func @rows
// ONE-NOT: tandem.reshape
// ONE: return

// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<3x1048576xbf16>, %[[M:.*]]: tensor<3x1xbf16>)
// CHECK-DAG: %[[XS:.*]] = tandem.reshape %[[X]] shape = [3, [[P:[0-9]+]], [[N:[0-9]+]]]
// CHECK-DAG: %[[MS:.*]] = tandem.reshape %[[M]] shape = [3, 1, 1]
// CHECK: %[[D:.*]] = tandem.sub %[[XS]], %[[MS]]
// CHECK: %[[W:.*]] = tandem.cast %[[D]]
// CHECK: tandem.reduce %[[W]] kind = sum dims = [2]
// CHECK-SAME: -> tensor<3x[[P]]xf32>
// CHECK: tandem.reduce {{.*}} dims = [1]
// CHECK: tandem.cast
// CHECK: tandem.reshape {{.*}} shape = [3, 1]
func.func @rows(%x: tensor<3x1048576xbf16>, %m: tensor<3x1xbf16>)
    -> tensor<3x1xbf16> {
  %0 = tandem.sub %x, %m
      : (tensor<3x1048576xbf16>, tensor<3x1xbf16>) -> tensor<3x1048576xbf16>
  %1 = tandem.reduce %0 kind = sum dims = [1] keep_dims
      : (tensor<3x1048576xbf16>) -> tensor<3x1xbf16>
  return %1 : tensor<3x1xbf16>
}

// What others need and is made of two large values is read again.

// CHECK-LABEL: func @shared
// CHECK: %[[S:.*]] = tandem.add
// CHECK: tandem.reshape %[[S]]
func.func @shared(%x: tensor<1048576xf32>, %y: tensor<1048576xf32>)
    -> (tensor<f32>, tensor<1048576xf32>) {
  %0 = tandem.add %x, %y : tensor<1048576xf32>
  %1 = tandem.reduce %0 kind = sum dims = [0]
      : (tensor<1048576xf32>) -> tensor<f32>
  return %1, %0 : tensor<f32>, tensor<1048576xf32>
}

// Whole stay: many rows; as many as cores; small ones; a prime; dims that are
// apart; argmax.

// CHECK-LABEL: func @whole
// CHECK-NOT: tandem.reshape
// CHECK: return
func.func @whole(%a: tensor<4096x4096xf32>, %b: tensor<64xf32>,
                 %c: tensor<1000003xf32>, %d: tensor<1024x8x1024xf32>,
                 %e: tensor<2x1048576xf32>)
    -> (tensor<4096xf32>, tensor<f32>, tensor<f32>, tensor<8xf32>,
        tensor<i64>, tensor<2xf32>) {
  %0 = tandem.reduce %a kind = sum dims = [1]
      : (tensor<4096x4096xf32>) -> tensor<4096xf32>
  %1 = tandem.reduce %b kind = sum dims = [0] : (tensor<64xf32>) -> tensor<f32>
  %2 = tandem.reduce %c kind = sum dims = [0]
      : (tensor<1000003xf32>) -> tensor<f32>
  %3 = tandem.reduce %d kind = sum dims = [0, 2]
      : (tensor<1024x8x1024xf32>) -> tensor<8xf32>
  %4 = tandem.reduce %c kind = argmax dims = [0]
      : (tensor<1000003xf32>) -> tensor<i64>
  %5 = tandem.reduce %e kind = sum dims = [1]
      : (tensor<2x1048576xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4, %5
      : tensor<4096xf32>, tensor<f32>, tensor<f32>, tensor<8xf32>, tensor<i64>,
        tensor<2xf32>
}
