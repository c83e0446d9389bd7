// A value without definition, and an incomplete op.
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %arg0, %x : tensor<4xf32>
  %1 = stablehlo.negate %arg0
  return %0 : tensor<4xf32>
}
