// shardy opt --xla-sdy-round-trip-clone-manual-computation-calls
// CASE: each call has a body of its own; other functions are shared (6.1, 6.6)
// TWICE
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @xla.sdy.manual_computation_body(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @xla.sdy.manual_computation_body(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @f(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @xla.sdy.manual_computation_body(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @xla.sdy.manual_computation_body_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = call @f(%2) : (tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  func.func private @xla.sdy.manual_computation_body(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @xla.sdy.manual_computation_body_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "xla.sdy.manual_computation_body"} {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
