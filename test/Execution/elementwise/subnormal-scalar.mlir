// A subnormal scalar of bf16 that is broadcast is preserved, in whole vectors
// and in remaining lanes. If LLVM 22 widened the scalar, it would round it
// again by an instruction that flushes it.

// RUN: tandem-run %s --check '--arg=random:40' '--arg=[7.35e-40]' | FileCheck %s

func.func @main(%x: tensor<40xbf16>, %scalar: tensor<bf16>) -> (tensor<40xbf16>, tensor<bf16>) {
  %0 = tandem.abs %x : tensor<40xbf16>
  %1 = tandem.min %0, %scalar : (tensor<40xbf16>, tensor<bf16>) -> tensor<40xbf16>
  %2 = tandem.reduce %1 kind = max dims = [0] : (tensor<40xbf16>) -> tensor<bf16>
  return %1, %2 : tensor<40xbf16>, tensor<bf16>
}

// CHECK: compiled {{.*}} ok
// CHECK: compiled {{.*}} ok
