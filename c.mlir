func.func @main(%x: tensor<4096xbf16>, %y: tensor<4096xbf16>) -> tensor<4096xbf16> { %0 = tandem.add %x, %y : tensor<4096xbf16> return %0 : tensor<4096xbf16> }
