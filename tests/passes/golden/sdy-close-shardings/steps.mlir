// shardy opt --sdy-close-shardings
// CASE: edges, calls, loops, named computations, constraints and collectives close, rules do not (5.8, 1.11)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}p1]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.while(%a = %0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    stablehlo.return %a : tensor<8xf32>
  }
  %2 = sdy.data_flow_edge %1 sharding=<@mesh, [{"y", ?}]> : tensor<8xf32>
  %3 = sdy.named_computation<"n">(%2) in_shardings=[<@mesh, [{?}p2]>] out_shardings=[<@mesh, [{"x", ?}], replicated={"y"}>] (%arg2: tensor<8xf32>) {
    sdy.return %arg2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <mesh<["z"=2]>, [{"z", ?}]> : tensor<8xf32>
  %5 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : tensor<8xf32>
  %6 = sdy.all_gather [{"x"}] %5 out_sharding=<@mesh, [{?}]> : tensor<8xf32>
  stablehlo.custom_call @sink(%6) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8xf32>) -> ()
  return %4 : tensor<8xf32>
}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>})
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}p1]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.while(%iterArg = %0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<8xf32>
    }
    %2 = sdy.data_flow_edge %1 sharding=<@mesh, [{"y"}]> : tensor<8xf32>
    %3 = sdy.named_computation<"n">(%2) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}]>] (%arg2: tensor<8xf32>) {
      sdy.return %arg2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %4 = sdy.sharding_constraint %3 <mesh<["z"=2]>, [{"z"}]> : tensor<8xf32>
    %5 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : tensor<8xf32>
    %6 = sdy.all_gather [{"x"}] %5 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    stablehlo.custom_call @sink(%6) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8xf32>) -> ()
    return %4 : tensor<8xf32>
  }
  func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
}
// ----------
// shardy opt --sdy-close-shardings
// CASE: dims are closed, replicated axes dropped, unreduced axes kept (5.8)
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}], replicated={"y"}, unreduced={"z"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], unreduced=max{"x"}>]>} : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"z", ?}, {?}]> : tensor<8x8xf32>
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x", ?}, {?}], replicated={"y"}>] out_shardings=[<@mesh, [{"x", ?}, {?}], replicated={"y"}>] manual_axes={"x", "y"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"z"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"z"}, {}]> : tensor<8x8xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<4x8xf32>) {
      sdy.return %arg1 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-close-shardings
// CASE: a dim that becomes closed and empty loses its priority, others keep it (deviation 13, fixed)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {"x", ?}p2]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}p2]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-close-shardings
// CASE: a sharding on one device stays (5.8)
sdy.mesh @one = <[], device_ids=[3]>
func.func @main(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<8xf32>
  return
}
// ---- stays
