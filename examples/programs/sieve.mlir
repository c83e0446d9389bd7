// The primes below 60, struck out in a loop.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @sieve attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %want:2 = call @expected() : () -> (tensor<60xi1>, tensor<i32>)
    %v1 = stablehlo.iota dim = 0 : tensor<60xi32>
    %v2 = stablehlo.constant dense<2> : tensor<i32>
    %v3 = stablehlo.broadcast_in_dim %v2, dims = [] : (tensor<i32>) -> tensor<60xi32>
    %v4 = stablehlo.compare GE, %v1, %v3 : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi1>
    %v5 = stablehlo.constant dense<0> : tensor<i32>
    %v6:2 = stablehlo.while(%i6_0 = %v5, %i6_1 = %v4) : tensor<i32>, tensor<60xi1>
    cond {
      %v7 = stablehlo.constant dense<7> : tensor<i32>
      %v8 = stablehlo.compare LT, %i6_0, %v7 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v8 : tensor<i1>
    } do {
      %v9 = stablehlo.constant dense<1> : tensor<i32>
      %v10 = stablehlo.add %i6_0, %v9 : tensor<i32>
      %v11 = stablehlo.constant dense<2> : tensor<i32>
      %v12 = stablehlo.add %i6_0, %v11 : tensor<i32>
      %v13 = stablehlo.broadcast_in_dim %v12, dims = [] : (tensor<i32>) -> tensor<60xi32>
      %v14 = stablehlo.remainder %v1, %v13 : tensor<60xi32>
      %v15 = stablehlo.constant dense<0> : tensor<i32>
      %v16 = stablehlo.broadcast_in_dim %v15, dims = [] : (tensor<i32>) -> tensor<60xi32>
      %v17 = stablehlo.compare EQ, %v14, %v16 : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi1>
      %v18 = stablehlo.broadcast_in_dim %v12, dims = [] : (tensor<i32>) -> tensor<60xi32>
      %v19 = stablehlo.compare GT, %v1, %v18 : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi1>
      %v20 = stablehlo.and %v17, %v19 : tensor<60xi1>
      %v21 = stablehlo.not %v20 : tensor<60xi1>
      %v22 = stablehlo.and %i6_1, %v21 : tensor<60xi1>
      stablehlo.return %v10, %v22 : tensor<i32>, tensor<60xi1>
    }
    %v23 = stablehlo.convert %v6#1 : (tensor<60xi1>) -> tensor<60xi32>
    %v24 = stablehlo.constant dense<0> : tensor<i32>
    %v25 = stablehlo.reduce(%v23 init: %v24) applies stablehlo.add across dimensions = [0] : (tensor<60xi32>, tensor<i32>) -> tensor<i32>
    stablehlo.custom_call @check.expect_eq(%v6#1, %want#0) {has_side_effect = true} : (tensor<60xi1>, tensor<60xi1>) -> ()
    stablehlo.custom_call @check.expect_eq(%v25, %want#1) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
  func.func private @expected() -> (tensor<60xi1>, tensor<i32>) {
    %c0 = stablehlo.constant dense<[false, false, true, true, false, true, false, true, false, false, false, true, false, true, false, false, false, true, false, true, false, false, false, true, false, false, false, false, false, true, false, true, false, false, false, false, false, true, false, false, false, true, false, true, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<60xi1>
    %c1 = stablehlo.constant dense<17> : tensor<i32>
    return %c0, %c1 : tensor<60xi1>, tensor<i32>
  }
}
