// shardy opt --sdy-inline-meshes
// CASE: names of meshes become their content, and mesh ops go
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @ids = <["x"=2], device_ids=[1, 0]>
sdy.mesh @maximal = <[], device_ids=[3]>
sdy.mesh @empty = <[]>
sdy.mesh @unused = <["y"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@ids, [{"x", ?}p1]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty, [{?}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <mesh<["z"=2]>, [{"z"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x", ?}p1]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[]>, [{?}]>}) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[3]>, []>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <mesh<["z"=2]>, [{"z"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
