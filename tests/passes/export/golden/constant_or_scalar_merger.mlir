// CASE: equal constants become one, a constant with another sharding stays (5.1)
// PASS: sdy-constant-or-scalar-merger
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() -> tensor<8xf32> {
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<0.0> : tensor<8xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<0.0> : tensor<8xf32>
  %2 = sdy.constant dense<0.0> : tensor<8xf32>
  %3 = stablehlo.add %0, %1 : tensor<8xf32>
  %4 = stablehlo.add %3, %2 : tensor<8xf32>
  return %4 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() -> tensor<8xf32> {
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<0.0> : tensor<8xf32>
  %2 = sdy.constant dense<0.0> : tensor<8xf32>
  %3 = stablehlo.add %0, %0 : tensor<8xf32>
  %4 = stablehlo.add %3, %2 : tensor<8xf32>
  return %4 : tensor<8xf32>
}
// -----
// CASE: broadcasts of merged scalars merge, of an argument too, but not to another type (5.1)
// PASS: sdy-constant-or-scalar-merger
// TWICE
func.func @main(%arg0: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.constant dense<1.0> : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %4 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %5 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %6 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
  return %2, %3, %4, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>
}
// AFTER
func.func @main(%arg0: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %4 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %6 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
  return %2, %2, %4, %4, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>
}
// -----
// CASE: constants of other regions, iotas and broadcasts of ranked values stay apart (5.1)
// PASS: sdy-constant-or-scalar-merger
// UNCHANGED
func.func @main(%arg0: tensor<i32>, %arg1: tensor<2xf32>) -> (tensor<f32>, tensor<f32>, tensor<4xi32>, tensor<4xi32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = "stablehlo.case"(%arg0) ({
    %6 = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  %2 = stablehlo.iota dim = 0 : tensor<4xi32>
  %3 = stablehlo.iota dim = 0 : tensor<4xi32>
  %4 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<4xi32>, tensor<4xi32>, tensor<2x2xf32>, tensor<2x2xf32>
}
