// shardy opt --sdy-flatten-call-graph
// CASE: deviation 9 and 1.6: copies are numbered callees first, calls in the order of the call graph
// TWICE
func.func private @bar(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @bar(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @bar(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  func.func private @bar(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @bar(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @bar_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @foo_3(%0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @bar_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "bar"} {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @bar_1(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "bar"} {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @bar_0_2(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "bar"} {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @foo_3(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "foo"} {
    %0 = call @bar_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @bar_0_2(%0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
