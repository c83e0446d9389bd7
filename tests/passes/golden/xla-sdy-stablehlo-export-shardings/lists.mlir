// shardy opt --xla-sdy-stablehlo-export-shardings
// CASE: lists of a finished partitioning
module attributes {sdy.output_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}, {"y"}]>]>, sdy.parameters_shardings = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16xf32>, %arg1: tensor<2x2xf32>) -> (tensor<16xf32>, tensor<2x2xf32>) {
    return %arg0, %arg1 : tensor<16xf32>, tensor<2x2xf32>
  }
}
// ---- fails
: sdy.parameters_shardings of the module: expected 2 shardings
// ----------
// shardy opt --xla-sdy-stablehlo-export-shardings
// CASE: one text for each argument, one for all results
module attributes {sdy.output_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}, {"y"}]>]>, sdy.parameters_shardings = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, [{}, {}]>]>} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16xf32>, %arg1: tensor<2x4xf32>) -> (tensor<16xf32>, tensor<2x4xf32>) {
    return %arg0, %arg1 : tensor<16xf32>, tensor<2x4xf32>
  }
}
// ---- becomes
module attributes {mhlo.spmd_output_sharding = "{{devices=[2,4]<=[8] last_tile_dim_replicate}, {devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}}", mhlo.spmd_parameters_shardings = ["{devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "{replicated}"]} {
  func.func @main(%arg0: tensor<16xf32>, %arg1: tensor<2x4xf32>) -> (tensor<16xf32>, tensor<2x4xf32>) {
    return %arg0, %arg1 : tensor<16xf32>, tensor<2x4xf32>
  }
}
