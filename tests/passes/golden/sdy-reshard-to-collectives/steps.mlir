// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true' --canonicalize='enable-patterns=sdy-reshard' --sdy-reshard-to-collectives --canonicalize='enable-patterns=sdy-collective'
// CASE: a partial dot is reduced and scattered from op to end (A.7, A.8.2, A.13)
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %1 = sdy.reduce_scatter [{"a"}, {}] %0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
    %2 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %3 = sdy.reduce_scatter [{"a"}, {}] %2 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
    %4 = sdy.all_slice [{}, {"c"}] %3 out_sharding=<@mesh, [{"a"}, {"c"}]> : tensor<16x16xf32>
    return %1, %4 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true' --sdy-reshard-to-collectives --canonicalize='enable-patterns=sdy-collective'
// CASE: a scatter that does not take up all of a reduction is none (A.8.2, second and third row)
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  return %arg0, %arg0 : tensor<16x16xf32>, tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = sdy.reduce_scatter [{"a"}, {"c"}] %arg0 out_sharding=<@mesh, [{"a"}, {"c"}]> : tensor<16x16xf32>
    %1 = sdy.all_reduce {"a", "c"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
    %2 = sdy.all_slice [{"a"}, {}] %1 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
    return %0, %2 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true' --sdy-reshard-to-collectives --canonicalize='enable-patterns=sdy-collective'
// CASE: a scatter in front of a permute (A.8.2, fourth row)
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>}) {
    %0 = sdy.reduce_scatter [{"b"}, {}] %arg0 out_sharding=<@mesh, [{"a", "b"}, {}]> : tensor<16x16xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"b", "a"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives --canonicalize='enable-patterns=sdy-collective'
// CASE: an identity permute goes (A.13 3)
sdy.mesh @mesh = <["m"=2, "n"=3, "r"=2]>
func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m", "r"}, {"n"}]>}) -> (tensor<12x12xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"n", "m"}, {"r"}]> : tensor<12x12xf32>
  return %0 : tensor<12x12xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["m"=2, "n"=3, "r"=2]>
  func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m", "r"}, {"n"}]>}) -> tensor<12x12xf32> {
    %0 = sdy.all_to_all [{"r"}: 0->1] %arg0 out_sharding=<@mesh, [{"m"}, {"n", "r"}]> : tensor<12x12xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"m"}, {"r", "n"}]> : tensor<12x12xf32>
    %2 = sdy.all_to_all [{"n"}: 1->0] %1 out_sharding=<@mesh, [{"m", "n"}, {"r"}]> : tensor<12x12xf32>
    %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{"n", "m"}, {"r"}]> : tensor<12x12xf32>
    return %3 : tensor<12x12xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives --canonicalize='enable-patterns=sdy-collective'
// CASE: two exchanges over four dims are one (A.13 6)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}, {"a"}]>}) -> (tensor<16x16x16x16xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {}, {"a"}, {}]> : tensor<16x16x16x16xf32>
  return %0 : tensor<16x16x16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}, {"a"}]>}) -> tensor<16x16x16x16xf32> {
    %0 = sdy.all_to_all [{"b"}: 1->0, {"a"}: 3->2] %arg0 out_sharding=<@mesh, [{"b"}, {}, {"a"}, {}]> : tensor<16x16x16x16xf32>
    return %0 : tensor<16x16x16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: a dim is gathered, sliced, exchanged and permuted (B.6: 2, 3, 5, 13)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}, %arg2: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}]>}, %arg3: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{"a", "b":(1)2}, {}]> : tensor<16x16xf32>
  %1 = sdy.reshard %arg1 <@mesh, [{"a"}, {"c", "b"}]> : tensor<16x16xf32>
  %2 = sdy.reshard %arg2 <@mesh, [{"a"}, {}, {"b"}]> : tensor<16x16x16xf32>
  %3 = sdy.reshard %arg3 <@mesh, [{"b"}, {"a"}]> : tensor<16x16xf32>
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}, %arg2: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}]>}, %arg3: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
    %0 = sdy.all_gather [{"b":(2)2}, {"c"}] %arg0 out_sharding=<@mesh, [{"a", "b":(1)2}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_slice [{"a"}, {"b"}] %arg1 out_sharding=<@mesh, [{"a"}, {"c", "b"}]> : tensor<16x16xf32>
    %2 = sdy.all_to_all [{"b"}: 1->2] %arg2 out_sharding=<@mesh, [{"a"}, {}, {"b"}]> : tensor<16x16x16xf32>
    %3 = sdy.collective_permute %arg3 out_sharding=<@mesh, [{"b":(1)2}, {"a", "b":(2)2}]> : tensor<16x16xf32>
    %4 = sdy.all_to_all [{"b":(2)2}: 1->0] %3 out_sharding=<@mesh, [{"b"}, {"a"}]> : tensor<16x16xf32>
    return
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: barriers are looked through, reshards that move nothing go (B.3)
sdy.mesh @mesh = <["a"=2, "b"=4]>
sdy.mesh @other = <["c"=8]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<16xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<16xf32>
  %2 = sdy.reshard %arg0 <@mesh, [{"a"}]> : tensor<16xf32>
  %3 = sdy.reshard %arg1 <@other, [{}]> : tensor<16xf32>
  return %1, %2, %3 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  sdy.mesh @other = <["c"=8]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
    %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<16xf32>
    %1 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<16xf32>
    return %1, %arg0, %arg1 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives='keep-redundant-reshards=true'
// CASE: reshards that move nothing stay if one wants them (B.3 case 4)
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<16xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: reshards from or to one device and between meshes with other axes stay (B.3 cases 1, 3)
sdy.mesh @mesh = <["a"=2, "b"=4]>
sdy.mesh @other = <["c"=8]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.reshard %arg0 <@d1, []> : tensor<16xf32>
  %1 = sdy.reshard %0 <@mesh, [{"a"}]> : tensor<16xf32>
  %2 = sdy.reshard %arg0 <@other, [{"c"}]> : tensor<16xf32>
  return %1, %2 : tensor<16xf32>, tensor<16xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: what keeps unreduced axes keeps their reduction (B.3, diverges)
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced=max{"b"}>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{}], unreduced=max{"b"}> : tensor<16xf32>
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced=max{"b"}>}) {
    %0 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}], unreduced=max{"b"}> : tensor<16xf32>
    return
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: a value without sharding is replicated, which has to be written where partial values are made of it (B.2, B.3)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<2xi32>) -> tensor<2xi32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}], unreduced={"x"}> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<2xi32> {
    %0 = sdy.replicated_to_unreduced {"x"} %arg0 out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: a reshard of what has no sharding may go although a collective reads it (B.2, B.3)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<2xi32>
  %1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<2xi32>
  %2 = sdy.reshard %arg1 <@mesh, [{}]> : tensor<2xi32>
  return %1, %2 : tensor<2xi32>, tensor<2xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
    %0 = sdy.replicated_to_unreduced {"x"} %arg0 out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<2xi32>
    return %0, %arg1 : tensor<2xi32>, tensor<2xi32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: the other results of a loop stay on the mesh on which collectives read its arguments (resharding B.3)
sdy.mesh @mesh = <["x"=4]>
sdy.mesh @other = <["x"=4], device_ids=[2, 0, 3, 1]>
func.func @main(%arg0: tensor<4xi32>, %arg1: tensor<i32>, %arg2: tensor<i1>) -> tensor<4xi32> {
  %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0) : tensor<i32>, tensor<4xi32>
  cond {
    stablehlo.return %arg2 : tensor<i1>
  } do {
    %3 = sdy.reshard %iterArg_0 <@other, [{"x"}]> : tensor<4xi32>
    %4 = sdy.reshard %3 <@other, [{}]> : tensor<4xi32>
    stablehlo.return %iterArg, %4 : tensor<i32>, tensor<4xi32>
  }
  %1 = sdy.reshard %0#0 <@mesh, []> : tensor<i32>
  %2 = sdy.replicated_to_unreduced {"x"} %1 out_sharding=<@mesh, [], unreduced={"x"}> : tensor<i32>
  return %0#1 : tensor<4xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @other = <["x"=4], device_ids=[2, 0, 3, 1]>
  func.func @main(%arg0: tensor<4xi32>, %arg1: tensor<i32>, %arg2: tensor<i1>) -> tensor<4xi32> {
    %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0) : tensor<i32>, tensor<4xi32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@other, [{?}]>]>}
    cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      %2 = sdy.all_slice [{"x"}] %iterArg_0 out_sharding=<@other, [{"x"}]> : tensor<4xi32>
      %3 = sdy.all_gather [{"x"}] %2 out_sharding=<@other, [{}]> : tensor<4xi32>
      stablehlo.return %iterArg, %3 : tensor<i32>, tensor<4xi32>
    }
    %1 = sdy.replicated_to_unreduced {"x"} %0#0 out_sharding=<@mesh, [], unreduced={"x"}> : tensor<i32>
    return %0#1 : tensor<4xi32>
  }
}
