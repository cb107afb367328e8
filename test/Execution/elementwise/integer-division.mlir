// Quotients are truncated, also at the ends of the range of each type.
// Quotients by 0 are -1, and the one quotient that overflows wraps around.
// Vectors of up to 32 bits are divided as floats.

// DEFINE: %{run} = tandem-run %s --check --no-fallback \
// DEFINE:   '--arg=[2147483647,-2147483648,2147483646,-2147483647,2147483647,-2147483648,7,-7,7,-7,0,5,-2147483648,1000000007,99,-1,2147483647,1]' \
// DEFINE:   '--arg=[2,3,2147483647,-2147483648,-1,-1,2,2,-2,-2,0,0,0,31623,100,2147483647,2147483646,-2147483648]' \
// DEFINE:   '--arg=[32767,-32768,-7,7,127,-128,100,99]' '--arg=[-128,-1,2,0,3,127,-100,100]'
// RUN: %{run} | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{run} | FileCheck %s
// CHECK: eager {{.*}}0: {{.*}} ok
// CHECK: eager {{.*}}1: {{.*}} ok
// CHECK: eager {{.*}}2: {{.*}} ok
// CHECK: compiled {{.*}}0: {{.*}} ok
// CHECK: compiled {{.*}}1: {{.*}} ok
// CHECK: compiled {{.*}}2: {{.*}} ok

func.func @main(%a: tensor<18xi32>, %b: tensor<18xi32>, %c: tensor<8xi32>, %d: tensor<8xi8>)
    -> (tensor<18xi32>, tensor<18xi64>, tensor<8x8xi8>) {
  %0 = tandem.div %a, %b : tensor<18xi32>
  %la = tandem.cast %a : (tensor<18xi32>) -> tensor<18xi64>
  %lb = tandem.cast %b : (tensor<18xi32>) -> tensor<18xi64>
  %1 = tandem.div %la, %lb : tensor<18xi64>
  %bytes = tandem.cast %c : (tensor<8xi32>) -> tensor<8xi8>
  %column = tandem.reshape %bytes shape = [8, 1] : (tensor<8xi8>) -> tensor<8x1xi8>
  %2 = tandem.div %column, %d : (tensor<8x1xi8>, tensor<8xi8>) -> tensor<8x8xi8>
  return %0, %1, %2 : tensor<18xi32>, tensor<18xi64>, tensor<8x8xi8>
}
