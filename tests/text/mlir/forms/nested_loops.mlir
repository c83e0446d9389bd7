// Modules in a module, and loops in a loop, whose arguments keep what names are left. Spec: stablehlo 2, 13.2.
module {
  module @inner attributes {a} {
    func.func private @f(tensor<4xf32> {a = 1 : i32}, tensor<f32>) -> (tensor<4xf32> {b}) attributes {c}
    sdy.mesh @mesh = <["x"=2]>
  }
  module {
  }
  func.func @main(%arg0: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<?x4xf32>
     cond {
      %true = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %true : tensor<i1>
    } do {
      %2 = stablehlo.while(%iterArg_0 = %iterArg) : tensor<?x4xf32> attributes {a}
      cond {
        %c = stablehlo.constant dense<false> : tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        stablehlo.return %iterArg_0 : tensor<?x4xf32>
      }
      stablehlo.return %2 : tensor<?x4xf32>
    }
    %1:2 = "stablehlo.while"(%0, %0) ({
    ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
      %true = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %true : tensor<i1>
    }, {
    ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
      stablehlo.return %b, %a : tensor<?x4xf32>, tensor<?x4xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{}, {}]>, <mesh<["x"=2]>, [{}, {"x"}]>]>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
    return %1 : tensor<?x4xf32>
  }
}
