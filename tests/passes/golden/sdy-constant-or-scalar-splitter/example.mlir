// shardy opt --sdy-constant-or-scalar-splitter
// CASE: each use of a constant has a copy of its own, with what it is computed from
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %n = stablehlo.negate %c : tensor<8xf32>
  %0 = stablehlo.add %arg0, %n : tensor<8xf32>
  %1 = stablehlo.multiply %0, %n : tensor<8xf32>
  %2 = stablehlo.subtract %1, %b : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = sdy.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.negate %0 : tensor<8xf32>
    %5 = stablehlo.negate %1 : tensor<8xf32>
    %6 = stablehlo.add %arg0, %4 : tensor<8xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<8xf32>
    %8 = stablehlo.subtract %7, %3 : tensor<8xf32>
    return %8 : tensor<8xf32>
  }
}
