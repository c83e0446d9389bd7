// The last stage refuses what an earlier one warned of.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x16xf32> {
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) : (tensor<8x16xf32>) -> tensor<4x16xf32>
  %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) : (tensor<4x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
