module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", "x"}, {"y"}]>}) {
    %0 = sdy.all_gather [{"z":(2)2, "x"}, {"y"}] %arg0 out_sharding=<@m, [{"z":(1)2}, {}]> : tensor<16x8xf32>
    %1 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@m, [{"z", "x"}, {"y"}]> {foo} : tensor<16x8xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) {
    %0 = sdy.all_slice [{"z"}, {"x"}] %arg0 out_sharding=<@m, [{"y", "z"}, {"x"}]> : tensor<16x8xf32>
    %1 = sdy.all_slice [{}, {"x"}] %arg0 out_sharding=<@m, [{"y"}, {"x"}]> {foo} : tensor<16x8xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {"x"}]>}) {
    %0 = sdy.all_to_all [{"z":(2)2}: 0->1] %arg0 out_sharding=<@m, [{"z":(1)2}, {"x", "z":(2)2}]> : tensor<16x8xf32>
    %1 = sdy.all_to_all [{"z"}: 0->1] %arg0 out_sharding=<@m, [{}, {"x", "z"}]> {foo} : tensor<16x8xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"z"}, {}]> : tensor<16x8xf32>
    %1 = sdy.collective_permute %arg0 out_sharding=<@m, [{"y", "x"}, {}]> {foo} : tensor<16x8xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y", "z"}>}) {
    %0 = sdy.all_reduce {"y"} %arg0 out_sharding=<@m, [{"x"}, {}], unreduced={"z"}> : tensor<16x8xf32>
    %1 = sdy.reduce_scatter [{}, {"y", "z"}] %arg0 out_sharding=<@m, [{"x"}, {"y", "z"}]> : tensor<16x8xf32>
    %2 = sdy.all_reduce {"y", "z"} %arg0 out_sharding=<@m, [{"x"}, {}]> {foo} : tensor<16x8xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=max{"y", "z"}>}) {
    %0 = sdy.all_reduce max {"y"} %arg0 out_sharding=<@m, [{"x"}, {}], unreduced=max{"z"}> : tensor<16x8xf32>
    %1 = sdy.reduce_scatter max [{}, {"y", "z"}] %arg0 out_sharding=<@m, [{"x"}, {"y", "z"}]> {foo} : tensor<16x8xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=min{"y", "z"}>}) {
    %0 = sdy.all_reduce min {"y"} %arg0 out_sharding=<@m, [{"x"}, {}], unreduced=min{"z"}> : tensor<16x8xf32>
    %1 = sdy.reduce_scatter min [{}, {"y", "z"}] %arg0 out_sharding=<@m, [{"x"}, {"y", "z"}]> {foo} : tensor<16x8xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "z"}, {"y"}]>}) {
    %0 = sdy.sharded_to_unreduced [{"z":(2)2}, {"y"}] %arg0 out_sharding=<@m, [{"x", "z":(1)2}, {}], unreduced={"y", "z":(2)2}> : tensor<16x8xf32>
    %1 = sdy.sharded_to_unreduced [{"z"}, {}] %arg0 out_sharding=<@m, [{"x"}, {"y"}], unreduced={"z"}> {foo} : tensor<16x8xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"z":(1)2}>}) {
    %0 = sdy.replicated_to_unreduced {"y", "z":(2)2} %arg0 out_sharding=<@m, [{"x"}, {}], unreduced={"y", "z"}> : tensor<16x8xf32>
    %1 = sdy.replicated_to_unreduced {"y"} %arg0 out_sharding=<@m, [{"x"}, {}], unreduced={"y", "z":(1)2}> {foo} : tensor<16x8xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  sdy.mesh @empty = <[]>
  sdy.mesh @max = <[], device_ids=[5]>
  sdy.mesh @perm = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  sdy.mesh @"a mesh" = <["a b"=2]>
  sdy.mesh @attr = <["x"=2]> {stablehlo.mesh = {a = 1 : i64}}
  func.func @main() {
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x6xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@m, [{"x"}, {?}]> : tensor<8x6xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{"x", ?}p1, {?}p0], replicated={"y"}> {foo} : tensor<8x6xf32>
    %2 = sdy.reshard %1 <@m, [{}, {"y":(1)2}]> : tensor<8x6xf32>
    %3 = sdy.reshard %2 <mesh<["a"=2]>, [{"a"}, {}]> {foo} : tensor<8x6xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x6xf32>) {
    sdy.sharding_group %arg0 group_id=3 : tensor<8x6xf32>
    sdy.sharding_group %arg0 group_id=0 {foo} : tensor<8x6xf32>
    %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8x6xf32>
    %1 = sdy.propagation_barrier %arg0 allowed_direction=FORWARD : tensor<8x6xf32>
    %2 = sdy.propagation_barrier %arg0 allowed_direction=BACKWARD {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x6xf32>
    %3 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} dense<[1, 2]> : tensor<2xi32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x6xf32>) {
    %0 = sdy.named_computation<"mlp">(%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {?}]>] (%arg1: tensor<8x6xf32>) {
      %3 = stablehlo.tanh %arg1 : tensor<8x6xf32>
      sdy.return %3 : tensor<8x6xf32>
    } {execution_thread = "t"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %1 = sdy.named_computation<"b c">(%0) (%arg1: tensor<8x6xf32>) {
      sdy.return {foo} %arg1 : tensor<8x6xf32>
    } : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %2 = sdy.named_computation<"o">(%1) out_shardings=[<@m, [{}, {}]>] (%arg1: tensor<8x6xf32>) {
      sdy.return %arg1 : tensor<8x6xf32>
    } : (tensor<8x6xf32>) -> tensor<8x6xf32>
    sdy.named_computation<"">() () {
      sdy.return
    } : () -> ()
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x6xf32>) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", "y"}, {?}]>] out_shardings=[<@m, [{}, {?}], replicated={"x"}>] manual_axes={"x"} (%arg1: tensor<8x6xf32>) {
      %1 = sdy.manual_computation(%arg1) in_shardings=[<@m, [{"y"}, {}]>] out_shardings=[<@m, [{"y"}, {}]>] manual_axes={"y"} (%arg2: tensor<2x6xf32>) {
        sdy.return %arg2 : tensor<2x6xf32>
      } {foo} : (tensor<8x6xf32>) -> tensor<8x6xf32>
      sdy.return %1 : tensor<8x6xf32>
    } : (tensor<16x6xf32>) -> tensor<8x6xf32>
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<8x8xf32>) -> (tensor<4xf32>, tensor<8x8xf32>) {
    %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>, <@m, [{?}, {?}]>]>} %arg0, %arg1 : tensor<4xf32>, tensor<8x8xf32>
    %1 = sdy.data_flow_edge %0#0 sharding=<@m, [{"x", ?}]> : tensor<4xf32>
    %2 = sdy.data_flow_edge %0#1 {foo} : tensor<8x8xf32>
    return {sdy.sharding = #sdy.sharding_per_value<[]>} %1, %2 : tensor<4xf32>, tensor<8x8xf32>
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}]>]>} : tensor<4xf32>
    %1 = call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = sdy.func_data_flow_edge %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x6xf32>) {
    %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6}, custom>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.custom_call @foo(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([ij, k]) {i=8, j=2, k=3}>} : (tensor<8x6xf32>) -> tensor<16x3xf32>
    %2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k]) {i=8, j=6, k=3} reduction={i} need_replication={j, k}>} : (tensor<8x6xf32>) -> tensor<3xf32>
    return
  }
}
// -----
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2, "b"=2]>, [{"a"}, {"b", ?}]>}, %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(2)2}, {"x"}], replicated={"y":(1)2}>}) {
    %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}]>]>} : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
