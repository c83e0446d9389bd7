// Shardings in every spelling that is read. Spec: algebra 10; dialect 1.3, 3, 4.
#axes = #sdy<axis_ref_list{"x"}>
#mesh = #sdy.mesh<["x"=2, "y"=0x4]>
#sharding = #sdy.sharding<@m, [{"x"}]>
module attributes {a = #sdy.manual_axes<{"x"}>, b = #sdy<dim_mapping ij>,
                   c = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2])->([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, zz_1, z_2]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=2, z_1=3, z_2=4}>} {
  sdy.mesh @m = #mesh
  sdy.mesh @swapped = <["x" = 2], device_ids = [1, 0]>
  func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.func_manual_axes = #sdy<manual_axes{"x"}>} {
    return %x : tensor<8xf32>
  }
  func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [ { "y" : (1) 2, ? } p0 ]>},
               %t: !stablehlo.token) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %x <@m, [{}], unreduced={"y":(1)2}, replicated={"x"}> : tensor<8xf32>
    %1 = sdy.sharding_constraint %x <@m, [{}], unreduced{"y"}> : tensor<8xf32>
    %2 = sdy.sharding_constraint %x <@m, [{}], unreduced=sum{"y"}> : tensor<8xf32>
    %3 = sdy.sharding_constraint %x <@m, [{}], replicated={}> : tensor<8xf32>
    %4 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[#sdy.sharding<@m, [{"y"}]>]>} : tensor<8xf32>
    %5 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[#sharding]>} : tensor<8xf32>
    %6 = sdy.reshard %x #sharding : tensor<8xf32>
    %7 = sdy.reshard %x <@m, // in a value
                         [{"y"}]> : tensor<8xf32>
    %8 = sdy.sharding_constraint %t <@m, []> : !stablehlo.token
    %9 = sdy.propagation_barrier %x allowed_direction="FORWARD" : tensor<8xf32>
    sdy.sharding_group %x group_id=18446744073709551615 : tensor<8xf32>
    %10 = sdy.all_reduce sum #axes %1 out_sharding=<@m, [{}], unreduced={"y"}> : tensor<8xf32>
    %11 = sdy.all_reduce {} %1 out_sharding=<@m, [{}], unreduced={"y"}> : tensor<8xf32>
    return %x : tensor<8xf32>
  }
  func.func @scalar(%x: tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}) -> tensor<f32> {
    %0 = sdy.all_gather [] %x out_sharding=<@m, []> : tensor<f32>
    %1:2 = "d.op"(%0) ({
    }) {sdy.block_arg_propagation_edges = [], sdy.block_arg_sharding_origins = [{x = "self"}], sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>], sdy.result_sharding_origins = [{}]} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
    return %0 : tensor<f32>
  }
}
