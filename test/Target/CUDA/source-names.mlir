// An op keeps the name that the graph gives it, as far as C++ permits: a name
// must not be a keyword, a function that is called, a name that is already
// used, or a name that the printer uses itself.

// RUN: tandem-translate --tandem-to-cuda %s | FileCheck %s

// CHECK: const float attention_scores = {{.*}};
// CHECK: const float exp_1 = {{.*}};
// CHECK: const double exp_2 = {{.*}};
// CHECK: const float float_1 = {{.*}};
// CHECK: const float attention_scores_1 = {{.*}};
// CHECK: const float _v1 = {{.*}};
// CHECK: exp(
func.func @main(%x: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf64>) {
  %0 = tandem.mul %x, %x : tensor<7xf32> loc("attention/scores")
  %1 = tandem.add %0, %x : tensor<7xf32> loc("exp")
  %d = tandem.cast %1 : (tensor<7xf32>) -> tensor<7xf64> loc("exp")
  %e = tandem.exp %d : tensor<7xf64>
  %f = tandem.add %e, %d : tensor<7xf64>
  %2 = tandem.mul %1, %0 : tensor<7xf32> loc("float")
  %3 = tandem.sub %2, %1 : tensor<7xf32> loc("attention.scores")
  %4 = tandem.mul %2, %3 : tensor<7xf32> loc("v1")
  %5 = tandem.sub %3, %4 : tensor<7xf32>
  %6 = tandem.mul %4, %5 : tensor<7xf32>
  return %6, %f : tensor<7xf32>, tensor<7xf64>
}
