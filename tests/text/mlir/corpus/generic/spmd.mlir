"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8xf32>, %arg1: tensor<i64>):
    %0 = "spmd.coord"() {axes = #sdy.axis_ref_list<{"x", "y":(1)2}>, mesh = @m} : () -> tensor<i64>
    %1 = "spmd.device_id"() {mesh = @m} : () -> tensor<i64>
    %2 = "spmd.undef"() : () -> tensor<4xf32>
    %3 = "spmd.floordiv"(%0, %arg1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %4 = "spmd.floormod"(%0, %3) {foo} : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %5 = "spmd.all_gather"(%arg0) {axes = #sdy.axis_ref_list<{"x"}>, dim = 0 : i64, mesh = @m} : (tensor<8xf32>) -> tensor<16xf32>
    %6 = "spmd.all_to_all"(%arg0) {axes = #sdy.axis_ref_list<{"x"}>, concat_dim = 0 : i64, mesh = @m, split_dim = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    %7 = "spmd.broadcast_from"(%arg0) {axes = #sdy.axis_ref_list<{"x"}>, mesh = @m, root = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8xf32>, tensor<i64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = "spmd.all_reduce"(%arg0) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) {axes = #sdy.axis_ref_list<{"x"}>, mesh = @m} : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = "spmd.reduce_scatter"(%arg0) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) {axes = #sdy.axis_ref_list<{"x"}>, dim = 0 : i64, foo, mesh = @m} : (tensor<8xf32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = "spmd.permute"(%arg0) {axes = #sdy.axis_ref_list<{"x"}>, map = #spmd.permute_map<shift, [1]>, mesh = @m} : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = "spmd.permute"(%arg0) {axes = #sdy.axis_ref_list<{"x"}>, map = #spmd.permute_map<rotate, [-1]>, mesh = @m} : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = "spmd.permute"(%arg0) {axes = #sdy.axis_ref_list<{"x"}>, map = #spmd.permute_map<mirror, []>, mesh = @m} : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "m"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = "spmd.permute"(%arg0) {axes = #sdy.axis_ref_list<{"x"}>, map = #spmd.permute_map<pairs, [0, 1, 1, 0]>, mesh = @m} : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
