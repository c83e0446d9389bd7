// Steps that bring two axes to one dim, and a value that several lines name.
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},
                %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}p1, {?}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.sine %x : tensor<8x4xf32>
  %1 = stablehlo.add %0, %y : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
