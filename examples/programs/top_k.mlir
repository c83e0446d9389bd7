// The largest elements of each row, the first of equal ones first.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @top_k attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<3x9xf32>
    %want:2 = call @expected() : () -> (tensor<3x4xf32>, tensor<3x4xi32>)
    %v1, %v2 = chlo.top_k(%in, k = 4) : tensor<3x9xf32> -> (tensor<3x4xf32>, tensor<3x4xi32>)
    stablehlo.custom_call @check.expect_eq(%v1, %want#0) {has_side_effect = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v2, %want#1) {has_side_effect = true} : (tensor<3x4xi32>, tensor<3x4xi32>) -> ()
    return
  }
  func.func private @inputs() -> tensor<3x9xf32> {
    %c0 = stablehlo.constant dense<[[-4.0, 4.0, 2.0, -2.0, -5.0, 2.0, -2.0, 4.0, -2.0], [2.0, -3.0, 1.0, -5.0, 3.0, -4.0, 2.0, 3.0, 0.0], [3.0, 1.0, 4.0, 3.0, 4.0, -5.0, -5.0, 2.0, 2.0]]> : tensor<3x9xf32>
    return %c0 : tensor<3x9xf32>
  }
  func.func private @expected() -> (tensor<3x4xf32>, tensor<3x4xi32>) {
    %c0 = stablehlo.constant dense<[[4.0, 4.0, 2.0, 2.0], [3.0, 3.0, 2.0, 2.0], [4.0, 4.0, 3.0, 3.0]]> : tensor<3x4xf32>
    %c1 = stablehlo.constant dense<[[1, 7, 2, 5], [4, 7, 0, 6], [2, 4, 0, 3]]> : tensor<3x4xi32>
    return %c0, %c1 : tensor<3x4xf32>, tensor<3x4xi32>
  }
}
