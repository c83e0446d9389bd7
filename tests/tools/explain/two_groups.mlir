// explain --function main
// explain --value %b0 --json
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a0 = stablehlo.sine %x : tensor<8x8xf32>
  %a1 = stablehlo.sine %y : tensor<8x8xf32>
  sdy.sharding_group %a0 group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %a1 group_id=0 : tensor<8x8xf32>
  %b0 = stablehlo.sine %a1 : tensor<8x8xf32>
  %b1 = stablehlo.sine %z : tensor<8x8xf32>
  sdy.sharding_group %b0 group_id=1 : tensor<8x8xf32>
  sdy.sharding_group %b1 group_id=1 : tensor<8x8xf32>
  %c = sdy.sharding_constraint %z <@mesh, [{?}, {"b", ?}]> : tensor<8x8xf32>
  sdy.sharding_group %c group_id=1 : tensor<8x8xf32>
  %r = stablehlo.add %b1, %c : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
