// Activation functions of f64 by CHLO and StableHLO.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @gelu_and_friends attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<17xf64>
    %want:5 = call @expected() : () -> (tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>)
    %v1 = stablehlo.constant dense<0.5> : tensor<f64>
    %v2 = stablehlo.broadcast_in_dim %v1, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %v3 = stablehlo.multiply %in, %v2 : tensor<17xf64>
    %v4 = stablehlo.constant dense<0.7071067811865475> : tensor<f64>
    %v5 = stablehlo.broadcast_in_dim %v4, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %v6 = stablehlo.multiply %in, %v5 : tensor<17xf64>
    %v7 = chlo.erf %v6 : tensor<17xf64> -> tensor<17xf64>
    %v8 = stablehlo.constant dense<1.0> : tensor<f64>
    %v9 = stablehlo.broadcast_in_dim %v8, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %v10 = stablehlo.add %v9, %v7 : tensor<17xf64>
    %v11 = stablehlo.multiply %v3, %v10 : tensor<17xf64>
    %v12 = stablehlo.exponential %in : tensor<17xf64>
    %v13 = stablehlo.log_plus_one %v12 : tensor<17xf64>
    %v14 = stablehlo.logistic %in : tensor<17xf64>
    %v15 = stablehlo.multiply %in, %v14 : tensor<17xf64>
    %v16 = stablehlo.constant dense<0.0> : tensor<f64>
    %v17 = stablehlo.broadcast_in_dim %v16, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %v18 = stablehlo.compare GT, %in, %v17 : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xi1>
    %v19 = stablehlo.exponential_minus_one %in : tensor<17xf64>
    %v20 = stablehlo.select %v18, %in, %v19 : tensor<17xi1>, tensor<17xf64>
    %v21 = stablehlo.constant dense<5.0> : tensor<f64>
    %v22 = stablehlo.broadcast_in_dim %v21, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %v23 = stablehlo.add %in, %v22 : tensor<17xf64>
    %v24 = chlo.lgamma %v23 : tensor<17xf64> -> tensor<17xf64>
    check.expect_almost_eq %v11, %want#0, tolerance = 1.0e-14 : tensor<17xf64>
    check.expect_almost_eq %v13, %want#1, tolerance = 1.0e-14 : tensor<17xf64>
    check.expect_almost_eq %v15, %want#2, tolerance = 1.0e-14 : tensor<17xf64>
    check.expect_almost_eq %v20, %want#3, tolerance = 1.0e-14 : tensor<17xf64>
    check.expect_almost_eq %v24, %want#4, tolerance = 1.0e-13 : tensor<17xf64>
    return
  }
  func.func private @inputs() -> tensor<17xf64> {
    %c0 = stablehlo.constant dense<[-4.0, -3.5, -3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]> : tensor<17xf64>
    return %c0 : tensor<17xf64>
  }
  func.func private @expected() -> (tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>) {
    %c0 = stablehlo.constant dense<[-0.00012668496733247945, -0.0008142017766243376, -0.00404969409489028, -0.01552416331444033, -0.04550026389635839, -0.1002108019032871, -0.15865525393145707, -0.15426876936299344, 0.0, 0.34573123063700656, 0.8413447460685429, 1.399789198096713, 1.9544997361036416, 2.4844758366855597, 2.99595030590511, 3.4991857982233756, 3.9998733150326675]> : tensor<17xf64>
    %c1 = stablehlo.constant dense<[0.018149927917809734, 0.029750418272620562, 0.048587351573742055, 0.07888973429254964, 0.1269280110429725, 0.20141327798275238, 0.31326168751822286, 0.4740769841801067, 0.6931471805599453, 0.9740769841801067, 1.3132616875182228, 1.7014132779827524, 2.1269280110429722, 2.5788897342925496, 3.048587351573742, 3.5297504182726205, 4.0181499279178094]> : tensor<17xf64>
    %c2 = stablehlo.constant dense<[-0.07194483984836623, -0.10259280762974712, -0.14227761953270035, -0.18964545005310887, -0.2384058440442351, -0.2736382857095345, -0.2689414213699951, -0.1887703343990727, 0.0, 0.3112296656009273, 0.7310585786300049, 1.2263617142904655, 1.7615941559557646, 2.3103545499468914, 2.8577223804673, 3.397407192370253, 3.928055160151634]> : tensor<17xf64>
    %c3 = stablehlo.constant dense<[-0.9816843611112658, -0.9698026165776815, -0.950212931632136, -0.9179150013761012, -0.8646647167633873, -0.7768698398515702, -0.6321205588285577, -0.3934693402873666, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]> : tensor<17xf64>
    %c4 = stablehlo.constant dense<[0.0, -0.12078223763524526, 0.0, 0.2846828704729192, 0.6931471805599453, 1.2009736023470743, 1.791759469228055, 2.4537365708424423, 3.1780538303479458, 3.9578139676187165, 4.787491742782046, 5.662562059857141, 6.579251212010101, 7.534364236758734, 8.525161361065415, 9.549267257300997, 10.60460290274525]> : tensor<17xf64>
    return %c0, %c1, %c2, %c3, %c4 : tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>
  }
}
