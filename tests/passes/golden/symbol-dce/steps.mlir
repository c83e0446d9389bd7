// shardy opt --symbol-dce
// CASE: reached through calls in regions, through attributes, from public functions only; meshes stay (2)
sdy.mesh @unused = <["x"=2]>
func.func private @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func @entry(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%arg1) ({
    %2 = func.call @in_region(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @target(%0) {called_computations = [@by_attribute]} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @in_region(tensor<8xf32>) -> tensor<8xf32>
func.func private @by_attribute(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @lonely() {
  return
}
// ---- becomes
module {
  sdy.mesh @unused = <["x"=2]>
  func.func @entry(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
    %0 = "stablehlo.case"(%arg1) ({
      %2 = func.call @in_region(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %1 = stablehlo.custom_call @target(%0) {called_computations = [@by_attribute]} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @in_region(tensor<8xf32>) -> tensor<8xf32>
  func.func private @by_attribute(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
