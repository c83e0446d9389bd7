// A file with several programs, without the option that splits it.
sdy.mesh @mesh = <["x"=3]>
func.func @first(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<6xf32> {
  return %arg0 : tensor<6xf32>
}
// -----
sdy.mesh @mesh = <["y"=2]>
func.func @second(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
