// shardy opt --sdy-remove-propagation-debug-info
// CASE: debugging attributes go, names of origins stay (5.15)
// TWICE
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, sdy.sharding_origins = {x = "self"}}) -> (tensor<8xf32> {sdy.sharding_origins = {x = "input: 0"}}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> {sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {x = "self"}} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> {sdy.sharding_origin_name = "constraint_0"} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
