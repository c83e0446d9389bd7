"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<4xf32>):
    %0:2 = "stablehlo.while"(%arg0, %arg1) ({
    ^bb0(%iterArg: tensor<i32>, %iterArg_0: tensor<4xf32>):
      %c = "stablehlo.constant"() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
      %1 = "stablehlo.compare"(%iterArg, %c) {compare_type = #stablehlo.comparison_type<SIGNED>, comparison_direction = #stablehlo.comparison_direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }, {
    ^bb0(%iterArg: tensor<i32>, %iterArg_0: tensor<4xf32>):
      %c = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %1 = "stablehlo.add"(%iterArg, %c) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %2 = "stablehlo.add"(%iterArg_0, %arg1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%1, %2) : (tensor<i32>, tensor<4xf32>) -> ()
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    "func.return"() : () -> ()
  }) {function_type = (tensor<i32>, tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<i1>):
    %0 = "stablehlo.while"(%arg0) ({
    ^bb0(%iterArg: tensor<i1>):
      "stablehlo.return"(%iterArg) : (tensor<i1>) -> ()
    }, {
    ^bb0(%iterArg: tensor<i1>):
      "stablehlo.return"(%iterArg) : (tensor<i1>) -> ()
    }) {foo, k = 1 : i64} : (tensor<i1>) -> tensor<i1>
    "stablehlo.while"() ({
      "stablehlo.return"(%0) : (tensor<i1>) -> ()
    }, {
      "stablehlo.return"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) {function_type = (tensor<i1>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<f32>):
    %0 = "stablehlo.while"(%arg0) ({
    ^bb0(%iterArg: tensor<i1>):
      "stablehlo.return"(%iterArg) : (tensor<i1>) -> ()
    }, {
    ^bb0(%iterArg: tensor<i1>):
      %1:2 = "stablehlo.while"(%iterArg, %arg1) ({
      ^bb0(%iterArg_0: tensor<i1>, %iterArg_1: tensor<f32>):
        "stablehlo.return"(%iterArg_0) : (tensor<i1>) -> ()
      }, {
      ^bb0(%iterArg_0: tensor<i1>, %iterArg_1: tensor<f32>):
        %2 = "stablehlo.not"(%iterArg_0) : (tensor<i1>) -> tensor<i1>
        "stablehlo.return"(%2, %iterArg_1) : (tensor<i1>, tensor<f32>) -> ()
      }) : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>)
      "stablehlo.return"(%1#0) : (tensor<i1>) -> ()
    }) : (tensor<i1>) -> tensor<i1>
    "func.return"() : () -> ()
  }) {function_type = (tensor<i1>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<4xf32>):
    %0 = "stablehlo.if"(%arg0) ({
      %1 = "stablehlo.negate"(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%1) : (tensor<4xf32>) -> ()
    }, {
      "stablehlo.return"(%arg1) : (tensor<4xf32>) -> ()
    }) : (tensor<i1>) -> tensor<4xf32>
    "stablehlo.if"(%arg0) ({
      "stablehlo.return"() : () -> ()
    }, {
      "stablehlo.return"() : () -> ()
    }) {foo} : (tensor<i1>) -> ()
    "func.return"() : () -> ()
  }) {function_type = (tensor<i1>, tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<4xf32>):
    %0:2 = "stablehlo.case"(%arg0) ({
      "stablehlo.return"(%arg1, %arg0) : (tensor<4xf32>, tensor<i32>) -> ()
    }, {
      %2 = "stablehlo.negate"(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%2, %arg0) : (tensor<4xf32>, tensor<i32>) -> ()
    }, {
      "stablehlo.return"(%arg1, %arg0) : (tensor<4xf32>, tensor<i32>) -> ()
    }) : (tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
    %1 = "stablehlo.case"(%arg0) ({
      "stablehlo.return"(%arg1) : (tensor<4xf32>) -> ()
    }) {foo} : (tensor<i32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<i32>, tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "stablehlo.custom_call"(%arg0) {call_target_name = "foo"} : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = "stablehlo.custom_call"(%0, %arg0) {api_version = 2 : i32, backend_config = "x", call_target_name = "a b", called_computations = [@f, @g], has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
    "stablehlo.custom_call"(%0, %arg0) {call_target_name = "check.eq", has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
    %2 = "stablehlo.custom_call"() {api_version = 4 : i32, backend_config = {a = 1 : i64, b = "x"}, call_target_name = "foo"} : () -> tuple<tensor<f32>>
    %3 = "stablehlo.custom_call"(%1#0) {backend_config = "", call_target_name = "Sharding", mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%3) : (tensor<4xf32>) -> ()
  }) {function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "main"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<f32>):
    "func.return"(%arg0) : (tensor<f32>) -> ()
  }) {function_type = (tensor<f32>) -> tensor<f32>, sym_name = "f", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  }) {function_type = (tensor<f32>) -> tensor<f32>, sym_name = "g", sym_visibility = "private"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "stablehlo.composite"(%arg0) {composite_attributes = {k = 3 : i64}, decomposition = @f, name = "my.op", version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.composite"(%0) {decomposition = @f, name = "my.op"} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "stablehlo.composite"() {decomposition = @g, foo, name = "my.none"} : () -> tensor<4xf32>
    %3:2 = "stablehlo.composite"(%0, %1) {decomposition = @h, name = "my.two"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    "func.return"(%3#1) : (tensor<4xf32>) -> ()
  }) {function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "main"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    "func.return"(%arg0) : (tensor<4xf32>) -> ()
  }) {function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  }) {function_type = () -> tensor<4xf32>, sym_name = "g", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  }) {function_type = (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>), sym_name = "h", sym_visibility = "private"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<i1>):
    %0 = "func.call"(%arg0) {callee = @f} : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = "func.call"(%0, %0) {callee = @two, foo} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    "func.call"() {callee = @none} : () -> ()
    %2 = "func.call"(%1#1) {callee = @"odd name"} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = "stablehlo.if"(%arg1) ({
      %4 = "func.call"(%2) {callee = @f} : (tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%4) : (tensor<4xf32>) -> ()
    }, {
      "stablehlo.return"(%2) : (tensor<4xf32>) -> ()
    }) : (tensor<i1>) -> tensor<4xf32>
    "func.return"(%3) : (tensor<4xf32>) -> ()
  }) {arg_attrs = [{jax.buffer_donor = true, mhlo.layout_mode = "default", tf.aliasing_output = 0 : i32}, {jax.arg_info = "x[\22a\22]"}], function_type = (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>, no_inline, res_attrs = [{jax.result_info = "result"}], sdy.original_func_name = "orig", sym_name = "main", sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    "func.return"(%arg0) : (tensor<4xf32>) -> ()
  }) {function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>):
    "func.return"(%arg1, %arg0) {foo} : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) {function_type = (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>), res_attrs = [{}, {b}], sym_name = "two", sym_visibility = "nested"} : () -> ()
  "func.func"() ({
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "none", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  }) {arg_attrs = [{a = 1 : i64}], function_type = (tensor<4xf32>) -> tensor<4xf32>, res_attrs = [{b}], sym_name = "odd name", sym_visibility = "private"} : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32, sym_name = "calls"} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {a, b.c = "x", sym_name = "odd name"} : () -> ()
// -----
"builtin.module"() ({
  "builtin.module"() ({
    "func.func"() ({
      "func.return"() : () -> ()
    }) {function_type = () -> (), sym_name = "f"} : () -> ()
  }) {sym_name = "a"} : () -> ()
  "builtin.module"() ({
  ^bb0:
  }) {foo} : () -> ()
  "func.func"() ({
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "f"} : () -> ()
}) {sym_name = "outer"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    "func.return"() {foo} : () -> ()
  }) {function_type = () -> (), sym_name = "f"} : () -> ()
  "func.func"() ({
  }) {function_type = (tuple<tensor<f32>>, !stablehlo.token, index, i32, (i32) -> f32) -> ((i32) -> f32), sym_name = "g", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  }) {function_type = (!stablehlo.future<tensor<4xf32>>, vector<4xf32>, memref<4xf32>, none, !d.t<a, b>, !d<"x">) -> (index, f32), sym_name = "h", sym_visibility = "private"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  }) {function_type = (tensor<4xi2>, tensor<ui2>, tensor<2xi7>, tensor<f4E2M1FN>, tensor<f6E2M3FN>, tensor<f6E3M2FN>, tensor<f8E3M4>, tensor<f8E4M3>, tensor<f8E4M3FN>, tensor<f8E4M3FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E5M2>, tensor<f8E5M2FNUZ>, tensor<f8E8M0FNU>, tensor<tf32>, tensor<si8>, tensor<index>, tensor<0x4xf32>, tensor<9223372036854775807xi1>) -> (), sym_name = "t", sym_visibility = "private"} : () -> ()
}) : () -> ()
