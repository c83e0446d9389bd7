// shardy opt --sdy-resolve-permutation-factors
// CASE: a pad gets what it needs from the devices beside (partitioning 10.3)
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.pad %arg0, %cst, low = [2], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = sdy.manual_computation(%arg0, %cst) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>, %arg2: tensor<f32>) {
      %1 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      %2 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      %3 = stablehlo.concatenate %1, %arg1, %2, dim = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
      %4 = stablehlo.pad %3, %arg2, low = [3], high = [3], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<12xf32>
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<3> : tensor<i64>
      %7 = stablehlo.add %6, %c : tensor<i64>
      %c_0 = stablehlo.constant dense<0> : tensor<i64>
      %8 = stablehlo.maximum %c_0, %7 : tensor<i64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %9 = stablehlo.dynamic_slice %4, %8, sizes = [3] : (tensor<12xf32>, tensor<i64>) -> tensor<3xf32>
      sdy.return %9 : tensor<3xf32>
    } : (tensor<8xf32>, tensor<f32>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }
}
