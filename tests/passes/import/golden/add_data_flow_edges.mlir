// CASE: each edge of a loop gets an op that holds its sharding
// PASS: sdy-add-data-flow-edges
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
   cond {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.compare LT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.negate %iterArg : tensor<8xf32>
    %3 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<i32>
    stablehlo.return %2, %3 : tensor<8xf32>, tensor<i32>
  }
  %1 = stablehlo.negate %0#0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
   cond {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %4 = stablehlo.compare LT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %4 = stablehlo.negate %iterArg : tensor<8xf32>
    %5 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<i32>
    stablehlo.return %4, %5 : tensor<8xf32>, tensor<i32>
  }
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 sharding=<@mesh, []> : tensor<i32>
  %3 = stablehlo.negate %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// -----
// CASE: a case and a barrier have edges for their results, a token and a dynamic shape have none
// PASS: sdy-add-data-flow-edges
// TWICE
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32>, %arg2: !stablehlo.token, %arg3: tensor<?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {
  %0 = "stablehlo.case"(%arg0) ({
    stablehlo.return %arg1 : tensor<8xf32>
  }, {
    %2 = stablehlo.negate %arg1 : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : (tensor<i32>) -> tensor<8xf32>
  %1:3 = stablehlo.optimization_barrier %0, %arg2, %arg3 : tensor<8xf32>, !stablehlo.token, tensor<?xf32>
  return %1#0, %1#2 : tensor<8xf32>, tensor<?xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32>, %arg2: !stablehlo.token, %arg3: tensor<?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {
  %0 = "stablehlo.case"(%arg0) ({
    stablehlo.return %arg1 : tensor<8xf32>
  }, {
    %4 = stablehlo.negate %arg1 : tensor<8xf32>
    stablehlo.return %4 : tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : (tensor<i32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  %2:3 = stablehlo.optimization_barrier %1, %arg2, %arg3 : tensor<8xf32>, !stablehlo.token, tensor<?xf32>
  %3 = sdy.data_flow_edge %2#0 : tensor<8xf32>
  return %3, %2#2 : tensor<8xf32>, tensor<?xf32>
}
// -----
// CASE: edges inside of a manual computation have no manual axes
// PASS: sdy-add-data-flow-edges
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y", ?}]>] out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y", ?}]>] out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %2 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"y", ?}]> : tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// -----
// CASE: results that nobody uses get an edge, too
// PASS: sdy-add-data-flow-edges
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
    %c = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return %c : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %arg0 : tensor<8xf32>
}
// AFTER
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
    %2 = sdy.data_flow_edge %arg1 : tensor<8xf32>
    %c = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return %c : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %arg0 : tensor<8xf32>
}
