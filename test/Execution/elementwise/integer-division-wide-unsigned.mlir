// The cases of integer-division-wide.mlir with unsigned integers, whose quotients
// are corrected in one direction only.

// RUN: tandem-run %s --check --no-fallback | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 tandem-run %s --check --no-fallback \
// RUN:   | FileCheck %s
// CHECK-COUNT-6: ok

func.func @main(%random: tensor<200xui64>, %small: tensor<200xui64>)
    -> (tensor<14x14xui64>, tensor<200xui64>, tensor<14x200xui64>) {
  %edges = tandem.constant dense<[
      1, 2, 3, 7, 3037000499, 4294967296, 4503599627370497, 9007199254740991,
      9007199254740993, 9223372036854775807, 9223372036854775808,
      9223372036854775809, 18446744073709551614, 18446744073709551615]>
      : tensor<14xui64>
  %column = tandem.reshape %edges shape = [14, 1]
      : (tensor<14xui64>) -> tensor<14x1xui64>
  %0 = tandem.div %column, %edges
      : (tensor<14x1xui64>, tensor<14xui64>) -> tensor<14x14xui64>

  // Products of many bits, and what is just below and above a multiple.
  %one = tandem.constant dense<1> : tensor<ui64>
  %large = tandem.constant dense<1311768467294899695> : tensor<ui64>
  %1 = tandem.mul %random, %large
      : (tensor<200xui64>, tensor<ui64>) -> tensor<200xui64>
  %2 = tandem.add %small, %one
      : (tensor<200xui64>, tensor<ui64>) -> tensor<200xui64>
  %3 = tandem.div %1, %2 : tensor<200xui64>
  %4 = tandem.sub %1, %2 : tensor<200xui64>
  %5 = tandem.div %column, %4
      : (tensor<14x1xui64>, tensor<200xui64>) -> tensor<14x200xui64>
  return %0, %3, %5
      : tensor<14x14xui64>, tensor<200xui64>, tensor<14x200xui64>
}
