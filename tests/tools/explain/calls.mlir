// explain --value @f:%0
// explain --value @f:%0 --dedup-functions-fully
// explain --value %2
// explain --value %cst
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cst = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %0 = func.call @f(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = func.call @f(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %0, %cst : tensor<8x8xf32>
  %3 = stablehlo.multiply %1, %cst : tensor<8x8xf32>
  %c = sdy.sharding_constraint %3 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
  sdy.sharding_group %2 group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=0 : tensor<8x8xf32>
  %4 = stablehlo.add %2, %c : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}
func.func private @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.sine %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
