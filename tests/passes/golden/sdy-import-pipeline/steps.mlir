// shardy opt --sdy-import-pipeline
// CASE: every stage leaves its mark: meshes, size 1, calls, constants, manual axes, edges (7.1)
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"o", "x"}]>}) -> tensor<8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = call @f(%c) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<8xf32>
  %3 = sdy.manual_computation(%2) in_shardings=[<@b, [{"x"}]>] out_shardings=[<@b, [{"x"}]>] manual_axes={"y", "x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <mesh<["z"=4]>, [{"z"}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"y"}]>}) {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
sdy.mesh @a = <["x"=2, "o"=1, "y"=2]>
sdy.mesh @b = <["x"=2, "o"=1, "y"=2]>
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = call @f_0(%0) {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = call @f_1(%1) {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %4 = stablehlo.add %arg0, %2 : tensor<8xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<8xf32>
    %6 = sdy.manual_computation(%5) in_shardings=[<@a, [{"x"}], replicated={"y"}>] out_shardings=[<@a, [{"x"}], replicated={"y"}>] manual_axes={"x", "y"} (%arg1: tensor<4xf32>) {
      %9 = sdy.data_flow_edge %arg1 sharding=<@a, [{}]> : tensor<4xf32>
      sdy.return %9 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %7 = sdy.data_flow_edge %6 sharding=<@a, [{"x"}], replicated={"y"}> : tensor<8xf32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{"z"}]> : tensor<8xf32>
    return %8 : tensor<8xf32>
  }
  sdy.mesh @a = <["x"=2, "o"=1, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "o", size = 1 : i64}, {name = "y", size = 2 : i64}]}}
  sdy.mesh @mesh = <["z"=4]> {stablehlo.mesh = {axes = [{name = "z", size = 4 : i64}]}}
  func.func private @f_0(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"y"}]>}) attributes {sdy.original_func_name = "f"} {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_1(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"y"}]>}) attributes {sdy.original_func_name = "f"} {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline='dedup-functions-fully=true'
// CASE: for shared functions constraints move to edges and groups are counted (7.1 stages 10 to 12)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8xf32>
  sdy.sharding_group %3 group_id=9 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = stablehlo.negate %2 : tensor<8xf32>
    %4 = stablehlo.add %3, %2 : tensor<8xf32>
    sdy.sharding_group %4 group_id=0 : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
