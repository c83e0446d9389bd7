// shardy opt --sdy-update-non-divisible-input-output-shardings
// CASE: an axis that shares no factor ends the list, one that fits goes on; sub-axes keep their place (5.6 step 2)
sdy.mesh @mesh = <["x"=4, "y"=3, "z"=5, "w"=8]>
func.func @main(%arg0: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}, {"x", "w", ?}p3]>}, %arg1: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", "z"}, {"w":(4)2, "w":(1)4}]>}, %arg2: tensor<18x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "w":(4)2, "x"}, {"z", ?}]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4, "y"=3, "z"=5, "w"=8]>
  func.func @main(%arg0: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}]>}, %arg1: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {"w":(4)2, "w":(1)2}]>}, %arg2: tensor<18x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "w":(4)2}, {?}]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-update-non-divisible-input-output-shardings
// CASE: all functions, declarations too, all results of calls; loops and ops inside stay uneven (5.6)
sdy.mesh @mesh = <["x"=4]>
sdy.mesh @max = <[], device_ids=[1]>
func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<i1>, %arg2: tensor<?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg3: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<6xf32>, tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %0 = stablehlo.while(%a = %arg0) : tensor<6xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %3:3 = func.call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@max, []>, <@mesh, []>]>} : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<f32>)
    %4 = sdy.sharding_constraint %3#0 <@mesh, [{"x"}]> : tensor<6xf32>
    stablehlo.return %4 : tensor<6xf32>
  }
  %1 = sdy.named_computation<"n">(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] (%arg4: tensor<6xf32>) {
    sdy.return %arg4 : tensor<6xf32>
  } : (tensor<6xf32>) -> tensor<6xf32>
  %2 = stablehlo.constant dense<1.0> : tensor<f32>
  return %1, %2 : tensor<6xf32>, tensor<f32>
}
func.func private @f(tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<6xf32> {sdy.sharding = #sdy.sharding<@max, []>}, tensor<f32>)
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @max = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<i1>, %arg2: tensor<?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg3: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<6xf32>, tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<6xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %2:3 = func.call @f(%iterArg) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}]>, <@max, []>, <@mesh, []>]>} : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<f32>)
      %3 = sdy.sharding_constraint %2#0 <@mesh, [{"x"}]> : tensor<6xf32>
      stablehlo.return %3 : tensor<6xf32>
    }
    %1 = sdy.named_computation<"n">(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] (%arg4: tensor<6xf32>) {
      sdy.return %arg4 : tensor<6xf32>
    } : (tensor<6xf32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    return %1, %cst : tensor<6xf32>, tensor<f32>
  }
  func.func private @f(tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}, tensor<6xf32> {sdy.sharding = #sdy.sharding<@max, []>}, tensor<f32>)
}
// ----------
// shardy opt --sdy-update-non-divisible-input-output-shardings
// CASE: in manual computations free axes divide local shapes, manual axes and other lists stay (5.6 step 3)
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2, "w"=2]>
func.func @main(%arg0: tensor<12x4xf32>, %arg1: tensor<20xf32>) -> (tensor<12x4xf32>, tensor<20xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x", "y", ?}p1, {"z"}], replicated={"w"}>, <@mesh, [{"x", "z", "y"}], unreduced=max{"w"}>] out_shardings=[<@mesh, [{"x", "y", ?}p1, {}], unreduced={"w"}>, <@mesh, [{"x", "y", "z"}]>] manual_axes={"x"} (%arg2: tensor<6x4xf32>, %arg3: tensor<10xf32>) {
    %1 = stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<6x4xf32>
    sdy.return %1, %arg3 : tensor<6x4xf32>, tensor<10xf32>
  } : (tensor<12x4xf32>, tensor<20xf32>) -> (tensor<12x4xf32>, tensor<20xf32>)
  return %0#0, %0#1 : tensor<12x4xf32>, tensor<20xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2, "w"=2]>
  func.func @main(%arg0: tensor<12x4xf32>, %arg1: tensor<20xf32>) -> (tensor<12x4xf32>, tensor<20xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x", "y":(1)2, ?}, {"z"}], replicated={"w"}>, <@mesh, [{"x", "z"}], unreduced=max{"w"}>] out_shardings=[<@mesh, [{"x", "y":(1)2, ?}, {}], unreduced={"w"}>, <@mesh, [{"x", "y":(1)2}]>] manual_axes={"x"} (%arg2: tensor<6x4xf32>, %arg3: tensor<10xf32>) {
      %1 = stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<6x4xf32>
      sdy.return %1, %arg3 : tensor<6x4xf32>, tensor<10xf32>
    } : (tensor<12x4xf32>, tensor<20xf32>) -> (tensor<12x4xf32>, tensor<20xf32>)
    return %0#0, %0#1 : tensor<12x4xf32>, tensor<20xf32>
  }
}
// ----------
// shardy opt --sdy-update-non-divisible-input-output-shardings
// CASE: a sharding on a mesh that is not there is an error (5.6)
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@gone, [{}]>}) {
  return
}
// ---- fails
3:68: 'func.func' op arg 0 - unknown mesh: @gone
// ----------
// shardy opt --sdy-update-non-divisible-input-output-shardings
// CASE: what a collective takes or gives stays (5.6)
sdy.mesh @mesh = <["x"=3]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0, %arg1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    return %0, %arg1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-update-non-divisible-input-output-shardings
// CASE: a changed dim loses its priority, an unchanged one keeps it, as do replicated and unreduced axes (deviation 11, kept)
sdy.mesh @mesh = <["x"=8, "y"=3, "z"=2, "w"=2]>
func.func @main(%arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y"}p2], replicated={"z"}, unreduced={"w"}>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=8, "y"=3, "z"=2, "w"=2]>
  func.func @main(%arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}, {"y"}p2], replicated={"z"}, unreduced={"w"}>}) {
    return
  }
}
// ----------
// shardy opt --sdy-update-non-divisible-input-output-shardings
// CASE: a sharding on one device is skipped (deviation 12, fixed), as are values inside of functions
sdy.mesh @mesh = <["x"=8]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> tensor<5xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<5xf32>
  return %0 : tensor<5xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-update-non-divisible-input-output-shardings
// CASE: results of calls and edges of manual computations divide; block arguments by their local shapes (5.6)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<12xf32>) -> tensor<12xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}]>]>} : (tensor<12xf32>) -> tensor<12xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"x"} (%arg1: tensor<6xf32>) {
    sdy.return %arg1 : tensor<6xf32>
  } : (tensor<12xf32>) -> tensor<12xf32>
  return %1 : tensor<12xf32>
}
func.func private @f(%arg0: tensor<12xf32>) -> tensor<12xf32> {
  return %arg0 : tensor<12xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y":(1)2}]>]>} : (tensor<12xf32>) -> tensor<12xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", "y":(1)2}]>] out_shardings=[<@mesh, [{"x", "y":(1)2}]>] manual_axes={"x"} (%arg1: tensor<6xf32>) {
      sdy.return %arg1 : tensor<6xf32>
    } : (tensor<12xf32>) -> tensor<12xf32>
    return %1 : tensor<12xf32>
  }
  func.func private @f(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    return %arg0 : tensor<12xf32>
  }
}
