// shardy opt --xla-sdy-stablehlo-export-shardings
// CASE: the table of 7.1
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @order = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@order, [{"y"}, {}]>}, %arg4: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_3, []>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : tensor<16x8xf32>
  %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced=max{"y"}>]>} : tensor<16x8xf32>
  %2:2 = "stablehlo.optimization_barrier"(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>]>} : (tensor<16x8xf32>, tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>)
  %3 = stablehlo.constant dense<0> : tensor<i32>
  %4 = "stablehlo.case"(%3) ({
    stablehlo.return %arg0 : tensor<16x8xf32>
  }, {
    stablehlo.return %arg1 : tensor<16x8xf32>
  }) : (tensor<i32>) -> tensor<16x8xf32>
  return %2#0 : tensor<16x8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"}, %arg1: tensor<16x8xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}, %arg2: tensor<16x8xf32> {mhlo.sharding = "{replicated}"}, %arg3: tensor<16x8xf32> {mhlo.sharding = "{devices=[2,1,2]3,1,2,0 last_tile_dim_replicate}"}, %arg4: tensor<16x8xf32> {mhlo.sharding = "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}) -> (tensor<16x8xf32> {mhlo.sharding = "{maximal device=3}"}) {
    %0 = stablehlo.add %arg0, %arg1 {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dims={unreduced} metadata={op_type=\22sdy::reduction_op\22 op_name=\22SUM\22}}"} : tensor<16x8xf32>
    %1 = stablehlo.add %0, %arg1 {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dims={unreduced} metadata={op_type=\22sdy::reduction_op\22 op_name=\22MAX\22}}"} : tensor<16x8xf32>
    %2:2 = stablehlo.optimization_barrier {mhlo.sharding = "{{devices=[2,1,4]<=[8] last_tile_dim_replicate}, {replicated}}"} %arg0, %arg1 : tensor<16x8xf32>, tensor<16x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = "stablehlo.case"(%c) ({
      stablehlo.return %arg0 : tensor<16x8xf32>
    }, {
      stablehlo.return %arg1 : tensor<16x8xf32>
    }) {mhlo.sharding = "{replicated}"} : (tensor<i32>) -> tensor<16x8xf32>
    return %2#0 : tensor<16x8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-stablehlo-export-shardings='enable-hlo-sharding-v3=true simplify-replicated-shardings=true add-missing-sharding-to-control-flow=false'
// CASE: the same with names
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @order = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@order, [{"y"}, {}]>}, %arg4: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_3, []>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : tensor<16x8xf32>
  %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced=max{"y"}>]>} : tensor<16x8xf32>
  %2:2 = "stablehlo.optimization_barrier"(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>]>} : (tensor<16x8xf32>, tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>)
  %3 = stablehlo.constant dense<0> : tensor<i32>
  %4 = "stablehlo.case"(%3) ({
    stablehlo.return %arg0 : tensor<16x8xf32>
  }, {
    stablehlo.return %arg1 : tensor<16x8xf32>
  }) : (tensor<i32>) -> tensor<16x8xf32>
  return %2#0 : tensor<16x8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<16x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'y'}, {'x'}]}"}, %arg1: tensor<16x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {?}]}"}, %arg2: tensor<16x8xf32> {mhlo.sharding = "{mesh[], replicated}"}, %arg3: tensor<16x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=2], device_ids=(3,2,1,0), [{'y'}, {}]}"}, %arg4: tensor<16x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'y':(2)2}, {}]}"}) -> (tensor<16x8xf32> {mhlo.sharding = "{single_device[device_id=3]}"}) {
    %0 = stablehlo.add %arg0, %arg1 {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {}], unreduced={'y'}}"} : tensor<16x8xf32>
    %1 = stablehlo.add %0, %arg1 {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {}], unreduced=max{'y'}}"} : tensor<16x8xf32>
    %2:2 = stablehlo.optimization_barrier {mhlo.sharding = "{{mesh['x'=2,'y'=4], [{'x'}, {}]}, {mesh[], replicated}}"} %arg0, %arg1 : tensor<16x8xf32>, tensor<16x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = "stablehlo.case"(%c) ({
      stablehlo.return %arg0 : tensor<16x8xf32>
    }, {
      stablehlo.return %arg1 : tensor<16x8xf32>
    }) : (tensor<i32>) -> tensor<16x8xf32>
    return %2#0 : tensor<16x8xf32>
  }
}
