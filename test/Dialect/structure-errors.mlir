// RUN: tandem-opt %s -split-input-file -verify-diagnostics

func.func @fusion_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.fusion' op C1: the region's arguments must have the operands' types}}
  %0 = "tandem.fusion"(%x) <{kind = #tandem<fusion_kind loop>}> ({
  ^bb0(%a: tensor<8xf32>):
    "tandem.yield"(%a) : (tensor<8xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @fusion_c2(%x: tensor<4xf32>) {
  %0 = tandem.fusion loop (%a = %x) : (tensor<4xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{'tandem.yield' op C2: the values must have the types of the fusion's results}}
    tandem.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c3(%x: tensor<4xf32>) {
  tandem.fusion loop (%a = %x) : (tensor<4xf32>) -> () {
    // expected-error@+1 {{'func.call' op C3: an op in a fusion must be pure}}
    func.call @f() : () -> ()
    tandem.yield
  }
  return
}
func.func private @f()

// -----

func.func @fusion_c4(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4x1xf32>) {
  // expected-error@+1 {{'tandem.fusion' op C4: a fusion of kind library must be a contraction with its epilogue, but has 'tandem.add', which adds a tensor that is neither of the result's shape nor one element for each output channel or column}}
  %0 = tandem.fusion library (%a = %x, %c = %w, %d = %b)
      : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32> {
    %1 = tandem.matmul %a, %c : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %2 = tandem.add %1, %d : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    tandem.yield %2 : tensor<4x4xf32>
  }
  return
}

// -----

func.func @fusion_c4_hero(%x: tensor<4xf32>) {
  // expected-error@+1 {{C4: a fusion of kind library must be a contraction with its epilogue, but does not begin with a contraction}}
  %0 = tandem.fusion library (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = tandem.relu %a : tensor<4xf32>
    tandem.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c4_uses(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error@+1 {{C4: a fusion of kind library must be a contraction with its epilogue, but has a value that not the next op alone reads}}
  %0:2 = tandem.fusion library (%a = %x, %c = %w)
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %1 = tandem.matmul %a, %c : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %2 = tandem.relu %1 : tensor<4x4xf32>
    tandem.yield %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return
}

// -----

func.func @fusion_c4_yield(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error@+1 {{C4: a fusion of kind library must be a contraction with its epilogue, but does not yield the value of its last op alone}}
  %0:2 = tandem.fusion library (%a = %x, %c = %w)
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %1 = tandem.matmul %a, %c : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    tandem.yield %1, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return
}

// -----

func.func @fusion_captures(%x: tensor<4xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = tandem.fusion loop () : () -> tensor<4xf32> {
    // expected-error@+1 {{using value defined outside the region}}
    %1 = tandem.neg %x : tensor<4xf32>
    tandem.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_empty() {
  // expected-error@+1 {{'tandem.fusion' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "tandem.fusion"() <{kind = #tandem<fusion_kind loop>}> ({}) : () -> ()
  return
}

// -----

func.func @fusion_types(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected 1 operand types}}
  %0 = tandem.fusion loop (%a = %x) : () -> tensor<4xf32> {
    tandem.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @launch_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.launch' op C1: @missing is not a module with the attribute 'tandem.kernel'}}
  %0 = tandem.launch @missing(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

module @plain {
}
func.func @launch_c1_plain(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.launch' op C1: @plain is not a module with the attribute 'tandem.kernel'}}
  %0 = tandem.launch @plain(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

module @k attributes {tandem.kernel} {
  func.func @k(%a: tensor<8xf32>) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}
func.func @launch_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.launch' op C2: operands and results must have the types of kernel @k}}
  %0 = tandem.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @custom_call_c1() {
  // expected-error@+1 {{'tandem.custom_call' op C1: the target must not be empty}}
  %0 = tandem.custom_call ""() : () -> tensor<4xf32>
  return
}

// -----

func.func @custom_call_c2() {
  // expected-error@+1 {{'tandem.custom_call' op C2: there must be at least one result}}
  tandem.custom_call "f"() : () -> ()
  return
}

// -----

// expected-error@+1 {{'tandem.dims' of argument #0 must be an array of one string per dim of 'tensor<?x4xf32>'}}
func.func private @dims_count(%x: tensor<?x4xf32> {tandem.dims = ["N"]})

// -----

// expected-error@+1 {{'tandem.dims' of argument #0 must be an array of one string per dim}}
func.func private @dims_type(%x: tensor<?x4xf32> {tandem.dims = "N"})

// -----

// expected-error@+1 {{'tandem.dims' of argument #1 must be an array of one string per dim of 'f32'}}
func.func private @dims_scalar(%x: tensor<?xf32> {tandem.dims = ["N"]}, %y: f32 {tandem.dims = []})

// -----

// expected-error@+1 {{dim "N" has size 5 in argument #1 and size 4 before}}
func.func private @dims_sizes(%x: tensor<4x?xf32> {tandem.dims = ["N", "L"]}, %y: tensor<5xf32> {tandem.dims = ["N"]})

// -----

// expected-error@+1 {{'tandem.dims' belongs on a function argument}}
module attributes {tandem.dims = ["N"]} {}

// -----

// expected-error@+1 {{'tandem.kernel' is a unit attribute of modules}}
func.func private @kernel_attr() attributes {tandem.kernel}

// -----

// expected-error@+1 {{'tandem.dims' belongs on a function argument}}
func.func private @dims_of_result() -> (tensor<?xf32> {tandem.dims = ["N"]})
