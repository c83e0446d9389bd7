// Text of JAX with debug information, for a program with shard_map and custom calls. Spec: stablehlo 2, 7.
#loc1 = loc("x")
#loc2 = loc("w")
module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, mhlo.xla_entry_computation_parameter_layouts = [dense<[1, 0]> : tensor<2xindex>], mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2, \22y\22=4]>}", xla.sdy.use_tuple_args = "True"}} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> loc(#loc)
  func.func public @main(%arg0: tensor<8x16xf32> {jax.buffer_donor = true, mhlo.layout_mode = "default", mhlo.memory_kind = "device", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("x"), %arg1: tensor<16x16xf32> {mhlo.layout_mode = "{1,0}", mhlo.sharding = "{devices=[1,2,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}", tf.aliasing_output = 0 : i32} loc("w"), %arg2: !stablehlo.token {jax.token = true} loc("tok"), %arg3: tensor<i32> {jax.global_constant = "_platform_index"} loc(unknown)) -> (tensor<8x16xf32> {jax.result_info = "result[0]['a']", mhlo.layout_mode = "default", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<f32> {jax.result_info = ""}, !stablehlo.token {jax.token = true}) {
    %0:2 = call @shmap_body_wrapper(%arg0, %arg1) {mhlo.frontend_attributes = {a = "b"}} : (tensor<8x16xf32>, tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<f32>) loc(#loc8)
    %1 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg4: tensor<4x16xf32> loc("jit(f)/jit(main)/shard_map"(#loc3)), %arg5: tensor<16x16xf32> loc("jit(f)/jit(main)/shard_map"(#loc3))) {
      %8 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32> loc(#loc13)
      %9 = "stablehlo.all_reduce"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32> loc(unknown), %arg7: tensor<f32> loc(unknown)):
        %10 = stablehlo.add %arg6, %arg7 : tensor<f32> loc(#loc14)
        stablehlo.return %10 : tensor<f32> loc(#loc14)
      }) : (tensor<4x16xf32>) -> tensor<4x16xf32> loc(#loc14)
      sdy.return %9 : tensor<4x16xf32> loc(#loc12)
    } : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc(#loc12)
    %2 = stablehlo.custom_call @Sharding(%1) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%3) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %5:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%4) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, trans = "N"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8xi32>, tensor<i32>)
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32> loc(#loc)
    %6 = stablehlo.reduce(%5#0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32> loc(#loc15)
    %7 = stablehlo.custom_call @xla_python_cpu_callback(%6) {api_version = 2 : i32, backend_config = "94037", has_side_effect = true, xla_shape = "(f32[])"} : (tensor<f32>) -> tensor<f32>
    return %0#0, %7, %arg2 : tensor<8x16xf32>, tensor<f32>, !stablehlo.token loc(#loc)
  } loc(#loc)
  func.func private @shmap_body_wrapper(%arg0: tensor<8x16xf32> loc(#loc1), %arg1: tensor<16x16xf32>) -> (tensor<8x16xf32> {jax.result_info = "[('x',), None]"}, tensor<f32>) attributes {llvm.emit_c_interface} {
    %cst_0 = stablehlo.constant dense_resource<__elided__> : tensor<16x16xf32> loc(#loc)
    %c = stablehlo.constant dense<"0x00000000000000000100000000000000"> : tensor<2xi64>
    %cst = arith.constant dense<1.000000e+00> : tensor<f32>
    %0:2 = chlo.top_k(%arg0, k = 2) {xla.x} : tensor<8x16xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
    return %arg0, %cst : tensor<8x16xf32>, tensor<f32>
  }
}
#loc = loc(unknown)
#loc3 = loc("/tmp/f.py":12:8 to 14:9)
#loc8 = loc("jit(f)/pjit[name=shmap_body]"(#loc3))
#loc12 = loc(fused["jit(f)/shard_map", #loc3])
#loc13 = loc(callsite("dot" at #loc3))
#loc14 = loc("psum"(#loc3))
#loc15 = loc(fused<{a = 1 : i64}>[#loc3, #loc8])
