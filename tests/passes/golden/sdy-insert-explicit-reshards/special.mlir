// shardy opt --sdy-insert-explicit-reshards
// CASE: sharded alike up to closedness the operands of a concatenate are not alike, and it has the full version (A.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"b"}]> : tensor<4x8xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{?}, {"b"}]> : tensor<4x8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %3 = sdy.reshard %2 <@mesh, [{"b"}, {}]> : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a concatenate of what is sharded alike has the minimal version, also along a sharded dim (A.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: one operand of a concatenate without a sharding is enough for the full version (A.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, %arg1: tensor<4x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, %arg1: tensor<4x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{}, {"b"}]> : tensor<4x8xf32>
    %1 = stablehlo.concatenate %arg0, %0, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a result on one device is refused as an argument is (A.2)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@d0, []>}) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
// ---- fails
5:167: function result 1 cannot have a single-device (maximal) sharding attribute
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the second of two operands of a dot that share an axis with its result but not each other is left (A.9)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: an axis on free dims of both operands is none for the special dot (A.9)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: two dims of the result that differ are none for the special dot (A.9)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a result that keeps more than the axes of the reduction is left (A.9)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c"}, {}]>]>} : (tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: several reduction dims count in the order of their factors (A.9)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}, {"c"}]>}, %arg1: tensor<32x32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a"}, {}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1, 2] x [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c"}, {}]>]>} : (tensor<8x32x32xf32>, tensor<32x32x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1, 2] x [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", "a"}, {}]>]>} : (tensor<8x32x32xf32>, tensor<32x32x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}, {"c"}]>}, %arg1: tensor<32x32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a"}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1, 2] x [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x32x32xf32>, tensor<32x32x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"a", "c"}, {}]> : tensor<8x8xf32>
    %2 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1, 2] x [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", "a"}, {}]>]>} : (tensor<8x32x32xf32>, tensor<32x32x8xf32>) -> tensor<8x8xf32>
    return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the dim that keeps the axes of the reduction may be a batching dim (A.9)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}, {"a"}]>}, %arg1: tensor<4x32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}, {}]>}) -> (tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {}]>]>} : (tensor<4x8x32xf32>, tensor<4x32x8xf32>) -> tensor<4x8x8xf32>
  return %0 : tensor<4x8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}, {"a"}]>}, %arg1: tensor<4x32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}, {}]>}) -> (tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}, {}]>]>} : (tensor<4x8x32xf32>, tensor<4x32x8xf32>) -> tensor<4x8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"a"}, {}, {}]> : tensor<4x8x8xf32>
    return %1 : tensor<4x8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the dim may be that of the second operand (A.9)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<8x32xf32>, tensor<32x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : (tensor<8x32xf32>, tensor<32x4xf32>) -> tensor<8x4xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"a"}]> : tensor<8x4xf32>
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the full version reduces and reshards where the minimal one has its special dot (A.9)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{"b"}, {}]> : tensor<4x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{"a"}, {}]> : tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the side of a reshape with more shards is that of the result (A.10)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}]>]>} : (tensor<6x2xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a":(1)2}, {}]> : tensor<6x2xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}]>]>} : (tensor<6x2xf32>) -> tensor<12xf32>
    %2 = sdy.reshard %1 <@mesh, [{"a", "b"}]> : tensor<12xf32>
    return %2 : tensor<12xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of two sides with as many shards the operand is taken (A.10 step 1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a":(1)2}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a":(1)2}]>]>} : (tensor<12xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a":(1)2}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"c":(1)2}]> : tensor<12xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)2}, {}]>]>} : (tensor<12xf32>) -> tensor<6x2xf32>
    %2 = sdy.reshard %1 <@mesh, [{"b"}, {"a":(1)2}]> : tensor<6x2xf32>
    return %2 : tensor<6x2xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what overflows one dim of a reshape goes to others, and what nothing takes to the last one (A.10 step 3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<6x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>} : (tensor<12x4xf32>) -> tensor<6x2x4xf32>
  return %0 : tensor<6x2x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<6x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a":(1)2}, {"b", "c"}]> : tensor<12x4xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {}, {"b", "c"}]>]>} : (tensor<12x4xf32>) -> tensor<6x2x4xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}, {}]> : tensor<6x2x4xf32>
    return %2 : tensor<6x2x4xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a side of a reshape that has the common axes already is not resharded (A.10 step 5)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {}]>]>} : (tensor<12xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a":(1)2}]> : tensor<12xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {}]>]>} : (tensor<12xf32>) -> tensor<6x2xf32>
    return %1 : tensor<6x2xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a reshape without overflow is an op like any other (A.10)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<4x16xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b", "a":(1)2}, {"a":(2)2}]> : tensor<4x16xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<4x16xf32>) -> tensor<64xf32>
    return %1 : tensor<64xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the minimal version leaves a reshape with overflow alone (A.10)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<12xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: unknown custom calls are left alone (A.11.4)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.custom_call @unknown(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a reshard after a barrier reads the barrier (A.11.4)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<16xf32>
  %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : tensor<16xf32>
  return %1 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) {
    %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"b", "a"}]> : tensor<16xf32>
    %2 = stablehlo.add %1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what is on the empty mesh goes to the mesh of the others (A.12.1)
sdy.mesh @empty = <[]>
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty, [{}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @empty = <[]>
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty, [{}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: an op that reads from one device but does not run there is left alone (A.12.1)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = sdy.reshard %arg0 <@d0, []> : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: an op between two device orders keeps that of its operand (A.12.1)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"a"}]>]>} : tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"a"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what is whole on each device counts for no device order and stays where it is (A.12.1, A.6)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@other, [{}, {}]>]>} : tensor<8x8xf32>
  %1 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([k]) {i=8, j=8, k=8}>} : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: what goes to the device it is on is not sent, other results are spread again (A.12.2)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  %1:2 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %1#0, %1#1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  sdy.mesh @d1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.reshard %0 <@d1, []> : tensor<8xf32>
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
    %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<8xf32>
    %4 = sdy.reshard %3 <@d1, []> : tensor<8xf32>
    %5:2 = stablehlo.custom_call @foo(%4) {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>, <@d1, []>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %6 = sdy.reshard %5#0 <@mesh, [{}]> : tensor<8xf32>
    %7 = sdy.reshard %5#1 <@mesh, [{}]> : tensor<8xf32>
    %8 = sdy.reshard %7 <@mesh, [{"a"}]> : tensor<8xf32>
    return %6, %8 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: tokens stay out of it (A.12.2)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = stablehlo.custom_call @foo(%t, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>, <@mesh, []>]>} : (!stablehlo.token, tensor<8xf32>) -> (tensor<8xf32>, !stablehlo.token)
  return %0#0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  sdy.mesh @d1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %2 = sdy.reshard %1 <@d1, []> : tensor<8xf32>
    %3:2 = stablehlo.custom_call @foo(%0, %2) {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>, <@mesh, []>]>} : (!stablehlo.token, tensor<8xf32>) -> (tensor<8xf32>, !stablehlo.token)
    %4 = sdy.reshard %3#0 <@mesh, [{}]> : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: without a mesh with axes an op on one device is left alone (A.12.2)
sdy.mesh @d1 = <[], device_ids=[1]>
sdy.mesh @empty = <[]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a ragged dot has the full version always (A.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<2x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"b"}]>}, %arg2: tensor<2xi64>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [l, k, j], [l])->([i, j]) {i=8, j=16, k=32, l=2} reduction={k}>} : (tensor<8x32xf32>, tensor<2x32x16xf32>, tensor<2xi64>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<2x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"b"}]>}, %arg2: tensor<2xi64>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [l, k, j], [l])->([i, j]) {i=8, j=16, k=32, l=2} reduction={k}>} : (tensor<8x32xf32>, tensor<2x32x16xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what is whole on each device counts for no device order, however often it is (A.12.1)
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@other, [{"a"}]> : tensor<8xf32>
    %1 = sdy.reshard %arg1 <@other, [{"a"}]> : tensor<8xf32>
    %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"a"}]>]>} : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: partial over one axis, sharded along the axis of its sum, minimal: the dot is summed to a replicated value, then sliced (A.7, diverges)
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}], unreduced={"b"}>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a"}, {}], unreduced={"b"}>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", "a"}, {}], unreduced={"b"}>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}], unreduced={"b"}>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a"}, {}], unreduced={"b"}>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}], unreduced={"b"}>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{"c"}, {}], unreduced={"b"}> : tensor<4x4xf32>
    %2 = sdy.reshard %1 <@mesh, [{"c", "a"}, {}], unreduced={"b"}> : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: of a pair of reductions each result is summed before either is sliced (A.7, diverges)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}], unreduced={"b"}>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}], unreduced={"b"}>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.reduce(%arg0 init: %cst), (%arg1 init: %cst) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}p1], unreduced={"b"}>, <@mesh, [{}], unreduced={"b"}>]>} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<f32>, %arg5: tensor<f32>)  {
    %1 = stablehlo.add %arg2, %arg4 : tensor<f32>
    %2 = stablehlo.add %arg3, %arg5 : tensor<f32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}], unreduced={"b"}>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}], unreduced={"b"}>}) -> (tensor<4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0:2 = stablehlo.reduce(%arg0 init: %cst), (%arg1 init: %cst) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"b"}>, <@mesh, [{}], unreduced={"b"}>]>} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
     reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<f32>, %arg5: tensor<f32>)  {
      %6 = stablehlo.add %arg2, %arg4 : tensor<f32>
      %7 = stablehlo.add %arg3, %arg5 : tensor<f32>
      stablehlo.return %6, %7 : tensor<f32>, tensor<f32>
    }
    %1 = sdy.all_reduce {"a"} %0#0 out_sharding=<@mesh, [{}], unreduced={"b"}> : tensor<4xf32>
    %2 = sdy.all_reduce {"a"} %0#1 out_sharding=<@mesh, [{}], unreduced={"b"}> : tensor<4xf32>
    %3 = sdy.reshard %1 <@mesh, [{"a"}p1], unreduced={"b"}> : tensor<4xf32>
    %4 = sdy.all_reduce {"b"} %3 out_sharding=<@mesh, [{"a"}p1]> : tensor<4xf32>
    %5 = sdy.all_reduce {"b"} %2 out_sharding=<@mesh, [{}]> : tensor<4xf32>
    return %4, %5 : tensor<4xf32>, tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a result that is replicated along the axis of its sum is partial before the sum, in both versions (A.7, diverges)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}], replicated={"a"}>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{"b"}, {}], replicated={"a"}> : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a value that is reduced after its op is not reduced again (A.7, diverges)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b"}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"a", "b"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  %2 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %3 = sdy.reduce_scatter [{"b"}, {"a"}] %2 out_sharding=<@mesh, [{"b"}, {"a"}]> : tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a sum over other axes, or one that is not the only user, is not part of its op (A.7, diverges)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = sdy.all_reduce {"a", "b"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  %2 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %3 = sdy.all_reduce {"a"} %2 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
  return %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
    %2 = sdy.all_reduce {"a", "b"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
    %3 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %4 = sdy.all_reduce {"a"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
    %5 = sdy.all_reduce {"a"} %4 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xf32>
    return %2, %4, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: what was sent to the device of an op stays there (A.12.2)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@d1, []> : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  sdy.mesh @d1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@d1, []> : tensor<8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a conflict of batch factors is measured against the larger operand (A.9)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x2xf32>, tensor<4x2x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<4x2xf32>, tensor<4x2x8xf32>) -> tensor<4x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"a"}, {}]> : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a dot whose result differs from both operands is left alone, though one difference fits (A.9)
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {"a"}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"d"}, {"a"}]>]>} : (tensor<4x32xf32>, tensor<32x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what is explicitly replicated is not so any more where it is resharded for an op (A.6)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"b"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"b"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: ops that compute the elements of another op move no data (A.2)
sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<4xf32> {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
    %1 = stablehlo.slice %arg1 [0:1] : (tensor<8xf32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    %3 = stablehlo.add %arg2, %arg3 : tensor<f32>
    %4 = stablehlo.add %3, %2 : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards=enable-full-version=true
// CASE: a result without sharding is whole for a collective, on the mesh of the collective (A.6, A.7, diverges)
sdy.mesh @A = <["a"=2]>
sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@A, [{"a"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@A, [{}, {"a"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = sdy.all_slice [{"a"}] %1 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
  %3 = sdy.all_slice [{"a"}] %0 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @A = <["a"=2]>
  sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@A, [{"a"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@A, [{}, {"a"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@A, [{"a"}]>]>} : tensor<8xf32>
    %1 = sdy.reshard %0 <@B, [{}]> : tensor<8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %3 = sdy.all_reduce {"a"} %2 out_sharding=<@A, [{}]> : tensor<8xf32>
    %4 = sdy.reshard %3 <@B, [{}]> : tensor<8xf32>
    %5 = sdy.all_slice [{"a"}] %4 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
    %6 = sdy.all_slice [{"a"}] %1 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
    %7 = sdy.reshard %5 <@B, [{}]> : tensor<8xf32>
    %8 = sdy.reshard %6 <@B, [{}]> : tensor<8xf32>
    return %7, %8 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true lowering-rules=true'
// CASE: a collective after an erased barrier reads the sharding of the barrier (A.11.4)
sdy.mesh @A = <["a"=2]>
sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@A, [{"a"}]>}) -> tensor<8xf32> {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@B, [{}]>]>} : tensor<8xf32>
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @A = <["a"=2]>
  sdy.mesh @B = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@A, [{"a"}]>}) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@B, [{}]> : tensor<8xf32>
    %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@B, [{"a"}]> : tensor<8xf32>
    %2 = sdy.reshard %1 <@B, [{}]> {sdy.cause = ["func.return", "operand 0", "the tensors of the op are sharded differently"]} : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: unreduced axes of a result may overlap sub-axes of the operand (A.7)
sdy.mesh @mesh = <["a"=6]>
func.func @main(%arg0: tensor<4x6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a":(3)2, "a":(1)3}]>}, %arg1: tensor<i64>) -> (tensor<4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"a":(2)3}>}) {
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"a":(2)3}>]>} : (tensor<4x6xi64>, tensor<i64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=6]>
  func.func @main(%arg0: tensor<4x6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a":(3)2, "a":(1)3}]>}, %arg1: tensor<i64>) -> (tensor<4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"a":(2)3}>}) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"a":(2)3}>]>} : (tensor<4x6xi64>, tensor<i64>) -> tensor<4xi64>
    %1 = sdy.all_reduce max {"a":(1)2} %0 out_sharding=<@mesh, [{}], unreduced=max{"a":(2)3}> : tensor<4xi64>
    return %1 : tensor<4xi64>
  }
}
