// shardy opt --sdy-insert-explicit-reshards=lowering-rules=true
// CASE: a collective behind a barrier reads a whole value, also where the barrier is erased
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=FORWARD : tensor<8x8xf32>
  %1 = sdy.all_slice [{"x", "y"}, {}] %0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{"x", "y"}, {}] %0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: an edge op on a single device keeps one sharding
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[4]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@d0, []> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @d0 = <[], device_ids=[4]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} %arg0 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@d0, []> : tensor<8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
