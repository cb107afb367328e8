// Rows of a power of two of elements are reduced, in every type, and pairs and
// quadruples moved, on processors of all widths; with remainders.

// DEFINE: %{run} = tandem-run %s --check --no-fallback
// RUN: %{run} --func=rows --threads=1 | FileCheck %s
// RUN: %{run} --func=rows --threads=3 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{run} --func=rows --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v2 %{run} --func=rows --threads=1 | FileCheck %s
// RUN: %{run} --func=runs --threads=1 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{run} --func=runs --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v2 %{run} --func=runs --threads=1 | FileCheck %s
// CHECK: compiled {{.*}}0: {{.*}} ok
// CHECK: compiled {{.*}}1: {{.*}} ok
// CHECK: compiled {{.*}}2: {{.*}} ok
// CHECK: compiled {{.*}}3: {{.*}} ok

func.func @rows(%a: tensor<1003x8xf64>, %b: tensor<1003x4xbf16>, %c: tensor<1003x2xi8>, %d: tensor<31x35x8xf32>)
    -> (tensor<1003xf64>, tensor<1003xbf16>, tensor<1003xi8>, tensor<31x35xf32>) {
  %0 = tandem.reduce %a kind = max dims = [1] : (tensor<1003x8xf64>) -> tensor<1003xf64>
  %1 = tandem.reduce %b kind = sum dims = [1] : (tensor<1003x4xbf16>) -> tensor<1003xbf16>
  %2 = tandem.reduce %c kind = min dims = [1] : (tensor<1003x2xi8>) -> tensor<1003xi8>
  %3 = tandem.reduce %d kind = sum dims = [2] : (tensor<31x35x8xf32>) -> tensor<31x35xf32>
  return %0, %1, %2, %3 : tensor<1003xf64>, tensor<1003xbf16>, tensor<1003xi8>, tensor<31x35xf32>
}

func.func @runs(%a: tensor<67x94x2xbf16>, %b: tensor<67x41x4xi8>, %c: tensor<67x41x2xf32>, %d: tensor<5x64x256xf16>)
    -> (tensor<94x67x2xbf16>, tensor<41x67x4xi8>, tensor<41x67x2xf32>, tensor<5x64x64x4xf16>) {
  %0 = tandem.transpose %a permutation = [1, 0, 2] : (tensor<67x94x2xbf16>) -> tensor<94x67x2xbf16>
  %1 = tandem.transpose %b permutation = [1, 0, 2] : (tensor<67x41x4xi8>) -> tensor<41x67x4xi8>
  %2 = tandem.transpose %c permutation = [1, 0, 2] : (tensor<67x41x2xf32>) -> tensor<41x67x2xf32>
  %e = tandem.reshape %d shape = [5, 64, 64, 4] : (tensor<5x64x256xf16>) -> tensor<5x64x64x4xf16>
  %3 = tandem.transpose %e permutation = [0, 2, 1, 3] : (tensor<5x64x64x4xf16>) -> tensor<5x64x64x4xf16>
  return %0, %1, %2, %3 : tensor<94x67x2xbf16>, tensor<41x67x4xi8>, tensor<41x67x2xf32>, tensor<5x64x64x4xf16>
}
