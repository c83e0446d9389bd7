// shardy opt --sdy-insert-func-call-reshards
// CASE: flags, priorities, replicated axes and the meshes of what is replicated do not count; partial values do (5.12 step 2, 1.9)
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["z"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0:3 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@other, [{?}]>, <@mesh, [{}], unreduced={"x"}>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1, %0#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1], replicated={"y"}>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32>) {
  return %arg0, %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @other = <["z"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0:3 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}p1], replicated={"y"}>, <@mesh, [{}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.reshard %0#2 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
    return %0#0, %0#1, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1], replicated={"y"}>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32>) {
    return %arg0, %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-func-call-reshards
// CASE: in regions, of unused results, between callees; a declaration counts as any callee (5.12)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x2xf32>, %arg1: tensor<i32>) -> tensor<8x2xf32> {
  %0 = "stablehlo.case"(%arg1) ({
    %1 = func.call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x2xf32>) -> tensor<8x2xf32>
    stablehlo.return %arg0 : tensor<8x2xf32>
  }) : (tensor<i32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
func.func private @f(tensor<8x2xf32>) -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>})
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x2xf32>, %arg1: tensor<i32>) -> tensor<8x2xf32> {
    %0 = "stablehlo.case"(%arg1) ({
      %1 = func.call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x"}]>]>} : (tensor<8x2xf32>) -> tensor<8x2xf32>
      %2 = sdy.reshard %1 <@mesh, [{"y"}, {}]> : tensor<8x2xf32>
      stablehlo.return %arg0 : tensor<8x2xf32>
    }) : (tensor<i32>) -> tensor<8x2xf32>
    return %0 : tensor<8x2xf32>
  }
  func.func private @f(tensor<8x2xf32>) -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>})
}
// ----------
// shardy opt --sdy-insert-func-call-reshards
// CASE: a callee on a single device alone counts as one without shardings (5.12 step 1, 1.10)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @max = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}p1], replicated={}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @max = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x", ?}p1]> : tensor<8xf32>
    return %0, %2 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}) {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-func-call-reshards
// CASE: a callee without shardings gives replicated results, a call without shardings wants them (5.12)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y", ?}]> : tensor<8xf32>
    %2 = call @g(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<8xf32>
    %4 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @g(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-func-call-reshards
// CASE: what becomes partial sums of a result keeps its very dims (5.12, dialect 4.6)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
    %2 = sdy.replicated_to_unreduced {"x"} %1 out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-func-call-reshards
// CASE: results of a callee without sharding are open on the mesh of the other results (A.11.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @f(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.reshard %0#1 <@mesh, [{}]> : tensor<8xf32>
    return %0#0, %1 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-func-call-reshards
// CASE: the results of calls in bodies are resharded there (A.11.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<i1>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.while(%iter = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %1 = func.call @f(%iter) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<i1>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %1 = func.call @f(%iterArg) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
      %2 = sdy.reshard %1 <@mesh, [{"b"}]> : tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-func-call-reshards
// CASE: a call that is equivalent to its callee is spelled as the callee, without a reshard (A.11.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>) {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", ?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-func-call-reshards
// CASE: a whole result that collectives read on another mesh goes there for them alone (5.12, deviation)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@other, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@other, [{"a"}]> : tensor<8xf32>
  %2 = sdy.all_reduce {"a"} %0 out_sharding=<@other, [{}]> : tensor<8xf32>
  %3 = stablehlo.negate %0 : tensor<8xf32>
  return %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.reshard %0 <@other, [{}]> : tensor<8xf32>
    %2 = sdy.all_slice [{"a"}] %1 out_sharding=<@other, [{"a"}]> : tensor<8xf32>
    %3 = sdy.reshard %0 <@other, [{}]> : tensor<8xf32>
    %4 = sdy.all_reduce {"a"} %3 out_sharding=<@other, [{}]> : tensor<8xf32>
    %5 = stablehlo.negate %0 : tensor<8xf32>
    return %2, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-func-call-reshards
// CASE: a permute keeps its own sharding (5.12, deviation)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.collective_permute %0 out_sharding=<@other, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@other, [{}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
