// shardy opt --sdy-export-pipeline
// CASE: constraints become reshards, open dims are closed, meshes are inlined
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <mesh<["x"=2]>, [{}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
