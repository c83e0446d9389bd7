// shardy opt --sdy-propagation-pipeline
// CASE: collectives in a manual computation stay, free axes are propagated through it
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x16xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"y"}, {?}]>] out_shardings=[<@mesh, [{}, {?}]>] manual_axes={"y"} (%a: tensor<8x4xf32>, %b: tensor<4x16xf32>) {
    %d = stablehlo.dot %a, %b : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %r = "stablehlo.all_reduce"(%d) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    sdy.return %r : tensor<8x16xf32>
  } : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"y"}, {"x"}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"y"} (%arg2: tensor<8x4xf32>, %arg3: tensor<4x16xf32>) {
      %2 = stablehlo.dot %arg2, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %4 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      sdy.return %3 : tensor<8x16xf32>
    } : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline --sdy-apply-sharding-constraints --sdy-user-priority-propagate=keep-sharding-rules=true --sdy-export-pipeline=enable-insert-explicit-collectives=true
// CASE: the export of a manual computation with explicit collectives
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x16xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"y"}, {?}]>] out_shardings=[<@mesh, [{}, {?}]>] manual_axes={"y"} (%a: tensor<8x4xf32>, %b: tensor<4x16xf32>) {
    %d = stablehlo.dot %a, %b : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %r = "stablehlo.all_reduce"(%d) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    sdy.return %r : tensor<8x16xf32>
  } : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}, {"y"}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{}, {"x"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{}, {"x"}]>}) {
    %0 = sdy.all_slice [{"y"}, {}] %arg1 out_sharding=<mesh<["x"=2, "y"=2]>, [{"y"}, {"x"}]> : tensor<8x16xf32>
    %1 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.manual_computation(%1, %0) in_shardings=[<mesh<["x"=2, "y"=2]>, [{}, {"y"}]>, <mesh<["x"=2, "y"=2]>, [{"y"}, {"x"}]>] out_shardings=[<mesh<["x"=2, "y"=2]>, [{}, {"x"}]>] manual_axes={"y"} (%arg2: tensor<8x4xf32>, %arg3: tensor<4x16xf32>) {
      %4 = stablehlo.dot %arg2, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=2]>, [{}, {"x"}]>]>} : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
      %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %6 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %6 : tensor<f32>
      }) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=2]>, [{}, {"x"}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
      sdy.return %5 : tensor<8x16xf32>
    } : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.tanh %2 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=2]>, [{}, {"x"}]>]>} : tensor<8x16xf32>
    return %3 : tensor<8x16xf32>
  }
}
