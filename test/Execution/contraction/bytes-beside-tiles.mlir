// Products of 125 to 127 bytes, which do not fill the last instruction of a
// matrix unit. oneDNN 2.6 executes an illegal instruction for them, or returns
// wrong sums, so that our own kernels compute them. All other depths near a
// multiple of 64 are right.

// RUN: tandem-run %s --check
// RUN: tandem-run %s --check --threads=2
// RUN: tandem-run %s --check --target-option=contractions=library

func.func @main(%a: tensor<31x126xi8>, %b: tensor<126x80xi8>,
                %c: tensor<130x127xui8>, %d: tensor<24x127xi8>,
                %e: tensor<2x47x127xi8>, %f: tensor<127x65xi8>,
                %g: tensor<130x125xi8>, %h: tensor<17x125xi8>,
                %i: tensor<47x124xui8>, %j: tensor<124x130xi8>,
                %k: tensor<47x253xui8>, %l: tensor<253x130xi8>)
    -> (tensor<31x80xi32>, tensor<130x24xi32>, tensor<2x47x65xi32>,
        tensor<130x17xi32>, tensor<47x130xi32>, tensor<47x130xi32>) {
  %0 = tandem.matmul %a, %b widen
      : (tensor<31x126xi8>, tensor<126x80xi8>) -> tensor<31x80xi32>
  %1 = tandem.matmul %c, %d transpose_rhs widen
      : (tensor<130x127xui8>, tensor<24x127xi8>) -> tensor<130x24xi32>
  %2 = tandem.matmul %e, %f widen
      : (tensor<2x47x127xi8>, tensor<127x65xi8>) -> tensor<2x47x65xi32>
  %3 = tandem.matmul %g, %h transpose_rhs widen
      : (tensor<130x125xi8>, tensor<17x125xi8>) -> tensor<130x17xi32>
  %4 = tandem.matmul %i, %j widen
      : (tensor<47x124xui8>, tensor<124x130xi8>) -> tensor<47x130xi32>
  %5 = tandem.matmul %k, %l widen
      : (tensor<47x253xui8>, tensor<253x130xi8>) -> tensor<47x130xi32>
  return %0, %1, %2, %3, %4, %5
      : tensor<31x80xi32>, tensor<130x24xi32>, tensor<2x47x65xi32>,
        tensor<130x17xi32>, tensor<47x130xi32>, tensor<47x130xi32>
}
