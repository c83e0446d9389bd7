// shardy opt --xla-sdy-stablehlo-round-trip-export-callback-custom-calls
// CASE: a single result comes in a tuple, the text does not change; others stay (8)
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
    %0:2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) {mhlo.sharding = "{{maximal device=0}, {maximal device=0}}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xi32>)
    %1 = stablehlo.custom_call @xla_python_gpu_callback(%arg0) {mhlo.sharding = "{maximal device=0}"} : (tensor<8xf32>) -> tuple<tensor<2xf32>>
    %2 = stablehlo.get_tuple_element %1[0] {mhlo.sharding = "{maximal device=0}"} : (tuple<tensor<2xf32>>) -> tensor<2xf32>
    stablehlo.custom_call @xla_python_cpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
    return %0#0, %0#1, %2 : tensor<8xf32>, tensor<4xi32>, tensor<2xf32>
  }
}
// ----------
// shardy opt --xla-sdy-stablehlo-round-trip-export-callback-custom-calls
// CASE: a result without uses goes, with its layout (8)
// TWICE
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%arg0) {has_side_effect = true, mhlo.sharding = "{maximal device=0}", operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (tensor<8xf32>) -> tensor<i1>
  %1 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> tuple<tensor<8xf32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<8xf32>>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    stablehlo.custom_call @xla_ffi_python_gpu_callback(%arg0) {has_side_effect = true, mhlo.sharding = "{maximal device=0}", operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (tensor<8xf32>) -> ()
    %0 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> tuple<tensor<8xf32>>
    %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<8xf32>>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
