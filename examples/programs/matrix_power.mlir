// Fibonacci numbers by squaring a matrix, the bits of the exponent taken in a loop.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @matrix_power attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %want = call @expected() : () -> tensor<i64>
    %v1 = stablehlo.constant dense<[[1, 1], [1, 0]]> : tensor<2x2xi64>
    %v2 = stablehlo.constant dense<90> : tensor<i64>
    %v3 = stablehlo.constant dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>
    %v4:3 = stablehlo.while(%i4_0 = %v2, %i4_1 = %v1, %i4_2 = %v3) : tensor<i64>, tensor<2x2xi64>, tensor<2x2xi64>
    cond {
      %v5 = stablehlo.constant dense<0> : tensor<i64>
      %v6 = stablehlo.compare GT, %i4_0, %v5 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %v6 : tensor<i1>
    } do {
      %v7 = stablehlo.constant dense<1> : tensor<i64>
      %v8 = stablehlo.and %i4_0, %v7 : tensor<i64>
      %v9 = stablehlo.constant dense<1> : tensor<i64>
      %v10 = stablehlo.compare EQ, %v8, %v9 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %v11 = "stablehlo.if"(%v10) ({
        %v12 = stablehlo.dot_general %i4_2, %i4_1, contracting_dims = [1] x [0] : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
        stablehlo.return %v12 : tensor<2x2xi64>
      }, {
        stablehlo.return %i4_2 : tensor<2x2xi64>
      }) : (tensor<i1>) -> tensor<2x2xi64>
      %v13 = stablehlo.constant dense<1> : tensor<i64>
      %v14 = stablehlo.shift_right_logical %i4_0, %v13 : tensor<i64>
      %v15 = stablehlo.dot_general %i4_1, %i4_1, contracting_dims = [1] x [0] : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
      stablehlo.return %v14, %v15, %v11 : tensor<i64>, tensor<2x2xi64>, tensor<2x2xi64>
    }
    %v16 = stablehlo.slice %v4#2 [0:1, 1:2] : (tensor<2x2xi64>) -> tensor<1x1xi64>
    %v17 = stablehlo.reshape %v16 : (tensor<1x1xi64>) -> tensor<i64>
    stablehlo.custom_call @check.expect_eq(%v17, %want) {has_side_effect = true} : (tensor<i64>, tensor<i64>) -> ()
    return
  }
  func.func private @expected() -> tensor<i64> {
    %c0 = stablehlo.constant dense<2880067194370816120> : tensor<i64>
    return %c0 : tensor<i64>
  }
}
