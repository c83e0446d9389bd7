// Ten rounds of clustering points around three centers.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @k_means attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<18x2xf64>, tensor<3x2xf64>)
    %want = call @expected() : () -> tensor<3x2xf64>
    %v1 = stablehlo.constant dense<0> : tensor<i32>
    %v2:2 = stablehlo.while(%i2_0 = %v1, %i2_1 = %in#1) : tensor<i32>, tensor<3x2xf64>
    cond {
      %v3 = stablehlo.constant dense<10> : tensor<i32>
      %v4 = stablehlo.compare LT, %i2_0, %v3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v4 : tensor<i1>
    } do {
      %v5 = stablehlo.constant dense<1> : tensor<i32>
      %v6 = stablehlo.add %i2_0, %v5 : tensor<i32>
      %v7 = stablehlo.reshape %in#0 : (tensor<18x2xf64>) -> tensor<18x1x2xf64>
      %v8 = stablehlo.reshape %i2_1 : (tensor<3x2xf64>) -> tensor<1x3x2xf64>
      %v9 = stablehlo.broadcast_in_dim %v7, dims = [0, 1, 2] : (tensor<18x1x2xf64>) -> tensor<18x3x2xf64>
      %v10 = stablehlo.broadcast_in_dim %v8, dims = [0, 1, 2] : (tensor<1x3x2xf64>) -> tensor<18x3x2xf64>
      %v11 = stablehlo.subtract %v9, %v10 : tensor<18x3x2xf64>
      %v12 = stablehlo.multiply %v11, %v11 : tensor<18x3x2xf64>
      %v13 = stablehlo.constant dense<0.0> : tensor<f64>
      %v14 = stablehlo.reduce(%v12 init: %v13) applies stablehlo.add across dimensions = [2] : (tensor<18x3x2xf64>, tensor<f64>) -> tensor<18x3xf64>
      %v15 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
      %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.minimum across dimensions = [1] : (tensor<18x3xf64>, tensor<f64>) -> tensor<18xf64>
      %v17 = stablehlo.reshape %v16 : (tensor<18xf64>) -> tensor<18x1xf64>
      %v18 = stablehlo.broadcast_in_dim %v17, dims = [0, 1] : (tensor<18x1xf64>) -> tensor<18x3xf64>
      %v19 = stablehlo.compare EQ, %v14, %v18 : (tensor<18x3xf64>, tensor<18x3xf64>) -> tensor<18x3xi1>
      %v20 = stablehlo.convert %v19 : (tensor<18x3xi1>) -> tensor<18x3xf64>
      %v21 = stablehlo.dot_general %v20, %in#0, contracting_dims = [0] x [0] : (tensor<18x3xf64>, tensor<18x2xf64>) -> tensor<3x2xf64>
      %v22 = stablehlo.constant dense<0.0> : tensor<f64>
      %v23 = stablehlo.reduce(%v20 init: %v22) applies stablehlo.add across dimensions = [0] : (tensor<18x3xf64>, tensor<f64>) -> tensor<3xf64>
      %v24 = stablehlo.reshape %v23 : (tensor<3xf64>) -> tensor<3x1xf64>
      %v25 = stablehlo.broadcast_in_dim %v24, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
      %v26 = stablehlo.divide %v21, %v25 : tensor<3x2xf64>
      stablehlo.return %v6, %v26 : tensor<i32>, tensor<3x2xf64>
    }
    check.expect_almost_eq %v2#1, %want, tolerance = 1.0e-12 : tensor<3x2xf64>
    return
  }
  func.func private @inputs() -> (tensor<18x2xf64>, tensor<3x2xf64>) {
    %c0 = stablehlo.constant dense<[[0.025501554844894813, 6.2946786278707725], [0.18298881351642698, 5.130288004865094], [-1.1694359833940058, 6.344444297662575], [0.4304851146985058, 7.903949489994964], [-0.6110904601962434, 6.410287612577823], [0.17342724913814903, 5.7823064443682775], [4.7153446313145215, -1.474678441782775], [7.952544247451046, -0.48511945474153784], [8.02857738901359, 0.7137685937048811], [5.383362378525972, 0.46136954923771334], [4.500889532924982, -0.45873840127760057], [6.032505645481325, 0.3385888781053513], [-6.489104046240682, -6.997283547301961], [-6.131964139263094, -5.868737606955995], [-6.348322106299265, -6.113316272947609], [-4.990049638563693, -4.629320317716569], [-4.625631497527259, -6.719056129624571], [-6.332747409025779, -5.3404039738051345]]> : tensor<18x2xf64>
    %c1 = stablehlo.constant dense<[[0.025501554844894813, 6.2946786278707725], [7.952544247451046, -0.48511945474153784], [-6.131964139263094, -5.868737606955995]]> : tensor<3x2xf64>
    return %c0, %c1 : tensor<18x2xf64>, tensor<3x2xf64>
  }
  func.func private @expected() -> tensor<3x2xf64> {
    %c0 = stablehlo.constant dense<[[-0.16135395189871207, 6.310992412889919], [6.10220397078524, -0.1508015461256613], [-5.819636472819962, -5.94468630805864]]> : tensor<3x2xf64>
    return %c0 : tensor<3x2xf64>
  }
}
