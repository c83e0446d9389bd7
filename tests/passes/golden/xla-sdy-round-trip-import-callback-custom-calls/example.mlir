// shardy opt --xla-sdy-round-trip-import-callback-custom-calls
// CASE: a call without result, or with an unused empty tuple, returns a dummy; others stay (6.1)
// TWICE
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  stablehlo.custom_call @xla_python_cpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
  %0 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> tuple<>
  %1 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  stablehlo.custom_call @other(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> tensor<i1>
    %1 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> tensor<i1>
    %2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.custom_call @other(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
    return %2 : tensor<8xf32>
  }
}
