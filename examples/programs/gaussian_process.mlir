// The mean, variance and evidence of a Gaussian process.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @gaussian_process attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:3 = call @inputs() : () -> (tensor<6xf64>, tensor<6xf64>, tensor<3xf64>)
    %want:3 = call @expected() : () -> (tensor<3x1xf64>, tensor<3xf64>, tensor<f64>)
    %v1 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %v2 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %v3 = stablehlo.compare EQ, %v1, %v2 : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %v4 = stablehlo.convert %v3 : (tensor<6x6xi1>) -> tensor<6x6xf64>
    %v5 = stablehlo.reshape %in#0 : (tensor<6xf64>) -> tensor<6x1xf64>
    %v6 = stablehlo.reshape %in#0 : (tensor<6xf64>) -> tensor<1x6xf64>
    %v7 = stablehlo.broadcast_in_dim %v5, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x6xf64>
    %v8 = stablehlo.broadcast_in_dim %v6, dims = [0, 1] : (tensor<1x6xf64>) -> tensor<6x6xf64>
    %v9 = stablehlo.subtract %v7, %v8 : tensor<6x6xf64>
    %v10 = stablehlo.multiply %v9, %v9 : tensor<6x6xf64>
    %v11 = stablehlo.constant dense<-0.5> : tensor<f64>
    %v12 = stablehlo.broadcast_in_dim %v11, dims = [] : (tensor<f64>) -> tensor<6x6xf64>
    %v13 = stablehlo.multiply %v10, %v12 : tensor<6x6xf64>
    %v14 = stablehlo.exponential %v13 : tensor<6x6xf64>
    %v15 = stablehlo.constant dense<0.1> : tensor<f64>
    %v16 = stablehlo.broadcast_in_dim %v15, dims = [] : (tensor<f64>) -> tensor<6x6xf64>
    %v17 = stablehlo.multiply %v4, %v16 : tensor<6x6xf64>
    %v18 = stablehlo.add %v14, %v17 : tensor<6x6xf64>
    %v19 = stablehlo.cholesky %v18, lower = true : tensor<6x6xf64>
    %v20 = stablehlo.reshape %in#1 : (tensor<6xf64>) -> tensor<6x1xf64>
    %v21 = "stablehlo.triangular_solve"(%v19, %v20) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<6x6xf64>, tensor<6x1xf64>) -> tensor<6x1xf64>
    %v22 = stablehlo.reshape %in#0 : (tensor<6xf64>) -> tensor<6x1xf64>
    %v23 = stablehlo.reshape %in#2 : (tensor<3xf64>) -> tensor<1x3xf64>
    %v24 = stablehlo.broadcast_in_dim %v22, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x3xf64>
    %v25 = stablehlo.broadcast_in_dim %v23, dims = [0, 1] : (tensor<1x3xf64>) -> tensor<6x3xf64>
    %v26 = stablehlo.subtract %v24, %v25 : tensor<6x3xf64>
    %v27 = stablehlo.multiply %v26, %v26 : tensor<6x3xf64>
    %v28 = stablehlo.constant dense<-0.5> : tensor<f64>
    %v29 = stablehlo.broadcast_in_dim %v28, dims = [] : (tensor<f64>) -> tensor<6x3xf64>
    %v30 = stablehlo.multiply %v27, %v29 : tensor<6x3xf64>
    %v31 = stablehlo.exponential %v30 : tensor<6x3xf64>
    %v32 = "stablehlo.triangular_solve"(%v19, %v31) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<6x6xf64>, tensor<6x3xf64>) -> tensor<6x3xf64>
    %v33 = stablehlo.dot_general %v32, %v21, contracting_dims = [0] x [0] : (tensor<6x3xf64>, tensor<6x1xf64>) -> tensor<3x1xf64>
    %v34 = stablehlo.multiply %v32, %v32 : tensor<6x3xf64>
    %v35 = stablehlo.constant dense<0.0> : tensor<f64>
    %v36 = stablehlo.reduce(%v34 init: %v35) applies stablehlo.add across dimensions = [0] : (tensor<6x3xf64>, tensor<f64>) -> tensor<3xf64>
    %v37 = stablehlo.constant dense<1.0> : tensor<f64>
    %v38 = stablehlo.broadcast_in_dim %v37, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %v39 = stablehlo.subtract %v38, %v36 : tensor<3xf64>
    %v40 = stablehlo.multiply %v21, %v21 : tensor<6x1xf64>
    %v41 = stablehlo.constant dense<0.0> : tensor<f64>
    %v42 = stablehlo.reduce(%v40 init: %v41) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x1xf64>, tensor<f64>) -> tensor<f64>
    %v43 = stablehlo.constant dense<-0.5> : tensor<f64>
    %v44 = stablehlo.multiply %v42, %v43 : tensor<f64>
    %v45 = stablehlo.multiply %v19, %v4 : tensor<6x6xf64>
    %v46 = stablehlo.constant dense<0.0> : tensor<f64>
    %v47 = stablehlo.reduce(%v45 init: %v46) applies stablehlo.add across dimensions = [1] : (tensor<6x6xf64>, tensor<f64>) -> tensor<6xf64>
    %v48 = stablehlo.log %v47 : tensor<6xf64>
    %v49 = stablehlo.constant dense<0.0> : tensor<f64>
    %v50 = stablehlo.reduce(%v48 init: %v49) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    %v51 = stablehlo.subtract %v44, %v50 : tensor<f64>
    check.expect_almost_eq %v33, %want#0, tolerance = 1.0e-12 : tensor<3x1xf64>
    check.expect_almost_eq %v39, %want#1, tolerance = 1.0e-12 : tensor<3xf64>
    check.expect_almost_eq %v51, %want#2, tolerance = 1.0e-11 : tensor<f64>
    return
  }
  func.func private @inputs() -> (tensor<6xf64>, tensor<6xf64>, tensor<3xf64>) {
    %c0 = stablehlo.constant dense<[0.0, 0.6, 1.2, 1.7999999999999998, 2.4, 3.0]> : tensor<6xf64>
    %c1 = stablehlo.constant dense<[-0.35966845567139044, 1.2036751014877107, 1.3968681196180939, 0.31723592758455404, 0.41413419203577684, -0.4895498035052234]> : tensor<6xf64>
    %c2 = stablehlo.constant dense<[0.25, 1.4, 5.0]> : tensor<3xf64>
    return %c0, %c1, %c2 : tensor<6xf64>, tensor<6xf64>, tensor<3xf64>
  }
  func.func private @expected() -> (tensor<3x1xf64>, tensor<3xf64>, tensor<f64>) {
    %c0 = stablehlo.constant dense<[[0.37259520542763], [1.0770719576921313], [-0.14747893605033247]]> : tensor<3x1xf64>
    %c1 = stablehlo.constant dense<[0.05450340649175689, 0.05067078216443566, 0.9722723035780744]> : tensor<3xf64>
    %c2 = stablehlo.constant dense<-2.1445674591525896> : tensor<f64>
    return %c0, %c1, %c2 : tensor<3x1xf64>, tensor<3xf64>, tensor<f64>
  }
}
