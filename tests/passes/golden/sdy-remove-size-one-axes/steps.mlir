// shardy opt --sdy-remove-size-one-axes
// CASE: every kind of op, reduction kinds stay, also of lists that become empty (4.2 step 2)
sdy.mesh @mesh = <["x"=2, "o"=1, "y"=2]>
sdy.mesh @max = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x", "o"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}, %arg2: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "o", ?}]>]>}
  cond {
    stablehlo.return %arg2 : tensor<i1>
  } do {
    %6 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}], unreduced=min{"o"}>]>} : tensor<8xf32>
    stablehlo.return %6 : tensor<8xf32>
  }
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"o", "y", ?}p2]> : tensor<8xf32>
  %2 = sdy.named_computation<"f">(%1) in_shardings=[<@mesh, [{"o", ?}]>] out_shardings=[<@mesh, [{?}], replicated={"o", "y"}>] (%arg3: tensor<8xf32>) {
    sdy.return %arg3 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"x", "o"}p1]> : tensor<8xf32>
  %4 = sdy.reshard %3 <@mesh, [{"o", "x"}]> : tensor<8xf32>
  %5:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"o"}p3]>, <@mesh, [{"y"}]>]>} %4, %arg1 : tensor<8xf32>, tensor<8xf32>
  return %5#0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "o"=1, "y"=2]>
  sdy.mesh @max = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}, %arg2: tensor<i1>) -> tensor<8xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}]>]>}
    cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      %6 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
      stablehlo.return %6 : tensor<8xf32>
    }
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"y", ?}p2]> : tensor<8xf32>
    %2 = sdy.named_computation<"f">(%1) in_shardings=[<@mesh, [{?}]>] out_shardings=[<@mesh, [{?}], replicated={"y"}>] (%arg3: tensor<8xf32>) {
      sdy.return %arg3 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}p1]> : tensor<8xf32>
    %4 = sdy.reshard %3 <@mesh, [{"x"}]> : tensor<8xf32>
    %5:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"y"}]>]>} %4, %arg1 : tensor<8xf32>, tensor<8xf32>
    return %5#0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-remove-size-one-axes
// CASE: replica groups and meshes stay (4.2)
sdy.mesh @mesh = <["x"=2, "o"=1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "o">, #stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "o"=1]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "o">, #stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-remove-size-one-axes
// CASE: a sharding on a mesh that is not there is an error (4.2)
sdy.mesh @mesh = <["o"=1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@gone, [{}]>}) {
  return
}
// ---- fails
4:68: 'func.func' op arg 0 - unknown mesh: @gone
// ----------
// shardy opt --sdy-remove-size-one-axes
// CASE: parts of an axis on both sides of one of size 1 join (4.2 step 2)
sdy.mesh @mesh = <["x"=8, "o"=1, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, "o", "x":(2)2, "y"}, {?}]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=8, "o"=1, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)4, "y"}, {?}]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-remove-size-one-axes
// CASE: what collectives do loses the axes too, and those that do nothing else go (4.2 step 3)
sdy.mesh @mesh = <["x"=2, "o"=1, "p"=1]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "o"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"o"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.all_gather [{"x", "o"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"p"}, {"x", "o"}] %0 out_sharding=<@mesh, [{"p"}, {"x", "o"}]> : tensor<8x8xf32>
  %2 = sdy.all_to_all [{"o"}: 0->1] %arg1 out_sharding=<@mesh, [{}, {"o"}]> : tensor<8x8xf32>
  %3 = sdy.replicated_to_unreduced {"p"} %2 out_sharding=<@mesh, [{}, {"o"}], unreduced={"p"}> : tensor<8x8xf32>
  %4 = sdy.all_reduce {"p"} %3 out_sharding=<@mesh, [{}, {"o"}]> : tensor<8x8xf32>
  %5 = sdy.replicated_to_unreduced {"x", "p"} %2 out_sharding=<@mesh, [{}, {"o"}], unreduced={"x", "p"}> : tensor<8x8xf32>
  return %1, %3, %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "o"=1, "p"=1]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{}, {"x"}] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    %2 = sdy.all_reduce {} %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %3 = sdy.replicated_to_unreduced {"x"} %arg1 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    return %1, %arg1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-remove-size-one-axes
// CASE: deviation 2: inlined meshes alone do not start it
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["o"=1]>, [{"o"}]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["o"=1]>, [{"o"}]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-remove-size-one-axes
// CASE: inlined meshes are cleaned once it runs, manual axes are left alone
sdy.mesh @mesh = <["x"=2, "o"=1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["o"=1, "y"=2]>, [{"o", "y"}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"o", "x"}]>] out_shardings=[<@mesh, [{"x"}], replicated={"o"}>] manual_axes={"x", "o"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "o"=1]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["o"=1, "y"=2]>, [{"y"}]>}) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "o"} (%arg1: tensor<4xf32>) {
      sdy.return %arg1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-remove-size-one-axes
// CASE: parts of an axis around one of size 1 become one
sdy.mesh @mesh = <["x"=4, "o"=1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, "o", "x":(2)2}]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4, "o"=1]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return
  }
}
