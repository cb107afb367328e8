// With phases-apart, no kernel has ops of several phases of a training step.
// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse))' | FileCheck %s --check-prefix=TOGETHER
// RUN: tandem-opt %s --split-input-file --mlir-print-debuginfo --mlir-print-local-scope --pass-pipeline='builtin.module(func.func(tandem-fuse{phases-apart=1}))' | FileCheck %s
// RUN: tandem-opt %s --split-input-file --until=fuse --phases-apart | FileCheck %s --check-prefix=UNTIL

#forward = loc("layer")
#backward = loc(fused<"backward">["layer"])
#update = loc("optimizer (update)")

// TOGETHER-LABEL: func.func @main
// TOGETHER-COUNT-1: tandem.fusion
// TOGETHER-NOT: tandem.fusion

// CHECK-LABEL: func.func @main
// CHECK: tandem.fusion loop
// CHECK-NEXT: tandem.exp {{.*}} loc("layer")
// CHECK-NEXT: tandem.neg {{.*}} loc("layer")
// CHECK-NEXT: tandem.yield
// CHECK: tandem.fusion loop
// CHECK-NEXT: tandem.mul {{.*}} loc(fused<"backward">["layer"])
// CHECK-NEXT: tandem.abs {{.*}} loc(fused<"backward">["layer"])
// CHECK-NEXT: tandem.yield
// CHECK: tandem.fusion loop
// CHECK-NEXT: tandem.sub {{.*}} loc("optimizer (update)")
// CHECK-NEXT: tandem.yield
// CHECK-NOT: tandem.fusion

// UNTIL-COUNT-3: tandem.fusion
// UNTIL-NOT: tandem.fusion
func.func @main(%x: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tandem.exp %x : tensor<64xf32> loc(#forward)
  %1 = tandem.neg %0 : tensor<64xf32> loc(#forward)
  %2 = tandem.mul %1, %x : tensor<64xf32> loc(#backward)
  %3 = tandem.abs %2 : tensor<64xf32> loc(#backward)
  %4 = tandem.sub %w, %3 : tensor<64xf32> loc(#update)
  return %4 : tensor<64xf32>
}
