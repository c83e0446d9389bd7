// shardy opt --sdy-sink-data-flow-edges
// CASE: block arguments and results each take the shardings of their edges, inner ops after outer ones (5.2 steps 1, 2)
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @two = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<i32>) -> tensor<8xf32> {
  %0:2 = sdy.named_computation<"f">(%arg0, %arg1) in_shardings=[<@mesh, [{"y"}]>, <@mesh, [{"y"}, {"x"}]>] (%arg3: tensor<8xf32>, %arg4: tensor<8x4xf32>) {
    %arg2i = stablehlo.constant dense<0> : tensor<i32>
    %4 = sdy.data_flow_edge %arg3 : tensor<8xf32>
    %5 = sdy.data_flow_edge %arg4 sharding=<@two, [{"x"}, {?}]> : tensor<8x4xf32>
    %6 = "stablehlo.case"(%arg2i) ({
      stablehlo.return %4 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %7 = sdy.data_flow_edge %6 sharding=<@mesh, [{"y"}p1], replicated={"x"}> : tensor<8xf32>
    sdy.return %7, %5 : tensor<8xf32>, tensor<8x4xf32>
  } : (tensor<8xf32>, tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x4xf32>)
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"x", "y"}]> : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8x4xf32>
  %3 = stablehlo.negate %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @two = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<i32>) -> tensor<8xf32> {
    %0:2 = sdy.named_computation<"f">(%arg0, %arg1) in_shardings=[<@two, [{?}]>, <@two, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x", "y"}]>, <@mesh, [{?}, {?}]>] (%arg3: tensor<8xf32>, %arg4: tensor<8x4xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %2 = "stablehlo.case"(%c) ({
        stablehlo.return %arg3 : tensor<8xf32>
      }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}p1], replicated={"x"}>]>} : (tensor<i32>) -> tensor<8xf32>
      sdy.return %2, %arg4 : tensor<8xf32>, tensor<8x4xf32>
    } : (tensor<8xf32>, tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x4xf32>)
    %1 = stablehlo.negate %0#0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: owners without edge, tokens and dynamic shapes, become open with the others (5.2 step 1)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token, %arg2: tensor<?x2xf32>) -> tensor<8xf32> {
  %0:3 = stablehlo.optimization_barrier %arg0, %arg1, %arg2 : tensor<8xf32>, !stablehlo.token, tensor<?x2xf32>
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token, %arg2: tensor<?x2xf32>) -> tensor<8xf32> {
    %0:3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, []>, <@mesh, [{?}, {?}]>]>} %arg0, %arg1, %arg2 : tensor<8xf32>, !stablehlo.token, tensor<?x2xf32>
    return %0#0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: an edge on what owns none goes with its sharding (5.2)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges='sink-debug-sharding-origins=true sink-debug-propagation-edge-sharding=true'
// CASE: debug info of block arguments has its own arrays, both options together (5.2 step 3)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"a", ?}]>, <@mesh, [{"a", ?}]>, <@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{"a", ?}]>] manual_axes={"a"} (%arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>) {
    %2 = sdy.data_flow_edge %arg3 sharding=<@mesh, [{?}]> : tensor<4xf32>
    %3 = sdy.data_flow_edge %arg4 sharding=<@mesh, [{"b", ?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"b" = operand-0 -> [result-0]}]}]>, sdy.sharding_origins = {b = "constraint_0"}} : tensor<4xf32>
    %4 = sdy.data_flow_edge %arg5 sharding=<@mesh, [{?}]> {sdy.sharding_origins = {}} : tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"a", ?}]>, <@mesh, [{"a", "b", ?}]>, <@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{"a", ?}]>] manual_axes={"a"} (%arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>) {
      sdy.return %arg3 : tensor<4xf32>
    } {sdy.block_arg_propagation_edges = [#sdy.propagation_edges<[{step-1 = [{"b" = operand-0 -> [result-0]}]}]>], sdy.block_arg_sharding_origins = [{}, {b = "constraint_0"}, {}]} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: an edge op on a value that owns none would change what its users read
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}, {}]>]>} : tensor<8x4xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{?}, {?}], unreduced=min{"y"}> : tensor<8x4xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}], unreduced=min{"y"}> : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
// ---- fails
6:8: 'sdy.data_flow_edge' op has an operand that is not an edge owner, so sinking would drop its unreduced axes
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: an edge of a manual computation's result has the manual axes of the result
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{"a", ?}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
8:8: 'sdy.data_flow_edge' op has other manual axes than the result that it represents: <@mesh, [{}]> vs <@mesh, [{"a", ?}]>
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: results of a manual computation without an edge keep their manual axes (5.2, deviation)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>, <@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1, %arg1 : tensor<4xf32>, tensor<4xf32>
  } : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a", "b"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a", "b"}]>, <@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
      sdy.return %arg1, %arg1 : tensor<4xf32>, tensor<4xf32>
    } : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %0#0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: edges without shardings leave the owners alone (5.2)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: block arguments of manual computations get their manual axes back and keep the reduction (deviation 10, fixed)
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}], unreduced=max{"z"}>] out_shardings=[<@mesh, [{"x", ?}], unreduced=max{"z"}>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %1 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"y", ?}], unreduced=max{"z"}> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y", ?}], unreduced=max{"z"}>] out_shardings=[<@mesh, [{"x", ?}], unreduced=max{"z"}>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      sdy.return %arg1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: debug info of edges goes with them (5.2)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a", ?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding_origins = {a = "input: 0"}} : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>]>} %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges='sink-debug-sharding-origins=true'
// CASE: origins stay with the op if asked for, one dictionary per owner that has an edge (5.2 step 3)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a", ?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding_origins = {a = "input: 0"}} : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = stablehlo.optimization_barrier {sdy.result_sharding_origins = [{a = "input: 0"}, {}], sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>]>} %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges='sink-debug-propagation-edge-sharding=true'
// CASE: propagation steps stay with the op if asked for, where there are any (5.2 step 3)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a", ?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding_origins = {a = "input: 0"}} : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = stablehlo.optimization_barrier {sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>], sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>]>} %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: what a collective reads becomes open on the collective's mesh (5.2 step 1, deviation)
sdy.mesh @A = <["a"=2]>
sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = sdy.named_computation<"f">(%arg0, %arg1) (%arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
    %1 = sdy.data_flow_edge %arg2 sharding=<@A, [{"a"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %arg3 : tensor<8xf32>
    %3 = sdy.all_slice [{"a"}] %2 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
    sdy.return %1, %3 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %4 = sdy.data_flow_edge %0#0 sharding=<@A, [{"a"}]> : tensor<8xf32>
  %5 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  %6 = sdy.all_slice [{"a"}] %5 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
  return %4, %6 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @A = <["a"=2]>
  sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = sdy.named_computation<"f">(%arg0, %arg1) in_shardings=[<@A, [{"a"}]>, <@B, [{?}]>] out_shardings=[<@A, [{"a"}]>, <@B, [{?}]>] (%arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
      %2 = sdy.all_slice [{"a"}] %arg3 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
      sdy.return %arg2, %2 : tensor<8xf32>, tensor<8xf32>
    } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.all_slice [{"a"}] %0#1 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
    return %0#0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sink-data-flow-edges
// CASE: a collective after an edge without sharding reads the replicated value (5.2, deviation)
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = sdy.all_slice [{"y"}] %1 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
  %3 = sdy.all_slice [{"x"}] %1 out_sharding=<@other, [{"x"}]> : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @other = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} %arg0 : tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
    %2 = sdy.all_slice [{"y"}] %1 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
    %3 = sdy.reshard %0 <@other, [{}]> : tensor<8xf32>
    %4 = sdy.all_slice [{"x"}] %3 out_sharding=<@other, [{"x"}]> : tensor<8xf32>
    return %2, %4 : tensor<8xf32>, tensor<8xf32>
  }
}
