// shardy opt --sdy-import-func-calls
// CASE: a call becomes a named computation with the attributes of both
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {note = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {execution_thread = "thread"} {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"y"}]>] (%arg1: tensor<8xf32>) {
      %2 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
      %3 = stablehlo.negate %2 : tensor<8xf32>
      sdy.return %3 : tensor<8xf32>
    } {execution_thread = "thread", note = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"y"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
