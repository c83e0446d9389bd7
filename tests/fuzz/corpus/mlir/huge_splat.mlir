"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xi32>, %arg1: tensor<4xi32>):
    %0 = "chlo.broadcast_xor"(%arg0, %arg0) : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
    %1 = "chlo.broadcast_xor"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<4294967296xi64>, foo} : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xi32>, tensor<4xi32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
