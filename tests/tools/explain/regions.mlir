// explain --value %1
// explain --value @main/%0/1:%1
// explain --function @main
sdy.mesh @mesh = <["a"=2]>
func.func @main(%i: tensor<i32>, %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.cosine %x : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    %1 = stablehlo.tanh %x : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
