// shardy opt --sdy-insert-explicit-reshards=lowering-rules=true
// CASE: a collective after a barrier reads a replicated value, also where the barrier is erased
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=FORWARD : tensor<8x8xf32>
  %1 = sdy.all_slice [{"x", "y"}, {}] %0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{"x", "y"}, {}] %0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: an edge op on a single device keeps one sharding
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[4]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@d0, []> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @d0 = <[], device_ids=[4]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>]>} %arg0 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@d0, []> : tensor<8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the initial value and the returned value of a loop are resharded to the result's sharding, after their definitions (A.11.2)
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i1>) -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.while(%iterArg = %arg0) : tensor<32xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<32xf32>
    %2 = stablehlo.custom_call @foo(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<32xf32>) -> tensor<32xf32>
    stablehlo.return %2 : tensor<32xf32>
  }
  return %0 : tensor<32xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i1>) -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<32xf32>
    %1 = stablehlo.while(%iterArg = %0) : tensor<32xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %2 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<32xf32>
      %3 = stablehlo.custom_call @foo(%2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<32xf32>) -> tensor<32xf32>
      %4 = sdy.reshard %3 <@mesh, [{"b"}]> : tensor<32xf32>
      stablehlo.return %4 : tensor<32xf32>
    }
    return %1 : tensor<32xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: branches and barriers, minimal: nothing but unreduced axes (A.11)
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}, %arg1: tensor<i32>) -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = "stablehlo.case"(%arg1) ({
    stablehlo.return %arg0 : tensor<32xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<i32>) -> tensor<32xf32>
  %1 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} %arg0 : tensor<32xf32>
  return %0 : tensor<32xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}, %arg1: tensor<i32>) -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}]> : tensor<32xf32>
    %1 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}]> : tensor<32xf32>
    %2 = "stablehlo.case"(%arg1) ({
      stablehlo.return %1 : tensor<32xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<i32>) -> tensor<32xf32>
    %3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} %0 : tensor<32xf32>
    return %2 : tensor<32xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: operands of a manual computation come to its in_shardings, what it returns to its out_shardings without manual axes (A.11.2)
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    %1 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a", "b"}]> : tensor<16xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
      %2 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
      %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<8xf32>
      sdy.return %3 : tensor<8xf32>
    } : (tensor<16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: operands of calls come to the callee's arguments, also in the minimal version (A.11.3)
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  call @f(%arg0, %arg1) : (tensor<16xf32>, tensor<16xf32>) -> ()
  call @g(%arg0) : (tensor<16xf32>) -> ()
  return
}
func.func private @f(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<16xf32>) {
  return
}
func.func private @g(%arg0: tensor<16xf32>) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<16xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{?}]> : tensor<16xf32>
    %2 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<16xf32>
    call @f(%2, %1) : (tensor<16xf32>, tensor<16xf32>) -> ()
    call @g(%0) : (tensor<16xf32>) -> ()
    return
  }
  func.func private @f(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<16xf32>) {
    return
  }
  func.func private @g(%arg0: tensor<16xf32>) {
    return
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: partial results are combined over what the result is not unreduced along (A.7)
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a":(1)2}>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a":(1)2}>]>} : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2]>
  func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a":(1)2}>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a":(1)2}>]>} : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = sdy.all_reduce {"a":(2)2, "b"} %0 out_sharding=<@mesh, [{}], unreduced={"a":(1)2}> : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the kind of a reduction is that of its body (A.7, diverges)
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<2x64xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<2xf32>, tensor<2xi1>) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.reduce(%arg1 init: %false) applies stablehlo.or across dimensions = [1] : (tensor<2x64xi1>, tensor<i1>) -> tensor<2xi1>
  return %0, %1 : tensor<2xf32>, tensor<2xi1>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2]>
  func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<2x64xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<2xf32>, tensor<2xi1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = sdy.all_reduce max {"a"} %0 out_sharding=<@mesh, [{}]> : tensor<2xf32>
    %2 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.or across dimensions = [1] : (tensor<2x64xi1>, tensor<i1>) -> tensor<2xi1>
    %3 = sdy.all_reduce max {"b"} %2 out_sharding=<@mesh, [{}]> : tensor<2xi1>
    return %1, %3 : tensor<2xf32>, tensor<2xi1>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: axes of a reshape that overflow a factor are distributed again (A.10)
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> tensor<6x2xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<12xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> tensor<6x2xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"a":(1)2}]> : tensor<12xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {}]>]>} : (tensor<12xf32>) -> tensor<6x2xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<6x2xf32>
    return %2 : tensor<6x2xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the minimal version computes a dot with the axes of its operands where the result keeps those of the reduction (A.9)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"a"}, {}]> : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the minimal version leaves the ordinary reduce-scatter, a larger result and other ops alone (A.1, A.9)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg2: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg3: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<4x32xf32>) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.dot %arg2, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : tensor<4x32xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x32xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a concatenate of unlike operands has the full version always (A.1)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<4x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<4x16xf32>) -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<4x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a"}, {}]> : tensor<4x16xf32>
    %1 = stablehlo.concatenate %arg0, %0, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<4x16xf32>) -> tensor<4x48xf32>
    return %1 : tensor<4x48xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the same value in two slots gets two reshards, a custom rule none (A.6, A.11.4)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}, custom>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.multiply %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : tensor<4x8xf32>
  %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
    %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}, custom>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{"a"}, {"b"}]> : tensor<4x8xf32>
    %2 = sdy.reshard %arg0 <@mesh, [{"a"}, {"b"}]> : tensor<4x8xf32>
    %3 = stablehlo.multiply %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<4x8xf32>
    %4 = sdy.reshard %3 <@mesh, [{}, {"b"}]> : tensor<4x8xf32>
    %5 = stablehlo.negate %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: several results without shardings: the first one that is written opens the others (A.6)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [i]) {i=8}>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [i]) {i=8}>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.reshard %0#0 <@mesh, [{}]> : tensor<8xf32>
    %2 = sdy.reshard %0#1 <@mesh, [{?}]> : tensor<8xf32>
    return
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: barriers are looked through for shardings and stay (A.11.4)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of two device orders the more frequent one stays (A.12.1)
sdy.mesh @iota = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}, {}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@iota, [{"a"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @iota = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}, {}]>}) {
    %0 = sdy.reshard %arg1 <@iota, [{"a"}, {}]> : tensor<8x8xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@iota, [{"a"}, {}]>]>} : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of two device orders as frequent as each other the one that got there first stays (A.12.1)
sdy.mesh @iota = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xi1> {sdy.sharding = #sdy.sharding<@iota, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}]>}) {
  %0 = stablehlo.select %arg0, %arg1, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@iota, [{"a"}]>]>} : tensor<8xi1>, tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @iota = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xi1> {sdy.sharding = #sdy.sharding<@iota, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@other, [{"a"}]> : tensor<8xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"a"}]>]>} : tensor<8xi1>, tensor<8xf32>
    %2 = sdy.reshard %1 <@iota, [{"a"}]> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: an op whose meshes have other axes is left alone (A.12.1)
sdy.mesh @one = <["a"=2, "b"=2]>
sdy.mesh @two = <["c"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@two, [{"c"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{"a"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@one, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: operands of an op on one device go there, its results come from there (A.12.2)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  sdy.mesh @d1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.reshard %0 <@d1, []> : tensor<8xf32>
    %2 = sdy.reshard %arg1 <@d1, []> : tensor<8xf32>
    %3 = stablehlo.add %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
    %4 = sdy.reshard %3 <@mesh, [{}]> : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: results on two devices are refused (A.12.2)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main() {
  %0:2 = stablehlo.custom_call @foo() {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>, <@d1, []>]>} : () -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// ---- fails
7:10: 'stablehlo.custom_call' op has conflicting single-device result shardings
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: arguments do not live on one device (A.2)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d0, []>}) {
  return
}
// ---- fails
5:39: function argument 0 cannot have a single-device (maximal) sharding attribute
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a dim that propagation wants whole moves its axes to another one (A.5.3)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %3 = sdy.reshard %2 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true lowering-rules=true avoid-reshards-on-named-computations=true'
// CASE: by the rules of lowering it may stay sharded (partitioning 1.2 I4)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the minimal version does without a rule where no result is unreduced and no dot is special
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<8x8xf32>
  %1 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a collective that is there reduces what it reads, and nothing is reduced before it (A.2, diverges)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: two names of one mesh are one mesh (A.12.1, diverges)
sdy.mesh @m0 = <["a"=2, "b"=2]>
sdy.mesh @m1 = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m0, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m1, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m0, [{"a"}, {}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m0, [{"a"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from [{"a"}, {}], unreduced={"c"} to [{"a"}, {}] (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from [{}, {}], unreduced={"a", "c"} to [{"a"}, {"c"}] (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
    %0 = sdy.all_reduce {"a", "c"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"a"}, {"c"}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from [{}, {}], unreduced={"a", "c"} to [{"a"}, {}] (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = sdy.all_reduce {"a", "c"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"a"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from [{"a"}, {}], unreduced={"b"} to [{"b", "a"}, {}] (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>}) {
    %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"b", "a"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from [{"a", "b"}, {"c"}] to [{"a"}, {}], unreduced={"b"} (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a", "b"}, {}]> : tensor<16x16xf32>
    %1 = sdy.sharded_to_unreduced [{"b"}, {}] %0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from [{"b":(1)2}, {}] to [{}, {}], unreduced={"b"} (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
    %0 = sdy.replicated_to_unreduced {"b":(2)2} %arg0 out_sharding=<@mesh, [{"b":(1)2}, {}], unreduced={"b":(2)2}> : tensor<16x16xf32>
    %1 = sdy.sharded_to_unreduced [{"b":(1)2}, {}] %0 out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from [{"a"}, {}], unreduced={"c"} to [{}, {}], unreduced={"b"} (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
    %0 = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<16x16xf32>
    %2 = sdy.replicated_to_unreduced {"b"} %1 out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from [{}, {}], unreduced={"b"} to [{}, {}], unreduced={"b":(1)2} (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b":(1)2}>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b":(1)2}>}) {
    %0 = sdy.all_reduce {"b":(2)2} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"b":(1)2}> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from [{}, {}], unreduced=max{"b"} to [{}, {}] (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.all_reduce max {"b"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: from no sharding to [{}, {}], unreduced={"b"} (A.8)
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32>) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  return %arg0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
    %0 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a reshard that drops and adds unreduced axes reduces first (A.8.2, diverges)
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"c"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"b"}>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{}], unreduced={"b"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"c"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"b"}>}) {
    %0 = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.replicated_to_unreduced {"b"} %0 out_sharding=<@mesh, [{}], unreduced={"b"}> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: device 0 of a program without mesh axes holds all (ours, A.2)
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d0, []>}) {
  return
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version mark-partial-result-with-unreduced-axes'
// CASE: partial results are marked: without and with a sharding, of several results, of a maximum; a product is not (A.7)
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%arg0: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<6xf32>) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.reduce(%arg0 init: %cst), (%arg0 init: %cst) across dimensions = [1] : (tensor<6x4xf32>, tensor<6x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
    %3 = stablehlo.add %a, %b : tensor<f32>
    %4 = stablehlo.maximum %c, %d : tensor<f32>
    stablehlo.return %3, %4 : tensor<f32>, tensor<f32>
  }
  %1 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.multiply across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
  return %0#0, %0#1, %1, %2 : tensor<6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%arg0: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0:2 = stablehlo.reduce(%arg0 init: %cst), (%arg0 init: %cst) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}], unreduced={"x"}>, <@mesh, [{"y"}], unreduced=max{"x"}>]>} : (tensor<6x4xf32>, tensor<6x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>)
     reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<f32>, %arg5: tensor<f32>)  {
      %11 = stablehlo.add %arg2, %arg4 : tensor<f32>
      %12 = stablehlo.maximum %arg3, %arg5 : tensor<f32>
      stablehlo.return %11, %12 : tensor<f32>, tensor<f32>
    }
    %1 = sdy.all_reduce {"x"} %0#0 out_sharding=<@mesh, [{"y"}]> : tensor<6xf32>
    %2 = sdy.all_reduce max {"x"} %0#1 out_sharding=<@mesh, [{"y"}]> : tensor<6xf32>
    %3 = sdy.reshard %1 <@mesh, [{}]> : tensor<6xf32>
    %4 = sdy.reshard %2 <@mesh, [{?}]> : tensor<6xf32>
    %5 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
    %6 = sdy.all_reduce {"x"} %5 out_sharding=<@mesh, [{"y"}, {}]> : tensor<6x6xf32>
    %7 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.multiply across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = sdy.all_reduce {"x"} %7 out_sharding=<@mesh, [{"y"}]> : tensor<6xf32>
    %9 = sdy.reshard %6 <@mesh, [{}, {}]> : tensor<6x6xf32>
    %10 = sdy.reshard %8 <@mesh, [{}]> : tensor<6xf32>
    return %3, %4, %9, %10 : tensor<6xf32>, tensor<6xf32>, tensor<6x6xf32>, tensor<6xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='mark-partial-result-with-unreduced-axes'
// CASE: a result that keeps unreduced axes is marked with the others as well (A.7)
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x":(1)2}>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x":(1)2}>]>} : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x":(1)2}>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x", "y"}>]>} : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = sdy.all_reduce {"x":(2)2, "y"} %0 out_sharding=<@mesh, [{}], unreduced={"x":(1)2}> : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
