// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: the second of two equal reshards is the first (R1)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {?}]> : tensor<4x8xf32>
  %1 = sdy.reshard %arg0 <@m, [{"x", ?}p3, {}]> : tensor<4x8xf32>
  "test.use"(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {?}]> : tensor<4x8xf32>
    "test.use"(%0, %0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: the earliest of several reshards is reused (R1)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x", ?}, {}]> : tensor<4x8xf32>
  %1 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<32xf32>
  %2 = sdy.reshard %1 <@m, [{"y"}]> : tensor<32xf32>
  %3 = sdy.reshard %arg0 <@m, [{"x"}, {?}]> : tensor<4x8xf32>
  "test.use"(%0, %2, %3) : (tensor<4x8xf32>, tensor<32xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{"x", ?}, {}]> : tensor<4x8xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<32xf32>
    %2 = sdy.reshard %1 <@m, [{"y"}]> : tensor<32xf32>
    "test.use"(%0, %2, %0) : (tensor<4x8xf32>, tensor<32xf32>, tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a reshard below a reshape is a reshape of the one above (R1)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x4xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<8x4xf32>
  %1 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
  %2 = sdy.reshard %1 <@m, [{"y"}]> : tensor<32xf32>
  "test.use"(%0, %2, %1) : (tensor<8x4xf32>, tensor<32xf32>, tensor<32xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x4xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<8x4xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
    %2 = stablehlo.reshape %0 : (tensor<8x4xf32>) -> tensor<32xf32>
    "test.use"(%0, %2, %1) : (tensor<8x4xf32>, tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a reshard above a reshape is a reshape of the one below (R1)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x4xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
  %1 = sdy.reshard %0 <@m, [{"y"}]> : tensor<32xf32>
  %2 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<8x4xf32>
  "test.use"(%1, %2) : (tensor<32xf32>, tensor<8x4xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x4xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
    %1 = sdy.reshard %0 <@m, [{"y"}]> : tensor<32xf32>
    %2 = stablehlo.reshape %1 : (tensor<32xf32>) -> tensor<8x4xf32>
    "test.use"(%1, %2) : (tensor<32xf32>, tensor<8x4xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a reshard below a transpose is a transpose of the one above, not the other way (R1)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @above_first(%arg0: tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {"y"}]> : tensor<4x8xf32>
  %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %2 = sdy.reshard %1 <@m, [{"y"}, {"x"}]> : tensor<8x4xf32>
  "test.use"(%0, %2) : (tensor<4x8xf32>, tensor<8x4xf32>) -> ()
  return
}
func.func @below_first(%arg0: tensor<4x8xf32>) {
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = sdy.reshard %0 <@m, [{"y"}, {"x"}]> : tensor<8x4xf32>
  %2 = sdy.reshard %arg0 <@m, [{"x"}, {"y"}]> : tensor<4x8xf32>
  "test.use"(%1, %2) : (tensor<8x4xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @above_first(%arg0: tensor<4x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {"y"}]> : tensor<4x8xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    "test.use"(%0, %1) : (tensor<4x8xf32>, tensor<8x4xf32>) -> ()
    return
  }
  func.func @below_first(%arg0: tensor<4x8xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %1 = sdy.reshard %0 <@m, [{"y"}, {"x"}]> : tensor<8x4xf32>
    %2 = sdy.reshard %arg0 <@m, [{"x"}, {"y"}]> : tensor<4x8xf32>
    "test.use"(%1, %2) : (tensor<8x4xf32>, tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a transpose carries dims up, with the reduction of unreduced axes (R1)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @carried(%arg0: tensor<2x4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}, {}], unreduced=max{"y"}> : tensor<2x4x8xf32>
  %1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"x"}, {}], unreduced=max{"y"}> : tensor<8x2x4xf32>
  "test.use"(%0, %2) : (tensor<2x4x8xf32>, tensor<8x2x4xf32>) -> ()
  return
}
func.func @another_reduction(%arg0: tensor<2x4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}, {}], unreduced={"y"}> : tensor<2x4x8xf32>
  %1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"x"}, {}], unreduced=max{"y"}> : tensor<8x2x4xf32>
  "test.use"(%0, %2) : (tensor<2x4x8xf32>, tensor<8x2x4xf32>) -> ()
  return
}
func.func @another_dim(%arg0: tensor<2x4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{}, {"x"}, {}], unreduced=max{"y"}> : tensor<2x4x8xf32>
  %1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"x"}, {}], unreduced=max{"y"}> : tensor<8x2x4xf32>
  "test.use"(%0, %2) : (tensor<2x4x8xf32>, tensor<8x2x4xf32>) -> ()
  return
}
func.func @a_third_dim(%arg0: tensor<2x4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{}, {}, {"x"}], unreduced=max{"y"}> : tensor<2x4x8xf32>
  %1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"x"}, {}], unreduced=max{"y"}> : tensor<8x2x4xf32>
  "test.use"(%0, %2) : (tensor<2x4x8xf32>, tensor<8x2x4xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @carried(%arg0: tensor<2x4x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {}, {}], unreduced=max{"y"}> : tensor<2x4x8xf32>
    %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
    "test.use"(%0, %1) : (tensor<2x4x8xf32>, tensor<8x2x4xf32>) -> ()
    return
  }
  func.func @another_reduction(%arg0: tensor<2x4x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {}, {}], unreduced={"y"}> : tensor<2x4x8xf32>
    %1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
    %2 = sdy.reshard %1 <@m, [{}, {"x"}, {}], unreduced=max{"y"}> : tensor<8x2x4xf32>
    "test.use"(%0, %2) : (tensor<2x4x8xf32>, tensor<8x2x4xf32>) -> ()
    return
  }
  func.func @another_dim(%arg0: tensor<2x4x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{}, {"x"}, {}], unreduced=max{"y"}> : tensor<2x4x8xf32>
    %1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
    %2 = sdy.reshard %1 <@m, [{}, {"x"}, {}], unreduced=max{"y"}> : tensor<8x2x4xf32>
    "test.use"(%0, %2) : (tensor<2x4x8xf32>, tensor<8x2x4xf32>) -> ()
    return
  }
  func.func @a_third_dim(%arg0: tensor<2x4x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{}, {}, {"x"}], unreduced=max{"y"}> : tensor<2x4x8xf32>
    %1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
    %2 = sdy.reshard %1 <@m, [{}, {"x"}, {}], unreduced=max{"y"}> : tensor<8x2x4xf32>
    "test.use"(%0, %2) : (tensor<2x4x8xf32>, tensor<8x2x4xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: reshards to other layouts are kept (R1)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @another_sharding(%arg0: tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
  "test.use"(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
func.func @another_tensor(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reshard %arg1 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  "test.use"(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
func.func @columns_are_no_blocks(%arg0: tensor<16xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}]> : tensor<16xf32>
  %1 = stablehlo.reshape %arg0 : (tensor<16xf32>) -> tensor<4x4xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"x"}]> : tensor<4x4xf32>
  "test.use"(%0, %2) : (tensor<16xf32>, tensor<4x4xf32>) -> ()
  return
}
func.func @columns_of_another_width(%arg0: tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{}, {"x"}]> : tensor<4x8xf32>
  %1 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"x"}]> : tensor<8x4xf32>
  "test.use"(%0, %2) : (tensor<4x8xf32>, tensor<8x4xf32>) -> ()
  return
}
func.func @in_another_block(%arg0: tensor<4x8xf32>) {
  "test.op"() ({
    %1 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    "test.use"(%1) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  "test.use"(%0) : (tensor<4x8xf32>) -> ()
  return
}
func.func @strides_that_agree_by_accident(%arg0: tensor<2x4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{}, {}, {"x"}]> : tensor<2x4x8xf32>
  %1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
  %2 = sdy.reshard %1 <@m, [{}, {}, {"x"}]> : tensor<8x2x4xf32>
  "test.use"(%0, %2) : (tensor<2x4x8xf32>, tensor<8x2x4xf32>) -> ()
  return
}
func.func @a_dim_smaller_than_its_shards(%arg0: tensor<2x1xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<2x1xf32>
  %1 = sdy.reshard %arg0 <@m, [{}, {"x"}]> : tensor<2x1xf32>
  "test.use"(%0, %1) : (tensor<2x1xf32>, tensor<2x1xf32>) -> ()
  return
}
func.func @a_transpose_above_a_reshape(%arg0: tensor<4x8xf32>) {
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x4xf32>) -> tensor<32xf32>
  %2 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %3 = sdy.reshard %1 <@m, [{"x"}]> : tensor<32xf32>
  "test.use"(%2, %3) : (tensor<4x8xf32>, tensor<32xf32>) -> ()
  return
}
// ---- stays
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a transpose above a reshape is seen through by its elements (R1)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<1x8xf32>) {
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<1x8xf32>) -> tensor<8x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x1xf32>) -> tensor<8xf32>
  %2 = sdy.reshard %arg0 <@m, [{}, {"x"}]> : tensor<1x8xf32>
  %3 = sdy.reshard %1 <@m, [{"x"}]> : tensor<8xf32>
  "test.use"(%2, %3) : (tensor<1x8xf32>, tensor<8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<1x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{}, {"x"}]> : tensor<1x8xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<1x8xf32>) -> tensor<8x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x1xf32>) -> tensor<8xf32>
    "test.use"(%0, %2) : (tensor<1x8xf32>, tensor<8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a chain of reshards goes straight to its end (R2)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reshard %0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
  %2 = sdy.reshard %1 <@m, [{}, {"x"}]> : tensor<4x8xf32>
  "test.use"(%2) : (tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{}, {"x"}]> : tensor<4x8xf32>
    "test.use"(%0) : (tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a reshard that is used twice stays in front of the next (R2)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reshard %0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
  "test.use"(%0, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- stays
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: unused ops without effects are erased, one after the other
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x8xf32>) -> tensor<32xf32>
  %2 = sdy.reshard %1 <@m, [{"x"}]> : tensor<32xf32>
  "test.use"(%0) : (tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32>) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    "test.use"(%0) : (tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a manual computation takes only what it uses (MC1)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<4xf32>, %arg2: tensor<6xf32>) {
  %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@m, [{"x"}]>, <@m, [{"x", ?}]>, <@m, [{"x"}]>] out_shardings=[<@m, [{"x", ?}]>] manual_axes={"x"} (%arg3: tensor<1xf32>, %arg4: tensor<2xf32>, %arg5: tensor<3xf32>) {
    sdy.return %arg4 : tensor<2xf32>
  } : (tensor<2xf32>, tensor<4xf32>, tensor<6xf32>) -> tensor<4xf32>
  "test.use"(%0) : (tensor<4xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<4xf32>, %arg2: tensor<6xf32>) {
    %0 = sdy.manual_computation(%arg1) in_shardings=[<@m, [{"x", ?}]>] out_shardings=[<@m, [{"x", ?}]>] manual_axes={"x"} (%arg3: tensor<2xf32>) {
      sdy.return %arg3 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    "test.use"(%0) : (tensor<4xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a manual computation that does nothing goes (MC2)
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<2xf32>) {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    sdy.return
  } : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    "test.op"() : () -> ()
    sdy.return
  } : () -> ()
  sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%arg1: tensor<1xf32>) {
    sdy.return
  } : (tensor<2xf32>) -> ()
  "test.use"() : () -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<2xf32>) {
    "test.op"() : () -> ()
    "test.use"() : () -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: a manual computation on one device per group is inlined (MC3)
// TWICE
sdy.mesh @ones = <["a"=1, "b"=2, "c"=1]>
func.func @a(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] out_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] manual_axes={"a"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
    "test.op"(%arg2) : (tensor<4x8xf32>) -> ()
    sdy.return %arg3, %arg2 : tensor<4x8xf32>, tensor<4x8xf32>
  } : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  "test.use"(%0#0, %0#1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
func.func @a_and_c(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] out_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] manual_axes={"a", "c"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
    "test.op"(%arg2) : (tensor<4x8xf32>) -> ()
    sdy.return %arg3, %arg2 : tensor<4x8xf32>, tensor<4x8xf32>
  } : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  "test.use"(%0#0, %0#1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
func.func @none(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] out_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] manual_axes={} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
    "test.op"(%arg2) : (tensor<4x8xf32>) -> ()
    sdy.return %arg3, %arg2 : tensor<4x8xf32>, tensor<4x8xf32>
  } : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  "test.use"(%0#0, %0#1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
func.func @b(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] out_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] manual_axes={"b"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
    "test.op"(%arg2) : (tensor<4x8xf32>) -> ()
    sdy.return %arg3, %arg2 : tensor<4x8xf32>, tensor<4x8xf32>
  } : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  "test.use"(%0#0, %0#1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
func.func @a_and_b(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] out_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] manual_axes={"a", "b"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
    "test.op"(%arg2) : (tensor<4x8xf32>) -> ()
    sdy.return %arg3, %arg2 : tensor<4x8xf32>, tensor<4x8xf32>
  } : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  "test.use"(%0#0, %0#1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @ones = <["a"=1, "b"=2, "c"=1]>
  func.func @a(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
    "test.op"(%arg0) : (tensor<4x8xf32>) -> ()
    "test.use"(%arg1, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
  func.func @a_and_c(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
    "test.op"(%arg0) : (tensor<4x8xf32>) -> ()
    "test.use"(%arg1, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
  func.func @none(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
    "test.op"(%arg0) : (tensor<4x8xf32>) -> ()
    "test.use"(%arg1, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
  func.func @b(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] out_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] manual_axes={"b"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
      "test.op"(%arg2) : (tensor<4x8xf32>) -> ()
      sdy.return %arg3, %arg2 : tensor<4x8xf32>, tensor<4x8xf32>
    } : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    "test.use"(%0#0, %0#1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
  func.func @a_and_b(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] out_shardings=[<@ones, [{}, {}]>, <@ones, [{}, {}]>] manual_axes={"a", "b"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x8xf32>) {
      "test.op"(%arg2) : (tensor<4x8xf32>) -> ()
      sdy.return %arg3, %arg2 : tensor<4x8xf32>, tensor<4x8xf32>
    } : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    "test.use"(%0#0, %0#1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: without shardings any manual axes count as one device (MC3, D5)
// TWICE
func.func @main() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    "test.op"() : () -> ()
    sdy.return
  } : () -> ()
  "test.use"() : () -> ()
  return
}
// ---- becomes
module {
  func.func @main() {
    "test.op"() : () -> ()
    "test.use"() : () -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: of two nested manual computations the trivial one goes (MC3)
// TWICE
sdy.mesh @ones = <["a"=1, "b"=2]>
func.func @main(%arg0: tensor<4x8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@ones, [{"a"}, {}]>] out_shardings=[<@ones, [{"a"}, {}]>] manual_axes={"a"} (%arg1: tensor<4x8xf32>) {
    %1 = sdy.manual_computation(%arg1) in_shardings=[<@ones, [{"b"}, {}]>] out_shardings=[<@ones, [{"b"}, {}]>] manual_axes={"b"} (%arg2: tensor<2x8xf32>) {
      sdy.return %arg2 : tensor<2x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  "test.use"(%0) : (tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @ones = <["a"=1, "b"=2]>
  func.func @main(%arg0: tensor<4x8xf32>) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@ones, [{"b"}, {}]>] out_shardings=[<@ones, [{"b"}, {}]>] manual_axes={"b"} (%arg1: tensor<2x8xf32>) {
      sdy.return %arg1 : tensor<2x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    "test.use"(%0) : (tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize
// CASE: labels choose the patterns of canonicalize
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
  %2 = sdy.reshard %1 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %3 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<4x8xf32>
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    sdy.return
  } : () -> ()
  "test.use"(%0, %2, %3) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    "test.use"(%0, %0, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-reshard'
// CASE: labels choose the patterns of canonicalize
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
  %2 = sdy.reshard %1 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %3 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<4x8xf32>
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    sdy.return
  } : () -> ()
  "test.use"(%0, %2, %3) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    %1 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    %2 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<4x8xf32>
    "test.use"(%0, %1, %2) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-collective'
// CASE: labels choose the patterns of canonicalize
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
  %2 = sdy.reshard %1 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %3 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<4x8xf32>
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    sdy.return
  } : () -> ()
  "test.use"(%0, %2, %3) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    %1 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
    %2 = sdy.reshard %1 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    "test.use"(%0, %2, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='disable-patterns=sdy-reshard'
// CASE: labels choose the patterns of canonicalize
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
  %2 = sdy.reshard %1 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %3 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<4x8xf32>
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    sdy.return
  } : () -> ()
  "test.use"(%0, %2, %3) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    %1 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
    %2 = sdy.reshard %1 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    "test.use"(%0, %2, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
}
// ----------
// shardy opt --allow-unregistered-dialect --canonicalize='enable-patterns=sdy-reshard,sdy-collective'
// CASE: labels choose the patterns of canonicalize
// TWICE
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reshard %arg0 <@m, [{"y"}, {}]> : tensor<4x8xf32>
  %2 = sdy.reshard %1 <@m, [{"x"}, {}]> : tensor<4x8xf32>
  %3 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<4x8xf32>
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    sdy.return
  } : () -> ()
  "test.use"(%0, %2, %3) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  return
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    %1 = sdy.reshard %arg0 <@m, [{"x"}, {}]> : tensor<4x8xf32>
    "test.use"(%0, %1, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
    return
  }
}
