// shardy opt --sdy-convert-global-to-local
// CASE: dims must divide, and sharded dims be such as the op can take (partitioning 10.4)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<5xf32> {
  return %arg0 : tensor<5xf32>
}
// ---- fails
4:1: 'func.func' op dim 0 of tensor<5xf32> is not divisible by its 2 shards
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: what would give other values than the program is refused
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<f32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg0, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.reverse %arg0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x4xf32>
  %2 = stablehlo.slice %arg0 [1:3, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [3, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %5 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = sdy.all_reduce {"x"} %5 out_sharding=<@mesh, [{}]> : tensor<4xf32>
  %7 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.multiply across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %8 = sdy.all_reduce max {"x"} %7 out_sharding=<@mesh, [{}]> : tensor<4xf32>
  %9 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  %10 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<4x4xf32>
  return %0 : tensor<8x4xf32>
}
// ---- fails
5:8: 'stablehlo.concatenate' op dimension 0 is sharded but the concatenation is on this dimension.
6:8: 'stablehlo.reverse' op reverses the sharded dimension 0
7:8: 'stablehlo.slice' op slices the sharded dimension 0
8:8: 'stablehlo.pad' op pads the sharded dimension 0 so that elements change their device
10:8: 'stablehlo.reduce' op reduces a sharded dimension from an initial value that every device would count
12:8: 'stablehlo.reduce' op combines elements by another op than the all-reduce that uses it
14:8: 'stablehlo.reshape' op has elements that change their device
15:9: 'sdy.reshard' op is left: run the export passes and sdy-reshard-to-collectives first
// ----------
// shardy opt --sdy-convert-global-to-local='replica-count=2 partition-count=2'
// CASE: only one of the two counts may be greater than 1
sdy.mesh @mesh = <["x"=2]>
func.func @main() { return }
// ---- fails
: Shardy partitioner does not support replica_count > 1 && partition_count > 1 yet.
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: a returned value has the axes of the declared result, not just shards of equal size; axes of size 1 do not count
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=1]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  return %arg0 : tensor<4xf32>
}
func.func @same(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0 : tensor<4xf32>
}
// ---- fails
5:3: 'func.return' op returns a value whose sharding differs from that of result 0 of the function
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: several elements of an update may be in two shards; the result is sharded like the operand
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<2x6xf32>, %arg2: tensor<12x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg3: tensor<i32>) -> (tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg3, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<12x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<12x6xf32>
  %1 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg3, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<12x6xf32>, tensor<12x1xf32>, tensor<i32>, tensor<i32>) -> tensor<12x6xf32>
  return %0, %1 : tensor<12x6xf32>, tensor<12x6xf32>
}
// ---- fails
5:8: 'stablehlo.dynamic_update_slice' op takes part of the sharded dimension 0
6:8: 'stablehlo.dynamic_update_slice' op dimension 0 is sharded differently in an operand and in the result
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: taps of other devices, an update at a constant start in two shards, a sum over other axes
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<3x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<4x2x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg2: tensor<3x5x2xf32>) -> (tensor<3x5x5xf32>, tensor<3x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>} : (tensor<3x8x2xf32>, tensor<4x2x5xf32>) -> tensor<3x5x5xf32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %d = stablehlo.constant dense<3> : tensor<i32>
  %u = stablehlo.slice %arg2 [0:3, 0:2, 0:2] : (tensor<3x5x2xf32>) -> tensor<3x2x2xf32>
  %1 = stablehlo.dynamic_update_slice %arg0, %u, %c, %d, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<3x8x2xf32>, tensor<3x2x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x2xf32>
  %2 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [0, 1, 2] x [0, 1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<4x2x5xf32>, tensor<4x2x5xf32>) -> tensor<f32>
  %3 = sdy.all_reduce {"x", "y"} %2 out_sharding=<@mesh, []> : tensor<f32>
  return %0, %1 : tensor<3x5x5xf32>, tensor<3x8x2xf32>
}
// ---- fails
5:8: 'stablehlo.convolution' op has windows that reach over shards of dimension 1
9:8: 'stablehlo.dynamic_update_slice' op takes part of the sharded dimension 1
10:8: 'stablehlo.dot_general' op combines elements along a sharded dimension, but its only user is not an all-reduce over exactly these axes
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: shards in another order than their elements, a region that counts initial values
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%arg0: tensor<4x6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg1: tensor<4x6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %c = stablehlo.constant dense<-5> : tensor<i32>
  %d = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%arg0 init: %c), (%arg1 init: %d) across dimensions = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} : (tensor<4x6x2xi32>, tensor<4x6x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%e: tensor<i32>, %f: tensor<i32>) (%g: tensor<i32>, %h: tensor<i32>)  {
    %2 = stablehlo.compare LT, %e, %f : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.select %2, %f, %e : tensor<i1>, tensor<i32>
    %4 = stablehlo.select %2, %h, %g : tensor<i1>, tensor<i32>
    stablehlo.return %3, %4 : tensor<i32>, tensor<i32>
  }
  %1 = stablehlo.reduce(%arg0 init: %c) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x6x2xi32>, tensor<i32>) -> tensor<4x2xi32>
   reducer(%e: tensor<i32>, %f: tensor<i32>)  {
    %2 = stablehlo.add %e, %f : tensor<i32>
    %3 = stablehlo.add %2, %2 : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }
  return %0#0, %0#1 : tensor<2xi32>, tensor<2xi32>
}
// ---- fails
7:10: 'stablehlo.reduce' op reduces a sharded dimension by a region that no all-reduce supports
14:8: 'stablehlo.reduce' op reduces a sharded dimension by a region that no all-reduce supports
