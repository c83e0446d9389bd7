// shardy opt --sdy-remove-propagation-debug-info
// CASE: all six attributes, on ops in regions, arguments and results (5.15)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>, sdy.sharding_origins = {a = "self"}}) -> (tensor<8xf32> {mine = 1 : i64, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding_origins = {a = "input: 0"}}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    %1 = stablehlo.negate %arg1 {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"b" = operand-0 -> [result-0]}]}]>, sdy.sharding_origins = {b = "constraint_0"}} : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } {sdy.block_arg_propagation_edges = [#sdy.propagation_edges<[{step-1 = [{"b" = operand-0 -> [result-0]}]}]>], sdy.block_arg_sharding_origins = [{b = "constraint_0"}], sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-1 = [{"b" = operand-0 -> [result-0]}]}]>], sdy.result_sharding_origins = [{}], sdy.sharding_origin_name = "mc_0"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {mine = 1 : i64}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
      %1 = stablehlo.negate %arg1 : tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    } {sdy.sharding_origin_name = "mc_0"} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
