// shardy opt --sdy-remove-sub-axes-in-input-output-shardings
// CASE: the only function is main, whatever its name; closed dims, values inside and single devices stay (5.7, 1.4)
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @max = <[], device_ids=[1]>
func.func @anything(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"x", "y":(2)2, ?}p1], unreduced={}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y":(1)2, ?}]>}, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2, ?}, {?}]>]>} : tensor<8x8xf32>
  return %0, %arg1 : tensor<8x8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @max = <[], device_ids=[1]>
  func.func @anything(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"x", ?}p1]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, tensor<8xf32>) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2, ?}, {?}]>]>} : tensor<8x8xf32>
    return %0, %arg1 : tensor<8x8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-remove-sub-axes-in-input-output-shardings
// CASE: of several functions only main is changed (5.7)
sdy.mesh @mesh = <["y"=4]>
func.func @other(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}]>}) {
  return
}
func.func private @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["y"=4]>
  func.func @other(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}]>}) {
    return
  }
  func.func private @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-remove-sub-axes-in-input-output-shardings
// CASE: a module without functions has no main (1.4)
module {
}
// ---- fails
: Failed to lookup function: main
// ----------
// shardy opt --sdy-remove-sub-axes-in-input-output-shardings
// CASE: of several functions one must be main (1.4)
func.func @a() {
  return
}
func.func @b() {
  return
}
// ---- fails
3:1: Failed to lookup function: main
// ----------
// shardy opt --sdy-remove-sub-axes-in-input-output-shardings
// CASE: an argument that a collective reads keeps its in_sharding (5.7)
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}]>}) -> tensor<8xf32> {
  %0 = sdy.all_gather [{"x":(1)2}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> tensor<8xf32> {
    %0 = sdy.all_gather [{"x":(1)2}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
