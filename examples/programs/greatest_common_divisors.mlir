// Euclid's algorithm on all pairs at once, until no remainder is left.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @greatest_common_divisors attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<10xi32>, tensor<10xi32>)
    %want = call @expected() : () -> tensor<10xi32>
    %v1:2 = stablehlo.while(%i1_0 = %in#0, %i1_1 = %in#1) : tensor<10xi32>, tensor<10xi32>
    cond {
      %v2 = stablehlo.constant dense<0> : tensor<i32>
      %v3 = stablehlo.reduce(%i1_1 init: %v2) applies stablehlo.maximum across dimensions = [0] : (tensor<10xi32>, tensor<i32>) -> tensor<i32>
      %v4 = stablehlo.constant dense<0> : tensor<i32>
      %v5 = stablehlo.compare GT, %v3, %v4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v5 : tensor<i1>
    } do {
      %v6 = stablehlo.constant dense<0> : tensor<i32>
      %v7 = stablehlo.broadcast_in_dim %v6, dims = [] : (tensor<i32>) -> tensor<10xi32>
      %v8 = stablehlo.compare NE, %i1_1, %v7 : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
      %v9 = stablehlo.constant dense<1> : tensor<10xi32>
      %v10 = stablehlo.select %v8, %i1_1, %v9 : tensor<10xi1>, tensor<10xi32>
      %v11 = stablehlo.select %v8, %i1_1, %i1_0 : tensor<10xi1>, tensor<10xi32>
      %v12 = stablehlo.remainder %i1_0, %v10 : tensor<10xi32>
      %v13 = stablehlo.select %v8, %v12, %i1_1 : tensor<10xi1>, tensor<10xi32>
      stablehlo.return %v11, %v13 : tensor<10xi32>, tensor<10xi32>
    }
    stablehlo.custom_call @check.expect_eq(%v1#0, %want) {has_side_effect = true} : (tensor<10xi32>, tensor<10xi32>) -> ()
    return
  }
  func.func private @inputs() -> (tensor<10xi32>, tensor<10xi32>) {
    %c0 = stablehlo.constant dense<[439, 222, 190, 284, 415, 454, 150, 127, 265, 294]> : tensor<10xi32>
    %c1 = stablehlo.constant dense<[126, 180, 463, 378, 427, 271, 189, 101, 336, 258]> : tensor<10xi32>
    return %c0, %c1 : tensor<10xi32>, tensor<10xi32>
  }
  func.func private @expected() -> tensor<10xi32> {
    %c0 = stablehlo.constant dense<[1, 6, 1, 2, 1, 1, 3, 1, 1, 6]> : tensor<10xi32>
    return %c0 : tensor<10xi32>
  }
}
