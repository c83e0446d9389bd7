// arith.constant is read as a constant (12).
func.func @main() {
  %0 = arith.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi32>
  return
}

// -----

// Custom calls that represent ops (32).
func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %0, dense<[0.0, 0.842700793]> : tensor<2xf32>
  %1:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 1 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  check.expect_eq_const %1#0, dense<[1.0]> : tensor<1xf32>
  check.expect_eq_const %1#1, dense<[1]> : tensor<1xi32>
  %2:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 1 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  check.expect_eq_const %2#0, dense<[0.0]> : tensor<1xf32>
  return
}

// -----

// Constants of CHLO (29).
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = "chlo.constant_like"(%x) {value = 3.2 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = chlo.constant dense<3.2> : tensor<2xf32>
  check.expect_eq %0, %1 : tensor<2xf32>
  return
}

// -----

// Two spellings of the types of a select.
func.func @main() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<2xf32>
  %1 = stablehlo.select %p, %x, %x : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %0, %1 : tensor<2xf32>
  return
}

// -----

// Checks in generic form, attributes old and new.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  "check.expect_close"(%x, %x) <{max_ulp_difference = 3 : ui64, min_ulp_difference = 0 : ui64}> : (tensor<2xf32>, tensor<2xf32>) -> ()
  "check.expect_eq_const"(%x) <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : (tensor<2xf32>) -> ()
  "check.expect_almost_eq_const"(%x) {value = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  "check.expect_almost_eq"(%x, %x) {tolerance = 1.0e-1 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  check.expect_almost_eq_const %x, dense<[1.0, 2.0]> : tensor<2xf32> {tolerance = 0.1 : f64}
  return
}
