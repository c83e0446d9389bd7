// shardy opt --sdy-reshard-to-collectives
// CASE: a chain of barriers is looked through, to the value in front of it (B.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32>) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<16xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<16xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<16xf32>
  return %2 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<16xf32> {
    %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<16xf32>
    %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<16xf32>
    %2 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: what has no sharding is replicated on the mesh of the target (B.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32>) -> (tensor<16xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"b", "a"}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32>) -> tensor<16xf32> {
    %0 = sdy.all_slice [{"b", "a"}] %arg0 out_sharding=<@mesh, [{"b", "a"}]> : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: what is replicated on one mesh is so on every mesh (B.3 case 2)
sdy.mesh @mesh = <["a"=4]>
sdy.mesh @other = <["c"=2, "d"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) -> (tensor<16xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4]>
  sdy.mesh @other = <["c"=2, "d"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) -> tensor<16xf32> {
    return %arg0 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: what becomes replicated stays on its mesh and its order of devices (B.3 case 2)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @third = <["c"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = sdy.reshard %arg0 <@other, [{}, {}]> : tensor<16x16xf32>
  %1 = sdy.reshard %arg0 <@third, [{}, {}]> : tensor<16x16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
  sdy.mesh @third = <["c"=4]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %0 = sdy.all_gather [{"a"}, {"b"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{"a"}, {"b"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
    return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: partial values that keep their axes go to another order of devices, replicated or not (B.3 case 2)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) -> (tensor<16xf32>) {
  %0 = sdy.reshard %arg0 <@other, [{}], unreduced={"a"}> : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) -> tensor<16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@other, [{}], unreduced={"a"}> : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: steps have closed dims without priorities, and no replicated axes (B.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}], replicated={"b"}>}) -> (tensor<16x16xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{?}p1, {"a", ?}], replicated={"c"}> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}], replicated={"b"}>}) -> tensor<16x16xf32> {
    %0 = sdy.all_to_all [{"a"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"a"}]> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: a reshard that only opens a dim goes, or stays if one wants it (B.3 case 4)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"a", ?}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<16xf32> {
    return %arg0 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives='keep-redundant-reshards=true'
// CASE: only reshards between equal placements stay if one wants them (B.3 case 4)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"a", ?}]> : tensor<16xf32>
  %1 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a", ?}]> : tensor<16xf32>
    %1 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<16xf32>
    return %0, %1 : tensor<16xf32>, tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: between two names of one mesh the first name stays (B.5)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @again = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = sdy.reshard %arg0 <@again, [{"a"}, {"b"}]> : tensor<16x16xf32>
  %1 = sdy.reshard %arg0 <@again, [{"b"}, {}]> : tensor<16x16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  sdy.mesh @again = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"b"}, {"a"}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{}, {"a"}] %0 out_sharding=<@mesh, [{"b"}, {}]> : tensor<16x16xf32>
    return %arg0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: one reshard after the other, each from where the last one came to (B.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {"b"}]> : tensor<16x16xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {"b"}]> : tensor<16x16xf32>
  %2 = stablehlo.add %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<16x16xf32>
  return %1, %2 : tensor<16x16xf32>, tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %0 = sdy.all_slice [{}, {"b"}] %arg0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@mesh, [{}, {"b"}]> : tensor<16x16xf32>
    %2 = stablehlo.add %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<16x16xf32>
    return %1, %2 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: parts of an axis that cannot coexist are gathered first (B.8, diverges)
sdy.mesh @mesh = <["x"=12, "y"=2]>
func.func @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)6, "y"}]>}, %arg1: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)3}]>}) -> (tensor<24xf32>, tensor<24xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"x":(1)4}]> : tensor<24xf32>
  %1 = sdy.reshard %arg1 <@mesh, [{"x":(1)3}]> : tensor<24xf32>
  return %0, %1 : tensor<24xf32>, tensor<24xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=12, "y"=2]>
  func.func @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)6, "y"}]>}, %arg1: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)3}]>}) -> (tensor<24xf32>, tensor<24xf32>) {
    %0 = sdy.all_gather [{"x":(2)3, "y"}] %arg0 out_sharding=<@mesh, [{"x":(1)2}]> : tensor<24xf32>
    %1 = sdy.all_slice [{"x":(2)2}] %0 out_sharding=<@mesh, [{"x":(1)4}]> : tensor<24xf32>
    %2 = sdy.all_gather [{"x":(2)3}] %arg1 out_sharding=<@mesh, [{}]> : tensor<24xf32>
    %3 = sdy.all_slice [{"x":(1)3}] %2 out_sharding=<@mesh, [{"x":(1)3}]> : tensor<24xf32>
    return %1, %3 : tensor<24xf32>, tensor<24xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: an axis of size 1 that no phase places is gathered and sliced at the end (B.5, diverges)
sdy.mesh @mesh = <["a"=1, "b"=2, "c"=2]>
func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<4x4xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"c"}, {"a"}]> : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=1, "b"=2, "c"=2]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> tensor<4x4xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"c"}, {}]> : tensor<4x4xf32>
    %1 = sdy.all_slice [{}, {"a"}] %0 out_sharding=<@mesh, [{"c"}, {"a"}]> : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: a gather keeps the axes before refs to move (B.5 phase 5, diverges)
sdy.mesh @mesh = <["x"=4, "y"=6]>
func.func @main(%arg0: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y":(2)3, "y":(1)2}]>}) -> (tensor<24x24xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"y":(2)3}, {"x":(1)2}]> : tensor<24x24xf32>
  return %0 : tensor<24x24xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4, "y"=6]>
  func.func @main(%arg0: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y":(2)3, "y":(1)2}]>}) -> tensor<24x24xf32> {
    %0 = sdy.all_gather [{"x":(2)2}, {"y":(1)2}] %arg0 out_sharding=<@mesh, [{"x":(1)2}, {"y":(2)3}]> : tensor<24x24xf32>
    %1 = sdy.all_to_all [{"x":(1)2}: 0->1] %0 out_sharding=<@mesh, [{}, {"y":(2)3, "x":(1)2}]> : tensor<24x24xf32>
    %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{}, {"x":(1)2, "y":(2)3}]> : tensor<24x24xf32>
    %3 = sdy.all_to_all [{"y":(2)3}: 1->0] %2 out_sharding=<@mesh, [{"y":(2)3}, {"x":(1)2}]> : tensor<24x24xf32>
    return %3 : tensor<24x24xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: reshards in bodies and branches are lowered where they are (B.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i1>) -> (tensor<16xf32>) {
  %0 = stablehlo.while(%iter = %arg0) : tensor<16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %1 = sdy.reshard %iter <@mesh, [{}]> : tensor<16xf32>
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<16xf32>
    %3 = sdy.reshard %2 <@mesh, [{"a"}]> : tensor<16xf32>
    stablehlo.return %3 : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i1>) -> tensor<16xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %1 = sdy.all_gather [{"a"}] %iterArg out_sharding=<@mesh, [{}]> : tensor<16xf32>
      %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<16xf32>
      %3 = sdy.all_slice [{"a"}] %2 out_sharding=<@mesh, [{"a"}]> : tensor<16xf32>
      stablehlo.return %3 : tensor<16xf32>
    }
    return %0 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: a value made partial after a reshard has the dims of its collectives, which are closed (B.3, dialect 4.6)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"a", ?}, {}]> : tensor<16x8xf32>
  %1 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@mesh, [{"a", ?}, {}], unreduced={"c"}> : tensor<16x8xf32>
  %2 = sdy.reshard %arg1 <@mesh, [{"a", ?}, {?}]> : tensor<16x8xf32>
  %3 = sdy.replicated_to_unreduced {"c"} %2 out_sharding=<@mesh, [{"a", ?}, {?}], unreduced={"c"}> : tensor<16x8xf32>
  return %1, %3 : tensor<16x8xf32>, tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
    %0 = sdy.all_gather [{}, {"b"}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
    %1 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"c"}> : tensor<16x8xf32>
    %2 = sdy.replicated_to_unreduced {"c"} %arg1 out_sharding=<@mesh, [{"a"}, {}], unreduced={"c"}> : tensor<16x8xf32>
    return %1, %2 : tensor<16x8xf32>, tensor<16x8xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: what is made partial of a value that stayed on another order of devices goes to the wanted one then (B.3 case 2, dialect 4.1)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32>) {
  %0 = sdy.reshard %arg0 <@other, [{}]> : tensor<16xf32>
  %1 = sdy.replicated_to_unreduced {"b"} %0 out_sharding=<@other, [{}], unreduced={"b"}> : tensor<16xf32>
  return %1 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<16xf32> {
    %0 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<16xf32>
    %1 = sdy.replicated_to_unreduced {"b"} %0 out_sharding=<@mesh, [{}], unreduced={"b"}> : tensor<16xf32>
    %2 = sdy.collective_permute %1 out_sharding=<@other, [{}], unreduced={"b"}> : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: slicing at the source leaves the target dim no more room than its other refs need (B.5 phase 1a)
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2, "e"=2, "f"=2]>
func.func @main(%arg0: tensor<64x64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"c", "d"}]>}) -> tensor<64x64x64xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"a", "b", "c"}, {"e", "f"}]> : tensor<64x64x64xf32>
  return %0 : tensor<64x64x64xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2, "e"=2, "f"=2]>
  func.func @main(%arg0: tensor<64x64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"c", "d"}]>}) -> tensor<64x64x64xf32> {
    %0 = sdy.all_slice [{"b"}, {"e"}, {}] %arg0 out_sharding=<@mesh, [{"a", "b"}, {"e"}, {"c", "d"}]> : tensor<64x64x64xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"b", "c"}, {"a"}, {"e", "f"}]> : tensor<64x64x64xf32>
    %2 = sdy.all_to_all [{"b", "c"}: 0->1] %1 out_sharding=<@mesh, [{}, {"a", "b", "c"}, {"e", "f"}]> : tensor<64x64x64xf32>
    return %2 : tensor<64x64x64xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: the rest of a split ref is placed first (B.4 distribute)
sdy.mesh @mesh = <["a"=2, "b"=3, "c"=4]>
func.func @main(%arg0: tensor<24x24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"c", "b"}]>}) -> tensor<24x24x24xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"b", "c"}, {"a"}]> : tensor<24x24x24xf32>
  return %0 : tensor<24x24x24xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=3, "c"=4]>
  func.func @main(%arg0: tensor<24x24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"c", "b"}]>}) -> tensor<24x24x24xf32> {
    %0 = sdy.all_slice [{}, {"a"}, {}] %arg0 out_sharding=<@mesh, [{}, {"a"}, {"c", "b"}]> : tensor<24x24x24xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{}, {"c":(1)2}, {"a", "c":(2)2, "b"}]> : tensor<24x24x24xf32>
    %2 = sdy.all_to_all [{"c":(2)2, "b"}: 2->1] %1 out_sharding=<@mesh, [{}, {"c", "b"}, {"a"}]> : tensor<24x24x24xf32>
    %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{}, {"b", "c"}, {"a"}]> : tensor<24x24x24xf32>
    return %3 : tensor<24x24x24xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: parts of what leaves fill a dim that no whole ref fits (B.5 phase 2, diverges)
sdy.mesh @mesh = <["x"=5, "y"=5, "a"=4, "b"=9, "c"=6]>
func.func @main(%arg0: tensor<16200xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "a", "b"}]>}) -> tensor<16200xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"y", "c"}]> : tensor<16200xf32>
  return %0 : tensor<16200xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=5, "y"=5, "a"=4, "b"=9, "c"=6]>
  func.func @main(%arg0: tensor<16200xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "a", "b"}]>}) -> tensor<16200xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y", "c", "a":(1)2, "b":(1)3}]> : tensor<16200xf32>
    %1 = sdy.all_gather [{"a":(1)2, "b":(1)3}] %0 out_sharding=<@mesh, [{"y", "c"}]> : tensor<16200xf32>
    return %1 : tensor<16200xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: a whole value that a collective reads on another mesh keeps the reshard to it (B.3, diverges)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @other = <["x"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.reshard %arg0 <@other, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@other, [{"x"}]> : tensor<8xf32>
  %2 = sdy.reshard %arg1 <@other, [{}]> : tensor<8xf32>
  %3 = sdy.all_slice [{"x"}] %2 out_sharding=<@other, [{"x"}]> : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @other = <["x"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.reshard %arg0 <@other, [{}]> : tensor<8xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@other, [{"x"}]> : tensor<8xf32>
    %2 = sdy.all_gather [{"x"}] %arg1 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %3 = sdy.reshard %2 <@other, [{}]> : tensor<8xf32>
    %4 = sdy.all_slice [{"x"}] %3 out_sharding=<@other, [{"x"}]> : tensor<8xf32>
    return %1, %4 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: a value without sharding that two collectives read on two meshes has one, the other a reshard (B.3, diverges)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @other = <["x"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %arg0 <@other, [{}]> : tensor<8xf32>
  %2 = sdy.replicated_to_unreduced {"x"} %1 out_sharding=<@other, [{}], unreduced={"x"}> : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @other = <["x"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    %1 = sdy.reshard %arg0 <@other, [{}]> : tensor<8xf32>
    %2 = sdy.replicated_to_unreduced {"x"} %1 out_sharding=<@other, [{}], unreduced={"x"}> : tensor<8xf32>
    return %0, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
