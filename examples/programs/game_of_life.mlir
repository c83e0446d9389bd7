// A glider of Conway's game of life over twelve generations on a torus of 8 by 8.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @game_of_life attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<8x8xi32>
    %want = call @expected() : () -> tensor<8x8xi32>
    %v1 = stablehlo.constant dense<0> : tensor<i32>
    %v2:2 = stablehlo.while(%i2_0 = %v1, %i2_1 = %in) : tensor<i32>, tensor<8x8xi32>
    cond {
      %v3 = stablehlo.constant dense<12> : tensor<i32>
      %v4 = stablehlo.compare LT, %i2_0, %v3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v4 : tensor<i1>
    } do {
      %v5 = stablehlo.constant dense<1> : tensor<i32>
      %v6 = stablehlo.add %i2_0, %v5 : tensor<i32>
      %v7 = stablehlo.slice %i2_1 [7:8, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
      %v8 = stablehlo.slice %i2_1 [0:1, 0:8] : (tensor<8x8xi32>) -> tensor<1x8xi32>
      %v9 = stablehlo.concatenate %v7, %i2_1, %v8, dim = 0 : (tensor<1x8xi32>, tensor<8x8xi32>, tensor<1x8xi32>) -> tensor<10x8xi32>
      %v10 = stablehlo.slice %v9 [0:10, 7:8] : (tensor<10x8xi32>) -> tensor<10x1xi32>
      %v11 = stablehlo.slice %v9 [0:10, 0:1] : (tensor<10x8xi32>) -> tensor<10x1xi32>
      %v12 = stablehlo.concatenate %v10, %v9, %v11, dim = 1 : (tensor<10x1xi32>, tensor<10x8xi32>, tensor<10x1xi32>) -> tensor<10x10xi32>
      %v13 = stablehlo.constant dense<0> : tensor<i32>
      %v14 = "stablehlo.reduce_window"(%v12, %v13) <{window_dimensions = array<i64: 3, 3>}> ({
      ^bb0(%v15: tensor<i32>, %v16: tensor<i32>):
        %v17 = stablehlo.add %v15, %v16 : tensor<i32>
        stablehlo.return %v17 : tensor<i32>
      }) : (tensor<10x10xi32>, tensor<i32>) -> tensor<8x8xi32>
      %v18 = stablehlo.subtract %v14, %i2_1 : tensor<8x8xi32>
      %v19 = stablehlo.constant dense<3> : tensor<i32>
      %v20 = stablehlo.broadcast_in_dim %v19, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
      %v21 = stablehlo.compare EQ, %v18, %v20 : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %v22 = stablehlo.constant dense<2> : tensor<i32>
      %v23 = stablehlo.broadcast_in_dim %v22, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
      %v24 = stablehlo.compare EQ, %v18, %v23 : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %v25 = stablehlo.constant dense<1> : tensor<i32>
      %v26 = stablehlo.broadcast_in_dim %v25, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
      %v27 = stablehlo.compare EQ, %i2_1, %v26 : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
      %v28 = stablehlo.and %v24, %v27 : tensor<8x8xi1>
      %v29 = stablehlo.or %v21, %v28 : tensor<8x8xi1>
      %v30 = stablehlo.convert %v29 : (tensor<8x8xi1>) -> tensor<8x8xi32>
      stablehlo.return %v6, %v30 : tensor<i32>, tensor<8x8xi32>
    }
    stablehlo.custom_call @check.expect_eq(%v2#1, %want) {has_side_effect = true} : (tensor<8x8xi32>, tensor<8x8xi32>) -> ()
    return
  }
  func.func private @inputs() -> tensor<8x8xi32> {
    %c0 = stablehlo.constant dense<[[0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<8x8xi32>
    return %c0 : tensor<8x8xi32>
  }
  func.func private @expected() -> tensor<8x8xi32> {
    %c0 = stablehlo.constant dense<[[0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<8x8xi32>
    return %c0 : tensor<8x8xi32>
  }
}
