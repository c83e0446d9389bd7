// Counting into bins by scatter; what is out of range is dropped.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @histogram attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<30xi32>
    %want = call @expected() : () -> tensor<8xi32>
    %v1 = stablehlo.constant dense<0> : tensor<8xi32>
    %v2 = stablehlo.reshape %in : (tensor<30xi32>) -> tensor<30x1xi32>
    %v3 = stablehlo.constant dense<1> : tensor<30xi32>
    %v4 = "stablehlo.scatter"(%v1, %v2, %v3) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%v5: tensor<i32>, %v6: tensor<i32>):
      %v7 = stablehlo.add %v5, %v6 : tensor<i32>
      stablehlo.return %v7 : tensor<i32>
    }) : (tensor<8xi32>, tensor<30x1xi32>, tensor<30xi32>) -> tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%v4, %want) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    return
  }
  func.func private @inputs() -> tensor<30xi32> {
    %c0 = stablehlo.constant dense<[8, 2, 0, 6, 8, 1, 2, -2, 9, 9, 6, 4, 4, 5, 6, 4, 7, 3, 2, -1, 7, 1, 5, 6, 6, 8, 6, 8, 6, 9]> : tensor<30xi32>
    return %c0 : tensor<30xi32>
  }
  func.func private @expected() -> tensor<8xi32> {
    %c0 = stablehlo.constant dense<[1, 2, 3, 1, 3, 2, 7, 2]> : tensor<8xi32>
    return %c0 : tensor<8xi32>
  }
}
