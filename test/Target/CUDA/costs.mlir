// Fusion for target cuda uses the costs of a GPU. With these costs, computing a
// value again is cheaper than writing it and reading it back. With the costs of
// a CPU, it is not.

// RUN: tandem-opt %s --until=fuse --fusion-report=%t.cpu.json | FileCheck %s --check-prefix=CPU
// RUN: FileCheck %s --check-prefix=CPU-REPORT < %t.cpu.json
// RUN: tandem-opt %s --until=fuse --device=cuda --fusion-report=%t.gpu.json | FileCheck %s --check-prefix=GPU
// RUN: FileCheck %s --check-prefix=GPU-REPORT < %t.gpu.json
// RUN: tandem-opt %s --until=fuse --device=cuda --device-spec=a100 --fusion-report=%t.a100.json -o /dev/null
// RUN: FileCheck %s --check-prefix=A100 < %t.a100.json

// CPU-COUNT-3: tandem.fusion
// CPU-NOT: tandem.fusion
// CPU-REPORT: "device": "generic"
// GPU-COUNT-2: tandem.fusion
// GPU-NOT: tandem.fusion
// GPU-REPORT: "device": "NVIDIA H200 SXM 141GB"
// A100: "device": "NVIDIA A100-SXM4-80GB"
func.func @main(%x: tensor<1024x1024xf32>, %y: tensor<512x1024xf32>)
    -> (tensor<1024x1024xf32>, tensor<512x1024xf32>) {
  %0 = tandem.tanh %x : tensor<1024x1024xf32>
  %e = tandem.erf %0 : tensor<1024x1024xf32>
  %g = tandem.gelu %e : tensor<1024x1024xf32>
  %s = tandem.sigmoid %g : tensor<1024x1024xf32>
  %p = tandem.pow %s, %x : tensor<1024x1024xf32>
  %1 = tandem.exp %p : tensor<1024x1024xf32>
  %2 = tandem.transpose %1 permutation = [1, 0]
      : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %3 = tandem.neg %2 : tensor<1024x1024xf32>
  %4 = tandem.slice %1 starts = [256, 0] limits = [768, 1024] strides = [1, 1]
      : (tensor<1024x1024xf32>) -> tensor<512x1024xf32>
  %5 = tandem.add %4, %y : tensor<512x1024xf32>
  return %3, %5 : tensor<1024x1024xf32>, tensor<512x1024xf32>
}
