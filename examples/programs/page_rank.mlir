// Page rank of a small graph until it changes no more.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @page_rank attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<7x7xf64>
    %want = call @expected() : () -> tensor<7xf64>
    %v1 = stablehlo.constant dense<0.0> : tensor<f64>
    %v2 = stablehlo.reduce(%in init: %v1) applies stablehlo.add across dimensions = [1] : (tensor<7x7xf64>, tensor<f64>) -> tensor<7xf64>
    %v3 = stablehlo.reshape %v2 : (tensor<7xf64>) -> tensor<7x1xf64>
    %v4 = stablehlo.broadcast_in_dim %v3, dims = [0, 1] : (tensor<7x1xf64>) -> tensor<7x7xf64>
    %v5 = stablehlo.divide %in, %v4 : tensor<7x7xf64>
    %v6 = stablehlo.constant dense<0.14285714285714285> : tensor<7xf64>
    %v7 = stablehlo.constant dense<1.0> : tensor<f64>
    %v8:2 = stablehlo.while(%i8_0 = %v6, %i8_1 = %v7) : tensor<7xf64>, tensor<f64>
    cond {
      %v9 = stablehlo.constant dense<1.0e-15> : tensor<f64>
      %v10 = stablehlo.compare GT, %i8_1, %v9 : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %v10 : tensor<i1>
    } do {
      %v11 = stablehlo.dot_general %v5, %i8_0, contracting_dims = [0] x [0] : (tensor<7x7xf64>, tensor<7xf64>) -> tensor<7xf64>
      %v12 = stablehlo.constant dense<0.85> : tensor<f64>
      %v13 = stablehlo.broadcast_in_dim %v12, dims = [] : (tensor<f64>) -> tensor<7xf64>
      %v14 = stablehlo.multiply %v11, %v13 : tensor<7xf64>
      %v15 = stablehlo.constant dense<0.02142857142857143> : tensor<f64>
      %v16 = stablehlo.broadcast_in_dim %v15, dims = [] : (tensor<f64>) -> tensor<7xf64>
      %v17 = stablehlo.add %v14, %v16 : tensor<7xf64>
      %v18 = stablehlo.subtract %v17, %i8_0 : tensor<7xf64>
      %v19 = stablehlo.abs %v18 : tensor<7xf64>
      %v20 = stablehlo.constant dense<0.0> : tensor<f64>
      %v21 = stablehlo.reduce(%v19 init: %v20) applies stablehlo.add across dimensions = [0] : (tensor<7xf64>, tensor<f64>) -> tensor<f64>
      stablehlo.return %v17, %v21 : tensor<7xf64>, tensor<f64>
    }
    check.expect_almost_eq %v8#0, %want, tolerance = 1.0e-12 : tensor<7xf64>
    return
  }
  func.func private @inputs() -> tensor<7x7xf64> {
    %c0 = stablehlo.constant dense<[[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]]> : tensor<7x7xf64>
    return %c0 : tensor<7x7xf64>
  }
  func.func private @expected() -> tensor<7xf64> {
    %c0 = stablehlo.constant dense<[0.19731944299579804, 0.10876116229040422, 0.13945630928101088, 0.10757996536367108, 0.1391802907551764, 0.16801964973615774, 0.1396831795777816]> : tensor<7xf64>
    return %c0 : tensor<7xf64>
  }
}
