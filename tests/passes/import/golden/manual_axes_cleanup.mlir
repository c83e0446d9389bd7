// CASE: shardings mention all manual axes, and those are in mesh order
// PASS: sdy-manual-axes-cleanup
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"c", "a"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {}], replicated={"c"}>] out_shardings=[<@mesh, [{"a"}, {}], replicated={"c"}>] manual_axes={"a", "c"} (%arg1: tensor<4x8xf32>) {
    sdy.return %arg1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// -----
// CASE: of a manual axis that is used in part the rest is replicated
// PASS: sdy-manual-axes-cleanup
sdy.mesh @mesh = <["x"=8, "y"=8]>
func.func @main(%arg0: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"y":(2)2}]>] out_shardings=[<@mesh, [{"y":(2)2}]>] manual_axes={"y", "x"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=8, "y"=8]>
func.func @main(%arg0: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"y":(2)2}], replicated={"x", "y":(1)2, "y":(4)2}>] out_shardings=[<@mesh, [{"y":(2)2}], replicated={"x", "y":(1)2, "y":(4)2}>] manual_axes={"x", "y"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// -----
// CASE: replicated axes that are there already are merged with, unreduced ones count as mentioned
// PASS: sdy-manual-axes-cleanup
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}p1], replicated={"a":(1)2, "c"}>] out_shardings=[<@mesh, [{"b"}], unreduced={"a"}>] manual_axes={"a", "b"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}p1], replicated={"a", "c"}>] out_shardings=[<@mesh, [{"b"}], unreduced={"a"}>] manual_axes={"a", "b"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: what is on the empty mesh moves to the mesh of the others
// PASS: sdy-manual-axes-cleanup
sdy.mesh @empty = <[]>
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@empty, [{}]>, <@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<8xf32>, %arg3: tensor<4xf32>) {
    sdy.return %arg3 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @empty = <[]>
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}], replicated={"a"}>, <@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<8xf32>, %arg3: tensor<4xf32>) {
    sdy.return %arg3 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: tokens keep what they have, in a loop as anywhere
// PASS: sdy-manual-axes-cleanup
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: !stablehlo.token, %arg1: tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, [{"b"}]>] out_shardings=[<@mesh, []>, <@mesh, [{"b"}]>] manual_axes={"b", "a"} (%arg2: !stablehlo.token, %arg3: tensor<4xf32>) {
    sdy.return %arg2, %arg3 : !stablehlo.token, tensor<4xf32>
  } : (!stablehlo.token, tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>)
  return %0#0, %0#1 : !stablehlo.token, tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: !stablehlo.token, %arg1: tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, [{"b"}], replicated={"a"}>] out_shardings=[<@mesh, []>, <@mesh, [{"b"}], replicated={"a"}>] manual_axes={"a", "b"} (%arg2: !stablehlo.token, %arg3: tensor<4xf32>) {
    sdy.return %arg2, %arg3 : !stablehlo.token, tensor<4xf32>
  } : (!stablehlo.token, tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>)
  return %0#0, %0#1 : !stablehlo.token, tensor<8xf32>
}
// -----
// CASE: no manual axes, nothing to do
// PASS: sdy-manual-axes-cleanup
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{?}]>] manual_axes={} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// UNCHANGED
// -----
// CASE: manual axes without shardings want an empty body
// PASS: sdy-manual-axes-cleanup
sdy.mesh @mesh = <["a"=2]>
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return
  } : () -> ()
  return
}
// ERROR: op has manual_axes when there are no in/out shardings and the body is not empty.
// -----
// CASE: shardings on two meshes are an error
// PASS: sdy-manual-axes-cleanup
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=4]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@other, [{}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ERROR: expected inputs and outputs to have a common mesh
