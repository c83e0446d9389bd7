// shardy opt --sdy-update-non-divisible-input-output-shardings
// CASE: arguments and results keep the axes that divide them (5.6)
// TWICE
sdy.mesh @mesh = <["x"=8, "y"=3]>
func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg1: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg2: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4, ?}]>}, %arg3: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg4: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg5: tensor<0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0 : tensor<6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=8, "y"=3]>
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}, %arg1: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2}]>}, %arg2: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, ?}]>}, %arg3: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg4: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg5: tensor<0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}) {
    return %arg0 : tensor<6xf32>
  }
}
