// CASE: arguments and results keep the axes that divide them (5.6)
// PASS: sdy-update-non-divisible-input-output-shardings
// TWICE
sdy.mesh @mesh = <["x"=8, "y"=3]>
func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg1: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg2: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4, ?}]>}, %arg3: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg4: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg5: tensor<0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0 : tensor<6xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=8, "y"=3]>
func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}, %arg1: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2}]>}, %arg2: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, ?}]>}, %arg3: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg4: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg5: tensor<0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}) {
  return %arg0 : tensor<6xf32>
}
// -----
// CASE: a changed dim loses its priority, an unchanged one keeps it, as do replicated and unreduced axes (deviation 11, kept)
// PASS: sdy-update-non-divisible-input-output-shardings
sdy.mesh @mesh = <["x"=8, "y"=3, "z"=2, "w"=2]>
func.func @main(%arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y"}p2], replicated={"z"}, unreduced={"w"}>}) {
  return
}
// AFTER
sdy.mesh @mesh = <["x"=8, "y"=3, "z"=2, "w"=2]>
func.func @main(%arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}, {"y"}p2], replicated={"z"}, unreduced={"w"}>}) {
  return
}
// -----
// CASE: a sharding on one device is skipped (deviation 12, fixed), as are values inside of functions
// PASS: sdy-update-non-divisible-input-output-shardings
// UNCHANGED
sdy.mesh @mesh = <["x"=8]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> tensor<5xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<5xf32>
  return %0 : tensor<5xf32>
}
// -----
// CASE: results of calls and edges of manual computations divide; block arguments by their local shapes (5.6)
// PASS: sdy-update-non-divisible-input-output-shardings
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
// AFTER
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
// -----
// CASE: open dims of main are cut before their first sub-axis, closed ones are not (5.7)
// PASS: sdy-remove-sub-axes-in-input-output-shardings
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2, "w"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2, "z", ?}p1, {"w":(2)2}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {?}], replicated={"w"}>}) {
  %0 = call @f(%arg0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func private @f(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {?}]>}) -> tensor<16x8xf32> {
  return %arg0 : tensor<16x8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2, "w"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"w":(2)2}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"w"}>}) {
  %0 = call @f(%arg0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func private @f(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {?}]>}) -> tensor<16x8xf32> {
  return %arg0 : tensor<16x8xf32>
}
// -----
// CASE: of several functions one must be main (1.4)
// PASS: sdy-remove-sub-axes-in-input-output-shardings
// ERROR: Failed to lookup function: main
func.func @a() {
  return
}
func.func @b() {
  return
}
