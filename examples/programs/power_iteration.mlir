// The largest eigenvalue of a symmetric matrix.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @power_iteration attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<5x5xf64>
    %want = call @expected() : () -> tensor<f64>
    %v1 = stablehlo.constant dense<1.0> : tensor<5xf64>
    %v2 = stablehlo.constant dense<0> : tensor<i32>
    %v3:2 = stablehlo.while(%i3_0 = %v2, %i3_1 = %v1) : tensor<i32>, tensor<5xf64>
    cond {
      %v4 = stablehlo.constant dense<60> : tensor<i32>
      %v5 = stablehlo.compare LT, %i3_0, %v4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v5 : tensor<i1>
    } do {
      %v6 = stablehlo.constant dense<1> : tensor<i32>
      %v7 = stablehlo.add %i3_0, %v6 : tensor<i32>
      %v8 = stablehlo.dot_general %in, %i3_1, contracting_dims = [1] x [0] : (tensor<5x5xf64>, tensor<5xf64>) -> tensor<5xf64>
      %v9 = stablehlo.multiply %v8, %v8 : tensor<5xf64>
      %v10 = stablehlo.constant dense<0.0> : tensor<f64>
      %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
      %v12 = stablehlo.rsqrt %v11 : tensor<f64>
      %v13 = stablehlo.broadcast_in_dim %v12, dims = [] : (tensor<f64>) -> tensor<5xf64>
      %v14 = stablehlo.multiply %v8, %v13 : tensor<5xf64>
      stablehlo.return %v7, %v14 : tensor<i32>, tensor<5xf64>
    }
    %v15 = stablehlo.dot_general %in, %v3#1, contracting_dims = [1] x [0] : (tensor<5x5xf64>, tensor<5xf64>) -> tensor<5xf64>
    %v16 = stablehlo.multiply %v3#1, %v15 : tensor<5xf64>
    %v17 = stablehlo.constant dense<0.0> : tensor<f64>
    %v18 = stablehlo.reduce(%v16 init: %v17) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    check.expect_almost_eq %v18, %want, tolerance = 1.0e-10 : tensor<f64>
    return
  }
  func.func private @inputs() -> tensor<5x5xf64> {
    %c0 = stablehlo.constant dense<[[2.303977074478178, 1.857515257495788, -1.258195059425114, 0.49817348748562656, 0.1284453526502124], [1.857515257495788, 3.151437930587916, -0.024734586930568764, 0.5259629926460572, -0.5985464871707791], [-1.258195059425114, -0.024734586930568764, 0.21504850539934528, -1.0320962198498562, -0.01960208433505234], [0.4981734874856268, 0.5259629926460572, -1.0320962198498562, 0.5503423381913698, 0.11457663374549432], [0.1284453526502124, -0.5985464871707791, -0.01960208433505234, 0.11457663374549432, 1.27919415134319]]> : tensor<5x5xf64>
    return %c0 : tensor<5x5xf64>
  }
  func.func private @expected() -> tensor<f64> {
    %c0 = stablehlo.constant dense<5.0> : tensor<f64>
    return %c0 : tensor<f64>
  }
}
