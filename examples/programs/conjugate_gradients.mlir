// Solving a linear system until the residual is small.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @conjugate_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<6x6xf64>, tensor<6xf64>)
    %want = call @expected() : () -> tensor<6xf64>
    %v1 = stablehlo.constant dense<0.0> : tensor<6xf64>
    %v2 = stablehlo.multiply %in#1, %in#1 : tensor<6xf64>
    %v3 = stablehlo.constant dense<0.0> : tensor<f64>
    %v4 = stablehlo.reduce(%v2 init: %v3) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    %v5:4 = stablehlo.while(%i5_0 = %v1, %i5_1 = %in#1, %i5_2 = %in#1, %i5_3 = %v4) : tensor<6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<f64>
    cond {
      %v6 = stablehlo.constant dense<1.0e-24> : tensor<f64>
      %v7 = stablehlo.compare GT, %i5_3, %v6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %v7 : tensor<i1>
    } do {
      %v8 = stablehlo.dot_general %in#0, %i5_2, contracting_dims = [1] x [0] : (tensor<6x6xf64>, tensor<6xf64>) -> tensor<6xf64>
      %v9 = stablehlo.multiply %i5_2, %v8 : tensor<6xf64>
      %v10 = stablehlo.constant dense<0.0> : tensor<f64>
      %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
      %v12 = stablehlo.divide %i5_3, %v11 : tensor<f64>
      %v13 = stablehlo.broadcast_in_dim %v12, dims = [] : (tensor<f64>) -> tensor<6xf64>
      %v14 = stablehlo.multiply %v13, %v8 : tensor<6xf64>
      %v15 = stablehlo.subtract %i5_1, %v14 : tensor<6xf64>
      %v16 = stablehlo.multiply %v15, %v15 : tensor<6xf64>
      %v17 = stablehlo.constant dense<0.0> : tensor<f64>
      %v18 = stablehlo.reduce(%v16 init: %v17) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
      %v19 = stablehlo.broadcast_in_dim %v12, dims = [] : (tensor<f64>) -> tensor<6xf64>
      %v20 = stablehlo.multiply %v19, %i5_2 : tensor<6xf64>
      %v21 = stablehlo.add %i5_0, %v20 : tensor<6xf64>
      %v22 = stablehlo.divide %v18, %i5_3 : tensor<f64>
      %v23 = stablehlo.broadcast_in_dim %v22, dims = [] : (tensor<f64>) -> tensor<6xf64>
      %v24 = stablehlo.multiply %v23, %i5_2 : tensor<6xf64>
      %v25 = stablehlo.add %v15, %v24 : tensor<6xf64>
      stablehlo.return %v21, %v15, %v25, %v18 : tensor<6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<f64>
    }
    check.expect_almost_eq %v5#0, %want, tolerance = 1.0e-10 : tensor<6xf64>
    return
  }
  func.func private @inputs() -> (tensor<6x6xf64>, tensor<6xf64>) {
    %c0 = stablehlo.constant dense<[[15.088713358662908, -0.6561722647363638, -5.193871365963886, 0.8504838853073731, 3.40582894966554, 2.7984009042036857], [-0.6561722647363638, 9.311150662818324, 5.5697034787772886, -1.007654385057462, 0.2935823581534369, 1.8432572109694443], [-5.193871365963886, 5.5697034787772886, 20.923418346458423, -0.8850209361302727, -0.545044148685216, 0.5920702033049057], [0.8504838853073731, -1.007654385057462, -0.8850209361302727, 9.814531986052485, 2.3527010596295814, -2.571166430165351], [3.40582894966554, 0.2935823581534369, -0.545044148685216, 2.3527010596295814, 10.166912449292518, 0.13711340037950764], [2.7984009042036857, 1.8432572109694443, 0.5920702033049057, -2.571166430165351, 0.13711340037950764, 9.71281028155547]]> : tensor<6x6xf64>
    %c1 = stablehlo.constant dense<[0.3943673986045515, -0.6753440287843157, 0.2383482020485698, -0.6051266946615304, 0.18878846665371848, 0.9860894628834065]> : tensor<6xf64>
    return %c0, %c1 : tensor<6x6xf64>, tensor<6xf64>
  }
  func.func private @expected() -> tensor<6xf64> {
    %c0 = stablehlo.constant dense<[0.012035175406483932, -0.12492485880593786, 0.0432881011788596, -0.0515258402819898, 0.03097200381049879, 0.10504900764517422]> : tensor<6xf64>
    return %c0 : tensor<6xf64>
  }
}
