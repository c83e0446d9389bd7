"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2, "z"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.all_gather"(%arg0) {gathering_axes = #sdy.list_of_axis_ref_lists<[{"z":(2)2, "x"}, {"y"}]>, out_sharding = #sdy.sharding<@m, [{"z":(1)2}, {}]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "sdy.all_gather"(%arg0) {foo, gathering_axes = #sdy.list_of_axis_ref_lists<[{}, {}]>, out_sharding = #sdy.sharding<@m, [{"z", "x"}, {"y"}]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"z", "x"}, {"y"}]>}], function_type = (tensor<16x8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2, "z"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.all_slice"(%arg0) {out_sharding = #sdy.sharding<@m, [{"y", "z"}, {"x"}]>, slicing_axes = #sdy.list_of_axis_ref_lists<[{"z"}, {"x"}]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "sdy.all_slice"(%arg0) {foo, out_sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>, slicing_axes = #sdy.list_of_axis_ref_lists<[{}, {"x"}]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}], function_type = (tensor<16x8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2, "z"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.all_to_all"(%arg0) {out_sharding = #sdy.sharding<@m, [{"z":(1)2}, {"x", "z":(2)2}]>, params = #sdy.all_to_all_param_list<[{"z":(2)2}: 0->1]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "sdy.all_to_all"(%arg0) {foo, out_sharding = #sdy.sharding<@m, [{}, {"x", "z"}]>, params = #sdy.all_to_all_param_list<[{"z"}: 0->1]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"z"}, {"x"}]>}], function_type = (tensor<16x8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2, "z"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.collective_permute"(%arg0) {out_sharding = #sdy.sharding<@m, [{"z"}, {}]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "sdy.collective_permute"(%arg0) {foo, out_sharding = #sdy.sharding<@m, [{"y", "x"}, {}]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}], function_type = (tensor<16x8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2, "z"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.all_reduce"(%arg0) {out_sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"z"}>, reduction_axes = #sdy.axis_ref_list<{"y"}>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "sdy.reduce_scatter"(%arg0) {out_sharding = #sdy.sharding<@m, [{"x"}, {"y", "z"}]>, reduce_scatter_axes = #sdy.list_of_axis_ref_lists<[{}, {"y", "z"}]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %2 = "sdy.all_reduce"(%arg0) {foo, out_sharding = #sdy.sharding<@m, [{"x"}, {}]>, reduction_axes = #sdy.axis_ref_list<{"y", "z"}>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y", "z"}>}], function_type = (tensor<16x8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2, "z"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.all_reduce"(%arg0) {out_sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=max{"z"}>, reduction_axes = #sdy.axis_ref_list<{"y"}>, reduction_op = 1 : i32} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "sdy.reduce_scatter"(%arg0) {foo, out_sharding = #sdy.sharding<@m, [{"x"}, {"y", "z"}]>, reduce_scatter_axes = #sdy.list_of_axis_ref_lists<[{}, {"y", "z"}]>, reduction_op = 1 : i32} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=max{"y", "z"}>}], function_type = (tensor<16x8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2, "z"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.all_reduce"(%arg0) {out_sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=min{"z"}>, reduction_axes = #sdy.axis_ref_list<{"y"}>, reduction_op = 2 : i32} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "sdy.reduce_scatter"(%arg0) {foo, out_sharding = #sdy.sharding<@m, [{"x"}, {"y", "z"}]>, reduce_scatter_axes = #sdy.list_of_axis_ref_lists<[{}, {"y", "z"}]>, reduction_op = 2 : i32} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced=min{"y", "z"}>}], function_type = (tensor<16x8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2, "z"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.sharded_to_unreduced"(%arg0) {axes = #sdy.list_of_axis_ref_lists<[{"z":(2)2}, {"y"}]>, out_sharding = #sdy.sharding<@m, [{"x", "z":(1)2}, {}], unreduced={"y", "z":(2)2}>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "sdy.sharded_to_unreduced"(%arg0) {axes = #sdy.list_of_axis_ref_lists<[{"z"}, {}]>, foo, out_sharding = #sdy.sharding<@m, [{"x"}, {"y"}], unreduced={"z"}>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"x", "z"}, {"y"}]>}], function_type = (tensor<16x8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2, "z"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.replicated_to_unreduced"(%arg0) {axes = #sdy.axis_ref_list<{"y", "z":(2)2}>, out_sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y", "z"}>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "sdy.replicated_to_unreduced"(%arg0) {axes = #sdy.axis_ref_list<{"y"}>, foo, out_sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y", "z":(1)2}>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"z":(1)2}>}], function_type = (tensor<16x8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "sdy.mesh"() {mesh = #sdy.mesh<[]>, sym_name = "empty"} : () -> ()
  "sdy.mesh"() {mesh = #sdy.mesh<[], device_ids=[5]>, sym_name = "max"} : () -> ()
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>, sym_name = "perm"} : () -> ()
  "sdy.mesh"() {mesh = #sdy.mesh<["a b"=2]>, sym_name = "a mesh"} : () -> ()
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2]>, stablehlo.mesh = {a = 1 : i64}, sym_name = "attr"} : () -> ()
  "func.func"() ({
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x6xf32>):
    %0 = "sdy.sharding_constraint"(%arg0) {sharding = #sdy.sharding<@m, [{"x"}, {?}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %1 = "sdy.sharding_constraint"(%0) {foo, sharding = #sdy.sharding<@m, [{"x", ?}p1, {?}p0], replicated={"y"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %2 = "sdy.reshard"(%1) {sharding = #sdy.sharding<@m, [{}, {"y":(1)2}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %3 = "sdy.reshard"(%2) {foo, sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}, {}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8x6xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x6xf32>):
    "sdy.sharding_group"(%arg0) {group_id = 3 : i64} : (tensor<8x6xf32>) -> ()
    "sdy.sharding_group"(%arg0) {foo, group_id = 0 : i64} : (tensor<8x6xf32>) -> ()
    %0 = "sdy.propagation_barrier"(%arg0) {allowed_direction = 0 : i32} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %1 = "sdy.propagation_barrier"(%arg0) {allowed_direction = 1 : i32} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %2 = "sdy.propagation_barrier"(%arg0) {allowed_direction = 2 : i32, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %3 = "sdy.constant"() {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>, value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8x6xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x6xf32>):
    %0 = "sdy.named_computation"(%arg0) ({
    ^bb0(%arg1: tensor<8x6xf32>):
      %3 = "stablehlo.tanh"(%arg1) : (tensor<8x6xf32>) -> tensor<8x6xf32>
      "sdy.return"(%3) : (tensor<8x6xf32>) -> ()
    }) {execution_thread = "t", in_shardings = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>, name = "mlp", out_shardings = #sdy.sharding_per_value<[<@m, [{"x"}, {?}]>]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %1 = "sdy.named_computation"(%0) ({
    ^bb0(%arg1: tensor<8x6xf32>):
      "sdy.return"(%arg1) {foo} : (tensor<8x6xf32>) -> ()
    }) {name = "b c"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %2 = "sdy.named_computation"(%1) ({
    ^bb0(%arg1: tensor<8x6xf32>):
      "sdy.return"(%arg1) : (tensor<8x6xf32>) -> ()
    }) {name = "o", out_shardings = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    "sdy.named_computation"() ({
      "sdy.return"() : () -> ()
    }) {name = ""} : () -> ()
    "func.return"() : () -> ()
  }) {function_type = (tensor<8x6xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x6xf32>):
    %0 = "sdy.manual_computation"(%arg0) ({
    ^bb0(%arg1: tensor<8x6xf32>):
      %1 = "sdy.manual_computation"(%arg1) ({
      ^bb0(%arg2: tensor<2x6xf32>):
        "sdy.return"(%arg2) : (tensor<2x6xf32>) -> ()
      }) {foo, in_shardings = #sdy.sharding_per_value<[<@m, [{"y"}, {}]>]>, manual_axes = #sdy.manual_axes<{"y"}>, out_shardings = #sdy.sharding_per_value<[<@m, [{"y"}, {}]>]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
      "sdy.return"(%1) : (tensor<8x6xf32>) -> ()
    }) {in_shardings = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {?}]>]>, manual_axes = #sdy.manual_axes<{"x"}>, out_shardings = #sdy.sharding_per_value<[<@m, [{}, {?}], replicated={"x"}>]>} : (tensor<16x6xf32>) -> tensor<8x6xf32>
    "sdy.manual_computation"() ({
      "sdy.return"() : () -> ()
    }) {in_shardings = #sdy.sharding_per_value<[]>, manual_axes = #sdy.manual_axes<{}>, out_shardings = #sdy.sharding_per_value<[]>} : () -> ()
    "func.return"() : () -> ()
  }) {function_type = (tensor<16x6xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<8x8xf32>):
    %0:2 = "stablehlo.optimization_barrier"(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>, <@m, [{?}, {?}]>]>} : (tensor<4xf32>, tensor<8x8xf32>) -> (tensor<4xf32>, tensor<8x8xf32>)
    %1 = "sdy.data_flow_edge"(%0#0) {sharding = #sdy.sharding<@m, [{"x", ?}]>} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "sdy.data_flow_edge"(%0#1) {foo} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%1, %2) {sdy.sharding = #sdy.sharding_per_value<[]>} : (tensor<4xf32>, tensor<8x8xf32>) -> ()
  }) {function_type = (tensor<4xf32>, tensor<8x8xf32>) -> (tensor<4xf32>, tensor<8x8xf32>), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    "func.return"(%arg0) : (tensor<4xf32>) -> ()
  }) {function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "sdy.func_data_flow_edge"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "func.call"(%0) {callee = @f} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "sdy.func_data_flow_edge"(%1) : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%2) : (tensor<4xf32>) -> ()
  }) {function_type = (tensor<4xf32>) -> tensor<4xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"x"}]>}], sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x6xf32>):
    %0 = "stablehlo.custom_call"(%arg0) {call_target_name = "foo", sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6}, custom>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %1 = "stablehlo.custom_call"(%arg0) {call_target_name = "foo", sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([ij, k]) {i=8, j=2, k=3}>} : (tensor<8x6xf32>) -> tensor<16x3xf32>
    %2 = "stablehlo.custom_call"(%arg0) {call_target_name = "foo", sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k]) {i=8, j=6, k=3} reduction={i} need_replication={j, k}>} : (tensor<8x6xf32>) -> tensor<3xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8x6xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x8xf32>, %arg1: tensor<f32>):
    %0 = "stablehlo.add"(%arg0, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%0) : (tensor<8x8xf32>) -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<mesh<["a"=2, "b"=2]>, [{"a"}, {"b", ?}]>}, {sdy.sharding = #sdy.sharding<@m, []>}], function_type = (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@m, [{"y":(2)2}, {"x"}], replicated={"y":(1)2}>}], sym_name = "main"} : () -> ()
}) : () -> ()
