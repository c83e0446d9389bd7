// A mesh and an axis that are spelled in another way.
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"modle"}]>},
                %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mash, [{"model"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
