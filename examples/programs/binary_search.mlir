// Finds the positions of values in a sorted list, all at once in a loop.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @binary_search attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<20xi64>, tensor<12xi64>)
    %want = call @expected() : () -> tensor<12xi64>
    %v1 = stablehlo.constant dense<0> : tensor<12xi64>
    %v2 = stablehlo.constant dense<20> : tensor<12xi64>
    %v3 = stablehlo.constant dense<0> : tensor<i32>
    %v4:3 = stablehlo.while(%i4_0 = %v3, %i4_1 = %v1, %i4_2 = %v2) : tensor<i32>, tensor<12xi64>, tensor<12xi64>
    cond {
      %v5 = stablehlo.constant dense<6> : tensor<i32>
      %v6 = stablehlo.compare LT, %i4_0, %v5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v6 : tensor<i1>
    } do {
      %v7 = stablehlo.constant dense<1> : tensor<i32>
      %v8 = stablehlo.add %i4_0, %v7 : tensor<i32>
      %v9 = stablehlo.compare LT, %i4_1, %i4_2 : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
      %v10 = stablehlo.add %i4_1, %i4_2 : tensor<12xi64>
      %v11 = stablehlo.constant dense<2> : tensor<i64>
      %v12 = stablehlo.broadcast_in_dim %v11, dims = [] : (tensor<i64>) -> tensor<12xi64>
      %v13 = stablehlo.divide %v10, %v12 : tensor<12xi64>
      %v14 = stablehlo.reshape %v13 : (tensor<12xi64>) -> tensor<12x1xi64>
      %v15 = "stablehlo.gather"(%in#0, %v14) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<20xi64>, tensor<12x1xi64>) -> tensor<12xi64>
      %v16 = stablehlo.compare LT, %v15, %in#1 : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
      %v17 = stablehlo.and %v16, %v9 : tensor<12xi1>
      %v18 = stablehlo.compare GE, %v15, %in#1 : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
      %v19 = stablehlo.and %v18, %v9 : tensor<12xi1>
      %v20 = stablehlo.constant dense<1> : tensor<i64>
      %v21 = stablehlo.broadcast_in_dim %v20, dims = [] : (tensor<i64>) -> tensor<12xi64>
      %v22 = stablehlo.add %v13, %v21 : tensor<12xi64>
      %v23 = stablehlo.select %v17, %v22, %i4_1 : tensor<12xi1>, tensor<12xi64>
      %v24 = stablehlo.select %v19, %v13, %i4_2 : tensor<12xi1>, tensor<12xi64>
      stablehlo.return %v8, %v23, %v24 : tensor<i32>, tensor<12xi64>, tensor<12xi64>
    }
    stablehlo.custom_call @check.expect_eq(%v4#1, %want) {has_side_effect = true} : (tensor<12xi64>, tensor<12xi64>) -> ()
    return
  }
  func.func private @inputs() -> (tensor<20xi64>, tensor<12xi64>) {
    %c0 = stablehlo.constant dense<[0, 1, 2, 3, 4, 6, 14, 17, 21, 23, 26, 26, 28, 31, 38, 40, 41, 42, 43, 44]> : tensor<20xi64>
    %c1 = stablehlo.constant dense<[-3, 7, 47, 40, 28, 5, 9, 39, 11, 57, 23, 59]> : tensor<12xi64>
    return %c0, %c1 : tensor<20xi64>, tensor<12xi64>
  }
  func.func private @expected() -> tensor<12xi64> {
    %c0 = stablehlo.constant dense<[0, 6, 20, 15, 12, 5, 6, 15, 6, 20, 9, 20]> : tensor<12xi64>
    return %c0 : tensor<12xi64>
  }
}
