// RUN: tandem-opt %s --tandem-differentiate=wrt=0,1 --verify-diagnostics
// RUN: tandem-opt %s --tandem-differentiate=wrt=0,1 2>/dev/null | FileCheck %s

// CHECK: %[[ZEROS:.*]] = tandem.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK: return %{{.*}}, %{{.*}}, %[[ZEROS]]
// expected-warning @+2 {{the loss, result 0, does not depend on argument 1, whose gradient is zeros}}
// expected-note @+1 {{leave the argument out of 'wrt'}}
func.func @main(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<f32> {
  %0 = tandem.reduce %x kind = sum dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
