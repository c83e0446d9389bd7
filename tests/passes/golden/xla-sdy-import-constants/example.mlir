// shardy opt --xla-sdy-import-constants
// CASE: constants become those of sdy (6.1)
// TWICE
func.func @main() -> tensor<4xf32> {
  %0 = stablehlo.constant {a = 1 : i64} dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- becomes
module {
  func.func @main() -> tensor<4xf32> {
    %0 = sdy.constant {a = 1 : i64} dense<1.000000e+00> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
