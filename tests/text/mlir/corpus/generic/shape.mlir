"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: !stablehlo.token, %arg1: !stablehlo.token):
    %0 = "stablehlo.after_all"(%arg0, %arg1) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    %1 = "stablehlo.after_all"(%0) {foo} : (!stablehlo.token) -> !stablehlo.token
    %2 = "stablehlo.after_all"() : () -> !stablehlo.token
    %3 = "stablehlo.after_all"() {foo = "x"} : () -> !stablehlo.token
    "func.return"() : () -> ()
  }) {function_type = (!stablehlo.token, !stablehlo.token) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %0 = "stablehlo.create_token"() : () -> !stablehlo.token
    %1 = "stablehlo.create_token"() {foo} : () -> !stablehlo.token
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<3x2xi16>):
    %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xi32>
    %1 = "stablehlo.bitcast_convert"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4x4xi8>
    %2 = "stablehlo.bitcast_convert"(%arg1) {foo} : (tensor<3x2xi16>) -> tensor<3xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<3x2xi16>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3xf32>, %arg1: tensor<i1>):
    %0 = "stablehlo.broadcast"(%arg0) {broadcast_sizes = dense<[2, 5]> : tensor<2xi64>} : (tensor<3xf32>) -> tensor<2x5x3xf32>
    %1 = "stablehlo.broadcast"(%arg1) {broadcast_sizes = dense<> : tensor<0xi64>, foo} : (tensor<i1>) -> tensor<i1>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3xf32>, tensor<i1>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x1xf32>, %arg1: tensor<f32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = dense<[1, 2]> : tensor<2xi64>} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
    %1 = "stablehlo.broadcast_in_dim"(%arg1) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<2x3x4xf32>
    %2 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = dense<[1, 0]> : tensor<2xi64>, foo} : (tensor<3x1xf32>) -> tensor<5x3xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x1xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<3x1xf32>, %arg2: tensor<2xi8>):
    %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 1 : i64} : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
    %1 = "stablehlo.concatenate"(%arg2) {dimension = 0 : i64} : (tensor<2xi8>) -> tensor<2xi8>
    %2 = "stablehlo.concatenate"(%arg2, %1, %arg2) {dimension = 0 : i64, foo} : (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) -> tensor<6xi8>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<3x1xf32>, tensor<2xi8>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4x5xf32>, %arg1: tensor<i32>, %arg2: tensor<f32>):
    %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg1) {slice_sizes = dense<[1, 5]> : tensor<2xi64>} : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %1 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg1) {foo, slice_sizes = dense<[0, 2]> : tensor<2xi64>} : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<0x2xf32>
    %2 = "stablehlo.dynamic_slice"(%arg2) {slice_sizes = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<f32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4x5xf32>, tensor<i32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4x5xf32>, %arg1: tensor<1x5xf32>, %arg2: tensor<i64>, %arg3: tensor<f32>):
    %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg2) : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i64>, tensor<i64>) -> tensor<4x5xf32>
    %1 = "stablehlo.dynamic_update_slice"(%arg3, %arg3) {foo} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i64>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4x2xi32>
    %1 = "stablehlo.iota"() {foo, iota_dimension = 1 : i64} : () -> tensor<4x2xbf16>
    %2 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<0xcomplex<f32>>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>):
    %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_high = dense<[0, 2]> : tensor<2xi64>, edge_padding_low = dense<[1, -1]> : tensor<2xi64>, interior_padding = dense<[0, 3]> : tensor<2xi64>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x14xf32>
    %1 = "stablehlo.pad"(%arg1, %arg1) {edge_padding_high = dense<> : tensor<0xi64>, edge_padding_low = dense<> : tensor<0xi64>, foo, interior_padding = dense<> : tensor<0xi64>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>):
    %0 = "stablehlo.reshape"(%arg0) : (tensor<3x4xf32>) -> tensor<12xf32>
    %1 = "stablehlo.reshape"(%0) {foo} : (tensor<12xf32>) -> tensor<1x2x1x6xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>):
    %0 = "stablehlo.reverse"(%arg0) {dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %1 = "stablehlo.reverse"(%arg0) {dimensions = dense<> : tensor<0xi64>, foo} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>):
    %0 = "stablehlo.slice"(%arg0) {limit_indices = dense<[8, 5]> : tensor<2xi64>, start_indices = dense<[0, 3]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} : (tensor<8x6xf32>) -> tensor<4x2xf32>
    %1 = "stablehlo.slice"(%arg0) {foo, limit_indices = dense<[8, 6]> : tensor<2xi64>, start_indices = dense<[8, 0]> : tensor<2xi64>, strides = dense<[1, 7]> : tensor<2xi64>} : (tensor<8x6xf32>) -> tensor<0x1xf32>
    %2 = "stablehlo.slice"(%arg1) {limit_indices = dense<> : tensor<0xi64>, start_indices = dense<> : tensor<0xi64>, strides = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<f32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<8x6xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4x5xf32>, %arg1: tensor<f32>):
    %0 = "stablehlo.transpose"(%arg0) {permutation = dense<[2, 0, 1]> : tensor<3xi64>} : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
    %1 = "stablehlo.transpose"(%arg1) {foo, permutation = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<f32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4x5xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<i32>):
    %0 = "stablehlo.get_dimension_size"(%arg0) {dimension = 1 : i64} : (tensor<3x4xf32>) -> tensor<i32>
    %1 = "stablehlo.get_dimension_size"(%arg0) {dimension = 0 : i64, foo} : (tensor<3x4xf32>) -> tensor<i32>
    %2 = "stablehlo.set_dimension_size"(%arg0, %arg1) {dimension = 1 : i64} : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
    %3 = "stablehlo.set_dimension_size"(%2, %arg1) {dimension = 1 : i64, foo} : (tensor<3x?xf32, #stablehlo.bounds<?, 4>>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<i32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<i32>, %arg2: tuple<tensor<f32>, tuple<>>):
    %0 = "stablehlo.tuple"(%arg0, %arg1) : (tensor<f32>, tensor<i32>) -> tuple<tensor<f32>, tensor<i32>>
    %1 = "stablehlo.tuple"() : () -> tuple<>
    %2 = "stablehlo.tuple"(%0, %1) {foo} : (tuple<tensor<f32>, tensor<i32>>, tuple<>) -> tuple<tuple<tensor<f32>, tensor<i32>>, tuple<>>
    %3 = "stablehlo.get_tuple_element"(%2) {index = 0 : i32} : (tuple<tuple<tensor<f32>, tensor<i32>>, tuple<>>) -> tuple<tensor<f32>, tensor<i32>>
    %4 = "stablehlo.get_tuple_element"(%arg2) {foo, index = 1 : i32} : (tuple<tensor<f32>, tuple<>>) -> tuple<>
    %5 = "stablehlo.tuple"() {foo} : () -> tuple<>
    "func.return"() : () -> ()
  }) {function_type = (tensor<f32>, tensor<i32>, tuple<tensor<f32>, tuple<>>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>):
    %0 = "stablehlo.optimization_barrier"(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %1:2 = "stablehlo.optimization_barrier"(%arg0, %arg1) : (tensor<3x4xf32>, tensor<f32>) -> (tensor<3x4xf32>, tensor<f32>)
    %2:2 = "stablehlo.optimization_barrier"(%1#1, %1#0) {foo} : (tensor<f32>, tensor<3x4xf32>) -> (tensor<f32>, tensor<3x4xf32>)
    "stablehlo.optimization_barrier"() : () -> ()
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
    %0 = "stablehlo.partition_id"() : () -> tensor<ui32>
    %1 = "stablehlo.partition_id"() {foo} : () -> tensor<ui32>
    %2 = "stablehlo.replica_id"() : () -> tensor<ui32>
    %3 = "stablehlo.replica_id"() {foo} : () -> tensor<ui32>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
