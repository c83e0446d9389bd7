// The median of each window of five, by sorting what shifted slices hold.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @median_filter attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<20xf32>
    %want = call @expected() : () -> tensor<16xf32>
    %v1 = stablehlo.slice %in [0:16] : (tensor<20xf32>) -> tensor<16xf32>
    %v2 = stablehlo.reshape %v1 : (tensor<16xf32>) -> tensor<16x1xf32>
    %v3 = stablehlo.slice %in [1:17] : (tensor<20xf32>) -> tensor<16xf32>
    %v4 = stablehlo.reshape %v3 : (tensor<16xf32>) -> tensor<16x1xf32>
    %v5 = stablehlo.slice %in [2:18] : (tensor<20xf32>) -> tensor<16xf32>
    %v6 = stablehlo.reshape %v5 : (tensor<16xf32>) -> tensor<16x1xf32>
    %v7 = stablehlo.slice %in [3:19] : (tensor<20xf32>) -> tensor<16xf32>
    %v8 = stablehlo.reshape %v7 : (tensor<16xf32>) -> tensor<16x1xf32>
    %v9 = stablehlo.slice %in [4:20] : (tensor<20xf32>) -> tensor<16xf32>
    %v10 = stablehlo.reshape %v9 : (tensor<16xf32>) -> tensor<16x1xf32>
    %v11 = stablehlo.concatenate %v2, %v4, %v6, %v8, %v10, dim = 1 : (tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>) -> tensor<16x5xf32>
    %v12 = "stablehlo.sort"(%v11) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%v13: tensor<f32>, %v14: tensor<f32>):
      %v15 = stablehlo.compare LT, %v13, %v14 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %v15 : tensor<i1>
    }) : (tensor<16x5xf32>) -> tensor<16x5xf32>
    %v16 = stablehlo.slice %v12 [0:16, 2:3] : (tensor<16x5xf32>) -> tensor<16x1xf32>
    %v17 = stablehlo.reshape %v16 : (tensor<16x1xf32>) -> tensor<16xf32>
    stablehlo.custom_call @check.expect_eq(%v17, %want) {has_side_effect = true} : (tensor<16xf32>, tensor<16xf32>) -> ()
    return
  }
  func.func private @inputs() -> tensor<20xf32> {
    %c0 = stablehlo.constant dense<[1.1012624502182007, 3.384312689304352e-01, -5.399715304374695e-01, -1.2602418661117554, -1.8946212530136108, 1.8638290464878082e-02, -8.105670809745789e-01, -8.721559643745422e-01, -2.2196950018405914e-01, -5.184602737426758e-02, -2.276782751083374, 9.251465797424316e-01, -2.026845693588257, 1.8596241474151611, 5.905681252479553e-01, -4.7184452414512634e-01, 1.3429964780807495, 2.0786462351679802e-02, 6.909209489822388e-01, 1.0722707957029343e-01]> : tensor<20xf32>
    return %c0 : tensor<20xf32>
  }
  func.func private @expected() -> tensor<16xf32> {
    %c0 = stablehlo.constant dense<[-5.399715304374695e-01, -5.399715304374695e-01, -8.105670809745789e-01, -8.721559643745422e-01, -8.105670809745789e-01, -2.2196950018405914e-01, -8.105670809745789e-01, -2.2196950018405914e-01, -2.2196950018405914e-01, -5.184602737426758e-02, 5.905681252479553e-01, 5.905681252479553e-01, 5.905681252479553e-01, 5.905681252479553e-01, 5.905681252479553e-01, 1.0722707957029343e-01]> : tensor<16xf32>
    return %c0 : tensor<16xf32>
  }
}
