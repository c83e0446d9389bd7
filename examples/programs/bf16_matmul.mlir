// Small integers are exact in bf16, their products in f32.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @bf16_matmul attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<5x7xf32>, tensor<7x3xf32>)
    %want = call @expected() : () -> tensor<5x3xf32>
    %v1 = stablehlo.convert %in#0 : (tensor<5x7xf32>) -> tensor<5x7xbf16>
    %v2 = stablehlo.convert %in#1 : (tensor<7x3xf32>) -> tensor<7x3xbf16>
    %v3 = stablehlo.dot_general %v1, %v2, contracting_dims = [1] x [0] : (tensor<5x7xbf16>, tensor<7x3xbf16>) -> tensor<5x3xf32>
    stablehlo.custom_call @check.expect_eq(%v3, %want) {has_side_effect = true} : (tensor<5x3xf32>, tensor<5x3xf32>) -> ()
    return
  }
  func.func private @inputs() -> (tensor<5x7xf32>, tensor<7x3xf32>) {
    %c0 = stablehlo.constant dense<[[-6.0, -6.0, 5.0, 0.0, 2.0, 2.0, 4.0], [-8.0, 0.0, -6.0, -2.0, 7.0, 1.0, -7.0], [1.0, -6.0, 4.0, 8.0, 8.0, 2.0, 6.0], [-2.0, -6.0, 0.0, -1.0, 3.0, 8.0, -4.0], [6.0, -6.0, -3.0, 5.0, -4.0, 3.0, -1.0]]> : tensor<5x7xf32>
    %c1 = stablehlo.constant dense<[[0.0, 8.0, 5.0], [6.0, 1.0, 8.0], [8.0, -6.0, -5.0], [-3.0, 1.0, 6.0], [0.0, 8.0, -2.0], [7.0, 2.0, 4.0], [-4.0, 2.0, 5.0]]> : tensor<7x3xf32>
    return %c0, %c1 : tensor<5x7xf32>, tensor<7x3xf32>
  }
  func.func private @expected() -> tensor<5x3xf32> {
    %c0 = stablehlo.constant dense<[[2.0, -5.6e+01, -7.9e+01], [-7.0, 1.4e+01, -6.7e+01], [-3.8e+01, 6.6e+01, 7.0], [3.9e+01, 9.0, -5.8e+01], [-5.0e+01, 3.7e+01, 4.2e+01]]> : tensor<5x3xf32>
    return %c0 : tensor<5x3xf32>
  }
}
