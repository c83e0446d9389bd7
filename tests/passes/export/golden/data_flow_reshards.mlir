// CASE: what a loop starts with and what its body returns come to the result's sharding, behind what makes them (A.11.2)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
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
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<i1>) -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %3 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<32xf32>
  %0 = stablehlo.while(%iterArg = %3) : tensor<32xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<32xf32>
    %2 = stablehlo.custom_call @foo(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<32xf32>) -> tensor<32xf32>
    %4 = sdy.reshard %2 <@mesh, [{"b"}]> : tensor<32xf32>
    stablehlo.return %4 : tensor<32xf32>
  }
  return %0 : tensor<32xf32>
}
// -----
// CASE: branches and barriers, minimal: nothing but unreduced axes (A.11)
// PASS: sdy-insert-explicit-reshards
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}, %arg1: tensor<i32>) -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = "stablehlo.case"(%arg1) ({
    stablehlo.return %arg0 : tensor<32xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<i32>) -> tensor<32xf32>
  %1 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} %arg0 : tensor<32xf32>
  return %0 : tensor<32xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%arg0: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}, %arg1: tensor<i32>) -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %3 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}]> : tensor<32xf32>
  %2 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}]> : tensor<32xf32>
  %0 = "stablehlo.case"(%arg1) ({
    stablehlo.return %2 : tensor<32xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<i32>) -> tensor<32xf32>
  %1 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} %3 : tensor<32xf32>
  return %0 : tensor<32xf32>
}
// -----
// CASE: operands of a manual computation come to its in_shardings, what it returns to its out_shardings without manual axes (A.11.2)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    %1 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %2 = sdy.reshard %arg0 <@mesh, [{"a", "b"}]> : tensor<16xf32>
  %0 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    %1 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
    %3 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// -----
// CASE: operands of calls come to the callee's arguments, also in the minimal version (A.11.3)
// PASS: sdy-insert-explicit-reshards
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
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %2 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<16xf32>
  %1 = sdy.reshard %arg1 <@mesh, [{?}]> : tensor<16xf32>
  %0 = sdy.reshard %arg0 <@mesh, [{"b"}]> : tensor<16xf32>
  call @f(%0, %1) : (tensor<16xf32>, tensor<16xf32>) -> ()
  call @g(%2) : (tensor<16xf32>) -> ()
  return
}
func.func private @f(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<16xf32>) {
  return
}
func.func private @g(%arg0: tensor<16xf32>) {
  return
}
