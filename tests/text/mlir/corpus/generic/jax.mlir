"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["data"=4, "model"=2]>, sym_name = "mesh"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<128x64xf32>, %arg1: tensor<64x256xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo.precision<DEFAULT>, #stablehlo.precision<DEFAULT>]} : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
    "func.return"(%0) : (tensor<128x256xf32>) -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}], function_type = (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>, res_attrs = [{jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_matmul"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4x16xbf16>):
    %cst = "stablehlo.constant"() {value = dense<0xFF80> : tensor<bf16>} : () -> tensor<bf16>
    %0 = "stablehlo.reduce"(%arg0, %cst) ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %13 = "stablehlo.maximum"(%arg1, %arg2) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
      "stablehlo.return"(%13) : (tensor<bf16>) -> ()
    }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<4x16xbf16>, tensor<bf16>) -> tensor<4xbf16>
    %cst_0 = "stablehlo.constant"() {value = dense<0xFF80> : tensor<bf16>} : () -> tensor<bf16>
    %1 = "stablehlo.broadcast_in_dim"(%cst_0) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<bf16>) -> tensor<4xbf16>
    %2 = "stablehlo.maximum"(%1, %0) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
    %3 = "stablehlo.broadcast_in_dim"(%2) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<4xbf16>) -> tensor<4x1xbf16>
    %4 = "stablehlo.broadcast_in_dim"(%3) {broadcast_dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<4x1xbf16>) -> tensor<4x16xbf16>
    %5 = "stablehlo.subtract"(%arg0, %4) : (tensor<4x16xbf16>, tensor<4x16xbf16>) -> tensor<4x16xbf16>
    %6 = "stablehlo.exponential"(%5) : (tensor<4x16xbf16>) -> tensor<4x16xbf16>
    %7 = "stablehlo.convert"(%6) : (tensor<4x16xbf16>) -> tensor<4x16xf32>
    %cst_1 = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %8 = "stablehlo.reduce"(%7, %cst_1) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %13 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%13) : (tensor<f32>) -> ()
    }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %9 = "stablehlo.convert"(%8) : (tensor<4xf32>) -> tensor<4xbf16>
    %10 = "stablehlo.broadcast_in_dim"(%9) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<4xbf16>) -> tensor<4x1xbf16>
    %11 = "stablehlo.broadcast_in_dim"(%10) {broadcast_dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<4x1xbf16>) -> tensor<4x16xbf16>
    %12 = "stablehlo.divide"(%6, %11) : (tensor<4x16xbf16>, tensor<4x16xbf16>) -> tensor<4x16xbf16>
    "func.return"(%12) : (tensor<4x16xbf16>) -> ()
  }) {function_type = (tensor<4x16xbf16>) -> tensor<4x16xbf16>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_softmax"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<8x32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>):
    %cst = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %0 = "stablehlo.reduce"(%arg0, %cst) ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %15 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%15) : (tensor<f32>) -> ()
    }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = "stablehlo.constant"() {value = dense<3.200000e+01> : tensor<f32>} : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%cst_0) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<8xf32>
    %2 = "stablehlo.divide"(%0, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %3 = "func.call"(%arg0) {callee = @_var} : (tensor<8x32xf32>) -> tensor<8xf32>
    %4 = "stablehlo.broadcast_in_dim"(%2) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<8xf32>) -> tensor<8x32xf32>
    %5 = "stablehlo.subtract"(%arg0, %4) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %cst_1 = "stablehlo.constant"() {value = dense<9.99999974E-6> : tensor<f32>} : () -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%cst_1) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<8xf32>
    %7 = "stablehlo.add"(%3, %6) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %8 = "stablehlo.rsqrt"(%7) : (tensor<8xf32>) -> tensor<8xf32>
    %9 = "stablehlo.broadcast_in_dim"(%8) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<8xf32>) -> tensor<8x32xf32>
    %10 = "stablehlo.multiply"(%5, %9) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %11 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<32xf32>) -> tensor<8x32xf32>
    %12 = "stablehlo.multiply"(%10, %11) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %13 = "stablehlo.broadcast_in_dim"(%arg2) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<32xf32>) -> tensor<8x32xf32>
    %14 = "stablehlo.add"(%12, %13) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    "func.return"(%14) : (tensor<8x32xf32>) -> ()
  }) {function_type = (tensor<8x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<8x32xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x32xf32>):
    %0 = "stablehlo.multiply"(%arg0, %arg0) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %cst = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %1 = "stablehlo.reduce"(%0, %cst) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    "func.return"(%1) : (tensor<8xf32>) -> ()
  }) {function_type = (tensor<8x32xf32>) -> tensor<8xf32>, sym_name = "_var", sym_visibility = "private"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_layer_norm"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<10x4xf32>, %arg1: tensor<4xf32>):
    %cst = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %0 = "stablehlo.broadcast_in_dim"(%cst) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<10x4xf32>
    %c = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1:4 = "stablehlo.while"(%arg0, %c, %arg1, %0) ({
    ^bb0(%iterArg: tensor<10x4xf32>, %iterArg_0: tensor<i32>, %iterArg_1: tensor<4xf32>, %iterArg_2: tensor<10x4xf32>):
      %c_3 = "stablehlo.constant"() {value = dense<10> : tensor<i32>} : () -> tensor<i32>
      %2 = "stablehlo.compare"(%iterArg_0, %c_3) {compare_type = #stablehlo.comparison_type<SIGNED>, comparison_direction = #stablehlo.comparison_direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%2) : (tensor<i1>) -> ()
    }, {
    ^bb0(%iterArg: tensor<10x4xf32>, %iterArg_0: tensor<i32>, %iterArg_1: tensor<4xf32>, %iterArg_2: tensor<10x4xf32>):
      %c_3 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
      %2 = "stablehlo.compare"(%iterArg_0, %c_3) {compare_type = #stablehlo.comparison_type<SIGNED>, comparison_direction = #stablehlo.comparison_direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = "stablehlo.convert"(%iterArg_0) : (tensor<i32>) -> tensor<i32>
      %c_4 = "stablehlo.constant"() {value = dense<10> : tensor<i32>} : () -> tensor<i32>
      %4 = "stablehlo.add"(%3, %c_4) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %5 = "stablehlo.select"(%2, %4, %iterArg_0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_5 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
      %6 = "stablehlo.dynamic_slice"(%iterArg, %5, %c_5) {slice_sizes = dense<[1, 4]> : tensor<2xi64>} : (tensor<10x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %7 = "stablehlo.reshape"(%6) : (tensor<1x4xf32>) -> tensor<4xf32>
      %8 = "func.call"(%iterArg_1, %7) {callee = @closed_call} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %9 = "stablehlo.broadcast_in_dim"(%8) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<4xf32>) -> tensor<1x4xf32>
      %10 = "stablehlo.dynamic_update_slice"(%iterArg_2, %9, %5, %c_5) : (tensor<10x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<10x4xf32>
      %c_6 = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %11 = "stablehlo.add"(%iterArg_0, %c_6) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%iterArg, %11, %8, %10) : (tensor<10x4xf32>, tensor<i32>, tensor<4xf32>, tensor<10x4xf32>) -> ()
    }) : (tensor<10x4xf32>, tensor<i32>, tensor<4xf32>, tensor<10x4xf32>) -> (tensor<10x4xf32>, tensor<i32>, tensor<4xf32>, tensor<10x4xf32>)
    "func.return"(%1#2, %1#3) : (tensor<4xf32>, tensor<10x4xf32>) -> ()
  }) {function_type = (tensor<10x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<10x4xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>):
    %0 = "stablehlo.tanh"(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.add"(%arg0, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%1) : (tensor<4xf32>) -> ()
  }) {function_type = (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>, sym_name = "closed_call", sym_visibility = "private"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_scan"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<3xf32>):
    %0 = "stablehlo.convert"(%arg0) : (tensor<i1>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %2 = "stablehlo.cosine"(%arg1) : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%2) : (tensor<3xf32>) -> ()
    }, {
      %2 = "stablehlo.sine"(%arg1) : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%2) : (tensor<3xf32>) -> ()
    }) : (tensor<i32>) -> tensor<3xf32>
    "func.return"(%1) : (tensor<3xf32>) -> ()
  }) {function_type = (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_cond"} : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=4]>, sym_name = "mesh"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<16x4xf32>):
    %0 = "sdy.manual_computation"(%arg0) ({
    ^bb0(%arg1: tensor<4x4xf32>):
      %1 = "stablehlo.all_reduce"(%arg1) ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %2 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%2) : (tensor<f32>) -> ()
      }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids} : (tensor<4x4xf32>) -> tensor<4x4xf32>
      "sdy.return"(%1) : (tensor<4x4xf32>) -> ()
    }) {in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, manual_axes = #sdy.manual_axes<{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}], replicated={"x"}>]>} : (tensor<16x4xf32>) -> tensor<4x4xf32>
    "func.return"(%0) : (tensor<4x4xf32>) -> ()
  }) {function_type = (tensor<16x4xf32>) -> tensor<4x4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_psum"} : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "mesh"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x8xf32>):
    %0 = "sdy.manual_computation"(%arg0) ({
    ^bb0(%arg1: tensor<4x8xf32>):
      %1 = "stablehlo.all_gather"(%arg1) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<4x8xf32>) -> tensor<8x8xf32>
      %2 = "stablehlo.slice"(%1) {limit_indices = dense<8> : tensor<2xi64>, start_indices = dense<0> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} : (tensor<8x8xf32>) -> tensor<4x8xf32>
      %3 = "sdy.sharding_constraint"(%2) {sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
      "sdy.return"(%3) : (tensor<4x8xf32>) -> ()
    }) {in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>, manual_axes = #sdy.manual_axes<{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%0) : (tensor<8x8xf32>) -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}], function_type = (tensor<8x8xf32>) -> tensor<8x8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_all_gather"} : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["i"=4]>, sym_name = "mesh"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = "sdy.manual_computation"(%arg0) ({
    ^bb0(%arg1: tensor<2xf32>):
      %1 = "stablehlo.collective_permute"(%arg1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
      %2 = "stablehlo.partition_id"() : () -> tensor<ui32>
      %3 = "stablehlo.convert"(%2) : (tensor<ui32>) -> tensor<f32>
      %4 = "stablehlo.broadcast_in_dim"(%3) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<2xf32>
      %5 = "stablehlo.add"(%1, %4) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      "sdy.return"(%5) : (tensor<2xf32>) -> ()
    }) {in_shardings = #sdy.sharding_per_value<[<@mesh, [{"i"}]>]>, manual_axes = #sdy.manual_axes<{"i"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"i"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%0) : (tensor<8xf32>) -> ()
  }) {function_type = (tensor<8xf32>) -> tensor<8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_ppermute"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4x8xf32>):
    %0 = "func.call"(%arg0) {callee = @argmax} : (tensor<4x8xf32>) -> tensor<4xi32>
    "func.return"(%0) : (tensor<4xi32>) -> ()
  }) {function_type = (tensor<4x8xf32>) -> tensor<4xi32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4x8xf32>):
    %0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<4x8xi32>
    %cst = "stablehlo.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
    %c = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1:2 = "stablehlo.reduce"(%arg0, %0, %cst, %c) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<f32>, %arg4: tensor<i32>):
      %2 = "stablehlo.compare"(%arg1, %arg3) {compare_type = #stablehlo.comparison_type<FLOAT>, comparison_direction = #stablehlo.comparison_direction<GT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = "stablehlo.compare"(%arg1, %arg1) {compare_type = #stablehlo.comparison_type<FLOAT>, comparison_direction = #stablehlo.comparison_direction<NE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = "stablehlo.or"(%2, %3) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %5 = "stablehlo.compare"(%arg1, %arg3) {compare_type = #stablehlo.comparison_type<FLOAT>, comparison_direction = #stablehlo.comparison_direction<EQ>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = "stablehlo.compare"(%arg2, %arg4) {compare_type = #stablehlo.comparison_type<SIGNED>, comparison_direction = #stablehlo.comparison_direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = "stablehlo.and"(%5, %6) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %8 = "stablehlo.or"(%4, %7) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %9 = "stablehlo.select"(%4, %arg1, %arg3) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %10 = "stablehlo.select"(%8, %arg2, %arg4) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%9, %10) : (tensor<f32>, tensor<i32>) -> ()
    }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    "func.return"(%1#1) : (tensor<4xi32>) -> ()
  }) {function_type = (tensor<4x8xf32>) -> tensor<4xi32>, sym_name = "argmax", sym_visibility = "private"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_argmax"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<9xf32>):
    %0 = "func.call"(%arg0) {callee = @cumsum} : (tensor<9xf32>) -> tensor<9xf32>
    "func.return"(%0) : (tensor<9xf32>) -> ()
  }) {function_type = (tensor<9xf32>) -> tensor<9xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<9xf32>):
    %cst = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %0 = "stablehlo.broadcast_in_dim"(%cst) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) {base_dilations = dense<1> : tensor<1xi64>, padding = dense<[[8, 0]]> : tensor<1x2xi64>, window_dilations = dense<1> : tensor<1xi64>, window_dimensions = dense<9> : tensor<1xi64>, window_strides = dense<1> : tensor<1xi64>} : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    "func.return"(%1) : (tensor<9xf32>) -> ()
  }) {function_type = (tensor<9xf32>) -> tensor<9xf32>, sym_name = "cumsum", sym_visibility = "private"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_cumsum"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<2x8x8x3xf32>, %arg1: tensor<3x3x3x4xf32>):
    %0 = "stablehlo.convolution"(%arg0, %arg1) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo.precision<DEFAULT>, #stablehlo.precision<DEFAULT>], rhs_dilation = dense<1> : tensor<2xi64>, window_strides = dense<2> : tensor<2xi64>} : (tensor<2x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32>
    "func.return"(%0) : (tensor<2x4x4x4xf32>) -> ()
  }) {function_type = (tensor<2x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_conv"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<100x16xf32>, %arg1: tensor<8xi32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<8xi32>) -> tensor<8x1xi32>
    %c = "stablehlo.constant"() {value = dense<99> : tensor<1xi32>} : () -> tensor<1xi32>
    %c_0 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1 = "stablehlo.broadcast_in_dim"(%c_0) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<i32>) -> tensor<8x1xi32>
    %2 = "stablehlo.compare"(%0, %1) {compare_type = #stablehlo.comparison_type<SIGNED>, comparison_direction = #stablehlo.comparison_direction<GE>} : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %3 = "stablehlo.broadcast_in_dim"(%c) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<1xi32>) -> tensor<1x1xi32>
    %4 = "stablehlo.broadcast_in_dim"(%3) {broadcast_dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<1x1xi32>) -> tensor<8x1xi32>
    %5 = "stablehlo.compare"(%0, %4) {compare_type = #stablehlo.comparison_type<SIGNED>, comparison_direction = #stablehlo.comparison_direction<LE>} : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %6 = "stablehlo.and"(%2, %5) : (tensor<8x1xi1>, tensor<8x1xi1>) -> tensor<8x1xi1>
    %c_1 = "stablehlo.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %7 = "stablehlo.reduce"(%6, %c_1) ({
    ^bb0(%arg2: tensor<i1>, %arg3: tensor<i1>):
      %12 = "stablehlo.and"(%arg2, %arg3) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%12) : (tensor<i1>) -> ()
    }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<8x1xi1>, tensor<i1>) -> tensor<8xi1>
    %8 = "stablehlo.gather"(%arg0, %0) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = dense<[1, 16]> : tensor<2xi64>} : (tensor<100x16xf32>, tensor<8x1xi32>) -> tensor<8x16xf32>
    %9 = "stablehlo.broadcast_in_dim"(%7) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<8xi1>) -> tensor<8x16xi1>
    %cst = "stablehlo.constant"() {value = dense<0x7FC00000> : tensor<f32>} : () -> tensor<f32>
    %10 = "stablehlo.broadcast_in_dim"(%cst) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<8x16xf32>
    %11 = "stablehlo.select"(%9, %8, %10) : (tensor<8x16xi1>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%11) : (tensor<8x16xf32>) -> ()
  }) {function_type = (tensor<100x16xf32>, tensor<8xi32>) -> tensor<8x16xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_take"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<10xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3xf32>):
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) {indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false} : (tensor<10xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<10xf32>
    "func.return"(%0) : (tensor<10xf32>) -> ()
  }) {function_type = (tensor<10xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<10xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_scatter_add"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<2xui32>):
    %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xui32>
    %1 = "stablehlo.slice"(%0) {limit_indices = dense<2> : tensor<1xi64>, start_indices = dense<0> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} : (tensor<4xui32>) -> tensor<2xui32>
    %2 = "stablehlo.slice"(%0) {limit_indices = dense<4> : tensor<1xi64>, start_indices = dense<2> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} : (tensor<4xui32>) -> tensor<2xui32>
    %3:2 = "func.call"(%1, %2) {callee = @_threefry2x32} : (tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %4 = "stablehlo.concatenate"(%3#0, %3#1) {dimension = 0 : i64} : (tensor<2xui32>, tensor<2xui32>) -> tensor<4xui32>
    "func.return"(%4) : (tensor<4xui32>) -> ()
  }) {function_type = (tensor<2xui32>) -> tensor<4xui32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<2xui32>, %arg1: tensor<2xui32>):
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %c = "stablehlo.constant"() {value = dense<13> : tensor<ui32>} : () -> tensor<ui32>
    %1 = "stablehlo.broadcast_in_dim"(%c) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<ui32>) -> tensor<2xui32>
    %2 = "stablehlo.shift_left"(%arg1, %1) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %c_0 = "stablehlo.constant"() {value = dense<19> : tensor<ui32>} : () -> tensor<ui32>
    %3 = "stablehlo.broadcast_in_dim"(%c_0) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<ui32>) -> tensor<2xui32>
    %4 = "stablehlo.shift_right_logical"(%arg1, %3) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %5 = "stablehlo.or"(%2, %4) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %6 = "stablehlo.xor"(%0, %5) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    "func.return"(%0, %6) : (tensor<2xui32>, tensor<2xui32>) -> ()
  }) {function_type = (tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>), sym_name = "_threefry2x32", sym_visibility = "private"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_random_bits"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xui32>):
    %0 = "stablehlo.reshape"(%arg0) : (tensor<4xui32>) -> tensor<2x2xui32>
    %1 = "stablehlo.bitcast_convert"(%0) : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = "stablehlo.rng_bit_generator"(%1) {rng_algorithm = #stablehlo.rng_algorithm<DEFAULT>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    "func.return"(%output_state, %output) : (tensor<2xui64>, tensor<3x5xui32>) -> ()
  }) {function_type = (tensor<4xui32>) -> (tensor<2xui64>, tensor<3x5xui32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_rng_bit_generator"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<2x9xf32>):
    %values, %indices = "chlo.top_k"(%arg0) {k = 3 : i64} : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    "func.return"(%values, %indices) : (tensor<2x3xf32>, tensor<2x3xi32>) -> ()
  }) {function_type = (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_top_k"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<6xf32>):
    %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<6xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>} : () -> tensor<f32>
      %2 = "stablehlo.compare"(%arg1, %cst) {compare_type = #stablehlo.comparison_type<FLOAT>, comparison_direction = #stablehlo.comparison_direction<EQ>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = "stablehlo.select"(%2, %cst, %arg1) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %4 = "stablehlo.compare"(%3, %arg2) {compare_type = #stablehlo.comparison_type<TOTALORDER>, comparison_direction = #stablehlo.comparison_direction<LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%4) : (tensor<i1>) -> ()
    }) {dimension = 0 : i64, is_stable = true} : (tensor<6xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xi32>)
    "func.return"(%1#1) : (tensor<6xi32>) -> ()
  }) {function_type = (tensor<6xf32>) -> tensor<6xi32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_sort"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x16xf32>):
    %0 = "func.call"(%arg0) {callee = @fft} : (tensor<3x16xf32>) -> tensor<3x9xcomplex<f32>>
    %1 = "chlo.conj"(%0) : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
    %cst = "stablehlo.constant"() {value = dense<(2.000000e+00,-1.000000e+00)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %2 = "stablehlo.broadcast_in_dim"(%cst) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<complex<f32>>) -> tensor<3x9xcomplex<f32>>
    %3 = "stablehlo.multiply"(%1, %2) : (tensor<3x9xcomplex<f32>>, tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
    "func.return"(%3) : (tensor<3x9xcomplex<f32>>) -> ()
  }) {function_type = (tensor<3x16xf32>) -> tensor<3x9xcomplex<f32>>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<3x16xf32>):
    %0 = "stablehlo.fft"(%arg0) {fft_length = dense<16> : tensor<1xi64>, fft_type = #stablehlo.fft_type<RFFT>} : (tensor<3x16xf32>) -> tensor<3x9xcomplex<f32>>
    "func.return"(%0) : (tensor<3x9xcomplex<f32>>) -> ()
  }) {function_type = (tensor<3x16xf32>) -> tensor<3x9xcomplex<f32>>, sym_name = "fft", sym_visibility = "private"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_fft"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x3xf64>, %arg1: tensor<3x1xf64>):
    %0 = "stablehlo.cholesky"(%arg0) {lower = true} : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %1 = "stablehlo.triangular_solve"(%0, %arg1) {left_side = true, lower = true, transpose_a = #stablehlo.transpose<NO_TRANSPOSE>, unit_diagonal = false} : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
    %2 = "stablehlo.triangular_solve"(%0, %1) {left_side = true, lower = true, transpose_a = #stablehlo.transpose<TRANSPOSE>, unit_diagonal = false} : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
    "func.return"(%2) : (tensor<3x1xf64>) -> ()
  }) {function_type = (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_cho_solve"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<8x4xf32>):
    %0 = "stablehlo.custom_call"(%arg0) {backend_config = "", call_target_name = "Sharding", mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = "stablehlo.custom_call"(%0) {backend_config = "", call_target_name = "SPMDFullToShardShape", mhlo.sharding = "{manual}"} : (tensor<8x4xf32>) -> tensor<4x2xf32>
    %2 = "stablehlo.custom_call"(%1) {backend_config = "", call_target_name = "SPMDShardToFullShape", mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<4x2xf32>) -> tensor<8x4xf32>
    "func.return"(%2) : (tensor<8x4xf32>) -> ()
  }) {arg_attrs = [{mhlo.sharding = "{devices=[4,1]<=[4]}"}], function_type = (tensor<8x4xf32>) -> tensor<8x4xf32>, res_attrs = [{jax.result_info = "result", mhlo.sharding = "{replicated}"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_with_gspmd_sharding"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: !stablehlo.token, %arg1: tensor<3xf32>):
    %c = "stablehlo.constant"() {value = dense<94512318976> : tensor<i64>} : () -> tensor<i64>
    %0:2 = "stablehlo.custom_call"(%arg0, %arg1) {api_version = 4 : i32, backend_config = "", call_target_name = "xla_ffi_python_cpu_callback", has_side_effect = true, mhlo.backend_config = {descriptor = 94512318976 : ui64}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>]} : (!stablehlo.token, tensor<3xf32>) -> (!stablehlo.token, tensor<3xf32>)
    "func.return"(%0#0, %0#1) : (!stablehlo.token, tensor<3xf32>) -> ()
  }) {arg_attrs = [{jax.token = true}, {}], function_type = (!stablehlo.token, tensor<3xf32>) -> (!stablehlo.token, tensor<3xf32>), res_attrs = [{jax.token = true}, {jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_callback"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<?x4xf32>):
    %0 = "stablehlo.get_dimension_size"(%arg0) {dimension = 0 : i64} : (tensor<?x4xf32>) -> tensor<i32>
    %c = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %1 = "stablehlo.compare"(%0, %c) {compare_type = #stablehlo.comparison_type<SIGNED>, comparison_direction = #stablehlo.comparison_direction<GE>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%1, %0) {api_version = 2 : i32, call_target_name = "shape_assertion", error_message = "Dimension variable 'b' must have integer value >= 1. Found {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %2 = "func.call"(%0, %arg0) {callee = @_wrapped_jax_export_main} : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    "func.return"(%2) : (tensor<?x4xf32>) -> ()
  }) {function_type = (tensor<?x4xf32>) -> tensor<?x4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<?x4xf32>):
    %0 = "stablehlo.reshape"(%arg0) : (tensor<i32>) -> tensor<1xi32>
    %c = "stablehlo.constant"() {value = dense<4> : tensor<1xi32>} : () -> tensor<1xi32>
    %1 = "stablehlo.concatenate"(%0, %c) {dimension = 0 : i64} : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst = "stablehlo.constant"() {value = dense<2.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %2 = "stablehlo.dynamic_broadcast_in_dim"(%cst, %1) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
    %3 = "stablehlo.multiply"(%arg1, %2) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    "func.return"(%3) : (tensor<?x4xf32>) -> ()
  }) {arg_attrs = [{jax.global_constant = "b"}, {jax.arg_info = "x"}], function_type = (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "_wrapped_jax_export_main", sym_visibility = "private"} : () -> ()
}) {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_exported"} : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["data"=2, "seq"=1, "model"=4]>, sym_name = "mesh"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4x128x8x64xbf16>, %arg1: tensor<4x128x8x64xbf16>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>, mhlo.frontend_attributes = {fused = "true"}, precision_config = [#stablehlo.precision<HIGHEST>, #stablehlo.precision<HIGHEST>]} : (tensor<4x128x8x64xbf16>, tensor<4x128x8x64xbf16>) -> tensor<4x8x128x128xf32>
    %1 = "sdy.sharding_constraint"(%0) {sharding = #sdy.sharding<@mesh, [{"data"}, {"model":(1)2, ?}, {"model":(2)2}, {?}p2], replicated={"seq"}>} : (tensor<4x8x128x128xf32>) -> tensor<4x8x128x128xf32>
    "func.return"(%1) : (tensor<4x8x128x128xf32>) -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}, {"seq", ?}, {"model", ?}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}, {?}, {"model", ?}, {?}]>}], function_type = (tensor<4x128x8x64xbf16>, tensor<4x128x8x64xbf16>) -> tensor<4x8x128x128xf32>, res_attrs = [{jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {?}p1, {}]>}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_attention"} : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=4]>, sym_name = "mesh"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<64x64xf32>, %arg1: tensor<f32>):
    %0 = "sdy.named_computation"(%arg0, %arg1) ({
    ^bb0(%arg2: tensor<64x64xf32>, %arg3: tensor<f32>):
      %4 = "stablehlo.broadcast_in_dim"(%arg3) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<64x64xf32>
      %5 = "stablehlo.multiply"(%arg2, %4) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      "sdy.return"(%5) : (tensor<64x64xf32>) -> ()
    }) {mhlo.frontend_attributes = {inlineable = "false"}, name = "remat"} : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
    %1:2 = "stablehlo.optimization_barrier"(%0, %arg1) : (tensor<64x64xf32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<f32>)
    %cst = "stablehlo.constant"() {value = dense<1.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %2 = "stablehlo.add"(%1#1, %cst) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.composite"(%1#0) {composite_attributes = {level = 2 : i64, name = "mlp"}, decomposition = @my.checkpoint.impl, name = "my.checkpoint", version = 1 : i32} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    "func.return"(%3, %2) : (tensor<64x64xf32>, tensor<f32>) -> ()
  }) {arg_attrs = [{jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, {mhlo.layout_mode = "default", mhlo.memory_kind = "pinned_host", tf.aliasing_output = 1 : i32}], function_type = (tensor<64x64xf32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<f32>), no_inline, res_attrs = [{jax.result_info = "result['w']", mhlo.layout_mode = "{0,1}", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, {jax.result_info = "result['step']"}], sym_name = "main", sym_visibility = "public"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<64x64xf32>):
    "func.return"(%arg0) : (tensor<64x64xf32>) -> ()
  }) {function_type = (tensor<64x64xf32>) -> tensor<64x64xf32>, sym_name = "my.checkpoint.impl", sym_visibility = "private"} : () -> ()
}) {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_train_step"} : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["a"=2, "b"=2, "c"=8]>, sym_name = "mesh"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x8xf32>):
    %0 = "stablehlo.add"(%arg0, %arg0) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand-1, result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"c":(1)2, ?}]>]>, sdy.sharding_origins = [{a = "input: 0", "c:(1)2" = "constraint_0"}]} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = "sdy.sharding_constraint"(%0) {sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {"c:(1)2" = "self"}, sharding = #sdy.sharding<@mesh, [{?}, {"c":(1)2, ?}]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%1) : (tensor<8x8xf32>) -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>, sdy.sharding_origins = {a = "self"}}], function_type = (tensor<8x8xf32>) -> tensor<8x8xf32>, res_attrs = [{sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>, sdy.sharding_origins = {a = "input: 0"}}], sym_name = "main"} : () -> ()
}) {sym_name = "jit_debug_attributes"} : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["a"=2, "b"=2]>, sym_name = "mesh"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>):
    %0 = "stablehlo.custom_call"(%arg0, %arg1) {call_target_name = "foo", sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=8, k=8} reduction={k}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = "stablehlo.custom_call"(%0) {call_target_name = "bar", sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([i, jk]) {i=4, j=2, k=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%1) : (tensor<8x8xf32>) -> ()
  }) {function_type = (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>, sym_name = "main"} : () -> ()
}) {sym_name = "jit_custom_rules"} : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<[]>, sym_name = "empty_mesh"} : () -> ()
  "sdy.mesh"() {mesh = #sdy.mesh<[], device_ids=[1]>, sym_name = "maximal_mesh_1"} : () -> ()
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2]>, sym_name = "mesh"} : () -> ()
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>, sym_name = "mesh_0"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>):
    "sdy.sharding_group"(%arg1) {group_id = 0 : i64} : (tensor<8xf32>) -> ()
    "sdy.sharding_group"(%arg2) {group_id = 0 : i64} : (tensor<8xf32>) -> ()
    %0 = "sdy.propagation_barrier"(%arg1) {allowed_direction = 0 : i32} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "sdy.reshard"(%0) {sharding = #sdy.sharding<@mesh, [{"x", ?}]>} : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"() : () -> ()
  }) {arg_attrs = [{sdy.sharding = #sdy.sharding<@maximal_mesh_1, []>}, {sdy.sharding = #sdy.sharding<mesh<["z"=4]>, [{"z"}]>}, {sdy.sharding = #sdy.sharding<@mesh_0, [{"x"}], unreduced={"y"}>}], function_type = (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (), sym_name = "main"} : () -> ()
}) {sym_name = "jit_many_meshes"} : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<i32>):
    %0 = "stablehlo.while"(%arg0) ({
    ^bb0(%iterArg: tensor<i32>):
      %c = "stablehlo.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
      %1 = "stablehlo.compare"(%iterArg, %c) {compare_type = #stablehlo.comparison_type<SIGNED>, comparison_direction = #stablehlo.comparison_direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }, {
    ^bb0(%iterArg: tensor<i32>):
      %1 = "stablehlo.while"(%iterArg) ({
      ^bb0(%iterArg_0: tensor<i32>):
        %c = "stablehlo.constant"() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
        %4 = "stablehlo.compare"(%iterArg_0, %c) {compare_type = #stablehlo.comparison_type<SIGNED>, comparison_direction = #stablehlo.comparison_direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
        "stablehlo.return"(%4) : (tensor<i1>) -> ()
      }, {
      ^bb0(%iterArg_0: tensor<i32>):
        %c = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
        %4 = "stablehlo.add"(%iterArg_0, %c) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%4) : (tensor<i32>) -> ()
      }) : (tensor<i32>) -> tensor<i32>
      %2 = "stablehlo.case"(%1) ({
        %c = "stablehlo.constant"() {value = dense<5> : tensor<i32>} : () -> tensor<i32>
        %4 = "stablehlo.add"(%1, %c) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%4) : (tensor<i32>) -> ()
      }) : (tensor<i32>) -> tensor<i32>
      %3 = "stablehlo.maximum"(%2, %iterArg) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%3) : (tensor<i32>) -> ()
    }) {mhlo.frontend_attributes = {unroll = "1"}} : (tensor<i32>) -> tensor<i32>
    "func.return"(%0) : (tensor<i32>) -> ()
  }) {function_type = (tensor<i32>) -> tensor<i32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"} : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, sym_name = "jit_nested_loops"} : () -> ()
