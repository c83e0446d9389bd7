// Meshes, shardings, rules and collectives of sdy that are wrong.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@nope, [{}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"z"}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{}, {}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"x", "x"}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"y":(1)3}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"y":(1)4}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"y":(0)2}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"y":(1)2, "y":(2)2}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"x"}p]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"x"}p01]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"x"}q1]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{}p1]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{?, "x"}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"x",}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{"x"}], replicated={"x"}> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{}], replicated={"x"}, replicated={"y"}> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{}], shared={"x"}> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m, [{}], replicated={"y", "x"}> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <@m [{}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <m, [{}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <mesh<["a"=0]>, [{}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <mesh<["a"=2, "a"=2]>, [{}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <mesh<["a"=2], device_ids=[0, 0]>, [{}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.reshard %x <mesh<["a"=2], device_ids=[]>, [{}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.propagation_barrier %x allowed_direction=BOTH : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.propagation_barrier %x allowed_direction=UP : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  sdy.sharding_group %x id=1 : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.all_gather [{"x"}] %x out_sharding=<@m, [{}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.all_slice [{"x"}, {}] %x out_sharding=<@m, [{"x"}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.all_slice [{"x"}] %x out_sharding=<@m, [{"y"}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.all_to_all [] %y out_sharding=<@m, [{}, {}]> : tensor<2x3xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.all_reduce avg {"x"} %x out_sharding=<@m, [{}]> : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>) { sdy.return %a : tensor<4xf32> } : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"z"} (%a: tensor<4xf32>) { sdy.return %a : tensor<4xf32> } : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.manual_computation(%x) in_shardings=[] out_shardings=[] manual_axes={"x"} (%a: tensor<4xf32>) { sdy.return %a : tensor<4xf32> } : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.named_computation<"a">(%x) (%a: tensor<5xf32>) { sdy.return %a : tensor<5xf32> } : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = sdy.named_computation<"a">(%x) (%a: tensor<4xf32>) { sdy.return %a : tensor<4xf32> } : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding<@m, [{}]>} : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>} : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {sdy.sharding_rule = 1 : i64} : tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.custom_call @c(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=4}>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.custom_call @c(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([a])->([a]) {a=4}>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.custom_call @c(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=4, j=2}>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
