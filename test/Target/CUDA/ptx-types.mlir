// REQUIRES: nvrtc, ptxas
// Every element type, the half types' headers, and what CUDA needs helpers for.

// RUN: tandem-translate --tandem-to-ptx %s --gpu=sm_80 -o %t.ptx
// RUN: %ptxas -arch=sm_80 %t.ptx -o %t.cubin
// RUN: tandem-translate --tandem-to-ptx %s --gpu=sm_100 -o %t.ptx
// RUN: %ptxas -arch=sm_100 %t.ptx -o %t.cubin

func.func @main(%h: tensor<64x64xf16>, %b: tensor<64x64xbf16>,
                %d: tensor<5xf64>, %c: tensor<5xi8>, %i: tensor<5xi32>,
                %l: tensor<5xi64>, %t: tensor<5xi1>)
    -> (tensor<64x64xf16>, tensor<64x64xbf16>, tensor<5xf64>, tensor<5xi8>,
        tensor<5xi32>, tensor<5xi64>, tensor<5xi1>) {
  %h0 = tandem.gelu %h : tensor<64x64xf16>
  %h1 = tandem.relu %h0 : tensor<64x64xf16>
  %b0 = tandem.sigmoid %b : tensor<64x64xbf16>
  %b1 = tandem.min %b0, %b : tensor<64x64xbf16>
  %d0 = tandem.erf %d : tensor<5xf64>
  %d1 = tandem.rsqrt %d0 : tensor<5xf64>
  %c0 = tandem.sign %c : tensor<5xi8>
  %c1 = tandem.max %c0, %c : tensor<5xi8>
  %i0 = tandem.abs %i : tensor<5xi32>
  %i1 = tandem.mul %i0, %i : tensor<5xi32>
  %l0 = tandem.neg %l : tensor<5xi64>
  %l1 = tandem.select %t, %l0, %l
      : (tensor<5xi1>, tensor<5xi64>, tensor<5xi64>) -> tensor<5xi64>
  %t0 = tandem.compare %i, %i1 predicate = ge
      : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
  %t1 = tandem.logical_and %t0, %t : tensor<5xi1>
  return %h1, %b1, %d1, %c1, %i1, %l1, %t1
      : tensor<64x64xf16>, tensor<64x64xbf16>, tensor<5xf64>, tensor<5xi8>,
        tensor<5xi32>, tensor<5xi64>, tensor<5xi1>
}
