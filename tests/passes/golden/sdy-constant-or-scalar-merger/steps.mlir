// shardy opt --sdy-constant-or-scalar-merger
// CASE: other attributes, other types and other functions keep constants apart, regions have their own (5.1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> (tensor<8xf32>, tensor<8xi32>, tensor<f32>) {
  %0 = sdy.constant {note = 1 : i64} dense<1.0> : tensor<8xf32>
  %1 = sdy.constant dense<1.0> : tensor<8xf32>
  %2 = sdy.constant dense<1> : tensor<8xi32>
  %3 = sdy.constant dense<1.0> : tensor<f32>
  %4 = stablehlo.while(%a = %arg0) : tensor<8xf32>
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %6 = sdy.constant dense<1.0> : tensor<8xf32>
    %7 = stablehlo.add %a, %6 : tensor<8xf32>
    %8 = sdy.constant dense<1.0> : tensor<8xf32>
    %9 = stablehlo.add %7, %8 : tensor<8xf32>
    stablehlo.return %9 : tensor<8xf32>
  }
  %5 = stablehlo.add %0, %1 : tensor<8xf32>
  %10 = stablehlo.add %5, %4 : tensor<8xf32>
  return %10, %2, %3 : tensor<8xf32>, tensor<8xi32>, tensor<f32>
}
func.func @other() -> tensor<8xf32> {
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> (tensor<8xf32>, tensor<8xi32>, tensor<f32>) {
    %0 = sdy.constant {note = 1 : i64} dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = sdy.constant dense<1> : tensor<8xi32>
    %3 = sdy.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32>
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %7 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
      %8 = stablehlo.add %iterArg, %7 : tensor<8xf32>
      %9 = stablehlo.add %8, %7 : tensor<8xf32>
      stablehlo.return %9 : tensor<8xf32>
    }
    %5 = stablehlo.add %0, %1 : tensor<8xf32>
    %6 = stablehlo.add %5, %4 : tensor<8xf32>
    return %6, %2, %3 : tensor<8xf32>, tensor<8xi32>, tensor<f32>
  }
  func.func @other() -> tensor<8xf32> {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-merger
// CASE: broadcasts with other shardings, and of scalars that did not merge, stay apart; what is computed stays split (5.1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = sdy.constant dense<1.0> : tensor<f32>
  %1 = sdy.constant {note} dense<1.0> : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.broadcast_in_dim %0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<f32>) -> tensor<8xf32>
  %4 = stablehlo.broadcast_in_dim %0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
  %5 = stablehlo.broadcast_in_dim %1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
  %6 = stablehlo.reshape %2 : (tensor<8xf32>) -> tensor<4x2xf32>
  %7 = stablehlo.reshape %4 : (tensor<8xf32>) -> tensor<4x2xf32>
  return %2, %3, %4, %5, %6, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<f32>
    %1 = sdy.constant {note} dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.broadcast_in_dim %0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.reshape %2 : (tensor<8xf32>) -> tensor<4x2xf32>
    %6 = stablehlo.reshape %2 : (tensor<8xf32>) -> tensor<4x2xf32>
    return %2, %3, %2, %4, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-merger
// CASE: the key of a constant has its attributes, not its dialect; users in other regions follow (5.1)
func.func @main(%arg0: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.constant dense<1.0> : tensor<8xf32>
  %2 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %3 = "stablehlo.case"(%arg0) ({
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
    %0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %cst : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    return %cst, %0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-merger
// CASE: broadcasts of merged scalars merge, of an argument too, but not to another type (5.1)
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
// ---- becomes
module {
  func.func @main(%arg0: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    return %0, %0, %1, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-merger
// CASE: constants of other regions, iotas and broadcasts of ranked values stay apart (5.1)
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
// ---- stays
