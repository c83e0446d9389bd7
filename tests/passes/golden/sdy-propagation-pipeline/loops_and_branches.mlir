// shardy opt --sdy-propagation-pipeline
// CASE: a loop and branches get one sharding per value that they carry
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %i: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<4> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%it = %c, %p = %arg0, %q = %arg1) : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
  cond {
    %3 = stablehlo.compare LT, %it, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %3 = stablehlo.add %it, %one : tensor<i32>
    %4 = stablehlo.dot %p, %q : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    stablehlo.return %3, %5, %p : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  %1:2 = "stablehlo.case"(%i) ({
    stablehlo.return %0#1, %0#2 : tensor<8x8xf32>, tensor<8x8xf32>
  }, {
    stablehlo.return %0#2, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
  }) : (tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return %1#0, %1#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg2: tensor<i32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = sdy.constant dense<0> : tensor<i32>
    %1 = sdy.constant dense<4> : tensor<i32>
    %2 = sdy.constant dense<1> : tensor<i32>
    %3:3 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>}
    cond {
      %5 = stablehlo.compare LT, %iterArg, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %5 = stablehlo.add %iterArg, %2 : tensor<i32>
      %6 = stablehlo.dot %iterArg_0, %iterArg_1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %7 = sdy.reshard %6 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
      stablehlo.return %5, %7, %iterArg_0 : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
    }
    %4:2 = "stablehlo.case"(%arg2) ({
      stablehlo.return %3#1, %3#2 : tensor<8x8xf32>, tensor<8x8xf32>
    }, {
      stablehlo.return %3#2, %3#1 : tensor<8x8xf32>, tensor<8x8xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"x"}]>]>} : (tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    return %4#0, %4#1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline --sdy-apply-sharding-constraints --sdy-user-priority-propagate=keep-sharding-rules=true --sdy-export-pipeline=enable-insert-explicit-collectives=true
// CASE: the export of a loop and branches with explicit collectives
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %i: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<4> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%it = %c, %p = %arg0, %q = %arg1) : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
  cond {
    %3 = stablehlo.compare LT, %it, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %3 = stablehlo.add %it, %one : tensor<i32>
    %4 = stablehlo.dot %p, %q : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    stablehlo.return %3, %5, %p : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  %1:2 = "stablehlo.case"(%i) ({
    stablehlo.return %0#1, %0#2 : tensor<8x8xf32>, tensor<8x8xf32>
  }, {
    stablehlo.return %0#2, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
  }) : (tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return %1#0, %1#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"y"}, {}]>}, %arg2: tensor<i32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{}, {"x"}]>}) {
    %0 = sdy.collective_permute %arg1 out_sharding=<mesh<["x"=2, "y"=2]>, [{"x"}, {}]> : tensor<8x8xf32>
    %1 = sdy.constant dense<0> : tensor<i32>
    %2 = sdy.constant dense<4> : tensor<i32>
    %3 = sdy.constant dense<1> : tensor<i32>
    %4:3 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg0, %iterArg_1 = %0) : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=2]>, []>, <mesh<["x"=2, "y"=2]>, [{"x"}, {}]>, <mesh<["x"=2, "y"=2]>, [{"x"}, {}]>]>}
    cond {
      %8 = stablehlo.compare LT, %iterArg, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8 = stablehlo.add %iterArg, %3 : tensor<i32>
      %9 = sdy.all_gather [{"x"}, {}] %iterArg_1 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {}]> : tensor<8x8xf32>
      %10 = stablehlo.dot %iterArg_0, %9 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=2]>, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      stablehlo.return %8, %10, %iterArg_0 : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
    }
    %5 = sdy.all_to_all [{"x"}: 0->1] %4#1 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {"x"}]> : tensor<8x8xf32>
    %6 = sdy.all_to_all [{"x"}: 0->1] %4#2 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {"x"}]> : tensor<8x8xf32>
    %7:2 = "stablehlo.case"(%arg2) ({
      stablehlo.return %4#1, %6 : tensor<8x8xf32>, tensor<8x8xf32>
    }, {
      stablehlo.return %4#2, %5 : tensor<8x8xf32>, tensor<8x8xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=2]>, [{"x"}, {}]>, <mesh<["x"=2, "y"=2]>, [{}, {"x"}]>]>} : (tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    return %7#0, %7#1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
