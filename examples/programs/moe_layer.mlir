// A mixture of experts: each token goes to the best of three, and is scaled by its gate.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @moe_layer attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:3 = call @inputs() : () -> (tensor<6x4xf64>, tensor<4x3xf64>, tensor<3x4x4xf64>)
    %want:2 = call @expected() : () -> (tensor<6x4xf64>, tensor<3xf64>)
    %v1 = stablehlo.dot_general %in#0, %in#1, contracting_dims = [1] x [0] : (tensor<6x4xf64>, tensor<4x3xf64>) -> tensor<6x3xf64>
    %v2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %v3 = stablehlo.reduce(%v1 init: %v2) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3xf64>, tensor<f64>) -> tensor<6xf64>
    %v4 = stablehlo.reshape %v3 : (tensor<6xf64>) -> tensor<6x1xf64>
    %v5 = stablehlo.broadcast_in_dim %v4, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x3xf64>
    %v6 = stablehlo.subtract %v1, %v5 : tensor<6x3xf64>
    %v7 = stablehlo.exponential %v6 : tensor<6x3xf64>
    %v8 = stablehlo.constant dense<0.0> : tensor<f64>
    %v9 = stablehlo.reduce(%v7 init: %v8) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf64>, tensor<f64>) -> tensor<6xf64>
    %v10 = stablehlo.reshape %v9 : (tensor<6xf64>) -> tensor<6x1xf64>
    %v11 = stablehlo.broadcast_in_dim %v10, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x3xf64>
    %v12 = stablehlo.divide %v7, %v11 : tensor<6x3xf64>
    %v13, %v14 = chlo.top_k(%v12, k = 1) : tensor<6x3xf64> -> (tensor<6x1xf64>, tensor<6x1xi32>)
    %v15 = stablehlo.iota dim = 1 : tensor<6x3xi32>
    %v16 = stablehlo.broadcast_in_dim %v14, dims = [0, 1] : (tensor<6x1xi32>) -> tensor<6x3xi32>
    %v17 = stablehlo.compare EQ, %v16, %v15 : (tensor<6x3xi32>, tensor<6x3xi32>) -> tensor<6x3xi1>
    %v18 = stablehlo.convert %v17 : (tensor<6x3xi1>) -> tensor<6x3xf64>
    %v19 = stablehlo.dot_general %v18, %in#0, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<6x3xf64>, tensor<6x4xf64>) -> tensor<6x3x4xf64>
    %v20 = stablehlo.transpose %v19, dims = [1, 0, 2] : (tensor<6x3x4xf64>) -> tensor<3x6x4xf64>
    %v21 = stablehlo.dot_general %v20, %in#2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x6x4xf64>, tensor<3x4x4xf64>) -> tensor<3x6x4xf64>
    %v22 = stablehlo.tanh %v21 : tensor<3x6x4xf64>
    %v23 = stablehlo.broadcast_in_dim %v13, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x3xf64>
    %v24 = stablehlo.multiply %v18, %v23 : tensor<6x3xf64>
    %v25 = stablehlo.dot_general %v24, %v22, batching_dims = [0] x [1], contracting_dims = [1] x [0] : (tensor<6x3xf64>, tensor<3x6x4xf64>) -> tensor<6x4xf64>
    %v26 = stablehlo.constant dense<0.0> : tensor<f64>
    %v27 = stablehlo.reduce(%v18 init: %v26) applies stablehlo.add across dimensions = [0] : (tensor<6x3xf64>, tensor<f64>) -> tensor<3xf64>
    check.expect_almost_eq %v25, %want#0, tolerance = 1.0e-12 : tensor<6x4xf64>
    check.expect_almost_eq %v27, %want#1, tolerance = 0.0 : tensor<3xf64>
    return
  }
  func.func private @inputs() -> (tensor<6x4xf64>, tensor<4x3xf64>, tensor<3x4x4xf64>) {
    %c0 = stablehlo.constant dense<[[-0.8019314252534474, -1.324358995628145, -0.24836162209524854, 0.4204452380655215], [1.1360465324896427, 0.10970639932180819, -0.5526473205362324, -0.7847803553442784], [0.7487457707345911, 1.6347830429585775, 0.27276877584472176, -1.2333286640307717], [-0.9582652054360887, 1.6000190889991115, 0.2028824405086084, -1.7321348424395848], [-0.08369619281702581, -1.1632259734447485, -0.6292880940615545, -0.48800582327685743], [-0.7133133716322436, 0.5533784703532895, -0.06308597192528916, -0.5894312580326048]]> : tensor<6x4xf64>
    %c1 = stablehlo.constant dense<[[0.40963782655711695, 0.8298553070613239, -1.643023371405677], [-0.256730126365494, -0.9807473560440125, -0.17315522486203205], [-1.2894187467538587, 0.0206903940375912, -0.03788574104406823], [-0.304337750958489, -1.0479265051202462, -0.3961903304730927]]> : tensor<4x3xf64>
    %c2 = stablehlo.constant dense<[[[-1.091328901695709, -1.3552087462047395, 0.22478573245989314, -1.109349937891366], [1.1702961011782933, 0.7165876558738361, -1.9978166924497212, 0.272128869412488], [-1.1017166275810448, 0.033057220158269195, 0.04363199256942161, -1.9884297882311208], [-0.23342252376577002, -0.255790031399391, 0.9620005318430944, -1.1814468079562157]], [[0.7380418978456841, -1.0989727630364063, -0.33129089269991674, -0.8404731684222111], [1.448731288921672, 0.5682130997882933, 2.4317325028452124, 0.6419163790823205], [0.8449927337191754, 0.8406828762653401, -0.6066115359095516, -0.07002844663838208], [1.350388867744626, -0.3965507651729716, 0.18879953129109867, -0.021223460417289796]], [[0.6092164928327407, -0.3649087419473726, -0.15236188875684828, 0.24238142867215043], [0.10302313848680769, -0.8649727462818201, 0.8957830431894438, -1.298481208246912], [-1.2011155488035266, -1.282491794740462, 0.9669722789332148, -0.36060836889927], [-0.9710363785210655, -1.1360213941896466, 0.42113113746240616, -1.054840662577835]]]> : tensor<3x4x4xf64>
    return %c0, %c1, %c2 : tensor<6x4xf64>, tensor<4x3xf64>, tensor<3x4x4xf64>
  }
  func.func private @expected() -> (tensor<6x4xf64>, tensor<3xf64>) {
    %c0 = stablehlo.constant dense<[[-0.38983590065655005, 0.5331412676846449, -0.5044016689885165, 0.513508184782765], [-0.26733843683369235, -0.4805267090028853, 0.042638427176083675, -0.3748880558229409], [0.46872377430423373, 0.3518253985624397, 0.517982356319058, 0.2092581870777805], [0.6626765905521883, 0.5055504208578905, 0.6718495660500835, -0.4347783051851343], [-0.4802034365913109, -0.34695866184213053, -0.4765872620150228, -0.26679010481945864], [0.19049771496085768, 0.3512071415301276, 0.20687473250325708, -0.17454237466428027]]> : tensor<6x4xf64>
    %c1 = stablehlo.constant dense<[0.0, 3.0, 3.0]> : tensor<3xf64>
    return %c0, %c1 : tensor<6x4xf64>, tensor<3xf64>
  }
}
