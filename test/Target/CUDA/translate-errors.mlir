// The errors of tandem-translate for input that it cannot translate.

// RUN: not tandem-translate --tandem-to-cuda %s --function=other 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: there is no function @other (see --function)
// FUNCTION-NOT: note:

// RUN: not tandem-translate --tandem-to-cuda %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHAPES
// SHAPES: translate-errors.mlir:[[#]]:{{.*}}error: {{.*}}

// RUN: not tandem-translate --tandem-to-cuda %s --shapes=4x5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANK
// RANK: error: argument #0: 'tensor<4x5xf32>' does not fit 'tensor<?xf32>'

// RUN: not tandem-translate --tandem-to-ptx %s --shapes=4 --gpu=sm_12 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GPU
// GPU: error: no GPU 'sm_12' is described
// GPU: note: there are sm_80_a100, sm_90_h200, sm_100_b200;

// RUN: not tandem-translate --tandem-to-ptx %s --shapes=4 \
// RUN:   --gpu=%t.none.json 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: cannot read the device description {{.*}}.none.json

// RUN: echo '{"name": "x", "arch": "sm_90"}' > %t.json
// RUN: not tandem-translate --tandem-to-ptx %s --shapes=4 --gpu=%t.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEY
// KEY: error: {{.*}}.json: 'clock_ghz' is missing
// KEY: note: utils/gpu-specs/ has examples of device descriptions

// RUN: echo '{"name": "x", "arch": "gfx90a"}' > %t.json
// RUN: not tandem-translate --tandem-to-ptx %s --shapes=4 --gpu=%t.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ARCH
// ARCH: 'arch' must be like "sm_90"; got "gfx90a"

// RUN: echo '[' > %t.json
// RUN: not tandem-translate --tandem-to-ptx %s --shapes=4 --gpu=%t.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=JSON
// JSON: error: {{.*}}.json: not a JSON object

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tandem.exp %x : tensor<?xf32>
  %1 = tandem.neg %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
