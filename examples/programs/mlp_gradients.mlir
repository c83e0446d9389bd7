// Two layers with relu and cross entropy: loss and gradients.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @mlp_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:5 = call @inputs() : () -> (tensor<4x3xf64>, tensor<4x5xf64>, tensor<3x6xf64>, tensor<6xf64>, tensor<6x5xf64>)
    %want:4 = call @expected() : () -> (tensor<f64>, tensor<3x6xf64>, tensor<6xf64>, tensor<6x5xf64>)
    %v1 = stablehlo.dot_general %in#0, %in#2, contracting_dims = [1] x [0] : (tensor<4x3xf64>, tensor<3x6xf64>) -> tensor<4x6xf64>
    %v2 = stablehlo.broadcast_in_dim %in#3, dims = [1] : (tensor<6xf64>) -> tensor<4x6xf64>
    %v3 = stablehlo.add %v1, %v2 : tensor<4x6xf64>
    %v4 = stablehlo.constant dense<0.0> : tensor<f64>
    %v5 = stablehlo.broadcast_in_dim %v4, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
    %v6 = stablehlo.maximum %v3, %v5 : tensor<4x6xf64>
    %v7 = stablehlo.dot_general %v6, %in#4, contracting_dims = [1] x [0] : (tensor<4x6xf64>, tensor<6x5xf64>) -> tensor<4x5xf64>
    %v8 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %v9 = stablehlo.reduce(%v7 init: %v8) applies stablehlo.maximum across dimensions = [1] : (tensor<4x5xf64>, tensor<f64>) -> tensor<4xf64>
    %v10 = stablehlo.reshape %v9 : (tensor<4xf64>) -> tensor<4x1xf64>
    %v11 = stablehlo.broadcast_in_dim %v10, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x5xf64>
    %v12 = stablehlo.subtract %v7, %v11 : tensor<4x5xf64>
    %v13 = stablehlo.exponential %v12 : tensor<4x5xf64>
    %v14 = stablehlo.constant dense<0.0> : tensor<f64>
    %v15 = stablehlo.reduce(%v13 init: %v14) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf64>, tensor<f64>) -> tensor<4xf64>
    %v16 = stablehlo.reshape %v15 : (tensor<4xf64>) -> tensor<4x1xf64>
    %v17 = stablehlo.broadcast_in_dim %v16, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x5xf64>
    %v18 = stablehlo.divide %v13, %v17 : tensor<4x5xf64>
    %v19 = stablehlo.log %v18 : tensor<4x5xf64>
    %v20 = stablehlo.multiply %v19, %in#1 : tensor<4x5xf64>
    %v21 = stablehlo.constant dense<0.0> : tensor<f64>
    %v22 = stablehlo.reduce(%v20 init: %v21) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x5xf64>, tensor<f64>) -> tensor<f64>
    %v23 = stablehlo.negate %v22 : tensor<f64>
    %v24 = stablehlo.constant dense<4.0> : tensor<f64>
    %v25 = stablehlo.divide %v23, %v24 : tensor<f64>
    %v26 = stablehlo.constant dense<1.0> : tensor<f64>
    %v27 = stablehlo.divide %v26, %v24 : tensor<f64>
    %v28 = stablehlo.multiply %v26, %v23 : tensor<f64>
    %v29 = stablehlo.negate %v28 : tensor<f64>
    %v30 = stablehlo.multiply %v24, %v24 : tensor<f64>
    %v31 = stablehlo.divide %v29, %v30 : tensor<f64>
    %v32 = stablehlo.negate %v27 : tensor<f64>
    %v33 = stablehlo.broadcast_in_dim %v32, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %v34 = stablehlo.multiply %v33, %in#1 : tensor<4x5xf64>
    %v35 = stablehlo.multiply %v33, %v19 : tensor<4x5xf64>
    %v36 = stablehlo.divide %v34, %v18 : tensor<4x5xf64>
    %v37 = stablehlo.divide %v36, %v17 : tensor<4x5xf64>
    %v38 = stablehlo.multiply %v36, %v13 : tensor<4x5xf64>
    %v39 = stablehlo.negate %v38 : tensor<4x5xf64>
    %v40 = stablehlo.multiply %v17, %v17 : tensor<4x5xf64>
    %v41 = stablehlo.divide %v39, %v40 : tensor<4x5xf64>
    %v42 = stablehlo.constant dense<0.0> : tensor<f64>
    %v43 = stablehlo.reduce(%v41 init: %v42) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf64>, tensor<f64>) -> tensor<4xf64>
    %v44 = stablehlo.reshape %v43 : (tensor<4xf64>) -> tensor<4x1xf64>
    %v45 = stablehlo.reshape %v44 : (tensor<4x1xf64>) -> tensor<4xf64>
    %v46 = stablehlo.broadcast_in_dim %v45, dims = [0] : (tensor<4xf64>) -> tensor<4x5xf64>
    %v47 = stablehlo.add %v37, %v46 : tensor<4x5xf64>
    %v48 = stablehlo.multiply %v47, %v13 : tensor<4x5xf64>
    %v49 = stablehlo.negate %v48 : tensor<4x5xf64>
    %v50 = stablehlo.constant dense<0.0> : tensor<f64>
    %v51 = stablehlo.reduce(%v49 init: %v50) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf64>, tensor<f64>) -> tensor<4xf64>
    %v52 = stablehlo.reshape %v51 : (tensor<4xf64>) -> tensor<4x1xf64>
    %v53 = stablehlo.dot_general %v48, %in#4, contracting_dims = [1] x [1] : (tensor<4x5xf64>, tensor<6x5xf64>) -> tensor<4x6xf64>
    %v54 = stablehlo.dot_general %v48, %v6, contracting_dims = [0] x [0] : (tensor<4x5xf64>, tensor<4x6xf64>) -> tensor<5x6xf64>
    %v55 = stablehlo.transpose %v54, dims = [1, 0] : (tensor<5x6xf64>) -> tensor<6x5xf64>
    %v56 = stablehlo.compare GT, %v3, %v5 : (tensor<4x6xf64>, tensor<4x6xf64>) -> tensor<4x6xi1>
    %v57 = stablehlo.constant dense<0.0> : tensor<f64>
    %v58 = stablehlo.broadcast_in_dim %v57, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
    %v59 = stablehlo.multiply %v53, %v58 : tensor<4x6xf64>
    %v60 = stablehlo.select %v56, %v53, %v59 : tensor<4x6xi1>, tensor<4x6xf64>
    %v61 = stablehlo.compare GT, %v3, %v5 : (tensor<4x6xf64>, tensor<4x6xf64>) -> tensor<4x6xi1>
    %v62 = stablehlo.constant dense<0.0> : tensor<f64>
    %v63 = stablehlo.broadcast_in_dim %v62, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
    %v64 = stablehlo.multiply %v53, %v63 : tensor<4x6xf64>
    %v65 = stablehlo.select %v61, %v64, %v53 : tensor<4x6xi1>, tensor<4x6xf64>
    %v66 = stablehlo.constant dense<0.0> : tensor<f64>
    %v67 = stablehlo.reduce(%v65 init: %v66) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf64>, tensor<f64>) -> tensor<f64>
    %v68 = stablehlo.constant dense<0.0> : tensor<f64>
    %v69 = stablehlo.reduce(%v60 init: %v68) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf64>, tensor<f64>) -> tensor<6xf64>
    %v70 = stablehlo.dot_general %v60, %in#2, contracting_dims = [1] x [1] : (tensor<4x6xf64>, tensor<3x6xf64>) -> tensor<4x3xf64>
    %v71 = stablehlo.dot_general %v60, %in#0, contracting_dims = [0] x [0] : (tensor<4x6xf64>, tensor<4x3xf64>) -> tensor<6x3xf64>
    %v72 = stablehlo.transpose %v71, dims = [1, 0] : (tensor<6x3xf64>) -> tensor<3x6xf64>
    check.expect_almost_eq %v25, %want#0, tolerance = 1.0e-12 : tensor<f64>
    check.expect_almost_eq %v72, %want#1, tolerance = 1.0e-08 : tensor<3x6xf64>
    check.expect_almost_eq %v69, %want#2, tolerance = 1.0e-08 : tensor<6xf64>
    check.expect_almost_eq %v55, %want#3, tolerance = 1.0e-08 : tensor<6x5xf64>
    return
  }
  func.func private @inputs() -> (tensor<4x3xf64>, tensor<4x5xf64>, tensor<3x6xf64>, tensor<6xf64>, tensor<6x5xf64>) {
    %c0 = stablehlo.constant dense<[[2.0409191213851825, -2.5556650313141818, 0.41809884672577885], [-0.5677696061279298, -0.45264929211044586, -0.2155971630897659], [-2.019986129147251, -0.23193237764418947, -0.8652130762749417], [3.3229995166448827, 0.22578661322792176, -0.3526307943415954]]> : tensor<4x3xf64>
    %c1 = stablehlo.constant dense<[[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0]]> : tensor<4x5xf64>
    %c2 = stablehlo.constant dense<[[-0.2812874181513504, -0.6680463461089501, -1.0551505512051214, -0.39080097723465473, 0.48194538850678587, -0.2385536065733667], [0.9577587029597641, -0.19980212906658, 0.024259565076664623, 1.545820851212812, 0.5451055226876446, -0.505228735614018], [-0.1828389745977349, 0.5405251317548021, 1.9350880340988528, -0.2696203273419135, -0.24355867907910456, 1.0023136012756912]]> : tensor<3x6xf64>
    %c3 = stablehlo.constant dense<[-0.8864599431605871, -0.291720232439864, 0.8825389674564839, 0.5803500161908991, 0.09151670328235219, 0.6701043548284794]> : tensor<6xf64>
    %c4 = stablehlo.constant dense<[[-2.8281623068437627, 1.02130681750008, -0.9596447598081417, -1.6686198426559695, 0.27644575952099965], [0.7005448853493901, -0.4447674556827841, -1.0764058401008076, 0.026124833534033623, -0.05274730824287927], [1.4055981660180925, 0.7474079874793504, 0.19381564626462, 1.1116332052239921, -0.20552304990579248], [-0.9258995736483681, 0.584058311025248, 0.5825384186556901, -0.2148289111268558, -0.7828085779639662], [0.22915390521326254, -2.4938942784579905, 0.690124770162812, 0.4913682607449912, -1.6388571438904884], [0.06135350983817159, -0.9640996635412404, 0.7572210447581504, -2.034167273443428, -0.9144945379945887]]> : tensor<6x5xf64>
    return %c0, %c1, %c2, %c3, %c4 : tensor<4x3xf64>, tensor<4x5xf64>, tensor<3x6xf64>, tensor<6xf64>, tensor<6x5xf64>
  }
  func.func private @expected() -> (tensor<f64>, tensor<3x6xf64>, tensor<6xf64>, tensor<6x5xf64>) {
    %c0 = stablehlo.constant dense<1.7705592709263673> : tensor<f64>
    %c1 = stablehlo.constant dense<[[0.0, -0.4914673177758288, -0.32972732953995276, 0.34245535812660316, 0.02248316839370545, 0.5609521681715357], [0.0, -0.05293416920348903, -0.0178215058710407, 0.04419300834168637, 0.0015276554909959825, -0.4384562964365734], [0.0, -0.2107572899978649, -0.14265786267841918, 0.14633560156962488, -0.002385873820731632, 0.2029489204691259]]> : tensor<3x6xf64>
    %c2 = stablehlo.constant dense<[0.0, 0.23681644120143727, 0.1260533830427235, -0.17857473731952564, 0.006765925875118483, 0.3016860383731057]> : tensor<6xf64>
    %c3 = stablehlo.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0], [0.061626546554727206, 0.048967684129763704, -0.12488385263687006, 0.010531569416549758, 0.0037580525136249317], [0.24235328395239006, 0.1316891717006996, -0.19805114358506512, -0.19298439276616006, 0.016993080675931083], [0.12546251930700691, 0.09702935065414307, -0.24143278163357704, 0.011193277560384017, 0.007747634089838583], [0.09352800438566787, 0.000526799437405856, 0.22475715081293754, -0.32149065635200813, 0.002678701738201283], [-0.24540717479260007, 0.06884206783519531, 0.32460115955146307, -0.17285172537739865, 0.02481567277223817]]> : tensor<6x5xf64>
    return %c0, %c1, %c2, %c3 : tensor<f64>, tensor<3x6xf64>, tensor<6xf64>, tensor<6x5xf64>
  }
}
