// shardy opt --sdy-sink-data-flow-edges
// CASE: shardings of edges go to the results of the loop, missing ones become open (5.2)
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
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<i1>) -> tensor<8xf32> {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>}
    cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      stablehlo.return %iterArg, %iterArg_0 : tensor<8xf32>, tensor<8xf32>
    }
    %1 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
