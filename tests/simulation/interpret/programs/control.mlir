// Ops without operands, and regions without results (28).
func.func @f() { return }
func.func @main() {
  %t = stablehlo.after_all : !stablehlo.token
  %u = "stablehlo.after_all"() : () -> !stablehlo.token
  %x = stablehlo.tuple : tuple<>
  stablehlo.optimization_barrier()
  call @f() : () -> ()
  %p = stablehlo.constant dense<true> : tensor<i1>
  "stablehlo.if"(%p) ({
    func.call @f() : () -> ()
    "stablehlo.return"() : () -> ()
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  %i = stablehlo.constant dense<0> : tensor<i32>
  "stablehlo.case"(%i) ({
    stablehlo.return
  }) : (tensor<i32>) -> ()
  %f = stablehlo.constant dense<false> : tensor<i1>
  stablehlo.while() cond {
    stablehlo.return %f : tensor<i1>
  } do {
    stablehlo.return
  }
  check.expect_eq %f, %f : tensor<i1>
  return
}

// -----

// Functions without calls may contain anything.
func.func private @bad(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "my.op"(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @main() {
  %c = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq %c, %c : tensor<i32>
  return
}

// -----

// A composite is its decomposition; attributes do not matter.
func.func private @impl(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = stablehlo.add %x, %x : tensor<2xi32>
  return %0, %x : tensor<2xi32>, tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0:2 = "stablehlo.composite"(%x) <{name = "a.b", decomposition = @impl, composite_attributes = {a = 1 : i64}, version = 2 : i32}> : (tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[2, 4]> : tensor<2xi32>
  return
}

// -----

// The main function of the module, with other modules beside it.
module @outer {
  module @inner {
    func.func @f() {
  return
}
  }
  func.func @main() {
    %c = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq %c, %c : tensor<i32>
    return
  }
}

// -----

// Calls inside of loops; text of older printers.
func.func public @main() -> (tensor<3xi32> {jax.result_info = "result", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<3xi32>
    %1 = call @expected() : () -> tensor<3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %0, %iterArg_1 = %c) : tensor<i32>, tensor<3xi32>, tensor<i32>
     cond {
      %c_1 = stablehlo.constant dense<5> : tensor<i32>
      %3 = stablehlo.compare  LT, %iterArg, %c_1,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @step(%iterArg_0, %iterArg) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %4, %3, %iterArg_1 : tensor<i32>, tensor<3xi32>, tensor<i32>
    }
    stablehlo.custom_call @check.expect_eq(%2#1, %1) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return %2#1 : tensor<3xi32>
  }
  func.func private @inputs() -> (tensor<3xi32> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
    return %c : tensor<3xi32>
  }
  func.func private @expected() -> (tensor<3xi32> {mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<[11, 12, 13]> : tensor<3xi32>
    return %c : tensor<3xi32>
  }
  func.func private @step(%arg0: tensor<3xi32>, %arg1: tensor<i32>) -> tensor<3xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.add %arg0, %0 : tensor<3xi32>
    return %1 : tensor<3xi32>
  }

// -----

// refused: func.call
// Calls without end.
func.func private @f(%a: tensor<i32>) -> tensor<i32> {
  %0 = call @f(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @main() -> tensor<i32> {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %0 = call @f(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
