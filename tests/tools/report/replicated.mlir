// examples/jax/fsdp_sdy.mlir with the first weight on every device.
module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["fsdp"=4]>
  func.func public @main(%arg0: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>}) -> (tensor<8x12xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<12x4xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>}) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"fsdp"}, {}]> : tensor<8x12xf32>
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
