// shardy opt --sdy-pad-for-divisibility
// CASE: a contracted dim grows to a multiple of its shards and is masked where it is not known to be 0 (partitioning 10.1)
// TWICE
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<6x10xf32>, %arg1: tensor<10x8xf32>) -> tensor<6x8xf32> {
  %0 = sdy.all_slice [{}, {"x"}] %arg0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<6x10xf32>
  %1 = sdy.all_slice [{"x"}, {}] %arg1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<10x8xf32>
  %2 = stablehlo.exponential %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<10x8xf32>
  %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x10xf32>, tensor<10x8xf32>) -> tensor<6x8xf32>
  %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<6x8xf32>
  return %4 : tensor<6x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6x10xf32>, %arg1: tensor<10x8xf32>) -> tensor<6x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<6x10xf32>, tensor<f32>) -> tensor<6x12xf32>
    %1 = sdy.all_slice [{}, {"x"}] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<6x12xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %arg1, %cst_0, low = [0, 0], high = [2, 0], interior = [0, 0] : (tensor<10x8xf32>, tensor<f32>) -> tensor<12x8xf32>
    %3 = sdy.all_slice [{"x"}, {}] %2 out_sharding=<@mesh, [{"x"}, {}]> : tensor<12x8xf32>
    %4 = stablehlo.exponential %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<12x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<12x8xi32>
    %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<10> : tensor<12x8xi32>
    %6 = stablehlo.compare LT, %5, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<12x8xi32>, tensor<12x8xi32>) -> tensor<12x8xi1>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<f32>) -> tensor<12x8xf32>
    %8 = stablehlo.select %6, %4, %7 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<12x8xi1>, tensor<12x8xf32>
    %9 = stablehlo.dot_general %1, %8, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x12xf32>, tensor<12x8xf32>) -> tensor<6x8xf32>
    %10 = sdy.all_reduce {"x"} %9 out_sharding=<@mesh, [{}, {}]> : tensor<6x8xf32>
    return %10 : tensor<6x8xf32>
  }
}
