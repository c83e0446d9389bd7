// A step of linear regression on four processes that add up their gradients.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @data_parallel_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:3 = call @inputs() : () -> (tensor<8x3xf64>, tensor<8xf64>, tensor<3xf64>)
    %want:4 = call @expected() : () -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    %v12 = stablehlo.slice %in#0 [0:2, 0:3] : (tensor<8x3xf64>) -> tensor<2x3xf64>
    %v13 = stablehlo.slice %in#1 [0:2] : (tensor<8xf64>) -> tensor<2xf64>
    %v14 = stablehlo.slice %in#0 [2:4, 0:3] : (tensor<8x3xf64>) -> tensor<2x3xf64>
    %v15 = stablehlo.slice %in#1 [2:4] : (tensor<8xf64>) -> tensor<2xf64>
    %v16 = stablehlo.slice %in#0 [4:6, 0:3] : (tensor<8x3xf64>) -> tensor<2x3xf64>
    %v17 = stablehlo.slice %in#1 [4:6] : (tensor<8xf64>) -> tensor<2xf64>
    %v18 = stablehlo.slice %in#0 [6:8, 0:3] : (tensor<8x3xf64>) -> tensor<2x3xf64>
    %v19 = stablehlo.slice %in#1 [6:8] : (tensor<8xf64>) -> tensor<2xf64>
    %v20:4 = "interpreter.run_parallel"(%v12, %v13, %in#2, %v14, %v15, %in#2, %v16, %v17, %in#2, %v18, %v19, %in#2) <{programs = [[@step, @step, @step, @step]]}> : (tensor<2x3xf64>, tensor<2xf64>, tensor<3xf64>, tensor<2x3xf64>, tensor<2xf64>, tensor<3xf64>, tensor<2x3xf64>, tensor<2xf64>, tensor<3xf64>, tensor<2x3xf64>, tensor<2xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    check.expect_almost_eq %v20#0, %want#0, tolerance = 1.0e-14 : tensor<3xf64>
    check.expect_almost_eq %v20#1, %want#1, tolerance = 1.0e-14 : tensor<3xf64>
    check.expect_almost_eq %v20#2, %want#2, tolerance = 1.0e-14 : tensor<3xf64>
    check.expect_almost_eq %v20#3, %want#3, tolerance = 1.0e-14 : tensor<3xf64>
    return
  }
  func.func private @step(%arg0: tensor<2x3xf64>, %arg1: tensor<2xf64>, %arg2: tensor<3xf64>) -> tensor<3xf64> {
    %v1 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0] : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2xf64>
    %v2 = stablehlo.subtract %v1, %arg1 : tensor<2xf64>
    %v3 = stablehlo.dot_general %arg0, %v2, contracting_dims = [0] x [0] : (tensor<2x3xf64>, tensor<2xf64>) -> tensor<3xf64>
    %v4 = "stablehlo.all_reduce"(%v3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%v5: tensor<f64>, %v6: tensor<f64>):
      %v7 = stablehlo.add %v5, %v6 : tensor<f64>
      stablehlo.return %v7 : tensor<f64>
    }) : (tensor<3xf64>) -> tensor<3xf64>
    %v8 = stablehlo.constant dense<0.0125> : tensor<f64>
    %v9 = stablehlo.broadcast_in_dim %v8, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %v10 = stablehlo.multiply %v4, %v9 : tensor<3xf64>
    %v11 = stablehlo.subtract %arg2, %v10 : tensor<3xf64>
    return %v11 : tensor<3xf64>
  }
  func.func private @inputs() -> (tensor<8x3xf64>, tensor<8xf64>, tensor<3xf64>) {
    %c0 = stablehlo.constant dense<[[-1.2316649689147774, 0.2671189477208684, -0.006926123563646536], [0.5015352951547885, -1.3267282928093849, 1.107768166657506], [0.0937548811679036, -1.1708180763562224, -1.3582403949601034], [-1.3065640246645707, -0.7176152818724516, 1.1856213579293313], [0.8945337459684365, -0.5440478173910653, -0.5465879239818061], [1.9295877402585404, 0.9027885949894684, -0.8033905796046447], [-0.14971196448317786, -0.43029158025002134, 0.15154145753356082], [0.8791498586600328, -0.27489147947244597, 0.36928102698558257]]> : tensor<8x3xf64>
    %c1 = stablehlo.constant dense<[0.5682654605670364, 0.7835076560925684, -0.6304340955306936, -0.221796455744778, 1.9723534034631014, -0.18596806121184997, 0.029913094799628087, 0.44094825078674765]> : tensor<8xf64>
    %c2 = stablehlo.constant dense<[-0.5772605523613432, -0.3897476006393902, 1.6782279840043126]> : tensor<3xf64>
    return %c0, %c1, %c2 : tensor<8x3xf64>, tensor<8xf64>, tensor<3xf64>
  }
  func.func private @expected() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
    %c0 = stablehlo.constant dense<[-0.4281160482965554, -0.34761243063853425, 1.542820794651917]> : tensor<3xf64>
    %c1 = stablehlo.constant dense<[-0.4281160482965554, -0.34761243063853425, 1.542820794651917]> : tensor<3xf64>
    %c2 = stablehlo.constant dense<[-0.4281160482965554, -0.34761243063853425, 1.542820794651917]> : tensor<3xf64>
    %c3 = stablehlo.constant dense<[-0.4281160482965554, -0.34761243063853425, 1.542820794651917]> : tensor<3xf64>
    return %c0, %c1, %c2, %c3 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  }
}
