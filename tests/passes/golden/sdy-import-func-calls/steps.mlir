// shardy opt --sdy-import-func-calls
// CASE: several calls: copies of the body, one warning, functions without calls stay (4.10 steps 2, 3)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @g(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @g(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @nobody_calls(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- diagnostics
6:8: warning: function @f has multiple call ops, we need to clone the function body for each call
note: this is not an error: each call can have its own shardings; sdy-flatten-call-graph makes each copy a function
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
      %8 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      %9 = stablehlo.negate %8 : tensor<8xf32>
      sdy.return %9 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = sdy.named_computation<"f">(%1) out_shardings=[<@mesh, [{"x"}]>] (%arg1: tensor<8xf32>) {
      %8 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      %9 = stablehlo.negate %8 : tensor<8xf32>
      sdy.return %9 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.data_flow_edge %2 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    %4 = sdy.named_computation<"g">(%3) (%arg1: tensor<8xf32>) {
      %8 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      sdy.return %8 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %5 = sdy.data_flow_edge %4 : tensor<8xf32>
    %6 = sdy.named_computation<"g">(%5) (%arg1: tensor<8xf32>) {
      %8 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      sdy.return %8 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %7 = sdy.data_flow_edge %6 : tensor<8xf32>
    return %7 : tensor<8xf32>
  }
  func.func private @nobody_calls(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-func-calls
// CASE: missing shardings of arguments are added, several and no operands and results, calls in regions (4.10 step 1, 1.10)
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @max = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8x2xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: !stablehlo.token) -> tensor<8x2xf32> {
  %0:2 = stablehlo.while(%a = %arg0, %b = %arg2) : tensor<8x2xf32>, tensor<i1>
  cond {
    stablehlo.return %b : tensor<i1>
  } do {
    %1:3 = func.call @f(%a, %arg1, %a, %arg3) : (tensor<8x2xf32>, tensor<f32>, tensor<8x2xf32>, !stablehlo.token) -> (tensor<8x2xf32>, tensor<f32>, !stablehlo.token)
    func.call @none() : () -> ()
    stablehlo.return %1#0, %b : tensor<8x2xf32>, tensor<i1>
  }
  return %0#0 : tensor<8x2xf32>
}
func.func private @f(%arg0: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@max, []>}, %arg1: tensor<f32>, %arg2: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}, %arg3: !stablehlo.token) -> (tensor<8x2xf32>, tensor<f32>, !stablehlo.token) {
  return %arg2, %arg1, %arg3 : tensor<8x2xf32>, tensor<f32>, !stablehlo.token
}
func.func private @none() {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @max = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<8x2xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: !stablehlo.token) -> tensor<8x2xf32> {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg2) : tensor<8x2xf32>, tensor<i1>
    cond {
      stablehlo.return %iterArg_0 : tensor<i1>
    } do {
      %1:3 = sdy.named_computation<"f">(%iterArg, %arg1, %iterArg, %arg3) in_shardings=[<@max, []>, <@mesh, []>, <@mesh, [{"y"}, {?}]>, <@mesh, []>] (%arg4: tensor<8x2xf32>, %arg5: tensor<f32>, %arg6: tensor<8x2xf32>, %arg7: !stablehlo.token) {
        %4 = sdy.data_flow_edge %arg4 sharding=<@max, []> : tensor<8x2xf32>
        %5 = sdy.data_flow_edge %arg5 sharding=<@mesh, []> : tensor<f32>
        %6 = sdy.data_flow_edge %arg6 sharding=<@mesh, [{"y"}, {?}]> : tensor<8x2xf32>
        sdy.return %6, %5, %arg7 : tensor<8x2xf32>, tensor<f32>, !stablehlo.token
      } : (tensor<8x2xf32>, tensor<f32>, tensor<8x2xf32>, !stablehlo.token) -> (tensor<8x2xf32>, tensor<f32>, !stablehlo.token)
      %2 = sdy.data_flow_edge %1#0 : tensor<8x2xf32>
      %3 = sdy.data_flow_edge %1#1 : tensor<f32>
      sdy.named_computation<"none">() () {
        sdy.return
      } : () -> ()
      stablehlo.return %2, %iterArg_0 : tensor<8x2xf32>, tensor<i1>
    }
    return %0#0 : tensor<8x2xf32>
  }
}
// ----------
// shardy opt --sdy-import-func-calls='add-data-flow-edges-on-named-computations=false'
// CASE: shardings on single devices alone are not taken over (4.10 step 1, 1.10)
sdy.mesh @max = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@max, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @max = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0) out_shardings=[<@max, []>] (%arg1: tensor<8xf32>) {
      sdy.return %arg1 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-func-calls
// CASE: with the option computations of the user get edges, too (4.10 step 4)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"mine">(%arg0) (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"mine">(%arg0) (%arg1: tensor<8xf32>) {
      %2 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-func-calls
// CASE: deviation 21: recursion is an error (4.10, 1.5)
func.func @main() {
  call @f() : () -> ()
  return
}
func.func private @f() {
  call @g() : () -> ()
  return
}
func.func private @g() {
  call @f() : () -> ()
  return
}
// ---- fails
7:1: recursive call to function f is not supported
// ----------
// shardy opt --sdy-import-func-calls
// CASE: deviation 21: a function without body is an error (4.10, 2)
func.func @main() {
  call @f() : () -> ()
  return
}
func.func private @f()
// ---- fails
7:1: function f has no body
// ----------
// shardy opt --sdy-import-func-calls
// CASE: edge ops of calls have to be sunk before (2)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.func_data_flow_edge' op would be separated from its call
// ----------
// shardy opt --sdy-import-func-calls='add-data-flow-edges-on-named-computations=false'
// CASE: without the option no edges are added
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @g_7(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @g_7(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "g"} {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"g">(%arg0) (%arg1: tensor<8xf32>) {
      sdy.return %arg1 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-func-calls='add-data-flow-edges-on-named-computations=false'
// CASE: deviation 17: shardings of the function's results are not those of the call
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
      sdy.return %arg1 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-func-calls='add-data-flow-edges-on-named-computations=false'
// CASE: a function that is called twice is copied, nested calls come along
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- diagnostics
5:8: warning: function @f has multiple call ops, we need to clone the function body for each call
note: this is not an error: each call can have its own shardings; sdy-flatten-call-graph makes each copy a function
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
      %2 = sdy.named_computation<"g">(%arg1) (%arg2: tensor<8xf32>) {
        %3 = stablehlo.negate %arg2 : tensor<8xf32>
        sdy.return %3 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.named_computation<"f">(%0) (%arg1: tensor<8xf32>) {
      %2 = sdy.named_computation<"g">(%arg1) (%arg2: tensor<8xf32>) {
        %3 = stablehlo.negate %arg2 : tensor<8xf32>
        sdy.return %3 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-add-data-flow-edges --sdy-import-func-calls
// CASE: deviation 5: a named computation of the user that has edges gets no second ones
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"mine">(%arg0) (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"mine">(%arg0) (%arg1: tensor<8xf32>) {
      %2 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-func-calls
// CASE: whatever a function ends in becomes the return of the computation (4.10 step 2)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  stablehlo.return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  stablehlo.return %0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
      %2 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      %3 = stablehlo.negate %2 : tensor<8xf32>
      sdy.return %3 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-func-calls
// CASE: an argument without sharding that a collective reads is open on the mesh of the collective (4.10, 1.7)
sdy.mesh @A = <["a"=2]>
sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @f(%arg0, %arg1) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@A, [{"a"}]>}, %arg3: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %3 = sdy.all_slice [{"a"}] %arg3 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
  return %arg2, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @A = <["a"=2]>
  sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = sdy.named_computation<"f">(%arg0, %arg1) in_shardings=[<@A, [{"a"}]>, <@B, [{?}]>] (%arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
      %3 = sdy.data_flow_edge %arg2 sharding=<@A, [{"a"}]> : tensor<8xf32>
      %4 = sdy.data_flow_edge %arg3 sharding=<@B, [{?}]> : tensor<8xf32>
      %5 = sdy.all_slice [{"a"}] %4 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
      sdy.return %3, %5 : tensor<8xf32>, tensor<8xf32>
    } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.data_flow_edge %0#0 : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
