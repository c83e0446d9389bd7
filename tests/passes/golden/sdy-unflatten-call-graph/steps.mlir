// shardy opt --sdy-unflatten-call-graph
// CASE: manual axes and shardings of results are in the key, both attributes go from all functions (5.11 steps 1, 5)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @f_2(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.func_manual_axes = #sdy<manual_axes{"x"}>, sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @f_1(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @f_2(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.func_manual_axes = #sdy<manual_axes{"x"}>, sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @nobody_calls() attributes {sdy.func_manual_axes = #sdy<manual_axes{"x"}>, sdy.original_func_name = "g"} {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) {
    %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = call @f_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_1(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_2(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @nobody_calls() {
    return
  }
}
// ----------
// shardy opt --sdy-unflatten-call-graph
// CASE: the first call in the text chooses, also in a region or in a later function's body (5.11 step 2)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%arg1) ({
    %2 = func.call @f_1(%arg0) {note = "kept"} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  %1 = call @f(%0) {note = "too"} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @f_1(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f_2(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f_2(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
    %0 = "stablehlo.case"(%arg1) ({
      %2 = func.call @f_1(%arg0) {note = "kept"} : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %1 = call @f_1(%0) {note = "too"} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_1(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_2(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-unflatten-call-graph
// CASE: shardings are compared exactly: flags, priorities and meshes count (5.11 step 1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @same = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  call @f(%arg0) : (tensor<8xf32>) -> ()
  call @f_0(%arg0) : (tensor<8xf32>) -> ()
  call @f_1(%arg0) : (tensor<8xf32>) -> ()
  call @f_2(%arg0) : (tensor<8xf32>) -> ()
  return
}
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}
func.func private @f_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) attributes {sdy.original_func_name = "f"} {
  return
}
func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], replicated={"y"}>}) attributes {sdy.original_func_name = "f"} {
  return
}
func.func private @f_2(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@same, [{"x"}]>}) attributes {sdy.original_func_name = "f"} {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @same = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) {
    call @f(%arg0) : (tensor<8xf32>) -> ()
    call @f_0(%arg0) : (tensor<8xf32>) -> ()
    call @f_1(%arg0) : (tensor<8xf32>) -> ()
    call @f_2(%arg0) : (tensor<8xf32>) -> ()
    return
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return
  }
  func.func private @f_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
    return
  }
  func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], replicated={"y"}>}) {
    return
  }
  func.func private @f_2(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@same, [{"x"}]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-unflatten-call-graph='dedup-functions-fully=true'
// CASE: fully, counts go by whole boundaries: with x 1, x 2, y 1 all become f (5.11 step 3)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  call @f(%arg0) : (tensor<8xf32>) -> ()
  call @f_0(%arg0) : (tensor<8xf32>) -> ()
  call @f_1(%arg0) : (tensor<8xf32>) -> ()
  return
}
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}
func.func private @f_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) attributes {sdy.original_func_name = "f"} {
  return
}
func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) attributes {sdy.original_func_name = "f"} {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) {
    call @f(%arg0) : (tensor<8xf32>) -> ()
    call @f(%arg0) : (tensor<8xf32>) -> ()
    call @f(%arg0) : (tensor<8xf32>) -> ()
    return
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return
  }
  func.func private @f_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return
  }
  func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-unflatten-call-graph
// CASE: functions of one name stay apart if their types or what they compute differ (deviation 22)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_1(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @f_2(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = call @f_3(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.abs %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f_1(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<4xf32>
}
func.func private @f_2(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f_3(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<4xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) {
    %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f_1(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %4 = call @f_1(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.abs %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_1(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func private @f_2(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_3(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-unflatten-call-graph
// CASE: what clones call may be clones of each other, too, and be sharded otherwise inside (5.11)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = call @g_0(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f_1(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = call @g_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @g_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "g"} {
  return %arg0 : tensor<8xf32>
}
func.func private @g_1(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "g"} {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) {
    %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @g(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_1(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @g_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @g_0(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @g_1(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-unflatten-call-graph='dedup-functions-fully=true'
// CASE: fully, the clone whose boundary is called most often replaces all, of equals the earlier one (5.11 step 3)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = call @g_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @f_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @g_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "g"} {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) {
    %0 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %4 = call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @g(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @g_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
