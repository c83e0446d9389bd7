// shardy opt --sdy-export-named-computations
// CASE: in regions, threads, several and no values, odd names, missing shardings (5.9)
sdy.mesh @f = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>, %arg2: !stablehlo.token) -> tensor<8xf32> {
  %0 = stablehlo.while(%a = %arg0) : tensor<8xf32>
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %3:2 = sdy.named_computation<"f">(%a, %arg2) in_shardings=[<@f, [{"x"}]>, <@f, []>] (%b: tensor<8xf32>, %c: !stablehlo.token) {
      %4 = sdy.data_flow_edge %b : tensor<8xf32>
      %5 = stablehlo.negate %4 : tensor<8xf32>
      sdy.return %5, %c : tensor<8xf32>, !stablehlo.token
    } {execution_thread = "host", mhlo.note = 1 : i64} : (tensor<8xf32>, !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
    %6 = sdy.data_flow_edge %3#0 sharding=<@f, [{"y", ?}]> : tensor<8xf32>
    stablehlo.return %6 : tensor<8xf32>
  }
  sdy.named_computation<"a name">() () {
    sdy.return
  } : () -> ()
  %1 = sdy.named_computation<"out">() out_shardings=[<@f, [{"x"}]>] () {
    %3 = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : () -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @f = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>, %arg2: !stablehlo.token) -> tensor<8xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32>
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %3:2 = func.call @f_0(%iterArg, %arg2) {mhlo.note = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@f, [{"y", ?}]>, <@f, []>]>} : (tensor<8xf32>, !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
      stablehlo.return %3#0 : tensor<8xf32>
    }
    call @"a name"() : () -> ()
    %1 = call @out() {sdy.sharding = #sdy.sharding_per_value<[<@f, [{"x"}]>]>} : () -> tensor<8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @f_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@f, [{"x"}]>}, %arg1: !stablehlo.token {sdy.sharding = #sdy.sharding<@f, []>}) -> (tensor<8xf32>, !stablehlo.token) attributes {execution_thread = "host", sdy.original_func_name = "f"} {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0, %arg1 : tensor<8xf32>, !stablehlo.token
  }
  func.func private @"a name"() attributes {sdy.original_func_name = "a name"} {
    return
  }
  func.func private @out() -> tensor<8xf32> attributes {sdy.original_func_name = "out"} {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
    return %cst : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-export-named-computations
// CASE: edges overrule the shardings of the op, a value without edge becomes open; inner ones are numbered first (5.9 steps 1, 2)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %0:2 = sdy.named_computation<"main">(%arg0) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{"y"}, {}]>] (%arg1: tensor<8x2xf32>) {
    %1 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"x"}, {?}]> : tensor<8x2xf32>
    %2 = sdy.named_computation<"main">(%1) (%arg2: tensor<8x2xf32>) {
      %4 = sdy.data_flow_edge %arg2 : tensor<8x2xf32>
      sdy.return %4 : tensor<8x2xf32>
    } : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %3 = sdy.data_flow_edge %2 : tensor<8x2xf32>
    sdy.return %3, %1 : tensor<8x2xf32>, tensor<8x2xf32>
  } : (tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>)
  %5 = sdy.data_flow_edge %0#0 : tensor<8x2xf32>
  %6 = sdy.data_flow_edge %0#1 sharding=<@mesh, [{?}, {"x"}]> : tensor<8x2xf32>
  return %5, %6 : tensor<8x2xf32>, tensor<8x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
    %0:2 = call @main_1(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}]>, <@mesh, [{?}, {"x"}]>]>} : (tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>)
    return %0#0, %0#1 : tensor<8x2xf32>, tensor<8x2xf32>
  }
  func.func private @main_0(%arg0: tensor<8x2xf32>) -> tensor<8x2xf32> attributes {sdy.original_func_name = "main"} {
    return %arg0 : tensor<8x2xf32>
  }
  func.func private @main_1(%arg0: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> (tensor<8x2xf32>, tensor<8x2xf32>) attributes {sdy.original_func_name = "main"} {
    %0 = call @main_0(%arg0) : (tensor<8x2xf32>) -> tensor<8x2xf32>
    return %0, %arg0 : tensor<8x2xf32>, tensor<8x2xf32>
  }
}
// ----------
// shardy opt --sdy-export-named-computations
// CASE: names are made unique, inner ones come first, edges fill the missing shardings (5.9)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] (%arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
    %2 = sdy.data_flow_edge %arg3 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
    %3 = sdy.named_computation<"f">(%2) (%arg4: tensor<8xf32>) {
      sdy.return %arg4 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f_1(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
    %0 = call @f_0(%arg1) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-func-calls --sdy-export-named-computations
// CASE: a function that was imported comes back without its own attributes (deviation 18)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {of_call = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32> {of_arg = 2 : i64}) -> (tensor<8xf32> {of_result = 3 : i64}) attributes {execution_thread = "host", of_function = 4 : i64} {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%arg0) {of_call = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host", sdy.original_func_name = "f"} {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-export-named-computations
// CASE: what a collective reads becomes open on the collective's mesh (5.9, 5.2)
sdy.mesh @A = <["a"=2]>
sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = sdy.named_computation<"f">(%arg0, %arg1) (%arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
    %1 = sdy.data_flow_edge %arg2 sharding=<@A, [{"a"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %arg3 : tensor<8xf32>
    %3 = sdy.all_slice [{"a"}] %2 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
    sdy.return %1, %3 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %4 = sdy.data_flow_edge %0#0 sharding=<@A, [{"a"}]> : tensor<8xf32>
  %5 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  %6 = sdy.all_slice [{"a"}] %5 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
  return %4, %6 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @A = <["a"=2]>
  sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = call @f(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@A, [{"a"}]>, <@B, [{?}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.all_slice [{"a"}] %0#1 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
    return %0#0, %1 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@A, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@B, [{?}]>}) -> (tensor<8xf32>, tensor<8xf32>) attributes {sdy.original_func_name = "f"} {
    %0 = sdy.all_slice [{"a"}] %arg1 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
    return %arg0, %0 : tensor<8xf32>, tensor<8xf32>
  }
}
