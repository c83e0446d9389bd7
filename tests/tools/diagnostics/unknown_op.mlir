// Misspelt, and of a dialect that nobody here knows.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sinus %x : tensor<4xf32>
  %1 = mydialect.scale %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
