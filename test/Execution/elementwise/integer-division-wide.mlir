// Vectors of 64-bit integers are divided as f64, and the quotients corrected. The
// cases are quotients that f64 cannot represent, remainders of the divisor minus
// one, and the limits of the range.

// RUN: tandem-run %s --check --no-fallback | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 tandem-run %s --check --no-fallback \
// RUN:   | FileCheck %s
// CHECK-COUNT-6: ok

func.func @main(%random: tensor<200xi64>, %small: tensor<200xi64>)
    -> (tensor<14x14xi64>, tensor<200xi64>, tensor<14x200xi64>) {
  %edges = tandem.constant dense<[
      1, -1, 2, -3, 7, 3037000499, -3037000500, 4503599627370497,
      9007199254740991, -4611686018427387904, 9223372036854775807,
      9223372036854775806, -9223372036854775808, -9223372036854775807]>
      : tensor<14xi64>
  %column = tandem.reshape %edges shape = [14, 1]
      : (tensor<14xi64>) -> tensor<14x1xi64>
  %0 = tandem.div %column, %edges
      : (tensor<14x1xi64>, tensor<14xi64>) -> tensor<14x14xi64>

  // Products of many bits, and what is just below and above a multiple.
  %one = tandem.constant dense<1> : tensor<i64>
  %large = tandem.constant dense<1311768467294899695> : tensor<i64>
  %1 = tandem.mul %random, %large
      : (tensor<200xi64>, tensor<i64>) -> tensor<200xi64>
  %2 = tandem.add %small, %one
      : (tensor<200xi64>, tensor<i64>) -> tensor<200xi64>
  %3 = tandem.div %1, %2 : tensor<200xi64>
  %4 = tandem.sub %1, %2 : tensor<200xi64>
  %5 = tandem.div %column, %4
      : (tensor<14x1xi64>, tensor<200xi64>) -> tensor<14x200xi64>
  return %0, %3, %5
      : tensor<14x14xi64>, tensor<200xi64>, tensor<14x200xi64>
}
