// RUN: tandem-opt %s --tandem-drop-stop-gradients | FileCheck %s
// RUN: tandem-opt %s --tandem-simplify --canonicalize --cse | FileCheck %s --check-prefix=KEPT
// RUN: tandem-opt %s --tandem-differentiate=seed --tandem-simplify | FileCheck %s --check-prefix=ONCE

// The gradient of x * stop_gradient(x) is g * stop_gradient(x).

// CHECK-LABEL: func @main
// CHECK-NEXT: tandem.mul %[[X:.*]], %[[X]]
// KEPT: tandem.stop_gradient
// ONCE-LABEL: func @main(
// ONCE-SAME: %[[X:[a-z0-9]+]]: tensor<3xf32>, %[[G:[a-z0-9]+]]: tensor<3xf32>
// ONCE: %[[S:.*]] = tandem.stop_gradient %[[X]]
// ONCE: %[[Y:.*]] = tandem.mul %[[X]], %[[S]]
// ONCE: %[[D:.*]] = tandem.mul
// ONCE: return %[[Y]], %[[D]]
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tandem.stop_gradient %x : tensor<3xf32>
  %1 = tandem.mul %x, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
