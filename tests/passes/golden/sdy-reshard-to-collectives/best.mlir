// shardy opt --sdy-reshard-to-collectives=resharding=best
// CASE: resharding=best plans another order of axes, an outer axis, partial values, a reduction
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @order(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @outer(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @partial(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @reduction(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_reduce {"x", "y"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @order(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.all_to_all [{"x", "y"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  func.func @outer(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.all_to_all [{"x", "y"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x", "y"}]> : tensor<8x8xf32>
    %1 = sdy.all_gather [{}, {"y"}] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func @partial(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) -> tensor<8x8xf32> {
    %0 = sdy.reduce_scatter [{"x", "y"}, {}] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_gather [{"y"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func @reduction(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.reduce_scatter [{"x", "y"}, {}] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_gather [{"y"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives=resharding=best
// CASE: resharding=best borrows an unused axis, and permutes between device orders
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
func.func @borrowed(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"b"}, {"a"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
func.func @whole(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@n, [{"a"}, {"b"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
  func.func @borrowed(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{"c"}, {}] %arg0 out_sharding=<@m, [{"a", "c"}, {"b"}]> : tensor<16x16xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"b"}, {"a", "c"}]> : tensor<16x16xf32>
    %2 = sdy.all_gather [{}, {"c"}] %1 out_sharding=<@m, [{"b"}, {"a"}]> : tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
  func.func @whole(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@n, [{}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_slice [{"a"}, {"b"}] %0 out_sharding=<@n, [{"a"}, {"b"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives='resharding=best axis-costs=*=full:100GB/s:1us'
// CASE: with axis costs as an option, a gather and a slice replace an all-to-all and a gather
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.all_gather [{"x", "y"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{}, {"x"}] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives=resharding=best
// CASE: with axis costs of the mesh the plan is the same
sdy.mesh @mesh = <["x"=2, "y"=2]> {shardy.axis_costs = "*=full:100GB/s:1us"}
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {shardy.axis_costs = "*=full:100GB/s:1us"}
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.all_gather [{"x", "y"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{}, {"x"}] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives=resharding=best
// CASE: axis costs of a mesh with an unknown topology are an error
sdy.mesh @mesh = <["x"=2, "y"=2]> {shardy.axis_costs = "x=torus"}
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  return %arg0 : tensor<8x8xf32>
}
// ---- fails
3:1: attribute 'shardy.axis_costs': expected full, ring, biring or line, got: torus
// ----------
// shardy opt --sdy-reshard-to-collectives=resharding=best
// CASE: a permute between two reductions keeps what is left to reduce (C.2)
sdy.mesh @mesh = <["x"=2, "a"=6, "m"=2]>
func.func @between(%arg0: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"a", "m"}]>}, %arg1: tensor<i32>) -> tensor<6xi32> {
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6x4xi32>, tensor<i32>) -> tensor<6xi32>
  %1 = sdy.all_reduce {"a", "m"} %0 out_sharding=<@mesh, [{"x"}]> : tensor<6xi32>
  %2 = sdy.reshard %1 <@mesh, [{"a":(1)3, "x"}]> : tensor<6xi32>
  return %2 : tensor<6xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "a"=6, "m"=2]>
  func.func @between(%arg0: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"a", "m"}]>}, %arg1: tensor<i32>) -> tensor<6xi32> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}], unreduced={"a", "m"}>]>} : (tensor<6x4xi32>, tensor<i32>) -> tensor<6xi32>
    %1 = sdy.reduce_scatter [{"a":(1)3}] %0 out_sharding=<@mesh, [{"x", "a":(1)3}], unreduced={"a":(3)2, "m"}> : tensor<6xi32>
    %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"a":(1)3, "x"}], unreduced={"a":(3)2, "m"}> : tensor<6xi32>
    %3 = sdy.all_reduce {"a":(3)2, "m"} %2 out_sharding=<@mesh, [{"a":(1)3, "x"}]> : tensor<6xi32>
    return %3 : tensor<6xi32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives=resharding=best
// CASE: a value resharded to another device order is replicated, whatever is reduced after it (B.1)
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<4x4xf32> {
  %0 = sdy.reshard %arg0 <@n, [{}, {}]> : tensor<4x4xf32>
  %1 = sdy.all_reduce {"y"} %0 out_sharding=<@n, [{}, {}]> : tensor<4x4xf32>
  %2 = sdy.reshard %1 <@n, [{}, {"x"}]> : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  sdy.mesh @n = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<4x4xf32> {
    %0 = sdy.all_gather [{"x"}, {"y"}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<4x4xf32>
    %1 = sdy.reshard %0 <@n, [{}, {}]> : tensor<4x4xf32>
    %2 = sdy.all_reduce {"y"} %1 out_sharding=<@n, [{}, {}]> : tensor<4x4xf32>
    %3 = sdy.all_slice [{}, {"x"}] %2 out_sharding=<@n, [{}, {"x"}]> : tensor<4x4xf32>
    return %3 : tensor<4x4xf32>
  }
}
