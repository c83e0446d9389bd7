// shardy opt --sdy-add-data-flow-edges
// CASE: edges of several results are in their order, rank 0 too; other users of them follow, also in regions (4.7)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> (tensor<f32>, tensor<8xf32>) {
  %0:3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>, <@mesh, [{"y", ?}p1]>]>} %arg0, %arg1, %arg0 : tensor<8xf32>, tensor<f32>, tensor<8xf32>
  %1 = "stablehlo.case"(%arg2) ({
    stablehlo.return %0#2 : tensor<8xf32>
  }, {
    %2 = stablehlo.add %0#2, %0#0 : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0#1, %1 : tensor<f32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> (tensor<f32>, tensor<8xf32>) {
    %0:3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>, <@mesh, [{"y", ?}p1]>]>} %arg0, %arg1, %arg0 : tensor<8xf32>, tensor<f32>, tensor<8xf32>
    %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#1 sharding=<@mesh, []> : tensor<f32>
    %3 = sdy.data_flow_edge %0#2 sharding=<@mesh, [{"y", ?}p1]> : tensor<8xf32>
    %4 = "stablehlo.case"(%arg2) ({
      stablehlo.return %3 : tensor<8xf32>
    }, {
      %6 = stablehlo.add %3, %1 : tensor<8xf32>
      stablehlo.return %6 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %5 = sdy.data_flow_edge %4 : tensor<8xf32>
    return %2, %5 : tensor<f32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-add-data-flow-edges
// CASE: block arguments first, then results, in nested computations; shardings of named ones as they are, of manual ones without their axes (4.7, 1.8)
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<4x4xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{?}, {"y"}]>] out_shardings=[<@mesh, [{"z"}]>] (%arg2: tensor<8xf32>, %arg3: tensor<4x4xf32>) {
    %1:2 = sdy.manual_computation(%arg2, %arg3) in_shardings=[<@mesh, [{"x", "y", ?}p1], replicated={"z"}>, <@mesh, [{}, {"z", "x"}], unreduced=max{"y"}>] out_shardings=[<@mesh, [{"z", "x"}]>, <@mesh, [{}, {"z"}]>] manual_axes={"x", "z"} (%arg4: tensor<4xf32>, %arg5: tensor<4x1xf32>) {
      %2 = stablehlo.slice %arg4 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
      %3 = stablehlo.concatenate %arg5, %arg5, dim = 1 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
      sdy.return %2, %3 : tensor<2xf32>, tensor<4x2xf32>
    } : (tensor<8xf32>, tensor<4x4xf32>) -> (tensor<8xf32>, tensor<4x4xf32>)
    sdy.return %1#0 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<4x4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<4x4xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{?}, {"y"}]>] out_shardings=[<@mesh, [{"z"}]>] (%arg2: tensor<8xf32>, %arg3: tensor<4x4xf32>) {
      %2 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
      %3 = sdy.data_flow_edge %arg3 sharding=<@mesh, [{?}, {"y"}]> : tensor<4x4xf32>
      %4:2 = sdy.manual_computation(%2, %3) in_shardings=[<@mesh, [{"x", "y", ?}p1], replicated={"z"}>, <@mesh, [{}, {"z", "x"}], unreduced=max{"y"}>] out_shardings=[<@mesh, [{"z", "x"}]>, <@mesh, [{}, {"z"}]>] manual_axes={"x", "z"} (%arg4: tensor<4xf32>, %arg5: tensor<4x1xf32>) {
        %7 = sdy.data_flow_edge %arg4 sharding=<@mesh, [{"y", ?}p1]> : tensor<4xf32>
        %8 = sdy.data_flow_edge %arg5 sharding=<@mesh, [{}, {}], unreduced=max{"y"}> : tensor<4x1xf32>
        %9 = stablehlo.slice %7 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
        %10 = stablehlo.concatenate %8, %8, dim = 1 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
        sdy.return %9, %10 : tensor<2xf32>, tensor<4x2xf32>
      } : (tensor<8xf32>, tensor<4x4xf32>) -> (tensor<8xf32>, tensor<4x4xf32>)
      %5 = sdy.data_flow_edge %4#0 sharding=<@mesh, [{"z", "x"}]> : tensor<8xf32>
      %6 = sdy.data_flow_edge %4#1 sharding=<@mesh, [{}, {"z"}]> : tensor<4x4xf32>
      sdy.return %5 : tensor<8xf32>
    } : (tensor<8xf32>, tensor<4x4xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"z"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-add-data-flow-edges
// CASE: a loop with a token: it has no edge, the others keep their order (4.7)
func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token, %arg2: tensor<i1>) -> (!stablehlo.token, tensor<i1>) {
  %0:3 = stablehlo.while(%a = %arg0, %b = %arg1, %c = %arg2) : tensor<8xf32>, !stablehlo.token, tensor<i1>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %a, %b, %c : tensor<8xf32>, !stablehlo.token, tensor<i1>
  }
  return %0#1, %0#2 : !stablehlo.token, tensor<i1>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token, %arg2: tensor<i1>) -> (!stablehlo.token, tensor<i1>) {
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1, %iterArg_1 = %arg2) : tensor<8xf32>, !stablehlo.token, tensor<i1>
    cond {
      stablehlo.return %iterArg_1 : tensor<i1>
    } do {
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1 : tensor<8xf32>, !stablehlo.token, tensor<i1>
    }
    %1 = sdy.data_flow_edge %0#0 : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#2 : tensor<i1>
    return %0#1, %2 : !stablehlo.token, tensor<i1>
  }
}
// ----------
// shardy opt --sdy-add-data-flow-edges
// CASE: an if, a reduction and a sort have no edges (1.8)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>) -> (tensor<8xf32>, tensor<f32>, tensor<8xf32>) {
  %0 = "stablehlo.if"(%arg2) ({
    stablehlo.return %arg0 : tensor<8xf32>
  }, {
    %3 = stablehlo.negate %arg0 : tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %2 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<f32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>) -> (tensor<8xf32>, tensor<f32>, tensor<8xf32>) {
    %0 = "stablehlo.if"(%arg2) ({
      stablehlo.return %arg0 : tensor<8xf32>
    }, {
      %3 = stablehlo.negate %arg0 : tensor<8xf32>
      stablehlo.return %3 : tensor<8xf32>
    }) : (tensor<i1>) -> tensor<8xf32>
    %1 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %3 = stablehlo.compare LT, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %1, %2 : tensor<8xf32>, tensor<f32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-add-data-flow-edges
// CASE: a result that goes to the same loop again, and to a return twice (4.7)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  %1:2 = stablehlo.optimization_barrier %0#1, %0#1 : tensor<8xf32>, tensor<8xf32>
  return %1#0, %1#0 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = stablehlo.optimization_barrier %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
    %1 = sdy.data_flow_edge %0#0 : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
    %3:2 = stablehlo.optimization_barrier %2, %2 : tensor<8xf32>, tensor<8xf32>
    %4 = sdy.data_flow_edge %3#0 : tensor<8xf32>
    %5 = sdy.data_flow_edge %3#1 : tensor<8xf32>
    return %4, %4 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-add-data-flow-edges
// CASE: an edge on what two ops use is refused (4.7, verification)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.data_flow_edge' op expected input of sdy.data_flow_edge to have a single user
// ----------
// shardy opt --sdy-add-data-flow-edges
// CASE: a case and a barrier have edges for their results, a token and a dynamic shape have none
// TWICE
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32>, %arg2: !stablehlo.token, %arg3: tensor<?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {
  %0 = "stablehlo.case"(%arg0) ({
    stablehlo.return %arg1 : tensor<8xf32>
  }, {
    %2 = stablehlo.negate %arg1 : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : (tensor<i32>) -> tensor<8xf32>
  %1:3 = stablehlo.optimization_barrier %0, %arg2, %arg3 : tensor<8xf32>, !stablehlo.token, tensor<?xf32>
  return %1#0, %1#2 : tensor<8xf32>, tensor<?xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32>, %arg2: !stablehlo.token, %arg3: tensor<?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {
    %0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<8xf32>
    }, {
      %4 = stablehlo.negate %arg1 : tensor<8xf32>
      stablehlo.return %4 : tensor<8xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : (tensor<i32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
    %2:3 = stablehlo.optimization_barrier %1, %arg2, %arg3 : tensor<8xf32>, !stablehlo.token, tensor<?xf32>
    %3 = sdy.data_flow_edge %2#0 : tensor<8xf32>
    return %3, %2#2 : tensor<8xf32>, tensor<?xf32>
  }
}
// ----------
// shardy opt --sdy-add-data-flow-edges
// CASE: edges inside of a manual computation have no manual axes
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y", ?}]>] out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y", ?}]>] out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      %2 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"y", ?}]> : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-add-data-flow-edges
// CASE: unused results get an edge, too
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
    %c = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return %c : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
      %2 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
      sdy.return %cst : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    return %arg0 : tensor<8xf32>
  }
}
