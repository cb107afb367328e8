// A product may be rounded, or overflow, before it is added to, or not (add S1,
// sub S1): the tiers differ then, and agree within what that allows.

// DEFINE: %{run} = tandem-run %s --print '--arg=[2e38,2e38,3,1.0000001]' '--arg=[2,2,5,1.0000001]' '--arg=[-3e38,3e38,7,-1.0000002]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines
// RUN: %{run} --check | FileCheck %s --check-prefix=AGREE

// CHECK: output 0: tensor<4xf32>
// CHECK-NEXT: [{{inf|1e\+38|1.00000003e\+38|9.99999[0-9]*e\+37}}, inf, 22, {{0|1.42[0-9]*e-14}}]
// CHECK-NEXT: output 1: tensor<4xf32>
// CHECK-NEXT: [inf, {{inf|1e\+38|1.00000003e\+38|9.99999[0-9]*e\+37}}, 8, 2.0000{{.*}}]
// AGREE: eager 0: {{.*}} ok
// AGREE: eager 1: {{.*}} ok
// AGREE: compiled 0: {{.*}} ok
// AGREE: compiled 1: {{.*}} ok
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %product = tandem.mul %a, %b : tensor<4xf32>
  %sum = tandem.add %product, %c : tensor<4xf32>
  %difference = tandem.sub %product, %c : tensor<4xf32>
  return %sum, %difference : tensor<4xf32>, tensor<4xf32>
}
