// shardy opt --xla-sdy-round-trip-export-ops
// CASE: constraints, groups and barriers become custom calls (7.2)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p1]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=12 : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}p1]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "12 : i64"}} : (tensor<8xf32>) -> ()
    %1 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "2 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-export-ops
// CASE: reshards are not part of the form (7.2)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=12 : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
5:8: sdy.reshard is not part of the form of the round trip
