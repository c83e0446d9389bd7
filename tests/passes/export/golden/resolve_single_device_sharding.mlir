// CASE: an op on one device becomes a branch and a sum over all devices (5.18)
// PASS: sdy-resolve-single-device-sharding
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@d1, []> : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<1> : tensor<i64>
  %3 = stablehlo.compare EQ, %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %4 = "stablehlo.if"(%3) ({
    %6 = stablehlo.negate %arg0 : tensor<8xf32>
    stablehlo.return %6 : tensor<8xf32>
  }, {
    %6 = stablehlo.constant dense<0.0> : tensor<8xf32>
    stablehlo.return %6 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %5 = sdy.all_reduce {"x"} %4 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %5 : tensor<8xf32>
}
// -----
// CASE: replicas are told apart by their own ids (5.18)
// PASS: sdy-resolve-single-device-sharding{replica-count=2}
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
  %2 = stablehlo.constant dense<1> : tensor<i64>
  %3 = stablehlo.compare EQ, %1, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %4 = "stablehlo.if"(%3) ({
    %6 = stablehlo.negate %arg0 : tensor<8xf32>
    stablehlo.return %6 : tensor<8xf32>
  }, {
    %6 = stablehlo.constant dense<0.0> : tensor<8xf32>
    stablehlo.return %6 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %5 = sdy.all_reduce {"x"} %4 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %5 : tensor<8xf32>
}
// -----
// CASE: a device outside of the mesh is refused (deviation 20, fixed)
// PASS: sdy-resolve-single-device-sharding
// ERROR: 'stablehlo.negate' op device 2 is not a device of the mesh
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d2 = <[], device_ids=[2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d2, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: results on two devices are refused (5.18 step 2)
// PASS: sdy-resolve-single-device-sharding
// ERROR: 'stablehlo.custom_call' op op has results on different single devices
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main() {
  %0:2 = stablehlo.custom_call @foo() {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>, <@d1, []>]>} : () -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// -----
// CASE: another result that is sharded is refused (5.18 step 2)
// PASS: sdy-resolve-single-device-sharding
// ERROR: 'stablehlo.custom_call' op single-device op has a sharded result
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main() {
  %0:2 = stablehlo.custom_call @foo() {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>, <@mesh, [{"x"}]>]>} : () -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// -----
// CASE: replicas and partitions at once are refused (5.18 step 3)
// PASS: sdy-resolve-single-device-sharding{replica-count=2 partition-count=2}
// ERROR: 'stablehlo.negate' op Shardy partitioner does not support replica_count > 1 && partition_count > 1 yet.
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: without a mesh with axes there is nothing to do (5.18 step 1)
// PASS: sdy-resolve-single-device-sharding
// UNCHANGED
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
