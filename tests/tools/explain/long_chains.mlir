// explain --all
// explain --value %5
// explain --function @main --json
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  %1 = stablehlo.sine %0 : tensor<8xf32>
  %2 = stablehlo.sine %1 : tensor<8xf32>
  %3 = stablehlo.sine %2 : tensor<8xf32>
  %4 = stablehlo.sine %3 : tensor<8xf32>
  %5 = stablehlo.sine %4 : tensor<8xf32>
  return %5 : tensor<8xf32>
}
