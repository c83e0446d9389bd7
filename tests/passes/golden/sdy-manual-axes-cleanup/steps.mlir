// shardy opt --sdy-manual-axes-cleanup
// CASE: inner computations are cleaned as well, each with its own axes (4.6, post-order)
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"b", "a"}]>] manual_axes={"b", "a"} (%arg1: tensor<4xf32>) {
    %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"c", ?}]>] out_shardings=[<@mesh, [{"d"}]>] manual_axes={"d", "c"} (%arg2: tensor<2xf32>) {
      sdy.return %arg2 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.slice %1 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    sdy.return %2 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}], replicated={"b"}>] out_shardings=[<@mesh, [{"b", "a"}]>] manual_axes={"a", "b"} (%arg1: tensor<4xf32>) {
      %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"c", ?}], replicated={"d"}>] out_shardings=[<@mesh, [{"d"}], replicated={"c"}>] manual_axes={"c", "d"} (%arg2: tensor<2xf32>) {
        sdy.return %arg2 : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      %2 = stablehlo.slice %1 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
      sdy.return %2 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: reduction kinds, priorities and flags stay, complete shardings keep the mesh they are written on (4.6 steps 4, 5)
sdy.mesh @one = <["a"=2, "b"=2]>
sdy.mesh @same = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@one, [{"a", ?}p2], unreduced=max{"b"}>, <@same, [{"b", "a", ?}]>, <@same, []>] out_shardings=[<mesh<["a"=2, "b"=2]>, [{?}p1], replicated={"b"}, unreduced=min{"a"}>, <@same, [], unreduced={"b"}>] manual_axes={"a", "b"} (%arg3: tensor<4xf32>, %arg4: tensor<2xf32>, %arg5: tensor<f32>) {
    %1 = stablehlo.concatenate %arg3, %arg3, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    sdy.return %1, %arg5 : tensor<8xf32>, tensor<f32>
  } : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<f32>
}
// ---- becomes
module {
  sdy.mesh @one = <["a"=2, "b"=2]>
  sdy.mesh @same = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@one, [{"a", ?}p2], unreduced=max{"b"}>, <@same, [{"b", "a", ?}]>, <@one, [], replicated={"a", "b"}>] out_shardings=[<mesh<["a"=2, "b"=2]>, [{?}p1], replicated={"b"}, unreduced=min{"a"}>, <@one, [], replicated={"a"}, unreduced={"b"}>] manual_axes={"a", "b"} (%arg3: tensor<4xf32>, %arg4: tensor<2xf32>, %arg5: tensor<f32>) {
      %1 = stablehlo.concatenate %arg3, %arg3, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
      sdy.return %1, %arg5 : tensor<8xf32>, tensor<f32>
    } : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<f32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<f32>
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: only results, only operands (4.6)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b", "a"} () {
    %1 = stablehlo.constant dense<1.0> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : () -> tensor<8xf32>
  sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[] manual_axes={"b"} (%arg1: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"b"}], replicated={"a"}>] manual_axes={"a", "b"} () {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
      sdy.return %cst : tensor<4xf32>
    } : () -> tensor<8xf32>
    sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}], replicated={"b"}>] out_shardings=[] manual_axes={"b"} (%arg1: tensor<8xf32>) {
      sdy.return
    } : (tensor<8xf32>) -> ()
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: neither shardings nor a body: manual axes stay as they are (4.6 step 1)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"b", "a"} () {
    sdy.return
  } : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
    sdy.return
  } : () -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main() {
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"b", "a"} () {
      sdy.return
    } : () -> ()
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
      sdy.return
    } : () -> ()
    return
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: manual axes without shardings want an empty body (4.6 step 1)
sdy.mesh @mesh = <["a"=2]>
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
    sdy.return
  } : () -> ()
  return
}
// ---- fails
5:3: op has manual_axes when there are no in/out shardings and the body is not empty.
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: replicated parts of an axis are sorted and merged with what is added (4.6 step 4)
sdy.mesh @mesh = <["a"=2, "b"=8, "c"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"c"}], replicated={"b":(2)2}>] out_shardings=[<@mesh, [{"b":(1)2}], unreduced={"b":(4)2}>] manual_axes={"c", "b", "a"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=8, "c"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"c"}], replicated={"a", "b"}>] out_shardings=[<@mesh, [{"b":(1)2}], replicated={"a", "b":(2)2, "c"}, unreduced={"b":(4)2}>] manual_axes={"a", "b", "c"} (%arg1: tensor<4xf32>) {
      sdy.return %arg1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: a repeated manual axis is listed once (4.6)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b", "a", "b", "a"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}], replicated={"a"}>] out_shardings=[<@mesh, [{"b"}], replicated={"a"}>] manual_axes={"a", "b"} (%arg1: tensor<4xf32>) {
      sdy.return %arg1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: of a manual axis that is used in part the rest is replicated
sdy.mesh @mesh = <["x"=8, "y"=8]>
func.func @main(%arg0: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"y":(2)2}]>] out_shardings=[<@mesh, [{"y":(2)2}]>] manual_axes={"y", "x"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=8, "y"=8]>
  func.func @main(%arg0: tensor<16xf32>) -> tensor<16xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"y":(2)2}], replicated={"x", "y":(1)2, "y":(4)2}>] out_shardings=[<@mesh, [{"y":(2)2}], replicated={"x", "y":(1)2, "y":(4)2}>] manual_axes={"x", "y"} (%arg1: tensor<8xf32>) {
      sdy.return %arg1 : tensor<8xf32>
    } : (tensor<16xf32>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: replicated axes that are there already are merged with, unreduced ones count as mentioned
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}p1], replicated={"a":(1)2, "c"}>] out_shardings=[<@mesh, [{"b"}], unreduced={"a"}>] manual_axes={"a", "b"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}p1], replicated={"a", "c"}>] out_shardings=[<@mesh, [{"b"}], unreduced={"a"}>] manual_axes={"a", "b"} (%arg1: tensor<4xf32>) {
      sdy.return %arg1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: what is on the empty mesh moves to the mesh of the others
sdy.mesh @empty = <[]>
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@empty, [{}]>, <@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<8xf32>, %arg3: tensor<4xf32>) {
    sdy.return %arg3 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @empty = <[]>
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}], replicated={"a"}>, <@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<8xf32>, %arg3: tensor<4xf32>) {
      sdy.return %arg3 : tensor<4xf32>
    } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: tokens keep what they have, in a loop as anywhere
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: !stablehlo.token, %arg1: tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, [{"b"}]>] out_shardings=[<@mesh, []>, <@mesh, [{"b"}]>] manual_axes={"b", "a"} (%arg2: !stablehlo.token, %arg3: tensor<4xf32>) {
    sdy.return %arg2, %arg3 : !stablehlo.token, tensor<4xf32>
  } : (!stablehlo.token, tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>)
  return %0#0, %0#1 : !stablehlo.token, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: !stablehlo.token, %arg1: tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, []>, <@mesh, [{"b"}], replicated={"a"}>] out_shardings=[<@mesh, []>, <@mesh, [{"b"}], replicated={"a"}>] manual_axes={"a", "b"} (%arg2: !stablehlo.token, %arg3: tensor<4xf32>) {
      sdy.return %arg2, %arg3 : !stablehlo.token, tensor<4xf32>
    } : (!stablehlo.token, tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>)
    return %0#0, %0#1 : !stablehlo.token, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: no manual axes, nothing to do
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{?}]>] manual_axes={} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-manual-axes-cleanup
// CASE: manual axes without shardings want an empty body
sdy.mesh @mesh = <["a"=2]>
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return
  } : () -> ()
  return
}
// ---- fails
5:3: op has manual_axes when there are no in/out shardings and the body is not empty.
