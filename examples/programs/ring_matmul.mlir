// A product of matrices on three processes: blocks of rows go around in a ring.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @ring_matmul attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<6x6xf64>, tensor<6x4xf64>)
    %want = call @expected() : () -> tensor<6x4xf64>
    %v20 = stablehlo.slice %in#0 [0:2, 0:6] : (tensor<6x6xf64>) -> tensor<2x6xf64>
    %v21 = stablehlo.slice %in#1 [0:2, 0:4] : (tensor<6x4xf64>) -> tensor<2x4xf64>
    %v22 = stablehlo.slice %in#0 [2:4, 0:6] : (tensor<6x6xf64>) -> tensor<2x6xf64>
    %v23 = stablehlo.slice %in#1 [2:4, 0:4] : (tensor<6x4xf64>) -> tensor<2x4xf64>
    %v24 = stablehlo.slice %in#0 [4:6, 0:6] : (tensor<6x6xf64>) -> tensor<2x6xf64>
    %v25 = stablehlo.slice %in#1 [4:6, 0:4] : (tensor<6x4xf64>) -> tensor<2x4xf64>
    %v26:3 = "interpreter.run_parallel"(%v20, %v21, %v22, %v23, %v24, %v25) <{programs = [[@ring, @ring, @ring]]}> : (tensor<2x6xf64>, tensor<2x4xf64>, tensor<2x6xf64>, tensor<2x4xf64>, tensor<2x6xf64>, tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>)
    %v27 = stablehlo.concatenate %v26#0, %v26#1, %v26#2, dim = 0 : (tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<6x4xf64>
    stablehlo.custom_call @check.expect_eq(%v27, %want) {has_side_effect = true} : (tensor<6x4xf64>, tensor<6x4xf64>) -> ()
    return
  }
  func.func private @ring(%arg0: tensor<2x6xf64>, %arg1: tensor<2x4xf64>) -> tensor<2x4xf64> {
    %v1 = stablehlo.partition_id : tensor<ui32>
    %v2 = stablehlo.constant dense<0> : tensor<i32>
    %v3 = stablehlo.constant dense<0.0> : tensor<2x4xf64>
    %v4 = stablehlo.constant dense<0> : tensor<i32>
    %v5:3 = stablehlo.while(%i5_0 = %v4, %i5_1 = %arg1, %i5_2 = %v3) : tensor<i32>, tensor<2x4xf64>, tensor<2x4xf64>
    cond {
      %v6 = stablehlo.constant dense<3> : tensor<i32>
      %v7 = stablehlo.compare LT, %i5_0, %v6 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v7 : tensor<i1>
    } do {
      %v8 = stablehlo.constant dense<1> : tensor<i32>
      %v9 = stablehlo.add %i5_0, %v8 : tensor<i32>
      %v10 = stablehlo.convert %v1 : (tensor<ui32>) -> tensor<i32>
      %v11 = stablehlo.add %v10, %i5_0 : tensor<i32>
      %v12 = stablehlo.constant dense<3> : tensor<i32>
      %v13 = stablehlo.remainder %v11, %v12 : tensor<i32>
      %v14 = stablehlo.constant dense<2> : tensor<i32>
      %v15 = stablehlo.multiply %v13, %v14 : tensor<i32>
      %v16 = stablehlo.dynamic_slice %arg0, %v2, %v15, sizes = [2, 2] : (tensor<2x6xf64>, tensor<i32>, tensor<i32>) -> tensor<2x2xf64>
      %v17 = stablehlo.dot_general %v16, %i5_1, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
      %v18 = stablehlo.add %i5_2, %v17 : tensor<2x4xf64>
      %v19 = "stablehlo.collective_permute"(%i5_1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 0], [2, 1]]> : tensor<3x2xi64>}> : (tensor<2x4xf64>) -> tensor<2x4xf64>
      stablehlo.return %v9, %v19, %v18 : tensor<i32>, tensor<2x4xf64>, tensor<2x4xf64>
    }
    return %v5#2 : tensor<2x4xf64>
  }
  func.func private @inputs() -> (tensor<6x6xf64>, tensor<6x4xf64>) {
    %c0 = stablehlo.constant dense<[[-5.0, 3.0, 2.0, -1.0, -1.0, 4.0], [-5.0, 2.0, -3.0, -4.0, 0.0, 5.0], [3.0, 3.0, 2.0, 3.0, 0.0, -4.0], [4.0, -1.0, 0.0, -1.0, -3.0, 5.0], [3.0, 2.0, -1.0, 4.0, 0.0, -1.0], [-1.0, -3.0, -4.0, 1.0, 4.0, -5.0]]> : tensor<6x6xf64>
    %c1 = stablehlo.constant dense<[[4.0, 4.0, -2.0, 1.0], [-4.0, 3.0, 2.0, -2.0], [-5.0, 5.0, -1.0, 4.0], [2.0, 3.0, 3.0, -3.0], [-1.0, 0.0, 0.0, -5.0], [1.0, -4.0, 3.0, 2.0]]> : tensor<6x4xf64>
    return %c0, %c1 : tensor<6x6xf64>, tensor<6x4xf64>
  }
  func.func private @expected() -> tensor<6x4xf64> {
    %c0 = stablehlo.constant dense<[[-39.0, -20.0, 23.0, 13.0], [-16.0, -61.0, 20.0, 1.0], [-8.0, 56.0, -5.0, -12.0], [26.0, -10.0, 2.0, 34.0], [16.0, 29.0, 8.0, -19.0], [21.0, -10.0, -12.0, -44.0]]> : tensor<6x4xf64>
    return %c0 : tensor<6x4xf64>
  }
}
