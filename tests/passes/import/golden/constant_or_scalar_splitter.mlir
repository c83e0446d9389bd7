// CASE: each use of a constant has a copy of its own, with what it is computed from
// PASS: sdy-constant-or-scalar-splitter
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
// AFTER
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = sdy.constant dense<1.0> : tensor<8xf32>
  %c1 = sdy.constant dense<1.0> : tensor<8xf32>
  %s = sdy.constant dense<2.0> : tensor<f32>
  %b0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %n0 = stablehlo.negate %c0 : tensor<8xf32>
  %n1 = stablehlo.negate %c1 : tensor<8xf32>
  %0 = stablehlo.add %arg0, %n0 : tensor<8xf32>
  %1 = stablehlo.multiply %0, %n1 : tensor<8xf32>
  %2 = stablehlo.subtract %1, %b0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// -----
// CASE: the old name of the pass is known, and two slots with one constant get two copies
// PASS: sdy-constant-splitter
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %0 : tensor<8x8xf32>, tensor<8x8xf32>
}
// AFTER
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %2 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %3 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// CASE: dead constants go, scalars that are used stay and are shared
// PASS: sdy-constant-or-scalar-splitter
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %dead = stablehlo.constant dense<1.0> : tensor<8xf32>
  %dead_sum = stablehlo.add %dead, %dead : tensor<8xf32>
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.add %arg0, %s : tensor<f32>
  %1 = stablehlo.multiply %0, %s : tensor<f32>
  return %1 : tensor<f32>
}
// AFTER
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %s = sdy.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.add %arg0, %s : tensor<f32>
  %1 = stablehlo.multiply %0, %s : tensor<f32>
  return %1 : tensor<f32>
}
// -----
// CASE: a value that is used twice in what is copied is copied once
// PASS: sdy-constant-or-scalar-splitter
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  %3 = stablehlo.multiply %arg0, %2 : tensor<8xf32>
  %4 = stablehlo.multiply %arg0, %1 : tensor<8xf32>
  return %3, %4 : tensor<8xf32>, tensor<8xf32>
}
// AFTER
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8xf32>
  %2 = stablehlo.negate %0 : tensor<8xf32>
  %3 = stablehlo.negate %1 : tensor<8xf32>
  %4 = stablehlo.add %0, %2 : tensor<8xf32>
  %5 = stablehlo.multiply %arg0, %4 : tensor<8xf32>
  %6 = stablehlo.multiply %arg0, %3 : tensor<8xf32>
  return %5, %6 : tensor<8xf32>, tensor<8xf32>
}
// -----
// CASE: broadcasts of scalars are copied, not what is computed from them
// PASS: sdy-constant-or-scalar-splitter
func.func @main(%arg0: tensor<f32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = stablehlo.add %arg1, %1 : tensor<8xf32>
  %3 = stablehlo.add %2, %1 : tensor<8xf32>
  return %3, %0 : tensor<8xf32>, tensor<8xf32>
}
// AFTER
func.func @main(%arg0: tensor<f32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.negate %0 : tensor<8xf32>
  %3 = stablehlo.add %arg1, %2 : tensor<8xf32>
  %4 = stablehlo.add %3, %2 : tensor<8xf32>
  return %4, %1 : tensor<8xf32>, tensor<8xf32>
}
// -----
// CASE: groups are copied with their constant
// PASS: sdy-constant-or-scalar-splitter
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  sdy.sharding_group %0 group_id=5 : tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.add %1, %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// AFTER
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  sdy.sharding_group %0 group_id=5 : tensor<8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8xf32>
  sdy.sharding_group %1 group_id=5 : tensor<8xf32>
  %2 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %3 = stablehlo.add %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// -----
// CASE: a constant that a loop uses is copied outside of it
// PASS: sdy-constant-or-scalar-splitter
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.while(%iterArg = %0) : tensor<8xf32>
   cond {
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %2 = stablehlo.add %iterArg, %0 : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
// AFTER
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8xf32>
  %2 = stablehlo.while(%iterArg = %0) : tensor<8xf32>
   cond {
    %c = sdy.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %3 = stablehlo.add %iterArg, %1 : tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}
// -----
// CASE: reshapes, slices, reshards and barriers keep constants, a constraint does not
// PASS: sdy-constant-or-scalar-splitter
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.slice %0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<2x2xf32>
  %3 = sdy.reshard %2 <@mesh, [{"x"}, {}]> : tensor<2x2xf32>
  %4 = sdy.propagation_barrier %3 allowed_direction=NONE : tensor<2x2xf32>
  %5 = sdy.sharding_constraint %4 <@mesh, [{"x"}, {}]> : tensor<2x2xf32>
  %6 = stablehlo.add %5, %arg0 : tensor<2x2xf32>
  %7 = stablehlo.add %5, %6 : tensor<2x2xf32>
  return %6, %7 : tensor<2x2xf32>, tensor<2x2xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.slice %0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<2x2xf32>
  %3 = sdy.reshard %2 <@mesh, [{"x"}, {}]> : tensor<2x2xf32>
  %4 = sdy.propagation_barrier %3 allowed_direction=NONE : tensor<2x2xf32>
  %5 = sdy.sharding_constraint %4 <@mesh, [{"x"}, {}]> : tensor<2x2xf32>
  %6 = stablehlo.add %5, %arg0 : tensor<2x2xf32>
  %7 = stablehlo.add %5, %6 : tensor<2x2xf32>
  return %6, %7 : tensor<2x2xf32>, tensor<2x2xf32>
}
// -----
// CASE: a call of what is constant is constant, and its copies call copies
// PASS: sdy-constant-or-scalar-splitter
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @k() : () -> tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.add %1, %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @k() -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @k_0() : () -> tensor<8xf32>
  %1 = call @k_1() : () -> tensor<8xf32>
  %2 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %3 = stablehlo.add %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @k() -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @k_0() -> tensor<8xf32> attributes {sdy.original_func_name = "k"} {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @k_1() -> tensor<8xf32> attributes {sdy.original_func_name = "k"} {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: a call of what is not constant is not, though its operands are
// PASS: sdy-constant-or-scalar-splitter
func.func @main() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @g(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
func.func @main() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8xf32>
  %2 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @g_0(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "g"} {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: one bad body disqualifies all named computations of that name
// PASS: sdy-constant-or-scalar-splitter
func.func @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = sdy.named_computation<"bad">(%0) (%arg0: tensor<8xf32>) {
    %4 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.named_computation<"bad">(%0) (%arg0: tensor<8xf32>) {
    sdy.return %arg0 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.named_computation<"good">(%0) (%arg0: tensor<8xf32>) {
    sdy.return %arg0 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %5 = stablehlo.reverse %3, dims = [0] : tensor<8xf32>
  return %1, %2, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// AFTER
func.func @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8xf32>
  %2 = stablehlo.iota dim = 0 : tensor<8xf32>
  %3 = sdy.named_computation<"bad">(%0) (%arg0: tensor<8xf32>) {
    %7 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
    sdy.return %7 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %4 = sdy.named_computation<"bad">(%1) (%arg0: tensor<8xf32>) {
    sdy.return %arg0 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %5 = sdy.named_computation<"good">(%2) (%arg0: tensor<8xf32>) {
    sdy.return %arg0 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %6 = stablehlo.reverse %5, dims = [0] : tensor<8xf32>
  return %3, %4, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// -----
// CASE: the older name of the pass still works (deviation 3)
// PASS: sdy-constant-splitter
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.add %1, %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// AFTER
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.constant dense<1.0> : tensor<8xf32>
  %2 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %3 = stablehlo.add %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
