// Sorting pairs by key, then by value, rows and columns; ranks by sorting twice.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @sort_by_key attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<3x8xi32>, tensor<3x8xf32>)
    %want:4 = call @expected() : () -> (tensor<3x8xi32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xi32>)
    %v1:2 = "stablehlo.sort"(%in#0, %in#1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%v2: tensor<i32>, %v3: tensor<i32>, %v4: tensor<f32>, %v5: tensor<f32>):
      %v6 = stablehlo.compare EQ, %v2, %v3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %v7 = stablehlo.compare LT, %v4, %v5 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %v8 = stablehlo.compare LT, %v2, %v3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %v9 = stablehlo.select %v6, %v7, %v8 : tensor<i1>, tensor<i1>
      stablehlo.return %v9 : tensor<i1>
    }) : (tensor<3x8xi32>, tensor<3x8xf32>) -> (tensor<3x8xi32>, tensor<3x8xf32>)
    %v10 = "stablehlo.sort"(%in#1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%v11: tensor<f32>, %v12: tensor<f32>):
      %v13 = stablehlo.compare GT, %v11, %v12 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %v13 : tensor<i1>
    }) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    %v14 = stablehlo.iota dim = 1 : tensor<3x8xi32>
    %v15:2 = "stablehlo.sort"(%in#1, %v14) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%v16: tensor<f32>, %v17: tensor<f32>, %v18: tensor<i32>, %v19: tensor<i32>):
      %v20 = stablehlo.compare LT, %v16, %v17 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %v20 : tensor<i1>
    }) : (tensor<3x8xf32>, tensor<3x8xi32>) -> (tensor<3x8xf32>, tensor<3x8xi32>)
    %v21:2 = "stablehlo.sort"(%v15#1, %v14) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%v22: tensor<i32>, %v23: tensor<i32>, %v24: tensor<i32>, %v25: tensor<i32>):
      %v26 = stablehlo.compare LT, %v22, %v23 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v26 : tensor<i1>
    }) : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>, tensor<3x8xi32>)
    stablehlo.custom_call @check.expect_eq(%v1#0, %want#0) {has_side_effect = true} : (tensor<3x8xi32>, tensor<3x8xi32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v1#1, %want#1) {has_side_effect = true} : (tensor<3x8xf32>, tensor<3x8xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v10, %want#2) {has_side_effect = true} : (tensor<3x8xf32>, tensor<3x8xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v21#1, %want#3) {has_side_effect = true} : (tensor<3x8xi32>, tensor<3x8xi32>) -> ()
    return
  }
  func.func private @inputs() -> (tensor<3x8xi32>, tensor<3x8xf32>) {
    %c0 = stablehlo.constant dense<[[3, 3, 3, 3, 0, 3, 3, 1], [0, 0, 3, 3, 2, 2, 3, 0], [3, 3, 0, 3, 3, 1, 1, 3]]> : tensor<3x8xi32>
    %c1 = stablehlo.constant dense<[[-2.473038285970688e-01, 7.194406986236572e-01, 7.043160200119019e-01, -4.939342439174652e-01, -3.6771371960639954e-01, -1.8067903518676758, 1.679207444190979, -2.242908775806427e-01], [1.3372774124145508, 4.1746559739112854e-01, 1.943962812423706, 1.5371099710464478, 3.1829842925071716e-01, 1.4807634353637695, -9.501235485076904e-01, 1.2586181163787842], [-1.4804235696792603, 3.4323635697364807e-01, 1.0648764371871948, 2.2363214194774628e-01, -3.6713749170303345e-01, -8.055600523948669e-01, -3.428000211715698e-01, 1.051125168800354]]> : tensor<3x8xf32>
    return %c0, %c1 : tensor<3x8xi32>, tensor<3x8xf32>
  }
  func.func private @expected() -> (tensor<3x8xi32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xi32>) {
    %c0 = stablehlo.constant dense<[[0, 1, 3, 3, 3, 3, 3, 3], [0, 0, 0, 2, 2, 3, 3, 3], [0, 1, 1, 3, 3, 3, 3, 3]]> : tensor<3x8xi32>
    %c1 = stablehlo.constant dense<[[-3.6771371960639954e-01, -2.242908775806427e-01, -1.8067903518676758, -4.939342439174652e-01, -2.473038285970688e-01, 7.043160200119019e-01, 7.194406986236572e-01, 1.679207444190979], [4.1746559739112854e-01, 1.2586181163787842, 1.3372774124145508, 3.1829842925071716e-01, 1.4807634353637695, -9.501235485076904e-01, 1.5371099710464478, 1.943962812423706], [1.0648764371871948, -8.055600523948669e-01, -3.428000211715698e-01, -1.4804235696792603, -3.6713749170303345e-01, 2.2363214194774628e-01, 3.4323635697364807e-01, 1.051125168800354]]> : tensor<3x8xf32>
    %c2 = stablehlo.constant dense<[[1.3372774124145508, 7.194406986236572e-01, 1.943962812423706, 1.5371099710464478, 3.1829842925071716e-01, 1.4807634353637695, 1.679207444190979, 1.2586181163787842], [-2.473038285970688e-01, 4.1746559739112854e-01, 1.0648764371871948, 2.2363214194774628e-01, -3.6713749170303345e-01, -8.055600523948669e-01, -3.428000211715698e-01, 1.051125168800354], [-1.4804235696792603, 3.4323635697364807e-01, 7.043160200119019e-01, -4.939342439174652e-01, -3.6771371960639954e-01, -1.8067903518676758, -9.501235485076904e-01, -2.242908775806427e-01]]> : tensor<3x8xf32>
    %c3 = stablehlo.constant dense<[[3, 6, 5, 1, 2, 0, 7, 4], [4, 2, 7, 6, 1, 5, 0, 3], [0, 5, 7, 4, 2, 1, 3, 6]]> : tensor<3x8xi32>
    return %c0, %c1, %c2, %c3 : tensor<3x8xi32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x8xi32>
  }
}
