// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: collectives are not pure: those that other patterns leave without users stay (deviation 16)
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.replicated_to_unreduced {"y"} %arg1 out_sharding=<@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
  %3 = sdy.all_reduce {"y"} %2 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.replicated_to_unreduced {"y"} %arg1 out_sharding=<@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
    return %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  }
}
