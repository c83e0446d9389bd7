// shardy opt --sdy-sharding-constraint-to-reshard
// CASE: chains keep their order, tokens, dangling ones and attributes (5.5)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}p1], replicated={"y"}> {note = "a", sdy.sharding_origin_name = "constraint_0"} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %arg1 <@mesh, []> : !stablehlo.token
  return %1, %3 : tensor<8xf32>, !stablehlo.token
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x", ?}p1], replicated={"y"}> {note = "a", sdy.sharding_origin_name = "constraint_0"} : tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
    %2 = sdy.reshard %0 <@mesh, [{"y"}]> : tensor<8xf32>
    %3 = sdy.reshard %arg1 <@mesh, []> : !stablehlo.token
    return %1, %3 : tensor<8xf32>, !stablehlo.token
  }
}
// ----------
// shardy opt --sdy-sharding-constraint-to-reshard
// CASE: constraints become reshards in their order, dangling ones and their attributes too (5.5)
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y", ?}]> {sdy.sharding_origin_name = "constraint_0"} : tensor<8xf32>
  %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %3 = sdy.sharding_constraint %arg1 <@mesh, [{"y"}]> : tensor<4xf32>
    sdy.return %3 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y", ?}]> {sdy.sharding_origin_name = "constraint_0"} : tensor<8xf32>
    %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      %3 = sdy.reshard %arg1 <@mesh, [{"y"}]> : tensor<4xf32>
      sdy.return %3 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sharding-constraint-to-reshard
// CASE: a constraint on a token becomes a reshard (5.5)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: !stablehlo.token) -> !stablehlo.token {
  %0 = sdy.sharding_constraint %arg0 <@mesh, []> : !stablehlo.token
  return %0 : !stablehlo.token
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: !stablehlo.token) -> !stablehlo.token {
    %0 = sdy.reshard %arg0 <@mesh, []> : !stablehlo.token
    return %0 : !stablehlo.token
  }
}
