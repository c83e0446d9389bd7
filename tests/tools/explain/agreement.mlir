// explain
// explain --strict
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.tanh %x : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
