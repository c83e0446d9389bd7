// shardy opt --sdy-verify-unreduced-axes
// CASE: a reshard ends partial values of its input's own kind and makes sums (5.13, reshard)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %c: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.reshard %b <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  %2 = sdy.reshard %c <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
    %2 = sdy.reshard %arg2 <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a reshard makes no maxima (5.13, reshard)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@mesh, [{}], unreduced=max{"x"}> : tensor<8xf32>
  return %a : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.reshard' op cannot introduce 'max' unreduced axes. Expected 'sum'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a constraint does not change what a kept axis is combined by (5.13, reshard)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.sharding_constraint' op cannot change the reduction operator of kept unreduced axes from max to sum.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: an operand without sharding is not looked at by a reshard (5.13, reshard)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: dots and every other op make sums of what is sharded (5.13, dot and the rest)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y":(1)2}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y"}>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y":(1)2}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y"}>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a dot makes no minima (5.13, dot)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=min{"x"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- fails
5:8: 'stablehlo.dot_general' op cannot introduce 'min' unreduced axes. Expected 'sum'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a dot drops nothing of its operands, the first of them is named (5.13, dot)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- fails
5:8: 'stablehlo.dot' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a part of an axis is named after the whole (5.13 step 4)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> tensor<8xf32> {
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y":(1)2}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.abs' op dropped unreduced axis 'y' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a reduction to a minimum makes minima, initial values are not looked at (5.13, reduce)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %i: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"y"}>}) -> tensor<8xf32> {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.minimum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=min{"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"y"}>}) -> tensor<8xf32> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.minimum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=min{"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a reduction drops no partial values (5.13, reduce)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %i: tensor<f32>) -> tensor<8xf32> {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.reduce' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: the operand of a reduction after a constraint is accepted (5.13, reduce (b))
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32>, %i: tensor<f32>) -> tensor<8xf32> {
  %c = sdy.sharding_constraint %a <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  %0 = stablehlo.reduce(%c init: %i) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<f32>) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %1 = stablehlo.reduce(%0 init: %arg1) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: both results of a body that adds are sums (5.13, body kind)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %i: tensor<f32>, %j: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>, <@mesh, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
   reducer(%p: tensor<f32>, %r: tensor<f32>) (%q: tensor<f32>, %s: tensor<f32>)  {
    %3 = stablehlo.add %p, %r : tensor<f32>
    %4 = stablehlo.add %q, %s : tensor<f32>
    stablehlo.return %3, %4 : tensor<f32>, tensor<f32>
  }
  %1 = sdy.reshard %0#0 <@mesh, [{}]> : tensor<8xf32>
  %2 = sdy.reshard %0#1 <@mesh, [{}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>, <@mesh, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<f32>, %arg7: tensor<f32>)  {
      %3 = stablehlo.add %arg4, %arg6 : tensor<f32>
      %4 = stablehlo.add %arg5, %arg7 : tensor<f32>
      stablehlo.return %3, %4 : tensor<f32>, tensor<f32>
    }
    %1 = sdy.reshard %0#0 <@mesh, [{}]> : tensor<8xf32>
    %2 = sdy.reshard %0#1 <@mesh, [{}]> : tensor<8xf32>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a body that does two things is of no kind (5.13, body kind)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %i: tensor<f32>, %j: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>, <@mesh, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
   reducer(%p: tensor<f32>, %r: tensor<f32>) (%q: tensor<f32>, %s: tensor<f32>)  {
    %3 = stablehlo.add %p, %r : tensor<f32>
    %4 = stablehlo.maximum %q, %s : tensor<f32>
    stablehlo.return %3, %4 : tensor<f32>, tensor<f32>
  }
  %1 = sdy.reshard %0#0 <@mesh, [{}]> : tensor<8xf32>
  %2 = sdy.reshard %0#1 <@mesh, [{}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- fails
5:10: 'stablehlo.reduce' op cannot add new unreduced axis 'x'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: collectives of Shardy end partial values, also of a part of an axis (5.13, all_reduce, reduce_scatter)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x", "y"}>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce max {"x", "y":(2)2} %a out_sharding=<@mesh, [{}], unreduced=max{"y":(1)2}> : tensor<8xf32>
  %1 = sdy.reduce_scatter max [{"y":(1)2}] %0 out_sharding=<@mesh, [{"y":(1)2}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x", "y"}>}) -> tensor<8xf32> {
    %0 = sdy.all_reduce max {"x", "y":(2)2} %arg0 out_sharding=<@mesh, [{}], unreduced=max{"y":(1)2}> : tensor<8xf32>
    %1 = sdy.reduce_scatter max [{"y":(1)2}] %0 out_sharding=<@mesh, [{"y":(1)2}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a reduce_scatter wants to know what it reduces (5.13)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reduce_scatter [{"x"}] %a out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.reduce_scatter' op operand must be sharded.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a collective of StableHLO without shardings is left alone (5.13)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a collective of StableHLO ends maxima (5.13)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.maximum %b, %c : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a collective of StableHLO makes no partial values (5.13)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.all_reduce' op cannot add new unreduced axis 'x'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a reduce_scatter of StableHLO combines what its body does (5.13)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=min{"x"}>}) -> tensor<8xf32> {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %1 = stablehlo.add %b, %c : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<4xf32>
  return %a : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.reduce_scatter' op cannot reduce 'min' unreduced axes. Expected 'sum'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a blessed operand of a call is not compared (5.13, call)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
  %1 = call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) {
  %0 = sdy.reshard %a <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: an operand without sharding has no partial values (5.13, call)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @g(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// ---- fails
5:8: 'func.call' op has unreduced axes mismatch for 'x' at call argument 1.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: of the results of a call the second may differ, parts of axes are not equal to wholes (5.13, call)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = call @g(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}], unreduced={"y"}>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %a : tensor<8xf32>
}
func.func private @g(tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y":(1)2}>})
// ---- fails
5:10: 'func.call' op has unreduced axes mismatch for 'y' at call result 1.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a value returned after a reshard, or to a result without sharding, is not compared (5.13, return)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = sdy.reshard %b <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  return %a, %0 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
    return %arg0, %0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: axes are listed by name (5.13, return)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}
// ---- fails
5:3: 'func.return' op has unreduced axes mismatch for 'x, y' at return value 1 without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: the carried value of a loop has the partial values of its result (5.13, return)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %p: tensor<i1>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%b = %a, %q = %p) : tensor<8xf32>, tensor<i1> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>, <@mesh, []>]>}
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %1 = stablehlo.custom_call @new() {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : () -> tensor<8xf32>
    stablehlo.return %1, %q : tensor<8xf32>, tensor<i1>
  }
  return %a : tensor<8xf32>
}
// ---- fails
10:5: 'stablehlo.return' op has unreduced axes mismatch for 'x' at return value 0 without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a manual computation returns partial values of its free axes (5.13, return)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}], replicated={"x"}>] out_shardings=[<@mesh, [{}], unreduced={"x", "y"}>] manual_axes={"x"} (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
6:5: 'sdy.return' op has unreduced axes mismatch for 'y' at return value 0 without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a loop may not drop what it is given (5.13, the rest)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %p: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%b = %a) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %b : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.while' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a manual computation may not drop what it is given (5.13, the rest)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}], unreduced={"x"}>] out_shardings=[<@mesh, [{}], replicated={"x"}>] manual_axes={"x"} (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.manual_computation' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: each function reports its first error only (5.13)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.abs %a : tensor<8xf32>
  %1 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @fine(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.abs' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: dots introduce and reshards drop unreduced axes (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: another op may not drop them (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.negate' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: an op without shardings counts as one without unreduced axes (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.negate' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: an operand that a reshard makes is blessed, through barriers too (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>
  %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: only sums are introduced (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.negate' op cannot introduce 'max' unreduced axes. Expected 'sum'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a reduction introduces what its body does (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8xf32> {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: and nothing else (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8xf32> {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
6:8: 'stablehlo.reduce' op cannot introduce 'sum' unreduced axes. Expected 'max'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a product is not a reduction that a collective supports (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8xf32> {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.multiply across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
6:8: 'stablehlo.reduce' op cannot add new unreduced axis 'x'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: kept axes keep their reduction (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.negate' op cannot change the reduction operator of kept unreduced axes from max to sum.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: operands of a call have the unreduced axes of the callee's arguments (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'func.call' op has unreduced axes mismatch for 'x, y' at call argument 0.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: results of a call have the unreduced axes of the callee's results (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'func.call' op has unreduced axes mismatch for 'x' at call result 0.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: what is returned has the unreduced axes of the result (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- fails
5:3: 'func.return' op has unreduced axes mismatch for 'x' at return value 0 without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: manual axes do not count for what a manual computation returns (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}], replicated={"x"}>] out_shardings=[<@mesh, [{}], unreduced={"x"}>] manual_axes={"x"} (%arg1: tensor<8xf32>) {
    %2 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: shardings on different meshes are not compared (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["z"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@other, [{}]>]>} : tensor<8xf32>
  return
}
// ---- stays
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: an all_reduce wants to know what it reduces (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.all_reduce' op operand must be sharded.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: an all_reduce combines partial values of its own kind only (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce max {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.all_reduce' op cannot reduce 'sum' unreduced axes. Expected 'max'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a collective of StableHLO combines what its body does (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: whose body may be another one (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.all_reduce' op cannot reduce 'sum' unreduced axes. Expected 'max'.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: or none that it knows (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.multiply %arg1, %arg2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.all_reduce' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: an op without results may not read partial values (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  stablehlo.custom_call @sink(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
  return
}
// ---- fails
5:3: 'stablehlo.custom_call' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: what a branch returns has the unreduced axes of its result (5.13)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%arg1) ({
    stablehlo.return %arg0 : tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
6:5: 'stablehlo.return' op has unreduced axes mismatch for 'x' at return value 0 without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true' --sdy-verify-unreduced-axes
// CASE: a sum inserted by explicit reshards after an op without sharding needs none (5.13, deviation 23, fixed)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, []> : tensor<f32>
    return %1 : tensor<f32>
  }
}
// ----------
// shardy opt --sdy-verify-unreduced-axes
// CASE: a sum of what others read, too, wants to know what it reduces (5.13, deviation 23)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// ---- fails
6:8: 'sdy.all_reduce' op operand must be sharded.
