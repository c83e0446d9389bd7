// shardy opt --sdy-constant-or-scalar-splitter
// CASE: reshape, slice, broadcast, comparison, conversion, select and clamp of constants are copied with them (4.4, elementwise)
func.func @main(%arg0: tensor<2x4xi32>) -> (tensor<2x4xi32>, tensor<2x4xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<16xi32>
  %1 = stablehlo.slice %0 [0:8] : (tensor<16xi32>) -> tensor<8xi32>
  %2 = stablehlo.reshape %1 : (tensor<8xi32>) -> tensor<2x4xi32>
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %3 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<2xi32>) -> tensor<2x4xi32>
  %4 = stablehlo.compare LT, %2, %3 : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi1>
  %5 = stablehlo.select %4, %2, %3 : tensor<2x4xi1>, tensor<2x4xi32>
  %6 = stablehlo.clamp %3, %5, %2 : tensor<2x4xi32>
  %7 = stablehlo.convert %6 : (tensor<2x4xi32>) -> tensor<2x4xf32>
  %8 = stablehlo.reduce_precision %7, format = e5m2 : tensor<2x4xf32>
  %9 = stablehlo.bitcast_convert %8 : (tensor<2x4xf32>) -> tensor<2x4xi32>
  %10 = stablehlo.add %arg0, %9 : tensor<2x4xi32>
  %11 = stablehlo.subtract %arg0, %9 : tensor<2x4xi32>
  return %10, %11 : tensor<2x4xi32>, tensor<2x4xi32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<2x4xi32>) -> (tensor<2x4xi32>, tensor<2x4xi32>) {
    %0 = stablehlo.iota dim = 0 : tensor<16xi32>
    %1 = stablehlo.iota dim = 0 : tensor<16xi32>
    %2 = stablehlo.slice %0 [0:8] : (tensor<16xi32>) -> tensor<8xi32>
    %3 = stablehlo.slice %1 [0:8] : (tensor<16xi32>) -> tensor<8xi32>
    %4 = stablehlo.reshape %2 : (tensor<8xi32>) -> tensor<2x4xi32>
    %5 = stablehlo.reshape %3 : (tensor<8xi32>) -> tensor<2x4xi32>
    %6 = sdy.constant dense<[1, 2]> : tensor<2xi32>
    %7 = sdy.constant dense<[1, 2]> : tensor<2xi32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi32>) -> tensor<2x4xi32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<2xi32>) -> tensor<2x4xi32>
    %10 = stablehlo.compare LT, %4, %8 : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi1>
    %11 = stablehlo.compare LT, %5, %9 : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi1>
    %12 = stablehlo.select %10, %4, %8 : tensor<2x4xi1>, tensor<2x4xi32>
    %13 = stablehlo.select %11, %5, %9 : tensor<2x4xi1>, tensor<2x4xi32>
    %14 = stablehlo.clamp %8, %12, %4 : tensor<2x4xi32>
    %15 = stablehlo.clamp %9, %13, %5 : tensor<2x4xi32>
    %16 = stablehlo.convert %14 : (tensor<2x4xi32>) -> tensor<2x4xf32>
    %17 = stablehlo.convert %15 : (tensor<2x4xi32>) -> tensor<2x4xf32>
    %18 = stablehlo.reduce_precision %16, format = e5m2 : tensor<2x4xf32>
    %19 = stablehlo.reduce_precision %17, format = e5m2 : tensor<2x4xf32>
    %20 = stablehlo.bitcast_convert %18 : (tensor<2x4xf32>) -> tensor<2x4xi32>
    %21 = stablehlo.bitcast_convert %19 : (tensor<2x4xf32>) -> tensor<2x4xi32>
    %22 = stablehlo.add %arg0, %20 : tensor<2x4xi32>
    %23 = stablehlo.subtract %arg0, %21 : tensor<2x4xi32>
    return %22, %23 : tensor<2x4xi32>, tensor<2x4xi32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a bitcast to another shape, a constraint and a concatenation use copies of their own (4.4)
sdy.mesh @mesh = <["x"=2]>
func.func @main() -> (tensor<8x2xi16>, tensor<8x2xi16>, tensor<8xi32>, tensor<8xi32>, tensor<16xi32>, tensor<16xi32>) {
  %c = stablehlo.constant dense<7> : tensor<8xi32>
  %0 = stablehlo.bitcast_convert %c : (tensor<8xi32>) -> tensor<8x2xi16>
  %1 = sdy.sharding_constraint %c <@mesh, [{"x"}]> : tensor<8xi32>
  %2 = stablehlo.concatenate %c, %c, dim = 0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<16xi32>
  return %0, %0, %1, %1, %2, %2 : tensor<8x2xi16>, tensor<8x2xi16>, tensor<8xi32>, tensor<8xi32>, tensor<16xi32>, tensor<16xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main() -> (tensor<8x2xi16>, tensor<8x2xi16>, tensor<8xi32>, tensor<8xi32>, tensor<16xi32>, tensor<16xi32>) {
    %0 = sdy.constant dense<7> : tensor<8xi32>
    %1 = sdy.constant dense<7> : tensor<8xi32>
    %2 = sdy.constant dense<7> : tensor<8xi32>
    %3 = sdy.constant dense<7> : tensor<8xi32>
    %4 = stablehlo.bitcast_convert %0 : (tensor<8xi32>) -> tensor<8x2xi16>
    %5 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xi32>
    %6 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<16xi32>
    return %4, %4, %5, %5, %6, %6 : tensor<8x2xi16>, tensor<8x2xi16>, tensor<8xi32>, tensor<8xi32>, tensor<16xi32>, tensor<16xi32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a reshard and a barrier are copied, shardings and other attributes with them (4.4 step 4)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.constant {mine = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} dense<1.0> : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<8xf32>
  %4 = stablehlo.multiply %arg0, %2 : tensor<8xf32>
  return %3, %4 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.constant {mine = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant {mine = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} dense<1.000000e+00> : tensor<8xf32>
    %2 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = sdy.reshard %1 <@mesh, [{"x"}]> : tensor<8xf32>
    %4 = sdy.propagation_barrier %2 allowed_direction=FORWARD : tensor<8xf32>
    %5 = sdy.propagation_barrier %3 allowed_direction=FORWARD : tensor<8xf32>
    %6 = stablehlo.add %arg0, %4 : tensor<8xf32>
    %7 = stablehlo.multiply %arg0, %5 : tensor<8xf32>
    return %6, %7 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a scalar below copied ops is shared, also by copies of a broadcast of it (4.4 step 4)
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>) {
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  %n = stablehlo.negate %s : tensor<f32>
  %b = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %0 = stablehlo.add %arg0, %b : tensor<8xf32>
  %1 = stablehlo.multiply %arg0, %b : tensor<8xf32>
  return %0, %1, %n : tensor<8xf32>, tensor<8xf32>, tensor<f32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>) {
    %0 = sdy.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.negate %0 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.add %arg0, %2 : tensor<8xf32>
    %5 = stablehlo.multiply %arg0, %3 : tensor<8xf32>
    return %4, %5, %1 : tensor<8xf32>, tensor<8xf32>, tensor<f32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: constants in the bodies of reductions and branches are renamed, scalars there stay; a branch reads a copy from outside (4.4 steps 1, 3)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<f32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%c init: %i) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    %k = stablehlo.constant dense<3.0> : tensor<f32>
    %2 = stablehlo.add %a, %k : tensor<f32>
    %3 = stablehlo.add %2, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }
  %1 = "stablehlo.case"(%arg1) ({
    stablehlo.return %c : tensor<8xf32>
  }, {
    %k = stablehlo.constant dense<4.0> : tensor<8xf32>
    %2 = stablehlo.add %c, %k : tensor<8xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0, %1 : tensor<f32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<f32>, tensor<8xf32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %3 = sdy.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%0 init: %3) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      %6 = sdy.constant dense<3.000000e+00> : tensor<f32>
      %7 = stablehlo.add %arg2, %6 : tensor<f32>
      %8 = stablehlo.add %7, %arg3 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }
    %5 = "stablehlo.case"(%arg1) ({
      stablehlo.return %1 : tensor<8xf32>
    }, {
      %6 = sdy.constant dense<4.000000e+00> : tensor<8xf32>
      %7 = stablehlo.add %2, %6 : tensor<8xf32>
      %8 = stablehlo.add %arg0, %7 : tensor<8xf32>
      stablehlo.return %8 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    return %4, %5 : tensor<f32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a dead constant goes with its groups, and so does one whose users are dead (4.4 step 5)
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  sdy.sharding_group %0 group_id=1 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  sdy.sharding_group %1 group_id=1 : tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  sdy.sharding_group %2 group_id=1 : tensor<8xf32>
  %s = stablehlo.constant dense<1.0> : tensor<f32>
  sdy.sharding_group %s group_id=2 : tensor<f32>
  return %arg0 : tensor<f32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: groups on the middle of what is copied are copied, too, right after each copy (4.4 step 4)
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  sdy.sharding_group %0 group_id=4 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<8xf32>
  %3 = stablehlo.multiply %arg0, %1 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    sdy.sharding_group %0 group_id=4 : tensor<8xf32>
    %1 = stablehlo.iota dim = 0 : tensor<8xf32>
    sdy.sharding_group %1 group_id=4 : tensor<8xf32>
    %2 = stablehlo.negate %0 : tensor<8xf32>
    %3 = stablehlo.negate %1 : tensor<8xf32>
    %4 = stablehlo.add %arg0, %2 : tensor<8xf32>
    %5 = stablehlo.multiply %arg0, %3 : tensor<8xf32>
    return %4, %5 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: the body of a named computation is split on its own, arguments are never constant (4.4 steps 2, 3)
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = sdy.named_computation<"pure">(%c) (%arg1: tensor<8xf32>) {
    %k = stablehlo.constant dense<2.0> : tensor<8xf32>
    %3 = stablehlo.add %arg1, %k : tensor<8xf32>
    %4 = stablehlo.multiply %3, %k : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.subtract %arg0, %0 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = sdy.named_computation<"pure">(%0) (%arg1: tensor<8xf32>) {
      %6 = sdy.constant dense<2.000000e+00> : tensor<8xf32>
      %7 = sdy.constant dense<2.000000e+00> : tensor<8xf32>
      %8 = stablehlo.add %arg1, %6 : tensor<8xf32>
      %9 = stablehlo.multiply %8, %7 : tensor<8xf32>
      sdy.return %9 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.named_computation<"pure">(%1) (%arg1: tensor<8xf32>) {
      %6 = sdy.constant dense<2.000000e+00> : tensor<8xf32>
      %7 = sdy.constant dense<2.000000e+00> : tensor<8xf32>
      %8 = stablehlo.add %arg1, %6 : tensor<8xf32>
      %9 = stablehlo.multiply %8, %7 : tensor<8xf32>
      sdy.return %9 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %4 = stablehlo.add %arg0, %2 : tensor<8xf32>
    %5 = stablehlo.subtract %arg0, %3 : tensor<8xf32>
    return %4, %5 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a computation around a bad one is bad, too; a computation without operands is constant (4.4 step 3c)
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = sdy.named_computation<"outer">(%c) (%arg1: tensor<8xf32>) {
    %6 = sdy.named_computation<"inner">(%arg1) (%arg2: tensor<8xf32>) {
      %7 = stablehlo.reverse %arg2, dims = [0] : tensor<8xf32>
      sdy.return %7 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %6 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"none">() () {
    %6 = stablehlo.iota dim = 0 : tensor<8xf32>
    sdy.return %6 : tensor<8xf32>
  } : () -> tensor<8xf32>
  %2 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %3 = stablehlo.subtract %arg0, %0 : tensor<8xf32>
  %4 = stablehlo.add %arg0, %1 : tensor<8xf32>
  %5 = stablehlo.subtract %arg0, %1 : tensor<8xf32>
  return %2, %3, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.named_computation<"outer">(%0) (%arg1: tensor<8xf32>) {
      %8 = sdy.named_computation<"inner">(%arg1) (%arg2: tensor<8xf32>) {
        %9 = stablehlo.reverse %arg2, dims = [0] : tensor<8xf32>
        sdy.return %9 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %8 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %2 = sdy.named_computation<"none">() () {
      %8 = stablehlo.iota dim = 0 : tensor<8xf32>
      sdy.return %8 : tensor<8xf32>
    } : () -> tensor<8xf32>
    %3 = sdy.named_computation<"none">() () {
      %8 = stablehlo.iota dim = 0 : tensor<8xf32>
      sdy.return %8 : tensor<8xf32>
    } : () -> tensor<8xf32>
    %4 = stablehlo.add %arg0, %1 : tensor<8xf32>
    %5 = stablehlo.subtract %arg0, %1 : tensor<8xf32>
    %6 = stablehlo.add %arg0, %2 : tensor<8xf32>
    %7 = stablehlo.subtract %arg0, %3 : tensor<8xf32>
    return %4, %5, %6, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a function that calls a bad one is bad, whatever order the functions have; a constraint makes it bad (4.4 steps 2, 3c)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.iota dim = 0 : tensor<8xf32>
  %0 = call @over(%c) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.subtract %arg0, %0 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
func.func private @over(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @under(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @under(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = call @over(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<8xf32>
    %3 = stablehlo.subtract %arg0, %1 : tensor<8xf32>
    return %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @over(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @under(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @under(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: names of clones count as those of their originals (4.4, 1.6)
func.func private @bad(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @good(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "bad"} {
  return %arg0 : tensor<8xf32>
}
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.iota dim = 0 : tensor<8xf32>
  %0 = call @good(%c) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.subtract %arg0, %0 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func private @bad(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @good(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "bad"} {
    return %arg0 : tensor<8xf32>
  }
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = call @good(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<8xf32>
    %3 = stablehlo.subtract %arg0, %1 : tensor<8xf32>
    return %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a constant call with several results is copied as a whole, with all that it calls (4.4 step 4)
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @k() : () -> (tensor<8xf32>, tensor<8xf32>)
  %1 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<8xf32>
  %3 = stablehlo.multiply %arg0, %0#1 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
func.func private @k() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @l() : () -> tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}
func.func private @l() -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = call @k_4() : () -> (tensor<8xf32>, tensor<8xf32>)
    %1:2 = call @k_7() : () -> (tensor<8xf32>, tensor<8xf32>)
    %2 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<8xf32>
    %4 = stablehlo.multiply %arg0, %1#1 : tensor<8xf32>
    return %3, %4 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @k() -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = call @l_0() : () -> tensor<8xf32>
    %1 = call @l_1() : () -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @l() -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @l_0() -> tensor<8xf32> attributes {sdy.original_func_name = "l"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @l_1() -> tensor<8xf32> attributes {sdy.original_func_name = "l"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @l_0_2() -> tensor<8xf32> attributes {sdy.original_func_name = "l"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @l_1_3() -> tensor<8xf32> attributes {sdy.original_func_name = "l"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @k_4() -> (tensor<8xf32>, tensor<8xf32>) attributes {sdy.original_func_name = "k"} {
    %0 = call @l_0_2() : () -> tensor<8xf32>
    %1 = call @l_1_3() : () -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @l_0_5() -> tensor<8xf32> attributes {sdy.original_func_name = "l"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @l_1_6() -> tensor<8xf32> attributes {sdy.original_func_name = "l"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @k_7() -> (tensor<8xf32>, tensor<8xf32>) attributes {sdy.original_func_name = "k"} {
    %0 = call @l_0_5() : () -> tensor<8xf32>
    %1 = call @l_1_6() : () -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: constants inside of manual computations are split there (4.4 step 3)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %c = stablehlo.constant dense<1.0> : tensor<4xf32>
    %1 = stablehlo.add %arg1, %c : tensor<4xf32>
    %2 = stablehlo.multiply %1, %c : tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      %1 = sdy.constant dense<1.000000e+00> : tensor<4xf32>
      %2 = sdy.constant dense<1.000000e+00> : tensor<4xf32>
      %3 = stablehlo.add %arg1, %1 : tensor<4xf32>
      %4 = stablehlo.multiply %3, %2 : tensor<4xf32>
      sdy.return %4 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: an elementwise op with a dynamic shape is not pure (4.4, pure)
func.func @main(%arg0: tensor<8xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c = stablehlo.iota dim = 0 : tensor<8xf32>
  %0 = stablehlo.convert %c : (tensor<8xf32>) -> tensor<?xf32>
  return %0, %0 : tensor<?xf32>, tensor<?xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.convert %0 : (tensor<8xf32>) -> tensor<?xf32>
    return %1, %1 : tensor<?xf32>, tensor<?xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a broadcast of a scalar argument is copied with its groups for each user, the return included (4.4 step 3d)
func.func @main(%arg0: tensor<f32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  sdy.sharding_group %0 group_id=3 : tensor<8xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    sdy.sharding_group %0 group_id=3 : tensor<8xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    sdy.sharding_group %1 group_id=3 : tensor<8xf32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    sdy.sharding_group %2 group_id=3 : tensor<8xf32>
    %3 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8xf32>
    return %2, %4 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a function that is not there is an error (4.4)
func.func @main() {
  call @gone() : () -> ()
  return
}
// ---- fails
4:3: 'func.call' op 'gone' does not reference a valid function
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: functions without body or with recursion (4.4, deviation 21)
func.func @main() -> tensor<8xf32> {
  %0 = call @decl() : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @decl() -> tensor<8xf32>
func.func @f() {
  call @f() : () -> ()
  return
}
// ---- fails
8:1: recursive call to function f is not supported
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: quantized copies of constants, both ways (4.4, elementwise)
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = stablehlo.uniform_quantize %c : (tensor<8xf32>) -> tensor<8x!quant.uniform<i8:f32, 5.000000e-01>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<8x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<8xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<8xf32>
  %3 = stablehlo.subtract %arg0, %1 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = stablehlo.uniform_quantize %0 : (tensor<8xf32>) -> tensor<8x!quant.uniform<i8:f32, 5.000000e-01>>
    %3 = stablehlo.uniform_quantize %1 : (tensor<8xf32>) -> tensor<8x!quant.uniform<i8:f32, 5.000000e-01>>
    %4 = stablehlo.uniform_dequantize %2 : (tensor<8x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<8xf32>
    %5 = stablehlo.uniform_dequantize %3 : (tensor<8x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<8xf32>
    %6 = stablehlo.add %arg0, %4 : tensor<8xf32>
    %7 = stablehlo.subtract %arg0, %5 : tensor<8xf32>
    return %6, %7 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: what counts devices or random numbers is not constant, though it has no operands (4.4, constant expression)
func.func @main(%arg0: tensor<ui32>) -> (tensor<ui32>, tensor<8xui32>, tensor<8xui32>) {
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.custom_call @numbers() : () -> tensor<8xui32>
  %2 = stablehlo.add %1, %1 : tensor<8xui32>
  return %0, %1, %2 : tensor<ui32>, tensor<8xui32>, tensor<8xui32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<ui32>) -> (tensor<ui32>, tensor<8xui32>, tensor<8xui32>) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.custom_call @numbers() : () -> tensor<8xui32>
    %2 = stablehlo.add %1, %1 : tensor<8xui32>
    return %0, %1, %2 : tensor<ui32>, tensor<8xui32>, tensor<8xui32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a bad clone disqualifies its original (4.4 step 3c, 1.6)
func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.iota dim = 0 : tensor<8xf32>
  %0 = call @f(%c) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.subtract %arg0, %0 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<8xf32>
    %3 = stablehlo.subtract %arg0, %1 : tensor<8xf32>
    return %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: an edge op whose operand is not an edge owner is refused (2)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %cst = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = sdy.data_flow_edge %cst : tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.data_flow_edge' op has an operand that is not an edge owner
// ----------
// shardy opt --sdy-constant-splitter
// CASE: the old name of the pass is known, and two slots with one constant get two copies
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %0 : tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8x8xf32>
    %1 = stablehlo.iota dim = 0 : tensor<8x8xf32>
    %2 = stablehlo.iota dim = 0 : tensor<8x8xf32>
    %3 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %3, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: dead constants go, scalars that are used stay and are shared
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %dead = stablehlo.constant dense<1.0> : tensor<8xf32>
  %dead_sum = stablehlo.add %dead, %dead : tensor<8xf32>
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.add %arg0, %s : tensor<f32>
  %1 = stablehlo.multiply %0, %s : tensor<f32>
  return %1 : tensor<f32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = sdy.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.add %arg0, %0 : tensor<f32>
    %2 = stablehlo.multiply %1, %0 : tensor<f32>
    return %2 : tensor<f32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a value that is used twice in what is copied is copied once
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  %3 = stablehlo.multiply %arg0, %2 : tensor<8xf32>
  %4 = stablehlo.multiply %arg0, %1 : tensor<8xf32>
  return %3, %4 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
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
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: broadcasts of scalars are copied, not what is computed from them
func.func @main(%arg0: tensor<f32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = stablehlo.add %arg1, %1 : tensor<8xf32>
  %3 = stablehlo.add %2, %1 : tensor<8xf32>
  return %3, %0 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.negate %0 : tensor<8xf32>
    %3 = stablehlo.add %arg1, %2 : tensor<8xf32>
    %4 = stablehlo.add %3, %2 : tensor<8xf32>
    return %4, %1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: groups are copied with their constant
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  sdy.sharding_group %0 group_id=5 : tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.add %1, %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    sdy.sharding_group %0 group_id=5 : tensor<8xf32>
    %1 = stablehlo.iota dim = 0 : tensor<8xf32>
    sdy.sharding_group %1 group_id=5 : tensor<8xf32>
    %2 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %3 = stablehlo.add %2, %1 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a constant that a loop uses is copied outside of it
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
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.iota dim = 0 : tensor<8xf32>
    %2 = stablehlo.while(%iterArg = %0) : tensor<8xf32>
    cond {
      %3 = sdy.constant dense<false> : tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.add %iterArg, %1 : tensor<8xf32>
      stablehlo.return %3 : tensor<8xf32>
    }
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: reshapes, slices, reshards and barriers keep constants, a constraint does not
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
// ---- becomes
module {
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
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a call of what is constant is constant, and its copies call copies
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
// ---- becomes
module {
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
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: a call of what is not constant is not, though its operands are
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
// ---- becomes
module {
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
}
// ----------
// shardy opt --sdy-constant-or-scalar-splitter
// CASE: one bad body disqualifies all named computations of that name
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
// ---- becomes
module {
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
}
// ----------
// shardy opt --sdy-constant-splitter
// CASE: the older name of the pass still works (deviation 3)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.add %1, %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %3 = stablehlo.add %2, %1 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
