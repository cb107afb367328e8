//===- FunctionCoefficients.h - Polynomials of functions --------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coefficients of minimax polynomials, fitted by Lawson's algorithm. Each array
// starts with the coefficient of the highest power. Eager and compiled code use
// the same coefficients. With the polynomials P, Q, R and W:
//
//   exp(r) = 1 + r + r^2 P(r)                     for |r| <= log(2) / 2,
//   erf(x) = x + x Q(x^2)                         for |x| <= kErfSmall,
//   erf(x) = sign(x) (1 - exp(|x| R(|x|) - |x|))  for larger |x| <= kErfMost,
//   erfc(x) = exp(x W(x) - x)                     for 0 <= x <= kErfMost,
//
// kExpTail holds the coefficients of P, kErfTail those of Q, kErfcExponent
// those of R, and kErfcWholeExponent those of W. The fit of W minimizes the
// error divided by 2 - erfc(x). For x > kErfMost, erf(x) rounds to 1.
//
// erfinv(x) is x times a polynomial of w = -log((1 - x) (1 + x)), or of sqrt(w)
// for large w (M. Giles, Approximating the erfinv function, GPU Computing Gems,
// Jade edition, 2011). utils/fit-erfinv.py computes the coefficients:
//
//   erfinv(x) / x = S(w - 2.5)         for w < kSmall,
//   erfinv(x) / x = L(sqrt(w) - 3)     for larger w, in f64 up to kLarge,
//   erfinv(x) / x = M(sqrt(w) - 5)     for larger w in f64.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_FUNCTIONCOEFFICIENTS_H
#define TANDEM_SUPPORT_FUNCTIONCOEFFICIENTS_H

namespace tandem {

inline constexpr double kExpTail[] = {
    1.381432050778867e-3, 8.368851070799413e-3, 4.1668401085020665e-2,
    1.6666519524044832e-1, 4.999999337308007e-1};
inline constexpr float kErfSmall = 0.92f, kErfMost = 4.0f;
inline constexpr double kErfTail[] = {
    -5.999406415527346e-4, 4.994830416264444e-3,   -2.6767719979165612e-2,
    1.1281845952150138e-1, -3.7612496460005523e-1, 1.283791499618962e-1};
inline constexpr double kErfcExponent[] = {
    2.1398495612941286e-4,  -3.2149556378301206e-3, 2.288996422283513e-2,
    -1.0526184300129927e-1, -6.357183154693302e-1,  -1.2851436087055018e-1};
inline constexpr double kErfcWholeExponent[] = {
    -3.33995162654279e-5,  3.2452986332280815e-4, -1.081900074442246e-3,
    -4.589590132343187e-4, 1.951894196730076e-2,  -1.028917763161051e-1,
    -6.366031371039422e-1, -1.283799138204821e-1};

/// The numbers w that separate the polynomials S, L and M, and the centers of
/// these polynomials.
struct ErfinvPolynomial {
  static constexpr double kSmall = 5, kLarge = 16;
  static constexpr double kSmallCenter = 2.5, kLargeCenter = 3,
                          kLargestCenter = 5;
};
inline constexpr double kErfinvSmallF32[] = {
    4.671932509038665e-10,  -8.739010702830122e-09,  1.598430613390006e-08,
    4.6541741050231655e-07, -3.4234142742220455e-06, -4.9596917942159365e-06,
    0.00021825772396383332, -0.0012527485028416628,  -0.004177320040540122,
    0.24664028942745514,    1.501409351110792};
inline constexpr double kErfinvLargeF32[] = {
    -3.294791568056179e-05, 0.00016606395718317006, -0.0002738732710525135,
    -0.0001279179242493605, 0.0014740713975325962,  -0.0035632598884959696,
    0.005687749022564672,   -0.007643468257488659,  0.009445306849540399,
    1.0016752718948763,     2.8329768015095507};
inline constexpr double kErfinvSmall[] = {
    -6.890747263782666e-20,  1.700908089393591e-19,   4.909393921888345e-18,
    -2.6828646429085144e-17, -1.3661917890666732e-16, 1.896729354143592e-15,
    -2.8811110175240593e-15, -7.612669130138496e-14,  5.356343166393055e-13,
    9.115660381671943e-13,   -3.110278672226475e-11,  1.1960698817209524e-10,
    9.073036495405582e-10,   -1.0861168938287872e-08, 1.3416803755242823e-08,
    4.787252185239e-07,      -3.416619596565087e-06,  -4.996079598850206e-06,
    0.00021825026434406123,  -0.0012527079078110321,  -0.004177317724383624,
    0.246640276744167,       1.501409351110792};
inline constexpr double kErfinvLarge[] = {
    -2.690294981388183e-09,  1.1292196579288523e-08, -5.2002112673792e-09,
    -6.231518430070794e-08,  1.7010092078570336e-07, -8.348246962622432e-08,
    -6.450292210571861e-07,  2.0036118327602543e-06, -1.6527991461567265e-06,
    -5.949608354553737e-06,  2.1935069855137126e-05, -2.287251433764092e-05,
    -4.6460654746334406e-05, 0.00020551649148031024, -0.0002831243720144059,
    -0.00014889809292766292, 0.0014837373388837346,  -0.0035587940164471506,
    0.005685182418131369,    -0.007643805570047954,  0.009445522011985605,
    1.0016752766933998,      2.8329767987282706};
inline constexpr double kErfinvLargest[] = {
    1.529980291914381e-13,  -1.9206006418827174e-13, -1.6579197591104783e-12,
    6.911241007770948e-12,  -1.4330212459597596e-11, 1.234911175898721e-11,
    5.825678888719137e-11,  -3.776691789882621e-10,  1.3284470770718978e-09,
    -3.536657390995818e-09, 7.812855644104875e-09,   -1.5212363891998956e-08,
    2.902239916600763e-08,  -6.757316140099169e-08,  2.2905180067280065e-07,
    -9.930254121204747e-07, 4.526052686828083e-06,   -1.9681771204648858e-05,
    7.599527808373918e-05,  -0.00021503011979878198, -0.0001387193183797327,
    1.0103004648645448,     4.849906401408584};

} // namespace tandem

#endif // TANDEM_SUPPORT_FUNCTIONCOEFFICIENTS_H
