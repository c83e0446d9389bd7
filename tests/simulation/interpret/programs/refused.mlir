// refused: stablehlo.rng is not deterministic
// Random numbers without a seed (27.3).
func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: quantized types are not supported
// Quantized types (36).
func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 2.0:15>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 2.0:15>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// refused: dynamic shapes are not supported
// Dims of unknown size.
func.func @main() -> tensor<?xf32> {
  %a = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// refused: dynamic shapes are not supported
// Bounded dims.
func.func @main() -> tensor<2xf32, #stablehlo.bounds<2>> {
  %a = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = "stablehlo.convert"(%a) : (tensor<2xf32>) -> tensor<2xf32, #stablehlo.bounds<2>>
  return %0 : tensor<2xf32, #stablehlo.bounds<2>>
}

// -----

// refused: dynamic shapes are not supported
// Slices of a size given by operands.
func.func @main() -> tensor<1xf32> {
  %a = stablehlo.constant dense<1.0> : tensor<2xf32>
  %i = stablehlo.constant dense<1> : tensor<1xi64>
  %j = stablehlo.constant dense<2> : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %a, %i, %j, %i : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// refused: dynamic shapes are not supported
// A size given by an operand.
func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense<1.0> : tensor<2xf32>
  %i = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %i, dim = 0 : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: host transfer is not supported
// Host transfers.
func.func @main() {
  %a = stablehlo.constant dense<1.0> : tensor<2xf32>
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// refused: host transfer is not supported
// Host transfers.
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

// refused: unsupported type !stablehlo.future<tensor<2xi32>, tensor<2xi32>>
// A future of two results.
func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<2xi32>
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xi32>):
    stablehlo.return %a, %a : tensor<2xi32>, tensor<2xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>, tensor<2xi32>>
  return
}

// -----

// refused: constant data is elided
// Data that was left out (5).
func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>
  return %a : tensor<2xf32>
}

// -----

// refused: unsupported op my.op
// An op of no dialect.
func.func @main() {
  %0 = "my.op"() : () -> tensor<2xf32>
  return
}

// -----

// refused: compares values of one type
// Checks compare values of one type (32).
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<1> : tensor<i64>
  stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : (tensor<i32>, tensor<i64>) -> ()
  return
}

// -----

// refused: check.expect_almost_eq
// A tolerance is for floats.
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  check.expect_almost_eq %a, %a : tensor<i32>
  return
}

// -----

// refused: while exceeded 1000 iterations
// A loop without end, with the limit of the test.
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%i = %a) : tensor<i1> cond {
    stablehlo.return %i : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i1>
  }
  return %0 : tensor<i1>
}

// -----

// refused: stablehlo.triangular_solve
// A transposition that is none.
func.func @main() {
  %a = stablehlo.constant dense<1.0> : tensor<2x2xf32>
  %0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// refused: argument 0 of @main: quantized types are not supported
// Quantized arguments (36).
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:1>>) -> tensor<4x!quant.uniform<i8:f32, 2.0:1>> {
  return %a : tensor<4x!quant.uniform<i8:f32, 2.0:1>>
}

// -----

// refused: argument 0 of @main: dynamic shapes are not supported
// Arguments of unknown size.
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

// -----

// refused: argument 0 of @main: dynamic shapes are not supported
// Arguments of unknown rank.
func.func @main(%a: tensor<*xf32>) -> tensor<*xf32> {
  return %a : tensor<*xf32>
}

// -----

// refused: argument 0 of @main: dynamic shapes are not supported
// Bounded arguments.
func.func @main(%a: tensor<2xf32, #stablehlo.bounds<3>>) -> tensor<2xf32, #stablehlo.bounds<3>> {
  return %a : tensor<2xf32, #stablehlo.bounds<3>>
}

// -----

// refused: argument 0 of @main: unsupported type memref<2xf32>
// Arguments that are not tensors.
func.func @main(%a: memref<2xf32>) -> memref<2xf32> {
  return %a : memref<2xf32>
}

// -----

// refused: argument 1 of @main: dynamic shapes are not supported
// Not the first argument.
func.func @main(%a: tensor<2xf32>, %b: tensor<2x?xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
