// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 1 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"a"}, {"b"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) -> tensor<16x16xf32> {
    return %arg0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 2 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {"c"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"a", "b":(1)2}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {"c"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_gather [{"b":(2)2}, {"c"}] %arg0 out_sharding=<@m, [{"a", "b":(1)2}, {}]> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 3 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"c"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"a"}, {"c", "b"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"c"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{"a"}, {"b"}] %arg0 out_sharding=<@m, [{"a"}, {"c", "b"}]> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 4 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"b":(1)2}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"b"}, {"a"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"b":(1)2}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{"b":(2)2}, {"a"}] %arg0 out_sharding=<@m, [{"b"}, {"a"}]> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 5 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}, {}]>}) -> tensor<16x16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"a"}, {}, {"b"}]> : tensor<16x16x16xf32>
  return %0 : tensor<16x16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}, {}]>}) -> tensor<16x16x16xf32> {
    %0 = sdy.all_to_all [{"b"}: 1->2] %arg0 out_sharding=<@m, [{"a"}, {}, {"b"}]> : tensor<16x16x16xf32>
    return %0 : tensor<16x16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 6 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "c"}, {"b"}, {}]>}) -> tensor<16x16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{}, {"b", "a", "c"}, {}]> : tensor<16x16x16xf32>
  return %0 : tensor<16x16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "c"}, {"b"}, {}]>}) -> tensor<16x16x16xf32> {
    %0 = sdy.all_to_all [{"a", "c"}: 0->1] %arg0 out_sharding=<@m, [{}, {"b", "a", "c"}, {}]> : tensor<16x16x16xf32>
    return %0 : tensor<16x16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 7 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a", "c", "b"}, {}]>}) -> tensor<16x16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"b"}, {"a"}, {"c"}]> : tensor<16x16x16xf32>
  return %0 : tensor<16x16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a", "c", "b"}, {}]>}) -> tensor<16x16x16xf32> {
    %0 = sdy.all_to_all [{"b"}: 1->0] %arg0 out_sharding=<@m, [{"b"}, {"a", "c"}, {}]> : tensor<16x16x16xf32>
    %1 = sdy.all_to_all [{"c"}: 1->2] %0 out_sharding=<@m, [{"b"}, {"a"}, {"c"}]> : tensor<16x16x16xf32>
    return %1 : tensor<16x16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 8 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {"a"}, {}]>}) -> tensor<16x16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{}, {}, {"a", "c"}]> : tensor<16x16x16xf32>
  return %0 : tensor<16x16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {"a"}, {}]>}) -> tensor<16x16x16xf32> {
    %0 = sdy.all_to_all [{"a"}: 1->2] %arg0 out_sharding=<@m, [{"c"}, {}, {"a"}]> : tensor<16x16x16xf32>
    %1 = sdy.all_to_all [{"c"}: 0->2] %0 out_sharding=<@m, [{}, {}, {"a", "c"}]> : tensor<16x16x16xf32>
    return %1 : tensor<16x16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 9 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{}, {"c"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{}, {"c"}] %arg0 out_sharding=<@m, [{"a"}, {"c"}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@m, [{}, {"c"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 10 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"c"}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"c"}, {}]> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 11 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"b"}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{"b":(1)2}, {}] %arg0 out_sharding=<@m, [{"a", "b":(1)2}, {}]> : tensor<16x16xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"b"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 12 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"a"}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"a", "b":(2)2}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{"b":(2)2}, {}] %0 out_sharding=<@m, [{"a"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 13 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"b"}, {"a"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"b":(1)2}, {"a", "b":(2)2}]> : tensor<16x16xf32>
    %1 = sdy.all_to_all [{"b":(2)2}: 1->0] %0 out_sharding=<@m, [{"b"}, {"a"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 14 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"b", "a"}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"b", "a"}, {}]> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 15 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"b"}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"b", "a"}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@m, [{"b"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 16 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{}, {"a"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"b", "a"}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_to_all [{"a"}: 0->1] %0 out_sharding=<@m, [{"b"}, {"a"}]> : tensor<16x16xf32>
    %2 = sdy.all_gather [{"b"}, {}] %1 out_sharding=<@m, [{}, {"a"}]> : tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 17 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{}, {"b"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_to_all [{"b"}: 0->1] %arg0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{"a"}, {}] %0 out_sharding=<@m, [{}, {"b"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 18 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{}, {"b", "a"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"b", "a"}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_to_all [{"b", "a"}: 0->1] %0 out_sharding=<@m, [{}, {"b", "a"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 19 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"a", "b"}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{}, {"b"}] %arg0 out_sharding=<@m, [{}, {"a", "b"}]> : tensor<16x16xf32>
    %1 = sdy.all_to_all [{"a", "b"}: 1->0] %0 out_sharding=<@m, [{"a", "b"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 20 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}) -> tensor<16x4xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"a", "b"}, {}]> : tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}) -> tensor<16x4xf32> {
    %0 = sdy.all_slice [{"b"}, {}] %arg0 out_sharding=<@m, [{"b"}, {"a"}]> : tensor<16x4xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"a", "b":(1)2}, {"b":(2)2}]> : tensor<16x4xf32>
    %2 = sdy.all_to_all [{"b":(2)2}: 1->0] %1 out_sharding=<@m, [{"a", "b"}, {}]> : tensor<16x4xf32>
    return %2 : tensor<16x4xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 21 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"b", "a"}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{"b"}, {}] %arg0 out_sharding=<@m, [{"b"}, {"a"}]> : tensor<16x16xf32>
    %1 = sdy.all_to_all [{"a"}: 1->0] %0 out_sharding=<@m, [{"b", "a"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 22 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {"a"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"a", "b"}, {"c"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"c"}, {"a"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{"b"}, {}] %arg0 out_sharding=<@m, [{"c", "b"}, {"a"}]> : tensor<16x16xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"a", "b"}, {"c"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 23 of B.6
sdy.mesh @m = <["p"=4, "q"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"p"}, {"q"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"q":(1)2}, {"p"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["p"=4, "q"=4]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"p"}, {"q"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"q"}, {"p"}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{"q":(2)2}, {}] %0 out_sharding=<@m, [{"q":(1)2}, {"p"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 24 of B.6
sdy.mesh @m = <["p"=4, "q"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"p":(1)2, "q":(1)2, "p":(2)2}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"p"}, {"q"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["p"=4, "q"=4]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"p":(1)2, "q":(1)2, "p":(2)2}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{}, {"q":(2)2}] %arg0 out_sharding=<@m, [{"p":(1)2, "q":(1)2, "p":(2)2}, {"q":(2)2}]> : tensor<16x16xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"p", "q":(2)2}, {"q":(1)2}]> : tensor<16x16xf32>
    %2 = sdy.all_to_all [{"q":(2)2}: 0->1] %1 out_sharding=<@m, [{"p"}, {"q"}]> : tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 25 of B.6
sdy.mesh @m = <["p"=4, "q"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"p"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"p":(2)2}, {"p":(1)2}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["p"=4, "q"=4]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"p"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"p":(2)2, "p":(1)2}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_to_all [{"p":(1)2}: 0->1] %0 out_sharding=<@m, [{"p":(2)2}, {"p":(1)2}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 26 of B.6
sdy.mesh @m = <["p"=4, "q"=4]>
func.func @main(%arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"p", "q":(2)2}, {}]>}) -> tensor<64x64xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"q"}, {"p":(1)2}]> : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["p"=4, "q"=4]>
  func.func @main(%arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"p", "q":(2)2}, {}]>}) -> tensor<64x64xf32> {
    %0 = sdy.all_slice [{}, {"q":(1)2}] %arg0 out_sharding=<@m, [{"p", "q":(2)2}, {"q":(1)2}]> : tensor<64x64xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"q", "p":(2)2}, {"p":(1)2}]> : tensor<64x64xf32>
    %2 = sdy.all_gather [{"p":(2)2}, {}] %1 out_sharding=<@m, [{"q"}, {"p":(1)2}]> : tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 27 of B.6
sdy.mesh @m = <["u"=8, "v"=2]>
func.func @main(%arg0: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"u"}, {"v"}]>}) -> tensor<32x32xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"v"}, {"u"}]> : tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["u"=8, "v"=2]>
  func.func @main(%arg0: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"u"}, {"v"}]>}) -> tensor<32x32xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"v", "u":(2)4}, {"u":(1)2}]> : tensor<32x32xf32>
    %1 = sdy.all_to_all [{"u":(2)4}: 0->1] %0 out_sharding=<@m, [{"v"}, {"u"}]> : tensor<32x32xf32>
    return %1 : tensor<32x32xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 28 of B.6
sdy.mesh @m = <["u"=8, "v"=2]>
func.func @main(%arg0: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"u":(2)2}, {}]>}) -> tensor<32x32xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"u"}, {}]> : tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["u"=8, "v"=2]>
  func.func @main(%arg0: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"u":(2)2}, {}]>}) -> tensor<32x32xf32> {
    %0 = sdy.all_slice [{"u":(1)2, "u":(4)2}, {}] %arg0 out_sharding=<@m, [{"u":(2)2, "u":(1)2, "u":(4)2}, {}]> : tensor<32x32xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"u"}, {}]> : tensor<32x32xf32>
    return %1 : tensor<32x32xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 29 of B.6
sdy.mesh @m = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}, {}]>}) -> tensor<16x16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{}, {}, {"b", "c", "a", "d"}]> : tensor<16x16x16xf32>
  return %0 : tensor<16x16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=2, "c"=2, "d"=2]>
  func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}, {}]>}) -> tensor<16x16x16xf32> {
    %0 = sdy.all_slice [{"d"}, {"c"}, {}] %arg0 out_sharding=<@m, [{"a", "d"}, {"b", "c"}, {}]> : tensor<16x16x16xf32>
    %1 = sdy.all_to_all [{"b", "c"}: 1->2] %0 out_sharding=<@m, [{"a", "d"}, {}, {"b", "c"}]> : tensor<16x16x16xf32>
    %2 = sdy.all_to_all [{"a", "d"}: 0->2] %1 out_sharding=<@m, [{}, {}, {"b", "c", "a", "d"}]> : tensor<16x16x16xf32>
    return %2 : tensor<16x16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 30 of B.6
sdy.mesh @m = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b", "c"}, {"d"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"d"}, {"c", "b"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=2, "c"=2, "d"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b", "c"}, {"d"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"d", "a", "b"}, {"c"}]> : tensor<16x16xf32>
    %1 = sdy.all_to_all [{"b"}: 0->1] %0 out_sharding=<@m, [{"d", "a"}, {"c", "b"}]> : tensor<16x16xf32>
    %2 = sdy.all_gather [{"a"}, {}] %1 out_sharding=<@m, [{"d"}, {"c", "b"}]> : tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 31 of B.6
sdy.mesh @m = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}, {"c"}]>}) -> tensor<8x8x8xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"b"}, {"c"}, {"a"}]> : tensor<8x8x8xf32>
  return %0 : tensor<8x8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=2, "c"=2, "d"=2]>
  func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"b"}, {"c"}]>}) -> tensor<8x8x8xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"b"}, {"c"}, {"a"}]> : tensor<8x8x8xf32>
    return %0 : tensor<8x8x8xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 32 of B.6
sdy.mesh @m = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {"c"}, {"d"}]>}) -> tensor<8x8x8xf32> {
  %0 = sdy.reshard %arg0 <@m, [{}, {"b", "d"}, {"a"}]> : tensor<8x8x8xf32>
  return %0 : tensor<8x8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=2, "c"=2, "d"=2]>
  func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", "b"}, {"c"}, {"d"}]>}) -> tensor<8x8x8xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"c", "d"}, {"b"}, {"a"}]> : tensor<8x8x8xf32>
    %1 = sdy.all_to_all [{"d"}: 0->1] %0 out_sharding=<@m, [{"c"}, {"b", "d"}, {"a"}]> : tensor<8x8x8xf32>
    %2 = sdy.all_gather [{"c"}, {}, {}] %1 out_sharding=<@m, [{}, {"b", "d"}, {"a"}]> : tensor<8x8x8xf32>
    return %2 : tensor<8x8x8xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 33 of B.6
sdy.mesh @m = <["m"=2, "n"=3]>
func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"m"}, {}]>}) -> tensor<12x12xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"n"}, {}]> : tensor<12x12xf32>
  return %0 : tensor<12x12xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["m"=2, "n"=3]>
  func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"m"}, {}]>}) -> tensor<12x12xf32> {
    %0 = sdy.all_slice [{"n"}, {}] %arg0 out_sharding=<@m, [{"m", "n"}, {}]> : tensor<12x12xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"n", "m"}, {}]> : tensor<12x12xf32>
    %2 = sdy.all_gather [{"m"}, {}] %1 out_sharding=<@m, [{"n"}, {}]> : tensor<12x12xf32>
    return %2 : tensor<12x12xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 34 of B.6
sdy.mesh @m = <["m"=2, "n"=3]>
func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"m"}, {"n"}]>}) -> tensor<12x12xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"n"}, {"m"}]> : tensor<12x12xf32>
  return %0 : tensor<12x12xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["m"=2, "n"=3]>
  func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"m"}, {"n"}]>}) -> tensor<12x12xf32> {
    %0 = sdy.all_to_all [{"m"}: 0->1] %arg0 out_sharding=<@m, [{}, {"n", "m"}]> : tensor<12x12xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{}, {"m", "n"}]> : tensor<12x12xf32>
    %2 = sdy.all_to_all [{"n"}: 1->0] %1 out_sharding=<@m, [{"n"}, {"m"}]> : tensor<12x12xf32>
    return %2 : tensor<12x12xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 35 of B.6
sdy.mesh @m = <["m"=2, "n"=3]>
func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"n"}, {}]>}) -> tensor<12x12xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"m"}, {"n"}]> : tensor<12x12xf32>
  return %0 : tensor<12x12xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["m"=2, "n"=3]>
  func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"n"}, {}]>}) -> tensor<12x12xf32> {
    %0 = sdy.all_slice [{"m"}, {}] %arg0 out_sharding=<@m, [{"n", "m"}, {}]> : tensor<12x12xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"m", "n"}, {}]> : tensor<12x12xf32>
    %2 = sdy.all_to_all [{"n"}: 0->1] %1 out_sharding=<@m, [{"m"}, {"n"}]> : tensor<12x12xf32>
    return %2 : tensor<12x12xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 36 of B.6
sdy.mesh @m = <["m"=2, "n"=3, "r"=2]>
func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"m", "r"}, {"n"}]>}) -> tensor<12x12xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"n", "m"}, {"r"}]> : tensor<12x12xf32>
  return %0 : tensor<12x12xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["m"=2, "n"=3, "r"=2]>
  func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"m", "r"}, {"n"}]>}) -> tensor<12x12xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"m", "r"}, {"n"}]> : tensor<12x12xf32>
    %1 = sdy.all_to_all [{"r"}: 0->1] %0 out_sharding=<@m, [{"m"}, {"n", "r"}]> : tensor<12x12xf32>
    %2 = sdy.collective_permute %1 out_sharding=<@m, [{"m"}, {"r", "n"}]> : tensor<12x12xf32>
    %3 = sdy.all_to_all [{"n"}: 1->0] %2 out_sharding=<@m, [{"m", "n"}, {"r"}]> : tensor<12x12xf32>
    %4 = sdy.collective_permute %3 out_sharding=<@m, [{"n", "m"}, {"r"}]> : tensor<12x12xf32>
    return %4 : tensor<12x12xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 37 of B.6
sdy.mesh @m = <["s"=6, "t"=4]>
func.func @main(%arg0: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@m, [{"s"}, {}]>}) -> tensor<24x24xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"t"}, {}]> : tensor<24x24xf32>
  return %0 : tensor<24x24xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["s"=6, "t"=4]>
  func.func @main(%arg0: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@m, [{"s"}, {}]>}) -> tensor<24x24xf32> {
    %0 = sdy.all_slice [{"t":(1)2}, {}] %arg0 out_sharding=<@m, [{"s", "t":(1)2}, {}]> : tensor<24x24xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"t", "s":(1)3}, {}]> : tensor<24x24xf32>
    %2 = sdy.all_gather [{"s":(1)3}, {}] %1 out_sharding=<@m, [{"t"}, {}]> : tensor<24x24xf32>
    return %2 : tensor<24x24xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 38 of B.6
sdy.mesh @m = <["s"=6, "t"=4]>
func.func @main(%arg0: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@m, [{"t"}, {"s":(1)2}]>}) -> tensor<24x24xf32> {
  %0 = sdy.reshard %arg0 <@m, [{"s"}, {}]> : tensor<24x24xf32>
  return %0 : tensor<24x24xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["s"=6, "t"=4]>
  func.func @main(%arg0: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@m, [{"t"}, {"s":(1)2}]>}) -> tensor<24x24xf32> {
    %0 = sdy.all_slice [{"s":(2)3}, {}] %arg0 out_sharding=<@m, [{"t", "s":(2)3}, {"s":(1)2}]> : tensor<24x24xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@m, [{"s", "t":(1)2}, {"t":(2)2}]> : tensor<24x24xf32>
    %2 = sdy.all_gather [{"t":(1)2}, {"t":(2)2}] %1 out_sharding=<@m, [{"s"}, {}]> : tensor<24x24xf32>
    return %2 : tensor<24x24xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 39 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"c"}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@n, [{"a"}, {"c"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"c"}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@n, [{"a"}, {"c"}]> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 40 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@n, [{"a"}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@n, [{"a", "b":(2)2}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_gather [{"b":(2)2}, {}] %0 out_sharding=<@n, [{"a"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 41 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@n, [{"a"}, {"b"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.all_slice [{"a"}, {"b"}] %arg0 out_sharding=<@m, [{"a"}, {"b"}]> : tensor<16x16xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@n, [{"a"}, {"b"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-reshard-to-collectives
// CASE: worked example 42 of B.6
sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<16x16xf32> {
  %0 = sdy.reshard %arg0 <@n, [{}, {"a"}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=4, "c"=2]>
  sdy.mesh @n = <["a"=2, "b"=4, "c"=2], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<16x16xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@n, [{"a"}, {}]> : tensor<16x16xf32>
    %1 = sdy.all_to_all [{"a"}: 0->1] %0 out_sharding=<@n, [{}, {"a"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
