// RUN: tandem-opt %s -split-input-file -verify-diagnostics

func.func @loop_c1(%h: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.loop' op C1: the region's arguments must have the types of the carried operands, of the slices, and of the fixed operands}}
  %0 = "tandem.loop"(%h) <{operandSegmentSizes = array<i32: 1, 0, 0>, trips = 2 : i64}> ({
  ^bb0(%a: tensor<8xf32>):
    "tandem.yield"(%a) : (tensor<8xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @loop_c2(%h0: tensor<4xf32>) {
  %0 = tandem.loop carried (%h = %h0) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = tandem.slice %h starts = [0] limits = [2] strides = [1] : (tensor<4xf32>) -> tensor<2xf32>
    // expected-error@+1 {{'tandem.yield' op C2: value 0 is 'tensor<2xf32>', which is not what the loop carries or stacks as 'tensor<4xf32>'}}
    tandem.yield %1 : tensor<2xf32>
  }
  return
}

// -----

func.func @loop_c2_count(%h0: tensor<4xf32>) {
  %0 = tandem.loop carried (%h = %h0) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{'tandem.yield' op C2: there must be a value for each of the 1 results of the loop}}
    tandem.yield
  }
  return
}

// -----

func.func @loop_c2_results(%h0: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.loop' op C2: there are fewer results than carried operands}}
  tandem.loop carried (%h = %h0) {trips = 2} : (tensor<4xf32>) -> () {
    tandem.yield
  }
  return
}

// -----

func.func @loop_c3(%h0: tensor<4xf32>) {
  %0 = tandem.loop carried (%h = %h0) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{'func.call' op C3: an op in a loop must be pure}}
    func.call @f() : () -> ()
    tandem.yield %h : tensor<4xf32>
  }
  return
}
func.func private @f()

// -----

func.func @loop_c4(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{'tandem.loop' op C4: 'tensor<5xf32>' cannot be scanned in 4 iterations}}
  %0 = tandem.loop scanned (%x = %a, %y = %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32> {
    tandem.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @loop_c4_rank(%a: tensor<f32>) {
  // expected-error@+1 {{C4: 'tensor<f32>' cannot be scanned}}
  %0 = tandem.loop scanned (%x = %a) : (tensor<f32>) -> tensor<4xf32> {
    tandem.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @loop_c5(%h0: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.loop' op C5: there must be a number of iterations or scanned operands, and not both}}
  %0 = tandem.loop carried (%h = %h0) : (tensor<4xf32>) -> tensor<4xf32> {
    tandem.yield %h : tensor<4xf32>
  }
  return
}

// -----

func.func @loop_c5_negative(%h0: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.loop' op C5}}
  %0 = tandem.loop carried (%h = %h0) {trips = -1} : (tensor<4xf32>) -> tensor<4xf32> {
    tandem.yield %h : tensor<4xf32>
  }
  return
}

// -----

func.func @loop_c6(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.loop' op C6: 'reversed' has 1 elements, but 2 values are scanned or stacked}}
  %0 = tandem.loop scanned (%x = %a) {reversed = array<i1: true>} : (tensor<4xf32>) -> tensor<4xf32> {
    tandem.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @loop_c7(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.loop' op C7: result 0 is 'tensor<5xf32>', but there are 4 iterations}}
  %0 = tandem.loop scanned (%x = %a) : (tensor<4xf32>) -> tensor<5xf32> {
    tandem.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @loop_isolated(%h0: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = tandem.loop carried (%h = %h0) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{'tandem.add' op using value defined outside the region}}
    %1 = tandem.add %h, %y : tensor<4xf32>
    tandem.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @run_loop_c1(%h: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.run_loop' op C1: @missing is not a function here}}
  %0 = tandem.run_loop @missing carried (%h) {trips = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @body(%h: tensor<3xf32>) -> tensor<4xf32>
func.func @run_loop_c1_types(%h: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.run_loop' op C1: the arguments of @body must have the types of the carried operands, of the slices, and of the fixed operands}}
  %0 = tandem.run_loop @body carried (%h) {trips = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @run_loop_c2(%h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tandem.run_loop @other carried (%h) {trips = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @other(%h: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tandem.run_loop' op C2: @run_loop_c2 would run the loop again}}
  %0 = tandem.run_loop @run_loop_c2 carried (%h) {trips = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @body(%h: tensor<4xf32>) -> tensor<4xi32>
func.func @run_loop_c2_yielded(%h: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.run_loop' op C2: value 0 is 'tensor<4xi32>', which is not what the loop carries or stacks as 'tensor<4xf32>'}}
  %0 = tandem.run_loop @body carried (%h) {trips = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @body(%h: tensor<4xf32>, %x: tensor<f32>) -> tensor<4xf32>
func.func @run_loop_c5(%h: tensor<4xf32>, %x: tensor<3xf32>) {
  // expected-error@+1 {{'tandem.run_loop' op C4: 'tensor<3xf32>' cannot be scanned in -2 iterations}}
  %0 = tandem.run_loop @body carried (%h) scanned (%x) {trips = -2 : i64} : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @c8() {
  // expected-error@+1 {{'tandem.loop' op C8: there must be a result}}
  tandem.loop {trips = 3} : () -> () {
    tandem.yield
  }
  return
}

// -----

func.func @c9(%h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tandem.loop carried (%a = %h) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = tandem.loop carried (%b = %a) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
      %2 = tandem.loop carried (%c = %b) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
        %3 = tandem.loop carried (%d = %c) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
          %4 = tandem.loop carried (%e = %d) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
            %5 = tandem.loop carried (%f = %e) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
              %6 = tandem.loop carried (%g = %f) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
                %7 = tandem.loop carried (%i = %g) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
                  // expected-error@+1 {{'tandem.loop' op C9: there are more than 8 loops within each other}}
                  %8 = tandem.loop carried (%j = %i) {trips = 2} : (tensor<4xf32>) -> tensor<4xf32> {
                    tandem.yield %j : tensor<4xf32>
                  }
                  tandem.yield %8 : tensor<4xf32>
                }
                tandem.yield %7 : tensor<4xf32>
              }
              tandem.yield %6 : tensor<4xf32>
            }
            tandem.yield %5 : tensor<4xf32>
          }
          tandem.yield %4 : tensor<4xf32>
        }
        tandem.yield %3 : tensor<4xf32>
      }
      tandem.yield %2 : tensor<4xf32>
    }
    tandem.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @no_yield_elsewhere(%h: tensor<4xf32>) {
  // expected-error@+1 {{'tandem.yield' op expects parent op to be one of 'tandem.fusion, tandem.loop'}}
  tandem.yield %h : tensor<4xf32>
}
