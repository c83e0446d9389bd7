// shardy opt --sdy-per-instruction-partitioning='filter="negate, selectLow=1 ,selectHigh=2"'
// CASE: ops are numbered over all functions before names choose among them, both bounds included (A.14, 5.19)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @other(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func @other(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %2 = stablehlo.negate %arg1 : tensor<2xf32>
      sdy.return %2 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning
// CASE: not numbered: ops in regions, on whole values, barriers, constraints, groups (A.14, 5.19 step 1)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<4xf32>, %arg2: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<4xf32>
  %1 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<4xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<4xf32>
  sdy.sharding_group %2 group_id=0 : tensor<4xf32>
  %3 = sdy.all_gather [{"x"}] %2 out_sharding=<@mesh, [{}]> : tensor<4xf32>
  %4 = stablehlo.custom_call @Sharding(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "stablehlo.case"(%arg2) ({
    %6 = stablehlo.negate %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    stablehlo.return %6 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<4xf32>, %arg2: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<4xf32>
    %1 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<4xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<4xf32>
    sdy.sharding_group %2 group_id=0 : tensor<4xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg3: tensor<2xf32>) {
      %6 = "spmd.all_gather"(%arg3) <{axes = #sdy<axis_ref_list{"x"}>, dim = 0 : i64, mesh = @mesh}> : (tensor<2xf32>) -> tensor<4xf32>
      sdy.return %6 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %4 = stablehlo.custom_call @Sharding(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.case"(%arg2) ({
      %6 = stablehlo.negate %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
      stablehlo.return %6 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %5 : tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning='filter=sine,add'
// CASE: any of several names chooses; shardings stay as they are, manual axes are in order of occurrence (A.14, 5.19 step 2b)
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x", ?}]>}, %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}], replicated={"z"}>]>} : tensor<4x4xf32>
  %1 = stablehlo.subtract %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x", ?}]>}, %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> tensor<4x4xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"y"}, {"x", ?}]>, <@mesh, [{"y"}, {"x"}]>] out_shardings=[<@mesh, [{"y"}, {"x"}], replicated={"z"}>] manual_axes={"y", "x", "z"} (%arg2: tensor<2x2xf32>, %arg3: tensor<2x2xf32>) {
      %2 = stablehlo.add %arg2, %arg3 : tensor<2x2xf32>
      sdy.return %2 : tensor<2x2xf32>
    } : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.subtract %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning='filter=selectHigh=0,selectLow=no'
// CASE: a value without sharding is replicated on the common mesh; a bound that is not a number is ignored (A.14, 5.19)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %1 = stablehlo.negate %arg1 : tensor<2xf32>
      %2 = "spmd.all_gather"(%1) <{axes = #sdy<axis_ref_list{"x"}>, dim = 0 : i64, mesh = @mesh}> : (tensor<2xf32>) -> tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning='replica-count=2 partition-count=2'
// CASE: replicas and partitions at once are refused (5.19)
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
// ---- fails
: Shardy partitioner does not support replica_count > 1 && partition_count > 1 yet.
// ----------
// shardy opt --sdy-per-instruction-partitioning
// CASE: operand and result of a reshard have one shape that holds both padded (A.14, 5.19 step 2c)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<6x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<6x9xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"y"}]> : tensor<6x9xf32>
  return %0 : tensor<6x9xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<6x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<6x9xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [0, 3], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x9xf32>, tensor<f32>) -> tensor<6x12xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x", "y"} (%arg1: tensor<3x12xf32>) {
      %3 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"y"}>, mesh = @mesh}> : () -> tensor<i64>
      %c = stablehlo.constant dense<3> : tensor<i64>
      %4 = stablehlo.multiply %3, %c : tensor<i64>
      %c_0 = stablehlo.constant dense<0> : tensor<i64>
      %5 = stablehlo.dynamic_slice %arg1, %c_0, %4, sizes = [3, 3] : (tensor<3x12xf32>, tensor<i64>, tensor<i64>) -> tensor<3x3xf32>
      %6 = "spmd.all_gather"(%5) <{axes = #sdy<axis_ref_list{"x"}>, dim = 0 : i64, mesh = @mesh}> : (tensor<3x3xf32>) -> tensor<6x3xf32>
      sdy.return %6 : tensor<6x3xf32>
    } : (tensor<6x12xf32>) -> tensor<6x12xf32>
    %2 = stablehlo.slice %1 [0:6, 0:9] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<6x12xf32>) -> tensor<6x9xf32>
    return %2 : tensor<6x9xf32>
  }
}
// ----------
// shardy opt --sdy-inline-meshes --sdy-per-instruction-partitioning
// CASE: per-device ops of inlined meshes name a mesh op, which is made (5.19 step 2a)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.reverse %arg0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      %1 = stablehlo.reverse %arg1, dims = [0] : tensor<4xf32>
      %2 = "spmd.permute"(%1) <{axes = #sdy<axis_ref_list{"x"}>, map = #spmd.permute_map<mirror, []>, mesh = @mesh}> : (tensor<4xf32>) -> tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning
// CASE: partial results that a collective combines stay global (5.19)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- diagnostics
5:8: warning: 'stablehlo.dot' stays global: a collective combines its partial results
note: shardy partition lowers the whole program and reports the cause
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning
// CASE: the meshes of collectives have names, as those of computations will
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>} : tensor<8xf32>
  %1 = sdy.all_gather [{"x"}] %0 out_sharding=<mesh<["x"=2]>, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.all_gather' op uses an inlined mesh
// ----------
// shardy opt --sdy-per-instruction-partitioning='filter="func=first,func=third,negate,selectHigh=2"'
// CASE: ops of functions that the filter names; numbers count over all functions (5.19)
sdy.mesh @mesh = <["x"=2]>
func.func @first(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @second(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @third(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @first(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %1 = stablehlo.negate %arg1 : tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @second(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @third(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %2 = stablehlo.negate %arg1 : tensor<2xf32>
      sdy.return %2 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning
// CASE: values that regions use from outside are operands of the manual computation, padded as operands are, each once (5.19 step 2b)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<i1>, %arg1: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3x2xf32> {
  %0 = stablehlo.while(%iterArg = %arg1) : tensor<3x2xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
  cond {
    stablehlo.return %arg0 : tensor<i1>
  } do {
    %1 = stablehlo.add %iterArg, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<3x2xf32>
    %2 = stablehlo.multiply %1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<3x2xf32>
    %3 = stablehlo.subtract %2, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<3x2xf32>
    stablehlo.return %3 : tensor<3x2xf32>
  }
  return %0 : tensor<3x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3x2xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg1, %cst, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %arg2, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    %2 = sdy.manual_computation(%0, %arg0, %1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, []>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<2x2xf32>, %arg4: tensor<i1>, %arg5: tensor<2x2xf32>) {
      %4 = stablehlo.while(%iterArg = %arg3) : tensor<2x2xf32>
      cond {
        stablehlo.return %arg4 : tensor<i1>
      } do {
        %5 = stablehlo.add %iterArg, %arg5 : tensor<2x2xf32>
        %6 = stablehlo.multiply %5, %arg3 : tensor<2x2xf32>
        %7 = stablehlo.subtract %6, %arg5 : tensor<2x2xf32>
        stablehlo.return %7 : tensor<2x2xf32>
      }
      sdy.return %4 : tensor<2x2xf32>
    } : (tensor<4x2xf32>, tensor<i1>, tensor<4x2xf32>) -> tensor<4x2xf32>
    %3 = stablehlo.slice %2 [0:3, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x2xf32>) -> tensor<3x2xf32>
    return %3 : tensor<3x2xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning='filter=all_,permute'
// CASE: collectives that move elements are partitioned, an all_reduce stays (5.19 step 1)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<4x6xf32>
  %1 = sdy.all_gather [{}, {"x"}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x6xf32>
  %2 = sdy.all_reduce {"x"} %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<4x6xf32>
  return %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%arg2: tensor<2x6xf32>) {
      %3 = "spmd.all_to_all"(%arg2) <{axes = #sdy<axis_ref_list{"x"}>, concat_dim = 0 : i64, mesh = @mesh, split_dim = 1 : i64}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
      sdy.return %3 : tensor<4x3xf32>
    } : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<4x3xf32>) {
      %3 = "spmd.all_gather"(%arg2) <{axes = #sdy<axis_ref_list{"x"}>, dim = 1 : i64, mesh = @mesh}> : (tensor<4x3xf32>) -> tensor<4x6xf32>
      sdy.return %3 : tensor<4x6xf32>
    } : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %2 = sdy.all_reduce {"x"} %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<4x6xf32>
    return %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>
  }
}
