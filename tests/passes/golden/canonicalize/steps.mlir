// shardy opt --canonicalize='enable-patterns=sdy-reshard'
// CASE: with the label of reshards only reshards of reshards join, and what is dead goes (6)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> {note = "last"} : tensor<8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
  %3 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
  %4 = sdy.reshard %3 <@mesh, [{}]> : tensor<8xf32>
  %5 = sdy.reshard %4 <@mesh, [{"y"}]> : tensor<8xf32>
  %6 = sdy.all_slice [{}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  %7 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %2, %3, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
    %2 = sdy.all_slice [{}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: collectives that do nothing or undo each other (6, C1 to C8)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_reduce {} %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %3 = sdy.reduce_scatter [{}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %4 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"x", ?}, {?}]> : tensor<8x8xf32>
  %5 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %6 = sdy.all_slice [{"x"}, {}] %5 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %7 = sdy.replicated_to_unreduced {"x"} %arg1 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  %8 = sdy.all_reduce {"x"} %7 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %9 = sdy.sharded_to_unreduced [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  %10 = sdy.all_reduce {"x"} %9 out_sharding=<@mesh, [{?}, {}]> : tensor<8x8xf32>
  return %0, %1, %2, %3, %4, %6, %8, %10 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.replicated_to_unreduced {"x"} %arg1 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %2 = sdy.sharded_to_unreduced [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %3 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{?}, {}]> : tensor<8x8xf32>
    return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg1, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: an all_to_all without users goes, two over different dims join (6, C9, C10)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}, {}]>}) -> tensor<8x8x8x8xf32> {
  %0 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x"}, {"y"}, {}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"y"}: 2->3] %arg0 out_sharding=<@mesh, [{"x"}, {}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@mesh, [{}, {"x"}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  return %2 : tensor<8x8x8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}, {}]>}) -> tensor<8x8x8x8xf32> {
    %0 = sdy.all_to_all [{"x"}: 0->1, {"y"}: 2->3] %arg0 out_sharding=<@mesh, [{}, {"x"}, {}, {"y"}]> : tensor<8x8x8x8xf32>
    return %0 : tensor<8x8x8x8xf32>
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: slices of a sum scatter: kinds, lists of the slice, what is left over, no prefix, other users (6, C11)
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "p"=2, "r"=8]>
func.func @main(%arg0: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"p"}, {}], unreduced=max{"x", "y"}>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %arg2: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"r":(1)2}>}) -> (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>) {
  %0 = sdy.all_reduce max {"x", "y"} %arg0 out_sharding=<@mesh, [{"p"}, {}]> : tensor<64x8xf32>
  %1 = sdy.all_slice [{"x", "z"}, {"y", "r":(1)2}] %0 out_sharding=<@mesh, [{"p", "x", "z"}, {"y", "r":(1)2}], replicated={"r":(4)2}> : tensor<64x8xf32>
  %2 = sdy.all_slice [{"x", "z"}, {"y", "r":(1)2}] %0 out_sharding=<@mesh, [{"p", "x", "z"}, {"y", "r":(1)2}]> : tensor<64x8xf32>
  %3 = sdy.all_reduce {"x"} %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<64x8xf32>
  %4 = sdy.all_slice [{"y", "x"}, {}] %3 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<64x8xf32>
  %5 = sdy.all_reduce {"r":(1)2} %arg2 out_sharding=<@mesh, [{}, {}]> : tensor<64x8xf32>
  %6 = sdy.all_slice [{"r"}, {}] %5 out_sharding=<@mesh, [{"r"}, {}]> : tensor<64x8xf32>
  %7 = sdy.all_reduce {"x"} %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<64x8xf32>
  %8 = sdy.all_slice [{"x"}, {}] %7 out_sharding=<@mesh, [{"x"}, {}]> : tensor<64x8xf32>
  return %1, %2, %4, %6, %7, %8 : tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "p"=2, "r"=8]>
  func.func @main(%arg0: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"p"}, {}], unreduced=max{"x", "y"}>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %arg2: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"r":(1)2}>}) -> (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>) {
    %0 = sdy.reduce_scatter max [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{"p", "x"}, {"y"}], replicated={"r":(4)2}> : tensor<64x8xf32>
    %1 = sdy.all_slice [{"z"}, {"r":(1)2}] %0 out_sharding=<@mesh, [{"p", "x", "z"}, {"y", "r":(1)2}], replicated={"r":(4)2}> : tensor<64x8xf32>
    %2 = sdy.all_reduce {"x"} %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<64x8xf32>
    %3 = sdy.all_slice [{"y", "x"}, {}] %2 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<64x8xf32>
    %4 = sdy.all_reduce {"r":(1)2} %arg2 out_sharding=<@mesh, [{}, {}]> : tensor<64x8xf32>
    %5 = sdy.all_slice [{"r"}, {}] %4 out_sharding=<@mesh, [{"r"}, {}]> : tensor<64x8xf32>
    %6 = sdy.all_reduce {"x"} %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<64x8xf32>
    %7 = sdy.all_slice [{"x"}, {}] %6 out_sharding=<@mesh, [{"x"}, {}]> : tensor<64x8xf32>
    return %1, %1, %3, %5, %6, %7 : tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: unrestricted, manual computations lose unused arguments, empty ones go, those over axes of size 1 are inlined (6, MC1 to MC3)
sdy.mesh @mesh = <["a"=2, "one"=1]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"a", ?}]>, <@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<4xf32>, %arg3: tensor<4xf32>) {
    %2 = stablehlo.negate %arg3 : tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    sdy.return
  } : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    stablehlo.custom_call @effect() {has_side_effect = true} : () -> ()
    sdy.return
  } : () -> ()
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"one"}]>] out_shardings=[<@mesh, [{}], replicated={"one"}>] manual_axes={"one"} (%arg2: tensor<8xf32>) {
    %2 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg3: tensor<4xf32>) {
      %3 = stablehlo.abs %arg3 : tensor<4xf32>
      sdy.return %3 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "one"=1]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<4xf32>) {
      %2 = stablehlo.negate %arg2 : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.custom_call @effect() {has_side_effect = true} : () -> ()
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<4xf32>) {
      %2 = stablehlo.abs %arg2 : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: unrestricted, a reshard reuses an earlier one through reshapes and transposes (6, R1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"x", ?}, {?}]> : tensor<8x4xf32>
  %1 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  %2 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
  %3 = sdy.reshard %2 <@mesh, [{"x"}]> : tensor<32xf32>
  %4 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %5 = sdy.reshard %4 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
  return %0, %1, %3, %5 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x", ?}, {?}]> : tensor<8x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<8x4xf32>) -> tensor<32xf32>
    %2 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    return %0, %0, %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: unrestricted, a reshard that a collective reads reuses only one with the same axes (6, R1)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}, {}]> : tensor<1x1x4xf32>
  %1 = sdy.reshard %arg0 <@mesh, [{"x"}, {}, {}]> : tensor<1x1x4xf32>
  %2 = sdy.sharded_to_unreduced [{"x"}, {}, {}] %1 out_sharding=<@mesh, [{}, {}, {}], unreduced={"x"}> : tensor<1x1x4xf32>
  %3 = sdy.reshard %arg0 <@mesh, [{}, {"x", ?}, {}]> : tensor<1x1x4xf32>
  %4 = sdy.all_gather [{}, {"x"}, {}] %3 out_sharding=<@mesh, [{}, {}, {}]> : tensor<1x1x4xf32>
  return %0, %2, %4 : tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}, {}]> : tensor<1x1x4xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{"x"}, {}, {}]> : tensor<1x1x4xf32>
    %2 = sdy.sharded_to_unreduced [{"x"}, {}, {}] %1 out_sharding=<@mesh, [{}, {}, {}], unreduced={"x"}> : tensor<1x1x4xf32>
    %3 = sdy.all_gather [{}, {"x"}, {}] %0 out_sharding=<@mesh, [{}, {}, {}]> : tensor<1x1x4xf32>
    return %0, %2, %3 : tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>
  }
}
// ----------
// shardy opt --canonicalize='disable-patterns=sdy-collective,sdy-reshard'
// CASE: patterns may be taken out as well (6)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.all_slice [{}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.all_slice [{}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
    return %0, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: collectives stay where one that reads them would be ill-formed: open dims, meshes, closed dims of a scatter (6, dialect 7.2)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[1, 0, 3, 2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.replicated_to_unreduced {"b"} %1 out_sharding=<@mesh, [{"a"}], unreduced={"b"}> : tensor<8xf32>
  %3 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{"a", ?}], unreduced={"b"}> : tensor<8xf32>
  %4 = sdy.all_reduce {"b"} %3 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %5 = sdy.replicated_to_unreduced {"b"} %4 out_sharding=<@mesh, [{"a"}], unreduced={"b"}> : tensor<8xf32>
  %6 = sdy.collective_permute %arg1 out_sharding=<@other, [{}]> : tensor<8xf32>
  %7 = sdy.all_slice [{"a"}] %6 out_sharding=<@other, [{"a"}]> : tensor<8xf32>
  %8 = sdy.all_reduce {"a"} %arg2 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %9 = sdy.all_slice [{"a"}] %8 out_sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
  %10 = sdy.replicated_to_unreduced {"b"} %9 out_sharding=<@mesh, [{"a", ?}], unreduced={"b"}> : tensor<8xf32>
  return %2, %5, %7, %10 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[1, 0, 3, 2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.replicated_to_unreduced {"b"} %1 out_sharding=<@mesh, [{"a"}], unreduced={"b"}> : tensor<8xf32>
    %3 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{"a", ?}], unreduced={"b"}> : tensor<8xf32>
    %4 = sdy.all_reduce {"b"} %3 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %5 = sdy.replicated_to_unreduced {"b"} %4 out_sharding=<@mesh, [{"a"}], unreduced={"b"}> : tensor<8xf32>
    %6 = sdy.collective_permute %arg1 out_sharding=<@other, [{}]> : tensor<8xf32>
    %7 = sdy.all_slice [{"a"}] %6 out_sharding=<@other, [{"a"}]> : tensor<8xf32>
    %8 = sdy.all_reduce {"a"} %arg2 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %9 = sdy.all_slice [{"a"}] %8 out_sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
    %10 = sdy.replicated_to_unreduced {"b"} %9 out_sharding=<@mesh, [{"a", ?}], unreduced={"b"}> : tensor<8xf32>
    return %2, %5, %7, %10 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: if no user depends on the sharding, the same collectives are erased (6, dialect 7.2)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[1, 0, 3, 2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.all_slice [{"b"}] %1 out_sharding=<@mesh, [{"a", "b"}]> : tensor<8xf32>
  %3 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{"a", ?}], unreduced={"b"}> : tensor<8xf32>
  %4 = sdy.all_reduce {"b"} %3 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %5 = sdy.all_reduce {"b"} %4 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %6 = sdy.collective_permute %arg1 out_sharding=<@other, [{}]> : tensor<8xf32>
  %7 = stablehlo.negate %6 : tensor<8xf32>
  return %2, %5, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[1, 0, 3, 2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.all_slice [{"b"}] %arg0 out_sharding=<@mesh, [{"a", "b"}]> : tensor<8xf32>
    %2 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{"a", ?}], unreduced={"b"}> : tensor<8xf32>
    %3 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %4 = stablehlo.negate %arg1 : tensor<8xf32>
    return %1, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: a scatter has the mesh name of the sum, its slice that of the slice (6 fusion step 4)
sdy.mesh @one = <["a"=2, "b"=2]>
sdy.mesh @two = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{}], unreduced={"a"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@two, [{}], unreduced={"a"}>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.all_reduce {"a"} %arg0 out_sharding=<@one, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@two, [{"a"}]> : tensor<8xf32>
  %2 = sdy.all_reduce {"a"} %arg1 out_sharding=<@one, [{}]> : tensor<8xf32>
  %3 = sdy.all_slice [{"a", "b"}] %2 out_sharding=<@two, [{"a", "b"}]> : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @one = <["a"=2, "b"=2]>
  sdy.mesh @two = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{}], unreduced={"a"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@two, [{}], unreduced={"a"}>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.reduce_scatter [{"a"}] %arg0 out_sharding=<@one, [{"a"}]> : tensor<8xf32>
    %1 = sdy.reduce_scatter [{"a"}] %arg1 out_sharding=<@one, [{"a"}]> : tensor<8xf32>
    %2 = sdy.all_slice [{"b"}] %1 out_sharding=<@two, [{"a", "b"}]> : tensor<8xf32>
    return %0, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: exchanges that share a dim stay two, others join in the order of their sources (6, C10)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}, {}]>}, %arg1: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b"}, {}]>}) -> (tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>) {
  %0 = sdy.all_to_all [{"a"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"a"}, {}, {}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"a"}: 1->2] %0 out_sharding=<@mesh, [{}, {}, {"a"}, {}]> : tensor<8x8x8x8xf32>
  %2 = sdy.all_to_all [{"b"}: 2->3] %arg1 out_sharding=<@mesh, [{"a"}, {}, {}, {"b"}]> : tensor<8x8x8x8xf32>
  %3 = sdy.all_to_all [{"a"}: 0->1] %2 out_sharding=<@mesh, [{}, {"a"}, {}, {"b"}]> : tensor<8x8x8x8xf32>
  return %1, %3 : tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}, {}]>}, %arg1: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b"}, {}]>}) -> (tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>) {
    %0 = sdy.all_to_all [{"a"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"a"}, {}, {}]> : tensor<8x8x8x8xf32>
    %1 = sdy.all_to_all [{"a"}: 1->2] %0 out_sharding=<@mesh, [{}, {}, {"a"}, {}]> : tensor<8x8x8x8xf32>
    %2 = sdy.all_to_all [{"a"}: 0->1, {"b"}: 2->3] %arg1 out_sharding=<@mesh, [{}, {"a"}, {}, {"b"}]> : tensor<8x8x8x8xf32>
    return %1, %2 : tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: a manual computation of one device stays while its edges have ops (7.3)
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{?}]>] manual_axes={} (%arg1: tensor<8xf32>) {
    %2 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{?}]>] manual_axes={} (%arg1: tensor<8xf32>) {
      %2 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{?}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: a reshard of parts of a maximum is not joined with one that makes summands
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"y"}], unreduced={"x"}> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y"}], unreduced={"x"}> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: joined reshards drop the steps that spoke of the operand that was
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @other = <["z"=8]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"z"}]>}) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @other = <["z"=8]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"z"}]>}) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: a reduction followed by slices of two dims becomes a scatter, the remaining axes are sliced after it (A.13 7)
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "p"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) -> (tensor<16x16xf32>) {
  %0 = sdy.all_reduce {"x", "y"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  %1 = sdy.all_slice [{"x", "z"}, {"y", "p"}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y", "p"}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "p"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) -> tensor<16x16xf32> {
    %0 = sdy.reduce_scatter [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<16x16xf32>
    %1 = sdy.all_slice [{"z"}, {"p"}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y", "p"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: a reduction axis that no prefix of a slice has, or only as a part of its axis, keeps the two ops (A.13 7)
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "p"=2, "r"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y", "z"}>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"r":(1)2}>}) -> (tensor<16x16xf32>, tensor<16xf32>) {
  %0 = sdy.all_reduce {"x", "y", "z"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  %1 = sdy.all_slice [{"y", "p", "z"}, {"x"}] %0 out_sharding=<@mesh, [{"y", "p", "z"}, {"x"}]> : tensor<16x16xf32>
  %2 = sdy.all_reduce {"r":(1)2} %arg1 out_sharding=<@mesh, [{}]> : tensor<16xf32>
  %3 = sdy.all_slice [{"r"}] %2 out_sharding=<@mesh, [{"r"}]> : tensor<16xf32>
  return %1, %3 : tensor<16x16xf32>, tensor<16xf32>
}
// ---- stays
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: a scatter slices after the existing axes, and keeps the kind of the reduction (A.13 7)
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}], unreduced=max{"x":(2)2}>}) -> (tensor<16xf32>) {
  %0 = sdy.all_reduce max {"x":(2)2} %arg0 out_sharding=<@mesh, [{"x":(1)2}]> : tensor<16xf32>
  %1 = sdy.all_slice [{"x":(2)2, "y"}] %0 out_sharding=<@mesh, [{"x", "y"}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}], unreduced=max{"x":(2)2}>}) -> tensor<16xf32> {
    %0 = sdy.reduce_scatter max [{"x":(2)2}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<16xf32>
    %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"x", "y"}]> : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: a permute of a whole value stays where its devices matter to what is made partial of it (A.13 3, dialect 4.1)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.collective_permute %arg0 out_sharding=<@other, [{}]> : tensor<16xf32>
  %1 = sdy.replicated_to_unreduced {"b"} %0 out_sharding=<@other, [{}], unreduced={"b"}> : tensor<16xf32>
  %2 = sdy.collective_permute %arg1 out_sharding=<@mesh, [{"a", ?}]> : tensor<16xf32>
  %3 = sdy.replicated_to_unreduced {"b"} %2 out_sharding=<@mesh, [{"a", ?}], unreduced={"b"}> : tensor<16xf32>
  return %1, %3 : tensor<16xf32>, tensor<16xf32>
}
// ---- stays
// ----------
// shardy opt --canonicalize
// CASE: an unused custom call with has_side_effect = false is erased, one without the attribute stays (6)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = stablehlo.custom_call @foo(%0) {has_side_effect = false} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.custom_call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: a manual computation of global values is inlined, also a loop and a constraint on a free axis (6, MC3)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<i1>) -> tensor<4x8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"b"}], replicated={"a"}>, <@mesh, [], replicated={"a"}>] out_shardings=[<@mesh, [{}, {}], replicated={"a"}>] manual_axes={"a"} (%arg2: tensor<4x8xf32>, %arg3: tensor<i1>) {
    %1 = stablehlo.while(%iterArg = %arg2) : tensor<4x8xf32>
    cond {
      stablehlo.return %arg3 : tensor<i1>
    } do {
      %2 = sdy.sharding_constraint %iterArg <@mesh, [{"b"}, {}]> : tensor<4x8xf32>
      %3 = stablehlo.negate %2 : tensor<4x8xf32>
      stablehlo.return %3 : tensor<4x8xf32>
    }
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<4x8xf32>, tensor<i1>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<i1>) -> tensor<4x8xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<4x8xf32>
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %1 = sdy.sharding_constraint %iterArg <@mesh, [{"b"}, {}]> : tensor<4x8xf32>
      %2 = stablehlo.negate %1 : tensor<4x8xf32>
      stablehlo.return %2 : tensor<4x8xf32>
    }
    return %0 : tensor<4x8xf32>
  }
}
// ----------
// shardy opt --canonicalize
// CASE: a manual computation stays if devices may compute other values: a position, a collective, unknown ops, shards, summands (6, MC3)
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xui32>) -> (tensor<8xui32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"} (%arg2: tensor<8xui32>) {
    %5 = stablehlo.partition_id : tensor<ui32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<ui32>) -> tensor<8xui32>
    %7 = stablehlo.add %6, %arg2 : tensor<8xui32>
    sdy.return %7 : tensor<8xui32>
  } : (tensor<8xui32>) -> tensor<8xui32>
  %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"} (%arg2: tensor<8xf32>) {
    %5 = "stablehlo.all_reduce"(%arg2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %6 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %5 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"} (%arg2: tensor<8xf32>) {
    %5 = stablehlo.custom_call @shuffle(%arg2) : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %5 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<8xf32>) {
    %5 = stablehlo.negate %arg2 : tensor<8xf32>
    sdy.return %5 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<16xf32>
  %4 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}], unreduced={"a"}>] manual_axes={"a"} (%arg2: tensor<8xf32>) {
    %5 = stablehlo.negate %arg2 : tensor<8xf32>
    sdy.return %5 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2, %3, %4 : tensor<8xui32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xui32>) -> (tensor<8xui32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<8xf32>) {
    %0 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"} (%arg2: tensor<8xui32>) {
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<ui32>) -> tensor<8xui32>
      %7 = stablehlo.add %6, %arg2 : tensor<8xui32>
      sdy.return %7 : tensor<8xui32>
    } : (tensor<8xui32>) -> tensor<8xui32>
    %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"} (%arg2: tensor<8xf32>) {
      %5 = "stablehlo.all_reduce"(%arg2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %6 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %6 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %5 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"} (%arg2: tensor<8xf32>) {
      %5 = stablehlo.custom_call @shuffle(%arg2) : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %5 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<8xf32>) {
      %5 = stablehlo.negate %arg2 : tensor<8xf32>
      sdy.return %5 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<16xf32>
    %4 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}], unreduced={"a"}>] manual_axes={"a"} (%arg2: tensor<8xf32>) {
      %5 = stablehlo.negate %arg2 : tensor<8xf32>
      sdy.return %5 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %1, %2, %3, %4 : tensor<8xui32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<8xf32>
  }
}
