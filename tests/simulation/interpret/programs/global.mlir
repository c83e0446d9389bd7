// SDY ops of a global program change nothing (28.1).
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() {
  %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %k = sdy.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = sdy.sharding_constraint %c <@mesh, [{"y"}, {}]> : tensor<2x2xi32>
  %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<2x2xi32>
  %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<2x2xi32>
  sdy.sharding_group %2 group_id=1 : tensor<2x2xi32>
  %z = stablehlo.constant dense<0> : tensor<2x2xi32>
  %p = stablehlo.add %2, %z : tensor<2x2xi32>
  %3 = sdy.data_flow_edge %p : tensor<2x2xi32>
  %4 = sdy.named_computation<"f">(%3) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%a: tensor<2x2xi32>) {
    %s = stablehlo.add %a, %a : tensor<2x2xi32>
    sdy.return %s : tensor<2x2xi32>
  } : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %4, dense<[[2, 4], [6, 8]]> : tensor<2x2xi32>
  check.expect_eq %k, %c : tensor<2x2xi32>
  return
}

// -----

// Collectives of SDY are identities.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() {
  %c = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = sdy.sharding_constraint %c <@mesh, [{"x"}, {}]> : tensor<2x2xi32>
  %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<2x2xi32>
  %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@mesh, [{}, {"y"}]> : tensor<2x2xi32>
  check.expect_eq %2, %c : tensor<2x2xi32>
  return
}

// -----

// No manual axes: the body, once.
sdy.mesh @mesh = <["x"=2]>
func.func @main() {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={} (%a: tensor<2xi32>) {
    %s = stablehlo.add %a, %a : tensor<2xi32>
    sdy.return %s : tensor<2xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[2, 4]> : tensor<2xi32>
  return
}

// -----

// Free axes take no part.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() {
  %c = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%a: tensor<1x2xi32>) {
    %r = stablehlo.reverse %a, dims = [1] : tensor<1x2xi32>
    sdy.return %r : tensor<1x2xi32>
  } : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[2, 1], [4, 3]]> : tensor<2x2xi32>
  return
}

// -----

// A device is a partition, in the order of the mesh.
sdy.mesh @mesh = <["x"=3], device_ids=[2, 0, 1]>
func.func @main() {
  %c = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %0 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<1xi32>) {
    %p = stablehlo.partition_id : tensor<ui32>
    %q = stablehlo.convert %p : (tensor<ui32>) -> tensor<i32>
    %r = stablehlo.broadcast_in_dim %q, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %s = stablehlo.add %a, %r : tensor<1xi32>
    sdy.return %s : tensor<1xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[12, 20, 31]> : tensor<3xi32>
  return
}

// -----

// Unreduced axes are folded.
sdy.mesh @mesh = <["x"=2]>
func.func @main() {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}], unreduced={"x"}>] manual_axes={"x"} (%a: tensor<1xi32>) {
    sdy.return %a : tensor<1xi32>
  } : (tensor<2xi32>) -> tensor<1xi32>
  check.expect_eq_const %0, dense<[3]> : tensor<1xi32>
  return
}

// -----

// Several operands, a loop inside, a permute inside of that.
sdy.mesh @mesh = <["x"=2]>
func.func @main() {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = sdy.manual_computation(%c, %z) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] manual_axes={"x"} (%a: tensor<2xf32>, %n: tensor<i32>) {
    %lim = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, tensor<2xf32> cond {
      %k = stablehlo.compare LT, %i, %lim : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %k : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = "stablehlo.collective_permute"(%v) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<2xf32>
    }
    sdy.return %1#1, %1#0 : tensor<2xf32>, tensor<i32>
  } : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[3.0, 4.0, 1.0, 2.0]> : tensor<4xf32>
  check.expect_eq_const %0#1, dense<3> : tensor<i32>
  return
}

// -----

// refused: devices 0 and 2 differ
// Devices that hold one block must agree.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%a: tensor<1xi32>) {
    sdy.return %a : tensor<1xi32>
  } : (tensor<2xi32>) -> tensor<1xi32>
  check.expect_eq_const %0, dense<[1]> : tensor<1xi32>
  return
}

// -----

// refused: devices 0 and 1 differ
// Also across axes that no dim names.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%a: tensor<1xi32>) {
    %p = stablehlo.partition_id : tensor<ui32>
    %q = stablehlo.convert %p : (tensor<ui32>) -> tensor<i32>
    %r = stablehlo.broadcast_in_dim %q, dims = [] : (tensor<i32>) -> tensor<1xi32>
    sdy.return %r : tensor<1xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  return
}
