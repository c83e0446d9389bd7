// All shortest paths of a directed graph, by squaring in the algebra of min and plus.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @shortest_paths attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<6x6xf64>
    %want = call @expected() : () -> tensor<6x6xf64>
    %v1 = stablehlo.constant dense<0> : tensor<i32>
    %v2:2 = stablehlo.while(%i2_0 = %v1, %i2_1 = %in) : tensor<i32>, tensor<6x6xf64>
    cond {
      %v3 = stablehlo.constant dense<3> : tensor<i32>
      %v4 = stablehlo.compare LT, %i2_0, %v3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v4 : tensor<i1>
    } do {
      %v5 = stablehlo.constant dense<1> : tensor<i32>
      %v6 = stablehlo.add %i2_0, %v5 : tensor<i32>
      %v7 = stablehlo.reshape %i2_1 : (tensor<6x6xf64>) -> tensor<6x6x1xf64>
      %v8 = stablehlo.reshape %i2_1 : (tensor<6x6xf64>) -> tensor<1x6x6xf64>
      %v9 = stablehlo.broadcast_in_dim %v7, dims = [0, 1, 2] : (tensor<6x6x1xf64>) -> tensor<6x6x6xf64>
      %v10 = stablehlo.broadcast_in_dim %v8, dims = [0, 1, 2] : (tensor<1x6x6xf64>) -> tensor<6x6x6xf64>
      %v11 = stablehlo.add %v9, %v10 : tensor<6x6x6xf64>
      %v12 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
      %v13 = stablehlo.reduce(%v11 init: %v12) applies stablehlo.minimum across dimensions = [1] : (tensor<6x6x6xf64>, tensor<f64>) -> tensor<6x6xf64>
      stablehlo.return %v6, %v13 : tensor<i32>, tensor<6x6xf64>
    }
    stablehlo.custom_call @check.expect_eq(%v2#1, %want) {has_side_effect = true} : (tensor<6x6xf64>, tensor<6x6xf64>) -> ()
    return
  }
  func.func private @inputs() -> tensor<6x6xf64> {
    %c0 = stablehlo.constant dense<[[0.0, 14.0, 6.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000], [0x7FF0000000000000, 0.0, 0x7FF0000000000000, 6.0, 0x7FF0000000000000, 3.0], [0x7FF0000000000000, 0x7FF0000000000000, 0.0, 16.0, 0x7FF0000000000000, 0x7FF0000000000000], [18.0, 0x7FF0000000000000, 15.0, 0.0, 0x7FF0000000000000, 0x7FF0000000000000], [0x7FF0000000000000, 5.0, 0x7FF0000000000000, 15.0, 0.0, 13.0], [4.0, 10.0, 16.0, 0x7FF0000000000000, 0x7FF0000000000000, 0.0]]> : tensor<6x6xf64>
    return %c0 : tensor<6x6xf64>
  }
  func.func private @expected() -> tensor<6x6xf64> {
    %c0 = stablehlo.constant dense<[[0.0, 14.0, 6.0, 20.0, 0x7FF0000000000000, 17.0], [7.0, 0.0, 13.0, 6.0, 0x7FF0000000000000, 3.0], [34.0, 48.0, 0.0, 16.0, 0x7FF0000000000000, 51.0], [18.0, 32.0, 15.0, 0.0, 0x7FF0000000000000, 35.0], [12.0, 5.0, 18.0, 11.0, 0.0, 8.0], [4.0, 10.0, 10.0, 16.0, 0x7FF0000000000000, 0.0]]> : tensor<6x6xf64>
    return %c0 : tensor<6x6xf64>
  }
}
