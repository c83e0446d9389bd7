// shardy opt --sdy-resolve-single-device-sharding
// CASE: of a chain each op reads the sum of the one before; reshards that others read stay, reshards to another sharding too (5.18 steps 3c, 3d)
sdy.mesh @empty = <[]>
sdy.mesh @d5 = <[], device_ids=[5]>
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @later = <["z"=8]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.reshard %arg0 <@d5, []> : tensor<8xf32>
  %1 = sdy.reshard %arg1 <@d5, []> : tensor<8xf32>
  %2 = stablehlo.add %0, %1 {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@d5, []>]>} : tensor<8xf32>
  %3 = sdy.reshard %2 <@d5, []> : tensor<8xf32>
  %4 = stablehlo.negate %3 {sdy.sharding = #sdy.sharding_per_value<[<@d5, []>]>} : tensor<8xf32>
  %5 = sdy.reshard %4 <@mesh, [{"x"}]> : tensor<8xf32>
  %6 = sdy.reshard %4 <@mesh, [{}]> : tensor<8xf32>
  return %5, %6, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @empty = <[]>
  sdy.mesh @d5 = <[], device_ids=[5]>
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @later = <["z"=8]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.reshard %arg1 <@d5, []> : tensor<8xf32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<5> : tensor<i64>
    %3 = stablehlo.compare EQ, %2, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = "stablehlo.if"(%3) ({
      %12 = stablehlo.add %arg0, %arg1 {note = "n"} : tensor<8xf32>
      stablehlo.return %12 : tensor<8xf32>
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
      stablehlo.return %cst : tensor<8xf32>
    }) : (tensor<i1>) -> tensor<8xf32>
    %5 = sdy.all_reduce {"x", "y"} %4 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %6 = stablehlo.partition_id : tensor<ui32>
    %7 = stablehlo.convert %6 : (tensor<ui32>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<5> : tensor<i64>
    %8 = stablehlo.compare EQ, %7, %c_0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %9 = "stablehlo.if"(%8) ({
      %12 = stablehlo.negate %5 : tensor<8xf32>
      stablehlo.return %12 : tensor<8xf32>
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
      stablehlo.return %cst : tensor<8xf32>
    }) : (tensor<i1>) -> tensor<8xf32>
    %10 = sdy.all_reduce {"x", "y"} %9 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %11 = sdy.reshard %10 <@mesh, [{"x"}]> : tensor<8xf32>
    return %11, %10, %0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-single-device-sharding='partition-count=2'
// CASE: several results and tokens, in a region, on a mesh with device ids (5.18 steps 2, 3b, 3c)
sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<i32>, %arg1: !stablehlo.token) -> (tensor<8x2xi8>, !stablehlo.token) {
  %0:2 = "stablehlo.case"(%arg0) ({
    %1:4 = stablehlo.custom_call @many(%arg1) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@d0, []>, <@d0, []>, <@mesh, [{}, {?}]>, <@d0, []>]>} : (!stablehlo.token) -> (tensor<i1>, !stablehlo.token, tensor<8x2xi8>, tensor<3xcomplex<f32>>)
    stablehlo.return %1#2, %1#1 : tensor<8x2xi8>, !stablehlo.token
  }) : (tensor<i32>) -> (tensor<8x2xi8>, !stablehlo.token)
  return %0#0, %0#1 : tensor<8x2xi8>, !stablehlo.token
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
  sdy.mesh @d0 = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<i32>, %arg1: !stablehlo.token) -> (tensor<8x2xi8>, !stablehlo.token) {
    %0:2 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<0> : tensor<i64>
      %3 = stablehlo.compare EQ, %2, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %4:4 = "stablehlo.if"(%3) ({
        %8:4 = stablehlo.custom_call @many(%arg1) {has_side_effect = true} : (!stablehlo.token) -> (tensor<i1>, !stablehlo.token, tensor<8x2xi8>, tensor<3xcomplex<f32>>)
        stablehlo.return %8#0, %8#1, %8#2, %8#3 : tensor<i1>, !stablehlo.token, tensor<8x2xi8>, tensor<3xcomplex<f32>>
      }, {
        %c_0 = stablehlo.constant dense<false> : tensor<i1>
        %8 = stablehlo.create_token : !stablehlo.token
        %c_1 = stablehlo.constant dense<0> : tensor<8x2xi8>
        %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<3xcomplex<f32>>
        stablehlo.return %c_0, %8, %c_1, %cst : tensor<i1>, !stablehlo.token, tensor<8x2xi8>, tensor<3xcomplex<f32>>
      }) : (tensor<i1>) -> (tensor<i1>, !stablehlo.token, tensor<8x2xi8>, tensor<3xcomplex<f32>>)
      %5 = sdy.all_reduce {"x"} %4#0 out_sharding=<@mesh, []> : tensor<i1>
      %6 = sdy.all_reduce {"x"} %4#2 out_sharding=<@mesh, [{}, {}]> : tensor<8x2xi8>
      %7 = sdy.all_reduce {"x"} %4#3 out_sharding=<@mesh, [{}]> : tensor<3xcomplex<f32>>
      stablehlo.return %6, %4#1 : tensor<8x2xi8>, !stablehlo.token
    }) : (tensor<i32>) -> (tensor<8x2xi8>, !stablehlo.token)
    return %0#0, %0#1 : tensor<8x2xi8>, !stablehlo.token
  }
}
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: ops of Shardy, tokens alone and arguments are not single-device ops (5.18 step 2)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d0, []>}, %arg1: !stablehlo.token) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@d0, []> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@d0, []> : tensor<8xf32>
  %2 = stablehlo.after_all %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : !stablehlo.token
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @d0 = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d0, []>}, %arg1: !stablehlo.token) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@d0, []> : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@d0, []> : tensor<8xf32>
    %2 = stablehlo.after_all %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : !stablehlo.token
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: a dynamic shape has no zeros (5.18 step 3b)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// ---- fails
6:8: 'stablehlo.negate' op single-device op has a result that is neither a token nor a tensor of static shape
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: edge ops of calls have to be sunk before: a sum would come between the two
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- fails
6:8: 'func.call' op single-device op has a result with an edge op
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: edge ops of data-flow ops too
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@d0, []> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
6:8: 'stablehlo.optimization_barrier' op single-device op has a result with an edge op
// ----------
// shardy opt --sdy-resolve-single-device-sharding='replica-count=2'
// CASE: replicas have ids of their own (5.18)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @d1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %2 = stablehlo.compare EQ, %1, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %3 = "stablehlo.if"(%2) ({
      %5 = stablehlo.negate %arg0 : tensor<8xf32>
      stablehlo.return %5 : tensor<8xf32>
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
      stablehlo.return %cst : tensor<8xf32>
    }) : (tensor<i1>) -> tensor<8xf32>
    %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: a device outside of the mesh is refused (deviation 20, fixed)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d2 = <[], device_ids=[2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d2, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
6:8: 'stablehlo.negate' op device 2 is not a device of the mesh
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: results on two devices are refused (5.18 step 2)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main() {
  %0:2 = stablehlo.custom_call @foo() {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>, <@d1, []>]>} : () -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// ---- fails
7:10: 'stablehlo.custom_call' op op has results on different single devices
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: another result that is sharded is refused (5.18 step 2)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main() {
  %0:2 = stablehlo.custom_call @foo() {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>, <@mesh, [{"x"}]>]>} : () -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// ---- fails
6:10: 'stablehlo.custom_call' op single-device op has a sharded result
// ----------
// shardy opt --sdy-resolve-single-device-sharding='replica-count=2 partition-count=2'
// CASE: replicas and partitions at once are refused (5.18 step 3)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
6:8: 'stablehlo.negate' op Shardy partitioner does not support replica_count > 1 && partition_count > 1 yet.
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: without a mesh with axes there is nothing to do (5.18 step 1)
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: in a manual computation, each group along the free axes has a device and a sum of its own
sdy.mesh @mesh = <["j"=3, "i"=2], device_ids=[5, 3, 0, 1, 4, 2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<4x3xi32>) -> tensor<4x3xi32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%arg1: tensor<2x3xi32>) {
    %1 = func.call @f(%arg1) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    sdy.return %1 : tensor<2x3xi32>
  } : (tensor<4x3xi32>) -> tensor<4x3xi32>
  return %0 : tensor<4x3xi32>
}
func.func private @f(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["j"=3, "i"=2], device_ids=[5, 3, 0, 1, 4, 2]>
  sdy.mesh @d1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<4x3xi32>) -> tensor<4x3xi32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%arg1: tensor<2x3xi32>) {
      %1 = func.call @f(%arg1) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      sdy.return %1 : tensor<2x3xi32>
    } : (tensor<4x3xi32>) -> tensor<4x3xi32>
    return %0 : tensor<4x3xi32>
  }
  func.func private @f(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[1, 1, 2, 0, 2, 0]> : tensor<6xi64>
    %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<6xi64>, tensor<i64>) -> tensor<1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %4 = stablehlo.compare EQ, %3, %c_0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %5 = "stablehlo.if"(%4) ({
      %7 = stablehlo.negate %arg0 : tensor<2x3xi32>
      stablehlo.return %7 : tensor<2x3xi32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<2x3xi32>
      stablehlo.return %c_1 : tensor<2x3xi32>
    }) : (tensor<i1>) -> tensor<2x3xi32>
    %6 = sdy.all_reduce {"j"} %5 out_sharding=<@mesh, [{}, {}]> : tensor<2x3xi32>
    return %6 : tensor<2x3xi32>
  }
}
// ----------
// shardy opt --sdy-resolve-single-device-sharding
// CASE: where the mesh lists no device ids, a device computes its position along the free axes
sdy.mesh @mesh = <["j"=3, "i"=2, "k"=5]>
sdy.mesh @d13 = <[], device_ids=[13]>
func.func @main(%arg0: tensor<4x3xi32>) -> tensor<4x3xi32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%arg1: tensor<2x3xi32>) {
    %1 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@d13, []>]>} : tensor<2x3xi32>
    sdy.return %1 : tensor<2x3xi32>
  } : (tensor<4x3xi32>) -> tensor<4x3xi32>
  return %0 : tensor<4x3xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["j"=3, "i"=2, "k"=5]>
  sdy.mesh @d13 = <[], device_ids=[13]>
  func.func @main(%arg0: tensor<4x3xi32>) -> tensor<4x3xi32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%arg1: tensor<2x3xi32>) {
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<0> : tensor<i64>
      %c_0 = stablehlo.constant dense<10> : tensor<i64>
      %3 = stablehlo.divide %2, %c_0 : tensor<i64>
      %c_1 = stablehlo.constant dense<3> : tensor<i64>
      %4 = stablehlo.remainder %3, %c_1 : tensor<i64>
      %c_2 = stablehlo.constant dense<3> : tensor<i64>
      %5 = stablehlo.multiply %c, %c_2 : tensor<i64>
      %6 = stablehlo.add %5, %4 : tensor<i64>
      %c_3 = stablehlo.constant dense<1> : tensor<i64>
      %7 = stablehlo.divide %2, %c_3 : tensor<i64>
      %c_4 = stablehlo.constant dense<5> : tensor<i64>
      %8 = stablehlo.remainder %7, %c_4 : tensor<i64>
      %c_5 = stablehlo.constant dense<5> : tensor<i64>
      %9 = stablehlo.multiply %6, %c_5 : tensor<i64>
      %10 = stablehlo.add %9, %8 : tensor<i64>
      %c_6 = stablehlo.constant dense<8> : tensor<i64>
      %11 = stablehlo.compare EQ, %10, %c_6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %12 = "stablehlo.if"(%11) ({
        %14 = stablehlo.negate %arg1 : tensor<2x3xi32>
        stablehlo.return %14 : tensor<2x3xi32>
      }, {
        %c_7 = stablehlo.constant dense<0> : tensor<2x3xi32>
        stablehlo.return %c_7 : tensor<2x3xi32>
      }) : (tensor<i1>) -> tensor<2x3xi32>
      %13 = sdy.all_reduce {"j", "k"} %12 out_sharding=<@mesh, [{}, {}]> : tensor<2x3xi32>
      sdy.return %13 : tensor<2x3xi32>
    } : (tensor<4x3xi32>) -> tensor<4x3xi32>
    return %0 : tensor<4x3xi32>
  }
}
