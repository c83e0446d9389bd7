// Least squares by the normal equations and a Cholesky factor.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @least_squares attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<9x4xf64>, tensor<9x2xf64>)
    %want:2 = call @expected() : () -> (tensor<4x4xf64>, tensor<4x2xf64>)
    %v1 = stablehlo.dot_general %in#0, %in#0, contracting_dims = [0] x [0] : (tensor<9x4xf64>, tensor<9x4xf64>) -> tensor<4x4xf64>
    %v2 = stablehlo.cholesky %v1, lower = true : tensor<4x4xf64>
    %v3 = stablehlo.dot_general %in#0, %in#1, contracting_dims = [0] x [0] : (tensor<9x4xf64>, tensor<9x2xf64>) -> tensor<4x2xf64>
    %v4 = "stablehlo.triangular_solve"(%v2, %v3) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
    %v5 = "stablehlo.triangular_solve"(%v2, %v4) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
    check.expect_almost_eq %v2, %want#0, tolerance = 1.0e-12 : tensor<4x4xf64>
    check.expect_almost_eq %v5, %want#1, tolerance = 1.0e-11 : tensor<4x2xf64>
    return
  }
  func.func private @inputs() -> (tensor<9x4xf64>, tensor<9x2xf64>) {
    %c0 = stablehlo.constant dense<[[-0.3700247693240037, 0.994078692032213, 0.41585748064632017, -0.6181637087164065], [0.6721408015696635, -1.450049505885249, 0.5934846357693563, -0.5618297235440954], [0.631453096950567, 0.4390906518766011, -0.76724880591175, 0.5283687488069336], [0.3419276735141769, -0.6461430903975194, 2.001150555213166, 0.80195993578643], [-1.1820652577744168, -0.9879819159784637, 0.3168316854272728, 0.3120442520839395], [-0.7268560483413962, 1.2158778403220516, 0.09701711609506954, -0.8626833404289537], [-0.3745977101286351, -0.17879339436774003, -1.5533105934432883, -0.8322121471805926], [-1.809912000528707, -0.29355617314731525, 0.612639535701211, -1.2858506769982023], [0.32208625997571905, -1.1826669740084903, -0.16362570180203553, -0.5161660210815051]]> : tensor<9x4xf64>
    %c1 = stablehlo.constant dense<[[-1.212183196659453, -0.5490984987838816], [-1.2254692506871665, 0.2935107219230474], [0.04617552533742384, 1.199963415268209], [-1.463253289545785, 1.0927759442700036], [-0.07875734069918894, 0.4053617273724596], [-0.18846678911157366, 1.5469678237589886], [1.3860177942471807, 1.0685069539798961], [0.2594567645115784, -2.3378152457678594], [0.5563281397304826, -0.03275917922956447]]> : tensor<9x2xf64>
    return %c0, %c1 : tensor<9x4xf64>, tensor<9x2xf64>
  }
  func.func private @expected() -> (tensor<4x4xf64>, tensor<4x2xf64>) {
    %c0 = stablehlo.constant dense<[[2.559254105440808, 0.0, 0.0, 0.0], [-0.3066063802554132, 2.7528967837262996, 0.0, 0.0], [-0.22658830998514684, -0.7447618824695627, 2.727103264731437, 0.0], [1.2464260040439485, 0.027485565320618, 0.5560450229284628, 1.7918101235498212]]> : tensor<4x4xf64>
    %c1 = stablehlo.constant dense<[[-0.42117606312327144, 0.42540194060956726], [-0.2146053175728615, 0.12074814871373182], [-0.8997790787807427, -0.18301547198731752], [0.20144471162253857, 0.2981271734002976]]> : tensor<4x2xf64>
    return %c0, %c1 : tensor<4x4xf64>, tensor<4x2xf64>
  }
}
