// Looking rows up by gather, and adding their gradients by scatter.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @embedding_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:3 = call @inputs() : () -> (tensor<7x3xf64>, tensor<5xi32>, tensor<5x3xf64>)
    %want:2 = call @expected() : () -> (tensor<5x3xf64>, tensor<7x3xf64>)
    %v1 = stablehlo.reshape %in#1 : (tensor<5xi32>) -> tensor<5x1xi32>
    %v2 = "stablehlo.gather"(%in#0, %v1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<7x3xf64>, tensor<5x1xi32>) -> tensor<5x3xf64>
    %v3 = stablehlo.constant dense<0.0> : tensor<7x3xf64>
    %v4 = stablehlo.reshape %in#1 : (tensor<5xi32>) -> tensor<5x1xi32>
    %v5 = "stablehlo.scatter"(%v3, %v4, %in#2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%v6: tensor<f64>, %v7: tensor<f64>):
      %v8 = stablehlo.add %v6, %v7 : tensor<f64>
      stablehlo.return %v8 : tensor<f64>
    }) : (tensor<7x3xf64>, tensor<5x1xi32>, tensor<5x3xf64>) -> tensor<7x3xf64>
    stablehlo.custom_call @check.expect_eq(%v2, %want#0) {has_side_effect = true} : (tensor<5x3xf64>, tensor<5x3xf64>) -> ()
    check.expect_almost_eq %v5, %want#1, tolerance = 1.0e-14 : tensor<7x3xf64>
    return
  }
  func.func private @inputs() -> (tensor<7x3xf64>, tensor<5xi32>, tensor<5x3xf64>) {
    %c0 = stablehlo.constant dense<[[0.0012301533574825742, 0.2987455375084699, -0.2741378553622176], [-0.8905918387572742, -0.45467078517172255, -0.9916465549964624], [0.060143602597438485, 1.3402152455545335, -0.49220651855132963], [-0.6204748998199404, 0.4898420501851982, 0.35688700816006075], [0.10541424899789856, -0.9304680447082047, -0.02925182246327349], [0.6953031944582878, -1.344214547285082, -0.45761576104021817], [-1.901222739800844, -1.289537739784976, -1.8417350377917323]]> : tensor<7x3xf64>
    %c1 = stablehlo.constant dense<[2, 6, 2, 0, 2]> : tensor<5xi32>
    %c2 = stablehlo.constant dense<[[-0.23509113107468127, -1.2674464814437032, 0.2712643588217015], [0.15675108662422516, -0.18693094462995438, -2.516759710820513], [-0.5386928958466366, -0.048500945401071985, 0.11330898600330756], [-1.5301357655053935, -0.47775327603393064, -0.9785190780566395], [-0.8088372394255993, 1.0608986233860787, -0.8075346753318965]]> : tensor<5x3xf64>
    return %c0, %c1, %c2 : tensor<7x3xf64>, tensor<5xi32>, tensor<5x3xf64>
  }
  func.func private @expected() -> (tensor<5x3xf64>, tensor<7x3xf64>) {
    %c0 = stablehlo.constant dense<[[0.060143602597438485, 1.3402152455545335, -0.49220651855132963], [-1.901222739800844, -1.289537739784976, -1.8417350377917323], [0.060143602597438485, 1.3402152455545335, -0.49220651855132963], [0.0012301533574825742, 0.2987455375084699, -0.2741378553622176], [0.060143602597438485, 1.3402152455545335, -0.49220651855132963]]> : tensor<5x3xf64>
    %c1 = stablehlo.constant dense<[[-1.5301357655053935, -0.47775327603393064, -0.9785190780566395], [0.0, 0.0, 0.0], [-1.582621266346917, -0.2550488034586966, -0.4229613305068874], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.15675108662422516, -0.18693094462995438, -2.516759710820513]]> : tensor<7x3xf64>
    return %c0, %c1 : tensor<5x3xf64>, tensor<7x3xf64>
  }
}
