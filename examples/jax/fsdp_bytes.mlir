// A step of fully sharded training: weights, gradients and batch over one axis. As old JAX prints it: messages in bytes.
module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x12xf32> {mhlo.sharding = "\08\03\1A\02\04\01\22\04\00\01\02\03"}, %arg1: tensor<12x4xf32> {mhlo.sharding = "\08\03\1A\02\04\01\22\04\00\01\02\03"}, %arg2: tensor<8x8xf32> {mhlo.sharding = "\08\03\1A\02\04\01\22\04\00\01\02\03"}) -> (tensor<8x12xf32> {jax.result_info = "result[0]", mhlo.sharding = "\08\03\1A\02\04\01\22\04\00\01\02\03"}, tensor<12x4xf32> {jax.result_info = "result[1]", mhlo.sharding = "\08\03\1A\02\04\01\22\04\00\01\02\03"}) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "", mhlo.sharding = "\08\03\1A\02\04\01\22\04\00\01\02\03"} : (tensor<8x12xf32>) -> tensor<8x12xf32>
    %2 = stablehlo.tanh %1 : tensor<8x12xf32>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<12x4xf32>) -> tensor<8x4xf32>
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<8x4xf32>) -> tensor<12x4xf32>
    %5 = stablehlo.dot_general %3, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<12x4xf32>) -> tensor<8x12xf32>
    %6 = stablehlo.dot_general %arg2, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
    %7 = stablehlo.subtract %arg0, %6 : tensor<8x12xf32>
    %8 = stablehlo.subtract %arg1, %4 : tensor<12x4xf32>
    return %7, %8 : tensor<8x12xf32>, tensor<12x4xf32>
  }
}
