// A vector takes several rows when they are shorter than a register. The cases
// are broadcast operands, pads and concats inside and across rows, reversed and
// strided windows, reads of a table, and tails, on processors of all widths.

// DEFINE: %{run} = tandem-run %s --check --no-fallback
// RUN: %{run} --func=rows --threads=1 | FileCheck %s
// RUN: %{run} --func=rows --threads=3 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{run} --func=rows --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v2 %{run} --func=rows --threads=1 | FileCheck %s
// RUN: %{run} --func=parts --threads=1 | FileCheck %s
// RUN: %{run} --func=parts --threads=3 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{run} --func=parts --threads=2 | FileCheck %s
// RUN: %{run} --func=planes --threads=1 | FileCheck %s
// RUN: %{run} --func=planes --threads=3 | FileCheck %s
// RUN: %{run} --func=moved --threads=1 | FileCheck %s
// RUN: %{run} --func=moved --threads=3 | FileCheck %s
// RUN: %{run} --func=spread --threads=1 | FileCheck %s
// CHECK: compiled {{.*}}0: {{.*}} ok
// CHECK: compiled {{.*}}1: {{.*}} ok
// CHECK: compiled {{.*}}2: {{.*}} ok
// CHECK: compiled {{.*}}3: {{.*}} ok

func.func @rows(%a: tensor<10007x8xbf16>, %row: tensor<8xbf16>, %b: tensor<5003x3xf32>, %column: tensor<5003x1xf32>,
                %c: tensor<997x7xi8>, %d: tensor<3x2x5xf64>, %e: tensor<3x1x5xf64>)
    -> (tensor<10007x8xbf16>, tensor<5003x3xf32>, tensor<997x7xi1>, tensor<3x2x5xf64>) {
  %0 = tandem.mul %a, %row : (tensor<10007x8xbf16>, tensor<8xbf16>) -> tensor<10007x8xbf16>
  %1 = tandem.sub %b, %column : (tensor<5003x3xf32>, tensor<5003x1xf32>) -> tensor<5003x3xf32>
  %2 = tandem.tanh %1 : tensor<5003x3xf32>
  %first = tandem.slice %c starts = [0, 2] limits = [997, 3] strides = [1, 1] : (tensor<997x7xi8>) -> tensor<997x1xi8>
  %3 = tandem.compare %c, %first predicate = lt : (tensor<997x7xi8>, tensor<997x1xi8>) -> tensor<997x7xi1>
  %4 = tandem.add %d, %e : (tensor<3x2x5xf64>, tensor<3x1x5xf64>) -> tensor<3x2x5xf64>
  return %0, %2, %3, %4 : tensor<10007x8xbf16>, tensor<5003x3xf32>, tensor<997x7xi1>, tensor<3x2x5xf64>
}

func.func @parts(%a: tensor<3001x3xf32>, %b: tensor<3001x5xf32>, %c: tensor<41x3xf32>, %d: tensor<601x4xf16>, %at: tensor<5xi64>)
    -> (tensor<3001x8xf32>, tensor<3042x3xf32>, tensor<3006x6xf32>, tensor<601x5xf16>) {
  %0 = tandem.concat %a, %b axis = 1 : (tensor<3001x3xf32>, tensor<3001x5xf32>) -> tensor<3001x8xf32>
  %1 = tandem.concat %a, %c axis = 0 : (tensor<3001x3xf32>, tensor<41x3xf32>) -> tensor<3042x3xf32>
  %2 = tandem.pad %a low = [2, 1] high = [3, 2] interior = [0, 0] value = 0.5 : (tensor<3001x3xf32>) -> tensor<3006x6xf32>
  %3 = tandem.exp %2 : tensor<3006x6xf32>
  %4 = tandem.gather %d, %at axis = 1 : (tensor<601x4xf16>, tensor<5xi64>) -> tensor<601x5xf16>
  return %0, %1, %3, %4 : tensor<3001x8xf32>, tensor<3042x3xf32>, tensor<3006x6xf32>, tensor<601x5xf16>
}

func.func @planes(%a: tensor<33x17x3x5xf32>, %b: tensor<7x3xi32>, %c: tensor<19x9x1x7xbf16>, %d: tensor<19x1x6x7xbf16>)
    -> (tensor<33x18x4x5xf32>, tensor<7x21xi32>, tensor<19x9x6x7xbf16>, tensor<33x9x2x3xf32>) {
  %0 = tandem.pad %a low = [0, 0, 1, 0] high = [0, 1, 0, 0] interior = [0, 0, 0, 0] value = -1.0 : (tensor<33x17x3x5xf32>) -> tensor<33x18x4x5xf32>
  %1 = tandem.concat %b, %b, %b, %b, %b, %b, %b axis = 1 : (tensor<7x3xi32>, tensor<7x3xi32>, tensor<7x3xi32>, tensor<7x3xi32>, tensor<7x3xi32>, tensor<7x3xi32>, tensor<7x3xi32>) -> tensor<7x21xi32>
  %2 = tandem.max %c, %d : (tensor<19x9x1x7xbf16>, tensor<19x1x6x7xbf16>) -> tensor<19x9x6x7xbf16>
  %3 = tandem.slice %a starts = [0, 0, 0, 0] limits = [33, 17, 3, 5] strides = [1, 2, 2, 2] : (tensor<33x17x3x5xf32>) -> tensor<33x9x2x3xf32>
  return %0, %1, %2, %3 : tensor<33x18x4x5xf32>, tensor<7x21xi32>, tensor<19x9x6x7xbf16>, tensor<33x9x2x3xf32>
}

// Rows that are only moved, short and long ones, of halves and booleans, by
// index too.
func.func @moved(%a: tensor<9x2050xbf16>, %b: tensor<7x2050xbf16>, %at: tensor<5xi64>, %c: tensor<700x9xi8>, %d: tensor<300x9xi8>)
    -> (tensor<16x2050xbf16>, tensor<5x2050xbf16>, tensor<1000x9xi8>, tensor<18x2050xi1>) {
  %0 = tandem.concat %a, %b axis = 0 : (tensor<9x2050xbf16>, tensor<7x2050xbf16>) -> tensor<16x2050xbf16>
  %1 = tandem.gather %a, %at axis = 0 : (tensor<9x2050xbf16>, tensor<5xi64>) -> tensor<5x2050xbf16>
  %2 = tandem.concat %c, %d axis = 0 : (tensor<700x9xi8>, tensor<300x9xi8>) -> tensor<1000x9xi8>
  %zero = tandem.constant dense<0.0> : tensor<bf16>
  %is = tandem.compare %a, %zero predicate = lt : (tensor<9x2050xbf16>, tensor<bf16>) -> tensor<9x2050xi1>
  %3 = tandem.concat %is, %is axis = 0 : (tensor<9x2050xi1>, tensor<9x2050xi1>) -> tensor<18x2050xi1>
  return %0, %1, %2, %3 : tensor<16x2050xbf16>, tensor<5x2050xbf16>, tensor<1000x9xi8>, tensor<18x2050xi1>
}

// All lanes that read at all read one element, where which of them do is only
// known when the kernel runs.
func.func @spread(%a: tensor<3x32x6x1xf32>) -> (tensor<11x35x17x5xf32>, tensor<3x32x6x1xf32>, tensor<3x32x6x1xf32>, tensor<3x32x6x1xf32>) {
  %0 = tandem.pad %a low = [0, 2, 0, 2] high = [2, 1, 3, 0] interior = [0, 0, 0, 0] value = 0.0 : (tensor<3x32x6x1xf32>) -> tensor<5x35x9x3xf32>
  %1 = tandem.pad %0 low = [2, 0, 0, 0] high = [0, 0, 0, 0] interior = [1, 0, 1, 1] value = 0.0 : (tensor<5x35x9x3xf32>) -> tensor<11x35x17x5xf32>
  %2 = tandem.neg %a : tensor<3x32x6x1xf32>
  %3 = tandem.abs %a : tensor<3x32x6x1xf32>
  %4 = tandem.relu %a : tensor<3x32x6x1xf32>
  return %1, %2, %3, %4 : tensor<11x35x17x5xf32>, tensor<3x32x6x1xf32>, tensor<3x32x6x1xf32>, tensor<3x32x6x1xf32>
}
