// shardy opt --sdy-tuples-to-values
// CASE: arguments, results and calls; shardings of a tuple are shared out
func.func @main(%arg0: tuple<tensor<8xf32>, tuple<tensor<4xi32>, tensor<f32>>> {mhlo.sharding = "{{devices=[2]<=[2]}, {replicated}, /*index=2*/ {maximal device=0}}"}, %arg1: tensor<8xf32> {tf.aliasing_output = 0 : i32}) -> (tuple<tensor<8xf32>, tensor<4xi32>> {jax.result_info = "r"}) {
  %0 = stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<8xf32>, tuple<tensor<4xi32>, tensor<f32>>>) -> tensor<8xf32>
  %1 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<8xf32>, tuple<tensor<4xi32>, tensor<f32>>>) -> tuple<tensor<4xi32>, tensor<f32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<4xi32>, tensor<f32>>) -> tensor<4xi32>
  %3 = stablehlo.add %0, %arg1 : tensor<8xf32>
  %4 = stablehlo.tuple %2, %3 : tuple<tensor<4xi32>, tensor<8xf32>>
  %5 = call @f(%4) : (tuple<tensor<4xi32>, tensor<8xf32>>) -> tuple<tensor<8xf32>, tensor<4xi32>>
  return %5 : tuple<tensor<8xf32>, tensor<4xi32>>
}
func.func private @f(%arg0: tuple<tensor<4xi32>, tensor<8xf32>>) -> tuple<tensor<8xf32>, tensor<4xi32>> {
  %0 = stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<4xi32>, tensor<8xf32>>) -> tensor<4xi32>
  %1 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<4xi32>, tensor<8xf32>>) -> tensor<8xf32>
  %2 = stablehlo.tuple %1, %0 : tuple<tensor<8xf32>, tensor<4xi32>>
  return %2 : tuple<tensor<8xf32>, tensor<4xi32>>
}
func.func private @g(tuple<tensor<f32>, tensor<i32>>) -> tuple<>
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %arg1: tensor<4xi32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<f32> {mhlo.sharding = "{maximal device=0}"}, %arg3: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "r"}, tensor<4xi32> {jax.result_info = "r"}) {
    %0 = stablehlo.add %arg0, %arg3 : tensor<8xf32>
    %1:2 = call @f(%arg1, %0) : (tensor<4xi32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<4xi32>)
    return %1#0, %1#1 : tensor<8xf32>, tensor<4xi32>
  }
  func.func private @f(%arg0: tensor<4xi32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xi32>) {
    return %arg1, %arg0 : tensor<8xf32>, tensor<4xi32>
  }
  func.func private @g(tensor<f32>, tensor<i32>)
}
// ----------
// shardy opt --sdy-tuples-to-values
// CASE: loops, branches, barriers and custom calls
func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<i32>, tensor<8xf32>>
  %1 = stablehlo.while(%iter = %0) : tuple<tensor<i32>, tensor<8xf32>>
  cond {
    %i = stablehlo.get_tuple_element %iter[0] : (tuple<tensor<i32>, tensor<8xf32>>) -> tensor<i32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %i = stablehlo.get_tuple_element %iter[0] : (tuple<tensor<i32>, tensor<8xf32>>) -> tensor<i32>
    %x = stablehlo.get_tuple_element %iter[1] : (tuple<tensor<i32>, tensor<8xf32>>) -> tensor<8xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.add %i, %c : tensor<i32>
    %y = stablehlo.add %x, %x : tensor<8xf32>
    %r = stablehlo.tuple %n, %y : tuple<tensor<i32>, tensor<8xf32>>
    stablehlo.return %r : tuple<tensor<i32>, tensor<8xf32>>
  }
  %2 = "stablehlo.case"(%arg0) ({
    stablehlo.return %1 : tuple<tensor<i32>, tensor<8xf32>>
  }, {
    stablehlo.return %0 : tuple<tensor<i32>, tensor<8xf32>>
  }) : (tensor<i32>) -> tuple<tensor<i32>, tensor<8xf32>>
  %3 = stablehlo.optimization_barrier %2 : tuple<tensor<i32>, tensor<8xf32>>
  %4 = stablehlo.custom_call @foo(%3, %arg1) {has_side_effect = true} : (tuple<tensor<i32>, tensor<8xf32>>, tensor<8xf32>) -> tuple<tuple<>, tensor<8xf32>>
  %5 = stablehlo.get_tuple_element %4[1] : (tuple<tuple<>, tensor<8xf32>>) -> tensor<8xf32>
  return %5 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<8xf32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c : tensor<i32>
      %5 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<8xf32>
      stablehlo.return %4, %5 : tensor<i32>, tensor<8xf32>
    }
    %1:2 = "stablehlo.case"(%arg0) ({
      stablehlo.return %0#0, %0#1 : tensor<i32>, tensor<8xf32>
    }, {
      stablehlo.return %arg0, %arg1 : tensor<i32>, tensor<8xf32>
    }) : (tensor<i32>) -> (tensor<i32>, tensor<8xf32>)
    %2:2 = stablehlo.optimization_barrier %1#0, %1#1 : tensor<i32>, tensor<8xf32>
    %3 = stablehlo.custom_call @foo(%2#0, %2#1, %arg1) {has_side_effect = true} : (tensor<i32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-tuples-to-values
// CASE: one sharding of a tuple is that of all of its parts
sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<4xf32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<8xf32>, tensor<4xf32>>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @one = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@one, []>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>)
    return %0#0 : tensor<8xf32>
  }
}
