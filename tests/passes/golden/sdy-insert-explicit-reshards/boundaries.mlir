// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: returned values come to the results of the function in their order, before the return (A.11.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<16xf32>, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return %arg0, %arg1, %arg2, %arg0 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<16xf32>, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<16xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{}]> : tensor<16xf32>
    %2 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<16xf32>
    return %0, %1, %arg2, %2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what is whole needs no reshard, wherever it is (A.8.3)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<16xf32>, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@other, [{?}]>}) -> (tensor<16xf32>, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return %arg0, %arg1, %arg2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what is partial is not whole (A.8.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) -> (tensor<16xf32>, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) {
  return %arg0, %arg0 : tensor<16xf32>, tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) -> (tensor<16xf32>, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) {
    %0 = sdy.all_reduce {"a"} %arg0 out_sharding=<@mesh, [{}]> : tensor<16xf32>
    return %0, %arg0 : tensor<16xf32>, tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the minimal version changes no dims at a boundary (A.11.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}], unreduced={"b"}>}) {
  return %arg0, %arg1, %arg1 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}], unreduced={"b"}>}) {
    %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}]> : tensor<16xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{"c"}]> : tensor<16xf32>
    %2 = sdy.replicated_to_unreduced {"b"} %1 out_sharding=<@mesh, [{"c"}], unreduced={"b"}> : tensor<16xf32>
    return %0, %arg1, %2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: reshards of reshards are left to canonicalization (A.11.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"c"}]> : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: on a mesh with other devices a boundary is crossed by a reshard (A.8.3)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) {
  return %arg0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@other, [{"a"}]> : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a reshard for a loop follows the op that defines the value, above those made for ops inside (A.2, A.11.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i1>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
  %1 = stablehlo.while(%iter = %0) : tensor<16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} %0 : tensor<16xf32>
    %3 = stablehlo.add %2, %iter {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<16xf32>
    stablehlo.return %3 : tensor<16xf32>
  }
  return %1 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i1>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"b"}]> : tensor<16xf32>
    %2 = sdy.reshard %0 <@mesh, [{"c"}]> : tensor<16xf32>
    %3 = stablehlo.while(%iterArg = %1) : tensor<16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %4 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} %2 : tensor<16xf32>
      %5 = sdy.reshard %4 <@mesh, [{"b"}]> : tensor<16xf32>
      %6 = stablehlo.add %5, %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<16xf32>
      stablehlo.return %6 : tensor<16xf32>
    }
    return %3 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: iteration values that change places are resharded at the start of the body (A.11.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg2: tensor<i1>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0:2 = stablehlo.while(%i0 = %arg0, %i1 = %arg1) : tensor<16xf32>, tensor<16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>]>}
  cond {
    stablehlo.return %arg2 : tensor<i1>
  } do {
    %1 = stablehlo.negate %i0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
    stablehlo.return %i1, %i0 : tensor<16xf32>, tensor<16xf32>
  }
  return %0#0, %0#1 : tensor<16xf32>, tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg2: tensor<i1>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<16xf32>, tensor<16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>]>}
    cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      %1 = sdy.reshard %iterArg <@mesh, [{"b"}]> : tensor<16xf32>
      %2 = sdy.reshard %iterArg_0 <@mesh, [{"a"}]> : tensor<16xf32>
      %3 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
      stablehlo.return %2, %1 : tensor<16xf32>, tensor<16xf32>
    }
    return %0#0, %0#1 : tensor<16xf32>, tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a loop without shardings keeps its values whole (A.11.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i1>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.while(%i0 = %arg0) : tensor<16xf32>
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %1 = stablehlo.custom_call @foo(%i0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<16xf32>) -> tensor<16xf32>
    stablehlo.return %1 : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i1>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<16xf32>
    %1 = stablehlo.while(%iterArg = %0) : tensor<16xf32>
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %3 = stablehlo.custom_call @foo(%iterArg) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<16xf32>) -> tensor<16xf32>
      %4 = sdy.reshard %3 <@mesh, [{}]> : tensor<16xf32>
      stablehlo.return %4 : tensor<16xf32>
    }
    %2 = sdy.reshard %1 <@mesh, [{"a"}]> : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: all branches come to the result, though they agree with each other (A.11.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i32>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0:2 = "stablehlo.case"(%arg1) ({
    stablehlo.return %arg0, %arg0 : tensor<16xf32>, tensor<16xf32>
  }, {
    %1 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
    stablehlo.return %1, %1 : tensor<16xf32>, tensor<16xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"a"}]>]>} : (tensor<i32>) -> (tensor<16xf32>, tensor<16xf32>)
  return %0#0, %0#1 : tensor<16xf32>, tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i32>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<16xf32>
    %1:2 = "stablehlo.case"(%arg1) ({
      stablehlo.return %0, %arg0 : tensor<16xf32>, tensor<16xf32>
    }, {
      %2 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
      %3 = sdy.reshard %2 <@mesh, [{"b"}]> : tensor<16xf32>
      stablehlo.return %3, %2 : tensor<16xf32>, tensor<16xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"a"}]>]>} : (tensor<i32>) -> (tensor<16xf32>, tensor<16xf32>)
    return %1#0, %1#1 : tensor<16xf32>, tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: each operand of a barrier of several values is resharded to its own result (A.11.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0:3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"b"}]>, <@mesh, [{}]>]>} %arg0, %arg1, %arg2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  return %0#0, %0#1, %0#2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg2 <@mesh, [{}]> : tensor<16xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<16xf32>
    %2:3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"b"}]>, <@mesh, [{}]>]>} %1, %arg1, %0 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
    return %2#0, %2#1, %2#2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what a named computation takes and gives comes to its shardings (A.11.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = sdy.named_computation<"foo">(%arg0, %arg1) in_shardings=[<@mesh, [{"b"}]>, <@mesh, [{"c"}]>] out_shardings=[<@mesh, [{"a"}]>] (%arg2: tensor<16xf32>, %arg3: tensor<16xf32>) {
    sdy.return %arg3 : tensor<16xf32>
  } : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<16xf32>
    %1 = sdy.named_computation<"foo">(%0, %arg1) in_shardings=[<@mesh, [{"b"}]>, <@mesh, [{"c"}]>] out_shardings=[<@mesh, [{"a"}]>] (%arg2: tensor<16xf32>, %arg3: tensor<16xf32>) {
      %2 = sdy.reshard %arg3 <@mesh, [{"a"}]> : tensor<16xf32>
      sdy.return %2 : tensor<16xf32>
    } : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: what an op of a body wants of a partial value comes before what the loop wants of it (A.2, A.11.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}, %arg1: tensor<i1>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.while(%i0 = %arg0) : tensor<16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>]>} : tensor<16xf32>
    stablehlo.return %1 : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}, %arg1: tensor<i1>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}]> : tensor<16xf32>
    %1 = stablehlo.while(%iterArg = %0) : tensor<16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %2 = stablehlo.add %iterArg, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>]>} : tensor<16xf32>
      %3 = sdy.all_reduce {"b"} %2 out_sharding=<@mesh, [{"a"}]> : tensor<16xf32>
      stablehlo.return %3 : tensor<16xf32>
    }
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: arguments of a manual computation come to it with all their axes, manual or not (A.11.2)
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}, %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"a"}, {"c"}]>, <@mesh, [{"a"}, {"c"}]>] out_shardings=[<@mesh, [{"a", "b"}, {}]>] manual_axes={"a"} (%arg2: tensor<8x4xf32>, %arg3: tensor<8x4xf32>) {
    %1 = stablehlo.add %arg2, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : tensor<8x4xf32>
    sdy.return %1 : tensor<8x4xf32>
  } : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}, %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {"c"}]> : tensor<16x4xf32>
    %1 = sdy.manual_computation(%0, %arg1) in_shardings=[<@mesh, [{"a"}, {"c"}]>, <@mesh, [{"a"}, {"c"}]>] out_shardings=[<@mesh, [{"a", "b"}, {}]>] manual_axes={"a"} (%arg2: tensor<8x4xf32>, %arg3: tensor<8x4xf32>) {
      %2 = stablehlo.add %arg2, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : tensor<8x4xf32>
      %3 = sdy.reshard %2 <@mesh, [{"b"}, {}]> : tensor<8x4xf32>
      sdy.return %3 : tensor<8x4xf32>
    } : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    return %1 : tensor<16x4xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: an operand of a call is resharded after the op that defines it, replicated or not (A.11.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
  call @f(%0, %arg1) : (tensor<16xf32>, tensor<16xf32>) -> ()
  call @g(%arg1) : (tensor<16xf32>) -> ()
  return
}
func.func private @f(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
  return
}
func.func private @g(%arg0: tensor<16xf32>) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32>) {
    %0 = sdy.reshard %arg1 <@mesh, [{"c"}]> : tensor<16xf32>
    %1 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
    %2 = sdy.reshard %1 <@mesh, [{"b"}]> : tensor<16xf32>
    %3 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
    call @f(%2, %0) : (tensor<16xf32>, tensor<16xf32>) -> ()
    call @g(%arg1) : (tensor<16xf32>) -> ()
    return
  }
  func.func private @f(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
    return
  }
  func.func private @g(%arg0: tensor<16xf32>) {
    return
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a callee without shardings takes its arguments replicated, if any is on a mesh (A.11.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  call @f(%arg1, %arg0) : (tensor<16xf32>, tensor<16xf32>) -> ()
  call @g(%arg1) : (tensor<16xf32>) -> ()
  return %arg0 : tensor<16xf32>
}
func.func private @f(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>) {
  return
}
func.func private @g(%arg0: tensor<16xf32>) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<16xf32>
    call @f(%arg1, %0) : (tensor<16xf32>, tensor<16xf32>) -> ()
    call @g(%arg1) : (tensor<16xf32>) -> ()
    return %arg0 : tensor<16xf32>
  }
  func.func private @f(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>) {
    return
  }
  func.func private @g(%arg0: tensor<16xf32>) {
    return
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a partial operand of a call is reduced first (A.8.3, A.11.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}) {
  call @f(%arg0) : (tensor<16xf32>) -> ()
  return
}
func.func private @f(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}) {
    %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}]> : tensor<16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"b"}]> : tensor<16xf32>
    call @f(%1) : (tensor<16xf32>) -> ()
    return
  }
  func.func private @f(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: making partial values keeps the flags of dims that do not move (A.8.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {?}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) {
  return %arg0, %arg1 : tensor<16x8xf32>, tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {?}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) {
    %0 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{"a", ?}p1, {?}], unreduced={"b"}> : tensor<16x8xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
    %2 = sdy.replicated_to_unreduced {"c"} %1 out_sharding=<@mesh, [{"a"}, {}], unreduced={"c"}> : tensor<16x8xf32>
    return %0, %2 : tensor<16x8xf32>, tensor<16x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a callee without shardings takes its arguments replicated on the first mesh with axes, not on a single device (A.11.3)
sdy.mesh @d1 = <[], device_ids=[1]>
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} %arg0 : tensor<8xf32>
  func.call @f(%0, %arg1) : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}
func.func private @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
  return
}
// ---- becomes
module {
  sdy.mesh @d1 = <[], device_ids=[1]>
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{}]> : tensor<8xf32>
    %1 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} %arg0 : tensor<8xf32>
    call @f(%1, %0) : (tensor<8xf32>, tensor<8xf32>) -> ()
    return
  }
  func.func private @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
    return
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: what has no sharding is whole, and becomes partial where a result of the function is (A.8.3, diverges)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}], unreduced={"a"}>}) {
  %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
  %1 = stablehlo.dot %arg1, %arg2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}], unreduced={"a"}>}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x8xf32>
    %1 = stablehlo.dot %arg1, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = sdy.replicated_to_unreduced {"a"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"a"}> : tensor<8x8xf32>
    %3 = sdy.reshard %1 <@mesh, [{"b"}, {}]> : tensor<8x8xf32>
    %4 = sdy.replicated_to_unreduced {"a"} %3 out_sharding=<@mesh, [{"b"}, {}], unreduced={"a"}> : tensor<8x8xf32>
    return %2, %4 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards=enable-full-version=true
// CASE: the sum of a dot without sharding is made before parts are made of it again (A.7, A.8.3, diverges)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %2 = sdy.replicated_to_unreduced {"a"} %1 out_sharding=<@mesh, [{}, {}], unreduced={"a"}> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: so it does for a reshard, a call and a loop (A.8.2, A.8.3, diverges)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32>, %arg3: tensor<i1>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}], unreduced={"a"}>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"b"}, {}], unreduced={"a"}> : tensor<8x8xf32>
  %2 = stablehlo.negate %arg1 : tensor<8x8xf32>
  call @f(%2) : (tensor<8x8xf32>) -> ()
  %3 = stablehlo.while(%iterArg = %arg2) : tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"b"}>]>}
  cond {
    stablehlo.return %arg3 : tensor<i1>
  } do {
    stablehlo.return %iterArg : tensor<8x8xf32>
  }
  return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<i1>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}], unreduced={"a"}>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
    %0 = sdy.replicated_to_unreduced {"b"} %arg2 out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<8x8xf32>
    %1 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{"b"}, {}]> : tensor<8x8xf32>
    %3 = sdy.replicated_to_unreduced {"a"} %2 out_sharding=<@mesh, [{"b"}, {}], unreduced={"a"}> : tensor<8x8xf32>
    %4 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x8xf32>
    %5 = sdy.replicated_to_unreduced {"a"} %4 out_sharding=<@mesh, [{}, {}], unreduced={"a"}> : tensor<8x8xf32>
    call @f(%5) : (tensor<8x8xf32>) -> ()
    %6 = stablehlo.while(%iterArg = %0) : tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"b"}>]>}
    cond {
      stablehlo.return %arg3 : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<8x8xf32>
    }
    return %3, %6 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func private @f(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
    return
  }
}
