// explain --value %0
// explain
sdy.mesh @mesh = <["x"=2]>
func.func @main(%act: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}p1]>}) -> tensor<16x64xf32> {
  %0 = stablehlo.dot %act, %w : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
