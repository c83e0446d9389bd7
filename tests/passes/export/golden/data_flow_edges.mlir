// CASE: shardings of edges go to the results of the loop, missing ones become open (5.2)
// PASS: sdy-sink-data-flow-edges
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<i1>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, [{"y"}]>]>}
  cond {
    stablehlo.return %arg2 : tensor<i1>
  } do {
    stablehlo.return %iterArg, %iterArg_0 : tensor<8xf32>, tensor<8xf32>
  }
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<i1>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>}
  cond {
    stablehlo.return %arg2 : tensor<i1>
  } do {
    stablehlo.return %iterArg, %iterArg_0 : tensor<8xf32>, tensor<8xf32>
  }
  %3 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// -----
// CASE: edges without shardings leave the owners alone (5.2)
// PASS: sdy-sink-data-flow-edges
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: block arguments of manual computations get their manual axes back and keep the reduction (deviation 10, fixed)
// PASS: sdy-sink-data-flow-edges
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}], unreduced=max{"z"}>] out_shardings=[<@mesh, [{"x", ?}], unreduced=max{"z"}>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %1 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"y", ?}], unreduced=max{"z"}> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y", ?}], unreduced=max{"z"}>] out_shardings=[<@mesh, [{"x", ?}], unreduced=max{"z"}>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: edges of functions leave their shardings to the call and the argument (5.3)
// PASS: sdy-sink-func-data-flow-edges
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.func_data_flow_edge %0#0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
  %2 = sdy.func_data_flow_edge %0#1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
// -----
// CASE: debug info of edges goes with them (5.2)
// PASS: sdy-sink-data-flow-edges
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a", ?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding_origins = {a = "input: 0"}} : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>]>} %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
// -----
// CASE: origins stay with the op if asked for, one dictionary per owner that has an edge (5.2 step 3)
// PASS: sdy-sink-data-flow-edges{sink-debug-sharding-origins=true}
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a", ?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding_origins = {a = "input: 0"}} : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier {sdy.result_sharding_origins = [{a = "input: 0"}, {}], sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>]>} %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
// -----
// CASE: propagation steps stay with the op if asked for, where there are any (5.2 step 3)
// PASS: sdy-sink-data-flow-edges{sink-debug-propagation-edge-sharding=true}
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a", ?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding_origins = {a = "input: 0"}} : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier {sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>], sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>]>} %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
