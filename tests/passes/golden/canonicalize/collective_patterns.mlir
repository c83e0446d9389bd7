// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: a collective that does nothing is its operand (C1 to C5)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @gathers_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@m, [{"x", ?}, {}]> : tensor<16x8xf32>
  "test.use"(%0) : (tensor<16x8xf32>) -> ()
  return
}
func.func @slices_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_slice [{}, {}] %arg0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%0) : (tensor<16x8xf32>) -> ()
  return
}
func.func @reduces_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_reduce {} %arg0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%0) : (tensor<16x8xf32>) -> ()
  return
}
func.func @permutes_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"x", ?}p1, {?}]> : tensor<16x8xf32>
  "test.use"(%0) : (tensor<16x8xf32>) -> ()
  return
}
func.func @scatters_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.reduce_scatter [{}, {}] %arg0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%0) : (tensor<16x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @gathers_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    "test.use"(%arg0) : (tensor<16x8xf32>) -> ()
    return
  }
  func.func @slices_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    "test.use"(%arg0) : (tensor<16x8xf32>) -> ()
    return
  }
  func.func @reduces_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    "test.use"(%arg0) : (tensor<16x8xf32>) -> ()
    return
  }
  func.func @permutes_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    "test.use"(%arg0) : (tensor<16x8xf32>) -> ()
    return
  }
  func.func @scatters_nothing(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    "test.use"(%arg0) : (tensor<16x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: a permute to another order of devices does something (C4)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @shuffled = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.collective_permute %arg0 out_sharding=<@shuffled, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%0) : (tensor<16x8xf32>) -> ()
  return
}
// ---- stays
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: a permute of what is whole on each device does nothing (C4)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @shuffled = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.collective_permute %arg0 out_sharding=<@shuffled, [{}, {}]> : tensor<16x8xf32>
  "test.use"(%0) : (tensor<16x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  sdy.mesh @shuffled = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    "test.use"(%arg0) : (tensor<16x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: slicing what was gathered undoes it (C6)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @used_otherwise(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%1, %0) : (tensor<16x8xf32>, tensor<16x8xf32>) -> ()
  return
}
func.func @dead(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%1) : (tensor<16x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @used_otherwise(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
    "test.use"(%arg0, %0) : (tensor<16x8xf32>, tensor<16x8xf32>) -> ()
    return
  }
  func.func @dead(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
    "test.use"(%arg0) : (tensor<16x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: slicing something else does not undo a gather (C6)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {"x"}] %0 out_sharding=<@m, [{}, {"x"}]> : tensor<16x8xf32>
  "test.use"(%1) : (tensor<16x8xf32>) -> ()
  return
}
// ---- stays
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: reducing what was made unreduced undoes it (C7)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.replicated_to_unreduced {"x", "y"} %arg0 out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<16x8xf32>
  %1 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %2 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<16x8xf32>
  "test.use"(%1, %2) : (tensor<16x8xf32>, tensor<16x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = sdy.replicated_to_unreduced {"x", "y"} %arg0 out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<16x8xf32>
    %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<16x8xf32>
    "test.use"(%arg0, %1) : (tensor<16x8xf32>, tensor<16x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: reducing blocks that were made unreduced gathers them (C8)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(2)2, "x"}, {"y":(1)2}]>}) {
  %0 = sdy.sharded_to_unreduced [{"y":(2)2, "x"}, {"y":(1)2}] %arg0 out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<16x8xf32>
  %1 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@m, [{?}, {}]> : tensor<16x8xf32>
  "test.use"(%1) : (tensor<16x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(2)2, "x"}, {"y":(1)2}]>}) {
    %0 = sdy.sharded_to_unreduced [{"y":(2)2, "x"}, {"y":(1)2}] %arg0 out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<16x8xf32>
    %1 = sdy.all_gather [{"y":(2)2, "x"}, {"y":(1)2}] %arg0 out_sharding=<@m, [{?}, {}]> : tensor<16x8xf32>
    "test.use"(%1) : (tensor<16x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: reducing fewer blocks than were made unreduced stays (C8)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = sdy.sharded_to_unreduced [{"x"}, {"y"}] %arg0 out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<16x8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<16x8xf32>
  "test.use"(%1) : (tensor<16x8xf32>) -> ()
  return
}
// ---- stays
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: an unused all_to_all is erased, other collectives stay (C9)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@m, [{}, {"x"}]> : tensor<16x8xf32>
  %1 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  "test.use"() : () -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
    "test.use"() : () -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: two all_to_alls over different dims are one, by source dim (C10)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 2->3] %arg0 out_sharding=<@m, [{"x"}, {}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@m, [{}, {"x", ?}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  "test.use"(%1) : (tensor<8x8x8x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}, {}]>}) {
    %0 = sdy.all_to_all [{"x"}: 0->1, {"y"}: 2->3] %arg0 out_sharding=<@m, [{}, {"x", ?}, {}, {"y"}]> : tensor<8x8x8x8xf32>
    "test.use"(%0) : (tensor<8x8x8x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: all_to_alls that share a dim or a user stay two (C10)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @shares_dim(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 2->3] %arg0 out_sharding=<@m, [{"x"}, {}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->2] %0 out_sharding=<@m, [{}, {}, {"x"}, {"y"}]> : tensor<8x8x8x8xf32>
  "test.use"(%1) : (tensor<8x8x8x8xf32>) -> ()
  return
}
func.func @shares_user(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 2->3] %arg0 out_sharding=<@m, [{"x"}, {}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@m, [{}, {"x"}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  "test.use"(%0, %1) : (tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>) -> ()
  return
}
// ---- stays
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: slicing what was reduced scatters (C11)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{?}, {?}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}], replicated={"y":(2)2}> : tensor<16x8xf32>
  %2 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%1, %2) : (tensor<16x8xf32>, tensor<16x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
    %0 = sdy.reduce_scatter [{"x"}, {}] %arg0 out_sharding=<@m, [{"x"}, {}], replicated={"y":(2)2}> : tensor<16x8xf32>
    "test.use"(%0, %0) : (tensor<16x8xf32>, tensor<16x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: the axes that a scatter does not take are sliced after it (C11)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y":(1)2}], unreduced={"x"}>}) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}, {"y":(1)2}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {"x", "y":(2)2}] %0 out_sharding=<@m, [{}, {"y":(1)2, "x", "y":(2)2, ?}]> : tensor<16x8xf32>
  "test.use"(%1) : (tensor<16x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y":(1)2}], unreduced={"x"}>}) {
    %0 = sdy.reduce_scatter [{}, {"x"}] %arg0 out_sharding=<@m, [{}, {"y":(1)2, "x"}]> : tensor<16x8xf32>
    %1 = sdy.all_slice [{}, {"y":(2)2}] %0 out_sharding=<@m, [{}, {"y":(1)2, "x", "y":(2)2, ?}]> : tensor<16x8xf32>
    "test.use"(%1) : (tensor<16x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: a scatter reduces as the all_reduce did (C11)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
  %0 = sdy.all_reduce max {"x"} %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%1) : (tensor<16x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
    %0 = sdy.reduce_scatter max [{"x"}, {}] %arg0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
    "test.use"(%0) : (tensor<16x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: an all_reduce stays if its axes are not prefixes of the slices (C11)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @not_sliced(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x", "y"}>}) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}, {}], unreduced={"y"}> : tensor<16x8xf32>
  "test.use"(%0) : (tensor<16x8xf32>) -> ()
  return
}
func.func @behind_another_axis(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"y", "x"}, {}] %0 out_sharding=<@m, [{"y", "x"}, {}]> : tensor<16x8xf32>
  "test.use"(%1) : (tensor<16x8xf32>) -> ()
  return
}
func.func @one_of_two(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x", "y"}>}) {
  %0 = sdy.all_reduce {"x", "y"} %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%1) : (tensor<16x8xf32>) -> ()
  return
}
func.func @part_of_a_sliced_axis(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"y":(1)2}>}) {
  %0 = sdy.all_reduce {"y":(1)2} %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@m, [{"y"}, {}]> : tensor<16x8xf32>
  "test.use"(%1) : (tensor<16x8xf32>) -> ()
  return
}
// ---- stays
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: an all_reduce stays if it is used in different ways (C11)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @sliced_twice(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  %2 = sdy.all_slice [{}, {"x"}] %0 out_sharding=<@m, [{}, {"x"}]> : tensor<16x8xf32>
  "test.use"(%1, %2) : (tensor<16x8xf32>, tensor<16x8xf32>) -> ()
  return
}
func.func @used_otherwise(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@m, [{"x"}, {}]> : tensor<16x8xf32>
  "test.use"(%1, %0) : (tensor<16x8xf32>, tensor<16x8xf32>) -> ()
  return
}
// ---- stays
