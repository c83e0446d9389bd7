module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  sdy.mesh @n = <["a"=4], device_ids=[3, 2, 1, 0]>
  sdy.mesh @maximal = <[], device_ids=[3]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", "x"}, {"y"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}p1, {?}], replicated={"y"}>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = sdy.all_gather [{"z":(2)2, "x"}, {"y"}] %arg0 out_sharding=<@m, [{"z":(1)2}, {}]> : tensor<16x8xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{"z":(1)2}, {?}]> : tensor<16x8xf32>
    %2 = sdy.reshard %arg1 <mesh<["x"=2, "y"=2, "z"=4]>, [{}, {}]> {a = 1 : i64} : tensor<16x8xf32>
    sdy.sharding_group %arg1 group_id=3 : tensor<16x8xf32>
    %3 = sdy.propagation_barrier %arg1 allowed_direction=BACKWARD : tensor<16x8xf32>
    %4 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} dense<[1, 2]> : tensor<2xi32>
    %5 = sdy.named_computation<"mlp">(%arg0) in_shardings=[<@m, [{"x"}, {}]>] (%arg2: tensor<16x8xf32>) {
      %8 = stablehlo.tanh %arg2 : tensor<16x8xf32>
      sdy.return %8 : tensor<16x8xf32>
    } {k} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %6 = sdy.manual_computation(%5) in_shardings=[<@m, [{"x", "y"}, {?}]>] out_shardings=[<@m, [{}, {?}], replicated={"x"}>] manual_axes={"x"} (%arg2: tensor<8x8xf32>) {
      sdy.return %arg2 : tensor<8x8xf32>
    } : (tensor<16x8xf32>) -> tensor<8x8xf32>
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    %7 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}], unreduced=max{"y"}>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=16, j=8} permutation={i}, custom>} : tensor<16x8xf32>
    return {sdy.sharding = #sdy.sharding_per_value<[]>} %5 : tensor<16x8xf32>
  }
  func.func private @coll(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {"x"}]>}, %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}, %arg3: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y", "z"}>}, %arg4: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z"}, {"y"}]>}, %arg5: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"z":(1)2}>}) attributes {sdy.original_func_name = "c"} {
    %0 = sdy.all_slice [{"z"}, {"x"}] %arg0 out_sharding=<@m, [{"y", "z"}, {"x"}]> : tensor<16x8xf32>
    %1 = sdy.all_to_all [{"z":(2)2}: 0->1] %arg1 out_sharding=<@m, [{"z":(1)2}, {"x", "z":(2)2}]> : tensor<16x8xf32>
    %2 = sdy.collective_permute %arg2 out_sharding=<@m, [{"z"}, {}]> : tensor<16x8xf32>
    %3 = sdy.all_reduce {"y"} %arg3 out_sharding=<@m, [{"x"}, {}], unreduced={"z"}> : tensor<16x8xf32>
    %4 = sdy.reduce_scatter [{}, {"y", "z"}] %arg3 out_sharding=<@m, [{"x"}, {"y", "z"}]> : tensor<16x8xf32>
    %5 = sdy.sharded_to_unreduced [{"z":(2)2}, {"y"}] %arg4 out_sharding=<@m, [{"x", "z":(1)2}, {}], unreduced={"y", "z":(2)2}> : tensor<16x8xf32>
    %6 = sdy.replicated_to_unreduced {"y", "z":(2)2} %arg5 out_sharding=<@m, [{"x"}, {}], unreduced={"y", "z"}> : tensor<16x8xf32>
    return
  }
  func.func private @decl(tensor<4xf32> {a}, tensor<4xf32>) -> (tensor<4xf32> {b}, tensor<f32>)
}
