// Running sums: by windows, by a loop, and by doubling steps.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @cumulative_sums attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<12xi64>
    %want:3 = call @expected() : () -> (tensor<12xi64>, tensor<12xi64>, tensor<12xi64>)
    %v1 = stablehlo.constant dense<0> : tensor<i64>
    %v2 = "stablehlo.reduce_window"(%in, %v1) <{padding = dense<[[11, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 12>}> ({
    ^bb0(%v3: tensor<i64>, %v4: tensor<i64>):
      %v5 = stablehlo.add %v3, %v4 : tensor<i64>
      stablehlo.return %v5 : tensor<i64>
    }) : (tensor<12xi64>, tensor<i64>) -> tensor<12xi64>
    %v6 = stablehlo.constant dense<0> : tensor<i64>
    %v7 = stablehlo.constant dense<0> : tensor<12xi64>
    %v8 = stablehlo.constant dense<0> : tensor<i32>
    %v9:3 = stablehlo.while(%i9_0 = %v8, %i9_1 = %v6, %i9_2 = %v7) : tensor<i32>, tensor<i64>, tensor<12xi64>
    cond {
      %v10 = stablehlo.constant dense<12> : tensor<i32>
      %v11 = stablehlo.compare LT, %i9_0, %v10 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v11 : tensor<i1>
    } do {
      %v12 = stablehlo.constant dense<1> : tensor<i32>
      %v13 = stablehlo.add %i9_0, %v12 : tensor<i32>
      %v14 = stablehlo.dynamic_slice %in, %i9_0, sizes = [1] : (tensor<12xi64>, tensor<i32>) -> tensor<1xi64>
      %v15 = stablehlo.reshape %v14 : (tensor<1xi64>) -> tensor<i64>
      %v16 = stablehlo.add %i9_1, %v15 : tensor<i64>
      %v17 = stablehlo.reshape %v16 : (tensor<i64>) -> tensor<1xi64>
      %v18 = stablehlo.dynamic_update_slice %i9_2, %v17, %i9_0 : (tensor<12xi64>, tensor<1xi64>, tensor<i32>) -> tensor<12xi64>
      stablehlo.return %v13, %v16, %v18 : tensor<i32>, tensor<i64>, tensor<12xi64>
    }
    %v19 = stablehlo.constant dense<0> : tensor<i64>
    %v20 = stablehlo.pad %in, %v19, low = [1], high = [0], interior = [0] : (tensor<12xi64>, tensor<i64>) -> tensor<13xi64>
    %v21 = stablehlo.slice %v20 [0:12] : (tensor<13xi64>) -> tensor<12xi64>
    %v22 = stablehlo.add %in, %v21 : tensor<12xi64>
    %v23 = stablehlo.pad %v22, %v19, low = [2], high = [0], interior = [0] : (tensor<12xi64>, tensor<i64>) -> tensor<14xi64>
    %v24 = stablehlo.slice %v23 [0:12] : (tensor<14xi64>) -> tensor<12xi64>
    %v25 = stablehlo.add %v22, %v24 : tensor<12xi64>
    %v26 = stablehlo.pad %v25, %v19, low = [4], high = [0], interior = [0] : (tensor<12xi64>, tensor<i64>) -> tensor<16xi64>
    %v27 = stablehlo.slice %v26 [0:12] : (tensor<16xi64>) -> tensor<12xi64>
    %v28 = stablehlo.add %v25, %v27 : tensor<12xi64>
    %v29 = stablehlo.pad %v28, %v19, low = [8], high = [0], interior = [0] : (tensor<12xi64>, tensor<i64>) -> tensor<20xi64>
    %v30 = stablehlo.slice %v29 [0:12] : (tensor<20xi64>) -> tensor<12xi64>
    %v31 = stablehlo.add %v28, %v30 : tensor<12xi64>
    stablehlo.custom_call @check.expect_eq(%v2, %want#0) {has_side_effect = true} : (tensor<12xi64>, tensor<12xi64>) -> ()
    stablehlo.custom_call @check.expect_eq(%v9#2, %want#1) {has_side_effect = true} : (tensor<12xi64>, tensor<12xi64>) -> ()
    stablehlo.custom_call @check.expect_eq(%v31, %want#2) {has_side_effect = true} : (tensor<12xi64>, tensor<12xi64>) -> ()
    return
  }
  func.func private @inputs() -> tensor<12xi64> {
    %c0 = stablehlo.constant dense<[8, -9, 2, 0, -5, 0, 3, -4, 1, -7, 8, -9]> : tensor<12xi64>
    return %c0 : tensor<12xi64>
  }
  func.func private @expected() -> (tensor<12xi64>, tensor<12xi64>, tensor<12xi64>) {
    %c0 = stablehlo.constant dense<[8, -1, 1, 1, -4, -4, -1, -5, -4, -11, -3, -12]> : tensor<12xi64>
    %c1 = stablehlo.constant dense<[8, -1, 1, 1, -4, -4, -1, -5, -4, -11, -3, -12]> : tensor<12xi64>
    %c2 = stablehlo.constant dense<[8, -1, 1, 1, -4, -4, -1, -5, -4, -11, -3, -12]> : tensor<12xi64>
    return %c0, %c1, %c2 : tensor<12xi64>, tensor<12xi64>, tensor<12xi64>
  }
}
