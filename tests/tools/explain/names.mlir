// explain --value %x
// explain --value x
// explain --value %pair
// explain --value %pair#1
// explain --value @helper:%x
// explain --value @main:%inner --function main
// explain --value %inner --all
// explain --value %inner
// explain --value %lost
// explain --value %xx
// explain --function helpr
// explain --function unused
sdy.mesh @mesh = <["a"=2]>
func.func @main(%w: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %i: tensor<i32>) -> tensor<8xf32> {
  %pair:2 = call @helper(%w) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %lost = stablehlo.sine %w : tensor<8xf32>
  %sum = "stablehlo.case"(%i) ({
    %inner = stablehlo.cosine %pair#0 : tensor<8xf32>
    stablehlo.return %inner : tensor<8xf32>
  }, {
    %inner = stablehlo.tanh %pair#1 : tensor<8xf32>
    stablehlo.return %inner : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  %inner = stablehlo.negate %sum : tensor<8xf32>
  return %inner : tensor<8xf32>
}
func.func private @helper(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %x, %0 : tensor<8xf32>, tensor<8xf32>
}
func.func private @unused(%q: tensor<8xf32>) -> tensor<8xf32> {
  return %q : tensor<8xf32>
}
