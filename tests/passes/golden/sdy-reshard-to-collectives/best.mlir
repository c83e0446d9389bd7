// shardy opt --sdy-reshard-to-collectives=resharding=best
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
sdy.mesh @mesh = <["x"=2, "y"=2]> {shardy.axis_costs = "x=torus"}
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  return %arg0 : tensor<8x8xf32>
}
// ---- fails
2:1: attribute 'shardy.axis_costs': expected full, ring, biring or line, got: torus
