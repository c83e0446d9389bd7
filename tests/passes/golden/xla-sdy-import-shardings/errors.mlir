// shardy opt --xla-sdy-import-shardings
// CASE: no string (10)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = 3 : i64}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
// ---- fails
3:41: mhlo.sharding of argument 0 of @main is not a string
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: text that is not a sharding (2.2)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,2]<=[5]}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
// ---- fails
3:41: mhlo.sharding of argument 0 of @main: product of tile sizes must match the number of devices, got: 4 != 5 at 1:10 in "{devices=[2,2]<=[5]}"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: maximal is not a kind (2.2)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dims={maximal}}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
// ---- fails
3:41: mhlo.sharding of argument 0 of @main: expected 'replicated', 'manual' or 'unreduced', found 'maximal' at 1:39 in "{devices=[2,1,2]<=[4] last_tile_dims={maximal}}"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: neither text nor a message (2.4)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "\08"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
// ---- fails
3:41: mhlo.sharding of argument 0 of @main is neither text nor a sharding message in "\08"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: other ranks (5.4)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
// ---- fails
3:41: argument 0 of @main has rank 2, its sharding tiles 1 dims in "{devices=[2]<=[2]}"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: tuples of other sizes (2.1)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{{replicated}, {replicated}}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
// ---- fails
3:41: mhlo.sharding on argument 0 of @main has 2 leaves for 1 results in "{{replicated}, {replicated}}"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: other numbers of devices (5.3)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{devices=[3,1]<=[3]}"}) {
  return
}
// ---- fails
3:41: argument 0 of @main shards over 2 devices, argument 1 of @main over 3
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: sizes that no mesh has (5.3)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[3,2]<=[6]}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{devices=[2,3]<=[6]}"}) {
  return
}
// ---- fails
3:41: no common mesh: argument 0 of @main splits 6 devices as 3x2, argument 1 of @main as 2x3
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: orders that no mesh has (5.3)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,1]0,1,3,2}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}) {
  return
}
// ---- fails
3:41: device lists of argument 0 of @main and argument 1 of @main fit no common mesh
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: not the partitions of the module (5.3)
module attributes {mhlo.num_partitions = 4 : i32} {
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
}
// ---- fails
4:41: argument 0 of @main shards over 2 devices, mhlo.num_partitions is 4
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: manual outside of a computation (5.7)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dims={manual}}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
// ---- fails
3:41: manual sharding of argument 0 of @main outside a manual computation in "{devices=[2,1,2]<=[4] last_tile_dims={manual}}"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: unreduced without devices (5.3)
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{unreduced}"}, %arg1: tensor<6x6xf32> {mhlo.sharding = "{replicated}"}) {
  return
}
// ---- fails
3:41: mhlo.sharding of argument 0 of @main: the module lists no devices in "{unreduced}"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: both, and they differ (10)
sdy.mesh @m = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>, mhlo.sharding = "{devices=[2]<=[2]}"}) {
  return
}
// ---- fails
4:39: argument 0 of @main has both #sdy.sharding<@m, [{}]> and another mhlo.sharding, which is #sdy.sharding<@m, [{"x"}]>
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: leaves for other numbers of results (2.1)
func.func @main(%arg0: tensor<8xf32>) {
  %0:2 = "stablehlo.optimization_barrier"(%arg0, %arg0) {mhlo.sharding = "{{replicated}, {replicated}, {replicated}}"} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// ---- fails
4:10: mhlo.sharding on stablehlo.optimization_barrier has 3 leaves for 2 results in "{{replicated}, {replicated}, {replicated}}"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: no sharding (5.6)
func.func @main(%arg0: tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ---- fails
4:8: expected CustomCallOp with a sharding attribute
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: more than one result (5.6)
func.func @main(%arg0: tensor<8xf32>) {
  %0:2 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// ---- fails
4:10: expected CustomCallOp with exactly one result
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: backend_config unspecified_dims=[0 (3.1)
func.func @main(%arg0: tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0", mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ---- fails
4:8: cannot read backend_config "unspecified_dims=[0" of @Sharding
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: backend_config dims=[0] (3.1)
func.func @main(%arg0: tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "dims=[0]", mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ---- fails
4:8: cannot read backend_config "dims=[0]" of @Sharding
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: backend_config unspecified_dims=[1] (3.1)
func.func @main(%arg0: tensor<8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ---- fails
4:8: unspecified dim 1 of @Sharding is out of range in "unspecified_dims=[1]"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: an axis on an op without results (5.8)
func.func @main(%arg0: tensor<8xf32>) {
  stablehlo.custom_call @f(%arg0) {has_side_effect = true, mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> ()
  return
}
// ---- fails
4:3: custom call @f has rank 0, its sharding tiles 1 dims in "{devices=[2]<=[2]}"
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: a border without the call before it (5.8)
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = call @shmap_body(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
func.func private @shmap_body(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// ---- fails
5:8: the operand of @SPMDFullToShardShape is not a result of @Sharding
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: a border that is left over (5.8)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @SPMDShardToFullShape(%arg0) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
4:8: @SPMDShardToFullShape is not at a boundary of a manual computation
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: borders with other axes (5.8)
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = call @shmap_body(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
func.func private @shmap_body(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// ---- fails
7:8: the borders of a manual computation disagree on its axes: {"_axis_0"} and {"_axis_0", "_axis_1"}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: a region that reads a sharded value from outside (5.7)
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %c = stablehlo.slice %arg0 [0:4, 0:4] {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.add %1, %c : tensor<4x4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
// ---- fails
7:8: cannot separate the manual region at stablehlo.add: it reads a sharded value from outside; only replicated values can be read there
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: a region whose value is returned as it is (5.7)
func.func @main(%arg0: tensor<12x6xf32>) -> tensor<6x6xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<12x6xf32>) -> tensor<12x6xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<12x6xf32>) -> tensor<6x6xf32>
  %2 = stablehlo.sine %1 : tensor<6x6xf32>
  return %2 : tensor<6x6xf32>
}
// ---- fails
6:8: cannot separate the manual region at stablehlo.sine: its result leaves the region without @SPMDShardToFullShape
