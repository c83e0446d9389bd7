// A misspelled op, and an op of an unknown dialect.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sinus %x : tensor<4xf32>
  %1 = mydialect.scale %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
