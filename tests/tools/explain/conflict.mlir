// explain
// explain --strict
// explain --value %0 --json
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
