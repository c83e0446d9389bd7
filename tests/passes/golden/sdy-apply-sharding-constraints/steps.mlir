// shardy opt --sdy-apply-sharding-constraints
// CASE: an open head is not applied, users after the chain still follow its end (4.8 A.1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> : tensor<8xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<8xf32>
  %4 = stablehlo.negate %arg0 : tensor<8xf32>
  return %3, %4 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}]> : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> : tensor<8xf32>
    %3 = stablehlo.add %2, %2 : tensor<8xf32>
    %4 = stablehlo.negate %2 : tensor<8xf32>
    return %3, %4 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: a single constraint is not a chain, one with two users ends it (4.8 A.1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = stablehlo.negate %arg0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}]> : tensor<8xf32>
  %4 = stablehlo.add %2, %arg1 : tensor<8xf32>
  return %0, %1, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    %1 = stablehlo.negate %arg0 : tensor<8xf32>
    %2 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}]> : tensor<8xf32>
    %4 = stablehlo.add %2, %arg1 : tensor<8xf32>
    return %0, %1, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: what has a sharding, or goes to a manual computation, heads no chain; what a manual computation takes ends none (4.8 A.1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"y"}]> : tensor<8xf32>
  %5 = stablehlo.add %arg1, %4 : tensor<8xf32>
  %6 = sdy.sharding_constraint %arg2 <@mesh, [{"x", ?}]> : tensor<8xf32>
  %7 = sdy.sharding_constraint %6 <@mesh, [{"y", ?}]> : tensor<8xf32>
  %8 = stablehlo.add %arg2, %5 : tensor<8xf32>
  %9:2 = sdy.manual_computation(%arg1, %7) in_shardings=[<@mesh, [{"y"}]>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>, <@mesh, [{"y"}]>] manual_axes={"y"} (%arg3: tensor<4xf32>, %arg4: tensor<4xf32>) {
    sdy.return %arg3, %arg4 : tensor<4xf32>, tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %2, %8, %9#0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<8xf32>
    %3 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"y"}]> : tensor<8xf32>
    %5 = stablehlo.add %arg1, %4 : tensor<8xf32>
    %6 = sdy.sharding_constraint %arg2 <@mesh, [{"x", ?}]> : tensor<8xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{"y", ?}]> : tensor<8xf32>
    %8 = stablehlo.add %arg2, %5 : tensor<8xf32>
    %9:2 = sdy.manual_computation(%arg1, %7) in_shardings=[<@mesh, [{"y"}]>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>, <@mesh, [{"y"}]>] manual_axes={"y"} (%arg3: tensor<4xf32>, %arg4: tensor<4xf32>) {
      sdy.return %arg3, %arg4 : tensor<4xf32>, tensor<4xf32>
    } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %2, %8, %9#0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: a constraint and a manual computation that want the same are applied, a second open constraint is in the way (4.8)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xf32>) {
    sdy.return %arg2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
  %4 = sdy.sharding_constraint %arg1 <@mesh, [{"x", ?}]> : tensor<8xf32>
  return %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
    %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xf32>) {
      sdy.return %arg2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
    %4 = sdy.sharding_constraint %arg1 <@mesh, [{"x", ?}]> : tensor<8xf32>
    return %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: of an op with several results the others become open; calls, tokens and single devices (4.8, 1.7)
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @max = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token, %arg2: tensor<8x2xf32>) -> (tensor<8xf32>, !stablehlo.token, tensor<8x2xf32>) {
  %0:3 = stablehlo.custom_call @three(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, !stablehlo.token, tensor<8x2xf32>)
  %1 = sdy.sharding_constraint %0#2 <@mesh, [{"x"}, {}], unreduced=max{"y"}> : tensor<8x2xf32>
  %2:2 = call @f(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %3 = sdy.sharding_constraint %2#0 <@max, []> : tensor<8xf32>
  %4 = sdy.sharding_constraint %arg1 <@mesh, []> : !stablehlo.token
  return %3, %4, %1 : tensor<8xf32>, !stablehlo.token, tensor<8x2xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @max = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}, %arg2: tensor<8x2xf32>) -> (tensor<8xf32>, !stablehlo.token, tensor<8x2xf32>) {
    %0:3 = stablehlo.custom_call @three(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, []>, <@mesh, [{"x"}, {}], unreduced=max{"y"}>]>} : (tensor<8xf32>) -> (tensor<8xf32>, !stablehlo.token, tensor<8x2xf32>)
    %1 = sdy.sharding_constraint %0#2 <@mesh, [{"x"}, {}], unreduced=max{"y"}> : tensor<8x2xf32>
    %2:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@max, []>, <@max, []>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %3 = sdy.sharding_constraint %2#0 <@max, []> : tensor<8xf32>
    %4 = sdy.sharding_constraint %arg1 <@mesh, []> : !stablehlo.token
    return %3, %4, %1 : tensor<8xf32>, !stablehlo.token, tensor<8x2xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: without edge ops a constraint on a target of an edge sets its owner (4.8, 1.7)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i1>
  cond {
    stablehlo.return %iterArg_0 : tensor<i1>
  } do {
    %1 = stablehlo.negate %iterArg : tensor<8xf32>
    %2 = sdy.sharding_constraint %iterArg <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = stablehlo.add %1, %2 : tensor<8xf32>
    stablehlo.return %3, %iterArg_0 : tensor<8xf32>, tensor<i1>
  }
  return %0#0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i1> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
    cond {
      stablehlo.return %iterArg_0 : tensor<i1>
    } do {
      %1 = stablehlo.negate %iterArg : tensor<8xf32>
      %2 = sdy.sharding_constraint %iterArg <@mesh, [{"x"}]> : tensor<8xf32>
      %3 = stablehlo.add %1, %2 : tensor<8xf32>
      stablehlo.return %3, %iterArg_0 : tensor<8xf32>, tensor<i1>
    }
    return %0#0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-add-data-flow-edges --sdy-apply-sharding-constraints
// CASE: on the edge of a block argument, and on the condition's argument of a loop (4.8)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%arg0) (%arg2: tensor<8xf32>) {
    %3 = stablehlo.negate %arg2 : tensor<8xf32>
    %4 = sdy.sharding_constraint %arg2 <@mesh, [{"x"}]> : tensor<8xf32>
    %5 = stablehlo.add %3, %4 : tensor<8xf32>
    sdy.return %5 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.while(%iterArg = %0) : tensor<8xf32>
  cond {
    %3 = stablehlo.negate %iterArg : tensor<8xf32>
    %4 = sdy.sharding_constraint %iterArg <@mesh, [{"y"}]> : tensor<8xf32>
    %5 = stablehlo.custom_call @test(%3, %4) : (tensor<8xf32>, tensor<8xf32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    stablehlo.return %iterArg : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0) (%arg2: tensor<8xf32>) {
      %4 = sdy.data_flow_edge %arg2 : tensor<8xf32>
      %5 = sdy.sharding_constraint %4 <@mesh, [{"x"}]> : tensor<8xf32>
      %6 = stablehlo.negate %5 : tensor<8xf32>
      %7 = stablehlo.add %6, %5 : tensor<8xf32>
      sdy.return %7 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = stablehlo.while(%iterArg = %1) : tensor<8xf32>
    cond {
      %4 = sdy.sharding_constraint %iterArg <@mesh, [{"y"}]> : tensor<8xf32>
      %5 = stablehlo.negate %4 : tensor<8xf32>
      %6 = stablehlo.custom_call @test(%5, %4) : (tensor<8xf32>, tensor<8xf32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<8xf32>
    }
    %3 = sdy.data_flow_edge %2 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: a chain on an edge: users after its end read the end, all others the head (4.8)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = stablehlo.abs %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"y"}]> : tensor<8xf32>
  %5 = stablehlo.negate %1 : tensor<8xf32>
  return %1, %2, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = stablehlo.abs %2 : tensor<8xf32>
    %4 = sdy.sharding_constraint %2 <@mesh, [{"y"}]> : tensor<8xf32>
    %5 = stablehlo.negate %4 : tensor<8xf32>
    return %2, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: of two equal constraints on an edge the second reads the first and is not applied (4.8)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}]> : tensor<8xf32>
    return %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: a manual computation with partial values gives them to the edge, with their reduction (4.8 B)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8x4xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8x4xf32>
  %2 = stablehlo.negate %1 : tensor<8x4xf32>
  %3 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}, {}], unreduced=min{"y"}>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
    sdy.return %arg1 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = stablehlo.add %2, %3 : tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<8x4xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{?}, {?}], unreduced=min{"y"}> : tensor<8x4xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}], unreduced=min{"y"}> : tensor<8x4xf32>
    %3 = stablehlo.negate %2 : tensor<8x4xf32>
    %4 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {}], unreduced=min{"y"}>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
      sdy.return %arg1 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %5 = stablehlo.add %3, %4 : tensor<8x4xf32>
    return %5 : tensor<8x4xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: an open in_sharding constrains nothing, a closed one those operands that have no sharding (4.8 B)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg1 : tensor<8xf32>
  %1 = sdy.manual_computation(%arg0, %0, %arg2) in_shardings=[<@mesh, [{"x", ?}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>) {
    sdy.return %arg3 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}]>]>} : tensor<8xf32>
    %1 = sdy.manual_computation(%arg0, %0, %arg2) in_shardings=[<@mesh, [{"x", ?}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>) {
      sdy.return %arg3 : tensor<4xf32>
    } : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: a dangling constraint is applied and stays (4.8)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xf32>
  %2 = stablehlo.abs %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xf32>
    %2 = stablehlo.abs %0 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints='debug-propagation-edge-sharding=true'
// CASE: a constraint that is not applied is not a step (4.8)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: what a collective takes stays as it is (4.8)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: a closed constraint becomes the sharding of an argument
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p1]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p1]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p1]> : tensor<8xf32>
    %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p1]> : tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: an open constraint, an existing sharding and two different constraints change nothing
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %arg2 <@mesh, [{"x"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %arg2 <@mesh, [{"x"}p1]> : tensor<8xf32>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: values of regions without data flow take no sharding
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
    %1 = sdy.sharding_constraint %arg2 <@mesh, []> : tensor<f32>
    %2 = stablehlo.add %1, %arg3 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// ---- stays
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: on an edge the constraint moves up to it and all users follow
// TWICE
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = stablehlo.negate %2 : tensor<8xf32>
    return %3, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: deviation 6: the rule of edges holds for all targets, an argument of a loop body as well
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32>
   cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %2 = stablehlo.negate %iterArg : tensor<8xf32>
    %3 = sdy.sharding_constraint %iterArg <@mesh, [{"x"}]> : tensor<8xf32>
    %4 = stablehlo.add %2, %3 : tensor<8xf32>
    stablehlo.return %4 : tensor<8xf32>
  }
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32>
    cond {
      %c = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %2 = sdy.sharding_constraint %iterArg <@mesh, [{"x"}]> : tensor<8xf32>
      %3 = stablehlo.negate %2 : tensor<8xf32>
      %4 = stablehlo.add %3, %2 : tensor<8xf32>
      stablehlo.return %4 : tensor<8xf32>
    }
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: unreduced axes are given to the edge, as they do not propagate
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}], unreduced={"y"}> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{?}], unreduced={"y"}> : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}], unreduced={"y"}> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: the in_shardings of a manual computation constrain its operands
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %arg1 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = sdy.manual_computation(%arg0, %1, %arg0) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>) {
    sdy.return %arg2 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.add %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.optimization_barrier %arg1 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = sdy.manual_computation(%arg0, %2, %arg0) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>) {
      sdy.return %arg2 : tensor<4xf32>
    } : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %4 = stablehlo.add %3, %2 : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: an operand that occurs with two in_shardings is left alone
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg0) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}], replicated={"x"}>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>, %arg2: tensor<8xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: deviation 6: after a chain a return keeps the value before it
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"y"}]> : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"y"}]> : tensor<8xf32>
    return %0, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: users before the end of a chain, and users in other blocks, stay
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = stablehlo.abs %0 : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"y"}]> : tensor<8xf32>
  %4 = "stablehlo.case"(%arg1) ({
    stablehlo.return %0 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  %5 = stablehlo.add %0, %0 : tensor<8xf32>
  return %2, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
    %2 = stablehlo.abs %0 : tensor<8xf32>
    %3 = sdy.sharding_constraint %1 <@mesh, [{"y"}]> : tensor<8xf32>
    %4 = "stablehlo.case"(%arg1) ({
      stablehlo.return %0 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %5 = stablehlo.add %3, %3 : tensor<8xf32>
    return %2, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: a chain whose end is constrained twice, or whose input is, is none
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"y"}]> : tensor<8xf32>
  %4 = stablehlo.add %arg0, %2 : tensor<8xf32>
  %5 = stablehlo.add %4, %3 : tensor<8xf32>
  %6 = sdy.sharding_constraint %arg1 <@mesh, [{"x", ?}]> : tensor<8xf32>
  %7 = sdy.sharding_constraint %6 <@mesh, [{"y", ?}]> : tensor<8xf32>
  %8 = sdy.sharding_constraint %arg1 <@mesh, [{"x", ?}]> : tensor<8xf32>
  %9 = stablehlo.add %arg1, %8 : tensor<8xf32>
  return %5, %7, %9 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-apply-sharding-constraints='debug-sharding-origins=true'
// CASE: constraints and manual computations are numbered for debugging
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %3 = sdy.sharding_constraint %arg1 <@mesh, [{"y", ?}]> : tensor<4xf32>
    sdy.return %3 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> {sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {x = "self"}} : tensor<8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      %3 = sdy.sharding_constraint %arg1 <@mesh, [{"y", ?}]> {sdy.sharding_origin_name = "constraint_1", sdy.sharding_origins = {y = "self"}} : tensor<4xf32>
      sdy.return %3 : tensor<4xf32>
    } {sdy.sharding_origin_name = "mc_0", sdy.sharding_origins = [{x = "constraint_2"}]} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> {sdy.sharding_origin_name = "constraint_2"} : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: constraints that were visited have no sharding rule afterwards (deviation 7)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: on an edge that is an operand twice the first slot makes the constraint, the other one reads it
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = sdy.manual_computation(%1, %1) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>, %arg2: tensor<4xf32>) {
    %4 = stablehlo.add %arg1, %arg2 : tensor<4xf32>
    sdy.return %4 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.negate %1 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = sdy.manual_computation(%2, %2) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>, %arg2: tensor<4xf32>) {
      %5 = stablehlo.add %arg1, %arg2 : tensor<4xf32>
      sdy.return %5 : tensor<4xf32>
    } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %4 = stablehlo.negate %2 : tensor<8xf32>
    return %3, %4 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints='debug-sharding-origins=true'
// CASE: what keeps the sharding it came with is the origin of its axes itself, what a constraint is applied to has them from there (4.8)
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>}, %arg2: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z", "x"}, {}]> : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  %2 = stablehlo.add %1, %arg1 : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %4 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<4x8xf32>) {
    sdy.return %arg3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {}]>, sdy.sharding_origins = {x = "constraint_0", z = "constraint_0"}}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>, sdy.sharding_origins = {y = "self"}}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, sdy.sharding_origins = {x = "mc_0_input: 0"}}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>, sdy.sharding_origins = {y = "self"}}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>, sdy.sharding_origins = {y = "constraint_1", z = "self"}}, tensor<8x8xf32> {sdy.sharding_origins = {x = "mc_0_output: 0"}}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z", "x"}, {}]> {sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {x = "self", z = "self"}} : tensor<8x8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding_origins = [{y = "output: 0"}]} : tensor<8x8xf32>
    %2 = stablehlo.add %1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>, sdy.sharding_origins = [{y = "constraint_1"}]} : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}, {}]> {sdy.sharding_origin_name = "constraint_1", sdy.sharding_origins = {y = "self", z = "output: 1"}} : tensor<8x8xf32>
    %4 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<4x8xf32>) {
      sdy.return %arg3 : tensor<4x8xf32>
    } {sdy.sharding_origin_name = "mc_0", sdy.sharding_origins = [{x = "self"}]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints='debug-propagation-edge-sharding=true'
// CASE: a constraint that is applied is a step from its result to its operand (4.8)
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>}, %arg2: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z", "x"}, {}]> : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  %2 = stablehlo.add %1, %arg1 : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %4 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<4x8xf32>) {
    sdy.return %arg3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}, tensor<8x8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z", "x"}, {}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = result-0 -> [operand-0]}, {"z" = result-0 -> [operand-0]}]}]>} : tensor<8x8xf32>
    %1 = stablehlo.negate %0 : tensor<8x8xf32>
    %2 = stablehlo.add %1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}, {}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"y" = result-0 -> [operand-0]}]}]>} : tensor<8x8xf32>
    %4 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<4x8xf32>) {
      sdy.return %arg3 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints='debug-sharding-origins=true debug-propagation-edge-sharding=true' --sdy-basic-propagate='debug-sharding-origins=true debug-propagation-edge-sharding=true'
// CASE: propagation counts its steps from there on (4.8, propagation 16.2)
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>}, %arg2: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z", "x"}, {}]> : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  %2 = stablehlo.add %1, %arg1 : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %4 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<4x8xf32>) {
    sdy.return %arg3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {}]>, sdy.sharding_origins = {x = "constraint_0", z = "constraint_0"}}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>, sdy.sharding_origins = {y = "self"}}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, sdy.sharding_origins = {x = "mc_0_input: 0"}}) -> (tensor<8x8xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"y" = result-0 -> [operand-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>, sdy.sharding_origins = {x = "constraint_0", y = "self", z = "constraint_0"}}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>, sdy.sharding_origins = {y = "constraint_1", z = "self"}}, tensor<8x8xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-3 = [{"x" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>, sdy.sharding_origins = {x = "mc_0_output: 0"}}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z", "x"}, {}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = result-0 -> [operand-0]}, {"z" = result-0 -> [operand-0]}]}]>, sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {x = "self", z = "self"}} : tensor<8x8xf32>
    %1 = stablehlo.negate %0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-4 = [{"x" = operand-0 -> [result-0]}, {"z" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z", "x", ?}, {"y", ?}]>]>, sdy.sharding_origins = [{x = "constraint_0", y = "output: 0", z = "constraint_0"}]} : tensor<8x8xf32>
    %2 = stablehlo.add %1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>, sdy.sharding_origins = [{y = "constraint_1"}]} : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}, {}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"y" = result-0 -> [operand-0]}]}]>, sdy.sharding_origin_name = "constraint_1", sdy.sharding_origins = {y = "self", z = "output: 1"}} : tensor<8x8xf32>
    %4 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<4x8xf32>) {
      sdy.return %arg3 : tensor<4x8xf32>
    } {sdy.sharding_origin_name = "mc_0", sdy.sharding_origins = [{x = "self"}]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-apply-sharding-constraints
// CASE: of several results the one that a collective reads becomes open on the mesh of the collective (4.8, 1.7)
sdy.mesh @A = <["a"=2]>
sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = "stablehlo.case"(%arg1) ({
    %2 = stablehlo.negate %arg0 : tensor<8xf32>
    stablehlo.return %2, %arg0 : tensor<8xf32>, tensor<8xf32>
  }) : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.sharding_constraint %0#0 <@A, [{"a"}]> : tensor<8xf32>
  %3 = sdy.all_slice [{"a"}] %0#1 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @A = <["a"=2]>
  sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = "stablehlo.case"(%arg1) ({
      %3 = stablehlo.negate %arg0 : tensor<8xf32>
      stablehlo.return %3, %arg0 : tensor<8xf32>, tensor<8xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@A, [{"a"}]>, <@B, [{?}]>]>} : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.sharding_constraint %0#0 <@A, [{"a"}]> : tensor<8xf32>
    %2 = sdy.all_slice [{"a"}] %0#1 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
