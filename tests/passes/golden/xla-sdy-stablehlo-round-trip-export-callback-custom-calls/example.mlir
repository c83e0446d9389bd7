// shardy opt --xla-sdy-stablehlo-round-trip-export-callback-custom-calls
// CASE: calls with results give one tuple, their text as well; those without stay (8)
// TWICE
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xi32>, tensor<2xf32>) {
  %0:2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) {mhlo.sharding = "{{maximal device=0}, {maximal device=0}}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xi32>)
  %1 = stablehlo.custom_call @xla_python_gpu_callback(%arg0) {mhlo.sharding = "{maximal device=0}"} : (tensor<8xf32>) -> tensor<2xf32>
  stablehlo.custom_call @xla_python_cpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
  return %0#0, %0#1, %1 : tensor<8xf32>, tensor<4xi32>, tensor<2xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xi32>, tensor<2xf32>) {
    %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) {mhlo.sharding = "{{maximal device=0}, {maximal device=0}}"} : (tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<4xi32>>
    %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<8xf32>, tensor<4xi32>>) -> tensor<8xf32>
    %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<8xf32>, tensor<4xi32>>) -> tensor<4xi32>
    %3 = stablehlo.custom_call @xla_python_gpu_callback(%arg0) {mhlo.sharding = "{{maximal device=0}}"} : (tensor<8xf32>) -> tuple<tensor<2xf32>>
    %4 = stablehlo.get_tuple_element %3[0] : (tuple<tensor<2xf32>>) -> tensor<2xf32>
    stablehlo.custom_call @xla_python_cpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
    return %1, %2, %4 : tensor<8xf32>, tensor<4xi32>, tensor<2xf32>
  }
}
