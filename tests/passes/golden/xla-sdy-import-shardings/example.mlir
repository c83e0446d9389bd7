// shardy opt --xla-sdy-import-shardings
// CASE: device lists become the axes of one mesh (5.3, 5.4)
// TWICE
func.func @main(%arg0: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"}, %arg1: tensor<16x8xf32> {mhlo.sharding = "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}, %arg2: tensor<f32> {mhlo.sharding = ""}) -> (tensor<16x8xf32> {mhlo.sharding = "{unknown}"}) {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.add %0, %arg1 : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=4, "_axis_1"=2]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {"_axis_1"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_1"}, {}]>}, %arg2: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"_axis_0"}, {?}]> : tensor<16x8xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<16x8xf32>
    return %1 : tensor<16x8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: explicit ids and messages in bytes are device lists, too; ids in another order are those of the mesh (2.4, 5.3)
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "\08\03\1A\01\04\22\04\00\01\03\02"}, %arg1: tensor<8x2xf32> {mhlo.sharding = "{devices=[2,1,2]0,1,3,2 last_tile_dim_replicate}"}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2], device_ids=[0, 1, 3, 2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0", "_axis_1"}]>}, %arg1: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {}]>}) {
    return
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: a mesh of the program in whose axes all lists can be written is taken (5.3)
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dim_replicate}"}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y":(1)2}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    return
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: only words: the mesh has the partitions of the module (5.3)
module attributes {mhlo.num_partitions = 4 : i32} {
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<8xf32> {mhlo.sharding = "{unreduced}"}) {
  return %arg0 : tensor<8xf32>
}
}
// ---- becomes
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["_axis_0"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"_axis_0"}>}) {
    return %arg0 : tensor<8xf32>
  }
}
