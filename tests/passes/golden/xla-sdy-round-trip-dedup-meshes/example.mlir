// shardy opt --xla-sdy-round-trip-dedup-meshes
// CASE: meshes of as many devices in one order become one, invented names last (6.5)
// TWICE
sdy.mesh @c = <["_axis_0"=4]>
sdy.mesh @a = <["a"=2, "o"=1, "b"=2]>
sdy.mesh @d = <["d"=4], device_ids=[3, 2, 1, 0]>
sdy.mesh @e = <["e"=3]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@c, [{"_axis_0"}p1]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@c, [{"_axis_0":(2)2}, {?}], replicated={"_axis_0":(1)2}>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d, [{"d"}]>}) {
  %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@c, [{}], unreduced=max{"_axis_0"}>]>} : tensor<8xf32>
  return
}
// ---- becomes
module {
  sdy.mesh @a = <["a"=2, "o"=1, "b"=2]>
  sdy.mesh @d = <["d"=4], device_ids=[3, 2, 1, 0]>
  sdy.mesh @e = <["e"=3]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"a", "b"}p1]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"b"}, {?}], replicated={"a"}>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d, [{"d"}]>}) {
    %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@a, [{}], unreduced=max{"a", "b"}>]>} : tensor<8xf32>
    return
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-dedup-meshes
// CASE: manual axes follow (6.5)
sdy.mesh @a = <["a"=2, "b"=2]>
sdy.mesh @c = <["c"=4]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@c, [{"c"}]>] out_shardings=[<@c, [{"c"}]>] manual_axes={"c"} (%arg1: tensor<2xf32>) {
    sdy.return %arg1 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @a = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@a, [{"a", "b"}]>] out_shardings=[<@a, [{"a", "b"}]>] manual_axes={"a", "b"} (%arg1: tensor<2xf32>) {
      sdy.return %arg1 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-dedup-meshes
// CASE: a manual axis that is a part of another (6.5)
sdy.mesh @a = <["a"=4]>
sdy.mesh @c = <["_c"=2, "_d"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@c, [{"_c"}]>] out_shardings=[<@c, [{"_c"}]>] manual_axes={"_c"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
6:8: the manual axes of sdy.manual_computation are part of axis "a" of @a
// ----------
// shardy opt --xla-sdy-round-trip-dedup-meshes
// CASE: a mesh that ops of one device's program name stays (6.5)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @of_devices = <["y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@of_devices, [{"y"}]>}) -> (tensor<8xf32>, tensor<i64>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"y"}>, mesh = @of_devices}> : () -> tensor<i64>
  return %0, %1 : tensor<8xf32>, tensor<i64>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @of_devices = <["y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<i64>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    %1 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"y"}>, mesh = @of_devices}> : () -> tensor<i64>
    return %0, %1 : tensor<8xf32>, tensor<i64>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-dedup-meshes
// CASE: equal meshes without axes, and equal maximal meshes, are one (6.5)
sdy.mesh @empty = <[]>
sdy.mesh @empty_2 = <[]>
sdy.mesh @maximal = <[], device_ids=[3]>
sdy.mesh @maximal_2 = <[], device_ids=[3]>
sdy.mesh @maximal_3 = <[], device_ids=[0]>
sdy.mesh @one = <["a"=1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty_2, [{}]>}, %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@maximal_2, []>}, %arg2: tensor<f32> {sdy.sharding = #sdy.sharding<@maximal_3, []>}, %arg3: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{?}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @empty = <[]>
  sdy.mesh @maximal = <[], device_ids=[3]>
  sdy.mesh @maximal_3 = <[], device_ids=[0]>
  sdy.mesh @one = <["a"=1]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty, [{}]>}, %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@maximal, []>}, %arg2: tensor<f32> {sdy.sharding = #sdy.sharding<@maximal_3, []>}, %arg3: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{?}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
