// shardy opt --xla-sdy-import-shardings
// CASE: tuples are for the results of an op, one leaf is for all; comments are skipped (2.1)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) {
  %0:2 = "stablehlo.optimization_barrier"(%arg0, %arg1) {mhlo.sharding = "{{devices=[2]<=[2]}, /*index=1*/{replicated}}"} : (tensor<8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<i32>)
  %1:2 = "stablehlo.optimization_barrier"(%arg0, %arg0) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  stablehlo.custom_call @xla_python_cpu_callback() {has_side_effect = true, mhlo.sharding = "{maximal device=0}"} : () -> ()
  %2 = stablehlo.custom_call @mhlo.topk(%arg0) {mhlo.attributes = {k = 2 : i64, largest = true, mhlo.sharding = "{replicated}"}} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2]>
  sdy.mesh @single_device_0 = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) {
    %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"_axis_0"}]>, <@mesh, []>]>} %arg0, %arg1 : tensor<8xf32>, tensor<i32>
    %1:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"_axis_0"}]>, <@mesh, [{"_axis_0"}]>]>} %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
    stablehlo.custom_call @xla_python_cpu_callback() {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@single_device_0, []>]>} : () -> ()
    %2 = stablehlo.custom_call @mhlo.topk(%arg0) {mhlo.attributes = {k = 2 : i64, largest = true}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: pending reductions have their kind in the metadata (2.2)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg0 {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dims={unreduced} metadata={op_type=\22sdy::reduction_op\22 op_name=\22MAX\22}}"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"_axis_0"}], unreduced=max{"_axis_1"}>]>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: shard_as is a group, shard_like has no counterpart (5.4, 5.6)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2] shard_as 4}"}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%arg0) {has_side_effect = true, mhlo.sharding = "{unknown shard_as 4}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{replicated shard_like 4}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    sdy.sharding_group %arg1 group_id=4 : tensor<8xf32>
    sdy.sharding_group %arg0 group_id=4 : tensor<8xf32>
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}]> : tensor<8xf32>
    return %arg0, %0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings='allow-propagation-to-args=true,false allow-propagation-to-results=true'
// CASE: arguments and results may be open (5.4)
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> (tensor<8xf32> {mhlo.sharding = "{replicated}"}, tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  return %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0", ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0", ?}]>}) {
    return %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: custom calls take and give no tuples; other ops may (5.5)
func.func @main(%arg0: tensor<8xf32>, %arg1: tuple<tensor<4xi32>, tuple<tensor<f32>>>) -> tuple<tensor<8xf32>, tensor<4xi32>> {
  %0 = stablehlo.custom_call @pair(%arg0, %arg1) : (tensor<8xf32>, tuple<tensor<4xi32>, tuple<tensor<f32>>>) -> tuple<tensor<8xf32>, tensor<4xi32>>
  %1 = stablehlo.custom_call @log(%arg0) {has_side_effect = true, mhlo.sharding = "{maximal device=1}"} : (tensor<8xf32>) -> tuple<>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<8xf32>, tensor<4xi32>>) -> tensor<4xi32>
  stablehlo.custom_call @use(%2) {has_side_effect = true} : (tensor<4xi32>) -> ()
  return %0 : tuple<tensor<8xf32>, tensor<4xi32>>
}
// ---- becomes
module {
  sdy.mesh @mesh = <[]>
  sdy.mesh @single_device_1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tuple<tensor<4xi32>, tuple<tensor<f32>>>) -> tuple<tensor<8xf32>, tensor<4xi32>> {
    %0 = stablehlo.get_tuple_element %arg1[0] : (tuple<tensor<4xi32>, tuple<tensor<f32>>>) -> tensor<4xi32>
    %1 = stablehlo.get_tuple_element %arg1[1] : (tuple<tensor<4xi32>, tuple<tensor<f32>>>) -> tuple<tensor<f32>>
    %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<f32>>) -> tensor<f32>
    %3:2 = stablehlo.custom_call @pair(%arg0, %0, %2) : (tensor<8xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<8xf32>, tensor<4xi32>)
    %4 = stablehlo.tuple %3#0, %3#1 : tuple<tensor<8xf32>, tensor<4xi32>>
    stablehlo.custom_call @log(%arg0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@single_device_1, []>]>} : (tensor<8xf32>) -> ()
    stablehlo.custom_call @use(%3#1) {has_side_effect = true} : (tensor<4xi32>) -> ()
    return %4 : tuple<tensor<8xf32>, tensor<4xi32>>
  }
}
