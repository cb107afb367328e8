// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-contract-integers))' | FileCheck %s

// Scales of all channels become one factor; a zero point of the data pads it,
// and is multiplied by the sums of the weights.

// CHECK-LABEL: func.func @conv
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x9x9xui8>, %[[W:.*]]: tensor<8x4x3x3xi8>, %[[SX:.*]]: tensor<f32>, %[[SW:.*]]: tensor<8x1x1x1xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK: %[[P:.*]] = tandem.pad %[[X]] low = [0, 0, 1, 1] high = [0, 0, 1, 1] {{.*}} value = 7.000000e+00 : (tensor<1x4x9x9xui8>) -> tensor<1x4x11x11xui8>
// CHECK: %[[C:.*]] = tandem.conv %[[P]], %[[W]] {{.*}} : (tensor<1x4x11x11xui8>, tensor<8x4x3x3xi8>) -> tensor<1x8x9x9xi32>
// CHECK: %[[W32:.*]] = tandem.cast %[[W]]
// CHECK: %[[SUMS:.*]] = tandem.reduce %[[W32]] kind = sum dims = [1, 2, 3] : (tensor<8x4x3x3xi32>) -> tensor<8xi32>
// CHECK: tandem.reshape %[[SUMS]] {{.*}} -> tensor<1x8x1x1xi32>
// CHECK: tandem.mul {{.*}} -> tensor<1x8x1x1xi32>
// CHECK: %[[D:.*]] = tandem.sub %[[C]]
// CHECK: %[[R:.*]] = tandem.cast %[[D]] : (tensor<1x8x9x9xi32>) -> tensor<1x8x9x9xf32>
// CHECK: %[[SO:.*]] = tandem.reshape %[[SW]] {{.*}} -> tensor<1x8x1x1xf32>
// CHECK: %[[S:.*]] = tandem.mul %[[SX]], %[[SO]]
// CHECK: %[[M:.*]] = tandem.mul %[[R]], %[[S]]
// CHECK: %[[BO:.*]] = tandem.reshape %[[B]]
// CHECK: %[[Y:.*]] = tandem.add %[[M]], %[[BO]]
// CHECK: return %[[Y]]
func.func @conv(%x: tensor<1x4x9x9xui8>, %w: tensor<8x4x3x3xi8>, %sx: tensor<f32>,
                %sw: tensor<8x1x1x1xf32>, %b: tensor<8xf32>) -> tensor<1x8x9x9xf32> {
  %z = tandem.constant dense<7> : tensor<ui8>
  %0 = tandem.cast %x : (tensor<1x4x9x9xui8>) -> tensor<1x4x9x9xf32>
  %1 = tandem.cast %z : (tensor<ui8>) -> tensor<f32>
  %2 = tandem.sub %0, %1 : (tensor<1x4x9x9xf32>, tensor<f32>) -> tensor<1x4x9x9xf32>
  %3 = tandem.mul %2, %sx : (tensor<1x4x9x9xf32>, tensor<f32>) -> tensor<1x4x9x9xf32>
  %4 = tandem.cast %w : (tensor<8x4x3x3xi8>) -> tensor<8x4x3x3xf32>
  %5 = tandem.mul %4, %sw : (tensor<8x4x3x3xf32>, tensor<8x1x1x1xf32>) -> tensor<8x4x3x3xf32>
  %6 = tandem.conv %3, %5, %b layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>) -> tensor<1x8x9x9xf32>
  return %6 : tensor<1x8x9x9xf32>
}

// -----

// A zero point of 0 needs no term, and padding with zeros stays. Zero points
// that are all 128 make weights of ui8 ones of i8.

// CHECK-LABEL: func.func @zeros
// CHECK-SAME: (%[[X:.*]]: tensor<1x9x4xui8>, %[[W:.*]]: tensor<3x4x8xui8>
// CHECK: %[[XOR:.*]] = tandem.bitwise_xor %[[W]]
// CHECK: %[[I8:.*]] = tandem.bitcast %[[XOR]] : (tensor<3x4x8xui8>) -> tensor<3x4x8xi8>
// CHECK: %[[C:.*]] = tandem.conv %[[X]], %[[I8]] {{.*}} pad_low = [1] pad_high = [1] : (tensor<1x9x4xui8>, tensor<3x4x8xi8>) -> tensor<1x9x8xi32>
// CHECK-NOT: tandem.sub
// CHECK: return
func.func @zeros(%x: tensor<1x9x4xui8>, %w: tensor<3x4x8xui8>, %sx: tensor<f32>,
                 %sw: tensor<f32>) -> tensor<1x9x8xf32> {
  %zx = tandem.constant dense<0.0> : tensor<f32>
  %zw = tandem.constant dense<128> : tensor<8xui8>
  %0 = tandem.cast %x : (tensor<1x9x4xui8>) -> tensor<1x9x4xf32>
  %1 = tandem.sub %0, %zx : (tensor<1x9x4xf32>, tensor<f32>) -> tensor<1x9x4xf32>
  %2 = tandem.mul %1, %sx : (tensor<1x9x4xf32>, tensor<f32>) -> tensor<1x9x4xf32>
  %3 = tandem.cast %w : (tensor<3x4x8xui8>) -> tensor<3x4x8xf32>
  %4 = tandem.cast %zw : (tensor<8xui8>) -> tensor<8xf32>
  %5 = tandem.sub %3, %4 : (tensor<3x4x8xf32>, tensor<8xf32>) -> tensor<3x4x8xf32>
  %6 = tandem.mul %5, %sw : (tensor<3x4x8xf32>, tensor<f32>) -> tensor<3x4x8xf32>
  %7 = tandem.conv %2, %6 layout = <input = "NWC", kernel = "WIO", output = "NWC">
      pad_low = [1] pad_high = [1]
      : (tensor<1x9x4xf32>, tensor<3x4x8xf32>) -> tensor<1x9x8xf32>
  return %7 : tensor<1x9x8xf32>
}

// -----

// Zero points of both operands, without scales: sums of i32 as they are. The
// zero point of the data is not known.

// CHECK-LABEL: func.func @both
// CHECK-SAME: (%[[X:.*]]: tensor<?x6xui8>, %[[W:.*]]: tensor<6x5xi8>, %[[ZX:.*]]: tensor<ui8>, %[[ZW:.*]]: tensor<5xi8>)
// CHECK: %[[C:.*]] = tandem.matmul %[[X]], %[[W]] widen : (tensor<?x6xui8>, tensor<6x5xi8>) -> tensor<?x5xi32>
// CHECK: tandem.reduce {{.*}} kind = sum dims = [0] : (tensor<6x5xi32>) -> tensor<5xi32>
// CHECK: tandem.sub %[[C]]
// CHECK: tandem.reduce {{.*}} kind = sum dims = [1] keep_dims : (tensor<?x6xi32>) -> tensor<?x1xi32>
// CHECK: %[[SIX:.*]] = tandem.constant dense<6> : tensor<i32>
// CHECK: tandem.mul {{.*}}, %[[SIX]]
// CHECK: %[[Y:.*]] = tandem.sub {{.*}} : tensor<?x5xi32>
// CHECK: return %[[Y]] : tensor<?x5xi32>
func.func @both(%x: tensor<?x6xui8>, %w: tensor<6x5xi8>, %zx: tensor<ui8>, %zw: tensor<5xi8>)
    -> tensor<?x5xi32> {
  %0 = tandem.cast %x : (tensor<?x6xui8>) -> tensor<?x6xi32>
  %1 = tandem.cast %zx : (tensor<ui8>) -> tensor<i32>
  %2 = tandem.sub %0, %1 : (tensor<?x6xi32>, tensor<i32>) -> tensor<?x6xi32>
  %3 = tandem.cast %w : (tensor<6x5xi8>) -> tensor<6x5xi32>
  %4 = tandem.cast %zw : (tensor<5xi8>) -> tensor<5xi32>
  %5 = tandem.sub %3, %4 : (tensor<6x5xi32>, tensor<5xi32>) -> tensor<6x5xi32>
  %6 = tandem.matmul %2, %5 : (tensor<?x6xi32>, tensor<6x5xi32>) -> tensor<?x5xi32>
  return %6 : tensor<?x5xi32>
}

// -----

// Float data, scales of rows of the weights, and sums that may be too large
// stay as they are.

// CHECK-LABEL: func.func @others
// CHECK-NOT: widen
// CHECK-COUNT-3: tandem.matmul
// CHECK-NOT: widen
func.func @others(%f: tensor<4x6xf32>, %x: tensor<4x6xui8>, %w: tensor<6x5xi8>,
                  %rows: tensor<6x1xf32>, %y: tensor<4x40000xui8>, %v: tensor<40000x5xi8>)
    -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xi32>) {
  %s = tandem.constant dense<0.5> : tensor<f32>
  %0 = tandem.cast %w : (tensor<6x5xi8>) -> tensor<6x5xf32>
  %1 = tandem.mul %0, %s : (tensor<6x5xf32>, tensor<f32>) -> tensor<6x5xf32>
  %2 = tandem.matmul %f, %1 : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  %3 = tandem.cast %x : (tensor<4x6xui8>) -> tensor<4x6xf32>
  %4 = tandem.mul %3, %s : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  %5 = tandem.mul %0, %rows : (tensor<6x5xf32>, tensor<6x1xf32>) -> tensor<6x5xf32>
  %6 = tandem.matmul %4, %5 : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  %7 = tandem.cast %y : (tensor<4x40000xui8>) -> tensor<4x40000xi32>
  %8 = tandem.cast %v : (tensor<40000x5xi8>) -> tensor<40000x5xi32>
  %9 = tandem.matmul %7, %8 : (tensor<4x40000xi32>, tensor<40000x5xi32>) -> tensor<4x5xi32>
  return %2, %6, %9 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xi32>
}

// A mean of quantized numbers, as pooling has it: the sum of integers is exact.
// 3 / 8 is the factor.

// CHECK-LABEL: func.func @mean
// CHECK: %[[Q:.*]] = tandem.cast %arg0 : (tensor<3x2x4xui8>) -> tensor<3x2x4xi32>
// CHECK: %[[S:.*]] = tandem.reduce %[[Q]] kind = sum dims = [1, 2]
// CHECK: %[[Z:.*]] = tandem.constant dense<56> : tensor<i32>
// CHECK: %[[C:.*]] = tandem.sub %[[S]], %[[Z]]
// CHECK: %[[T:.*]] = tandem.cast %[[C]] : (tensor<3xi32>) -> tensor<3xf32>
// CHECK: %[[F:.*]] = tandem.constant dense<3.750000e-01> : tensor<f32>
// CHECK: %[[R:.*]] = tandem.mul %[[T]], %[[F]]
// CHECK: return %[[R]]
func.func @mean(%x: tensor<3x2x4xui8>) -> tensor<3xf32> {
  %z = tandem.constant dense<7.0> : tensor<f32>
  %s = tandem.constant dense<3.0> : tensor<f32>
  %0 = tandem.cast %x : (tensor<3x2x4xui8>) -> tensor<3x2x4xf32>
  %1 = tandem.sub %0, %z : (tensor<3x2x4xf32>, tensor<f32>) -> tensor<3x2x4xf32>
  %2 = tandem.mul %1, %s : (tensor<3x2x4xf32>, tensor<f32>) -> tensor<3x2x4xf32>
  %3 = tandem.reduce %2 kind = mean dims = [1, 2] : (tensor<3x2x4xf32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}

// If there are several zero points, they are subtracted before the sum, in f32.

// CHECK-LABEL: func.func @mean_of_channels
// CHECK: %[[C:.*]] = tandem.sub
// CHECK: tandem.reduce %[[C]] kind = sum dims = [0]
func.func @mean_of_channels(%x: tensor<4x2xui8>) -> tensor<2xf32> {
  %z = tandem.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %s = tandem.constant dense<3.0> : tensor<f32>
  %0 = tandem.cast %x : (tensor<4x2xui8>) -> tensor<4x2xf32>
  %1 = tandem.sub %0, %z : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = tandem.mul %1, %s : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %3 = tandem.reduce %2 kind = mean dims = [0] : (tensor<4x2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// Not of a scale for each channel, of other kinds, of a number of elements that
// is not known, and of more than 65,793.

// CHECK-LABEL: func.func @other_reductions
// CHECK: kind = mean
// CHECK: kind = max
// CHECK: kind = mean
// CHECK: kind = mean
func.func @other_reductions(%x: tensor<3x8xui8>, %s: tensor<8xf32>, %y: tensor<?x8xui8>, %z: tensor<65794xui8>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<8xf32>, tensor<f32>) {
  %t = tandem.constant dense<3.0> : tensor<f32>
  %0 = tandem.cast %x : (tensor<3x8xui8>) -> tensor<3x8xf32>
  %1 = tandem.mul %0, %s : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  %2 = tandem.reduce %1 kind = mean dims = [1] : (tensor<3x8xf32>) -> tensor<3xf32>
  %3 = tandem.mul %0, %t : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
  %4 = tandem.reduce %3 kind = max dims = [1] : (tensor<3x8xf32>) -> tensor<3xf32>
  %5 = tandem.cast %y : (tensor<?x8xui8>) -> tensor<?x8xf32>
  %6 = tandem.mul %5, %t : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %7 = tandem.reduce %6 kind = mean dims = [0] : (tensor<?x8xf32>) -> tensor<8xf32>
  %8 = tandem.cast %z : (tensor<65794xui8>) -> tensor<65794xf32>
  %9 = tandem.mul %8, %t : (tensor<65794xf32>, tensor<f32>) -> tensor<65794xf32>
  %10 = tandem.reduce %9 kind = mean dims = [0] : (tensor<65794xf32>) -> tensor<f32>
  return %2, %4, %7, %10 : tensor<3xf32>, tensor<3xf32>, tensor<8xf32>, tensor<f32>
}
