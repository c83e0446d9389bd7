// Aliases of types and attributes, in a module whose functions are in generic form. Spec: stablehlo 2, 6.
!q = !quant.uniform<i8:f32, 2.0:15>
!t = tensor<4xf32>
#map = affine_map<(d0) -> (d0)>
#d = dense<[1, 2, 3, 4]> : tensor<4xi32>
#arr = array<i64: 0>
#dict = {a = 1 : i64, b = "x"}
#str = "foo"
#e = #stablehlo<comparison_direction LT>
#conf = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (!t, tensor<4x!q>) -> !t, sym_name = "f", sym_visibility = "public", arg_attrs = [{a = #str}, {}], res_attrs = [{jax.result_info = "r"}]}> ({
  ^bb0(%x: !t, %y: tensor<4x!q>):
    %c = stablehlo.constant #d
    %c2 = stablehlo.constant {foo = "bar", map = #map} dense<1> : tensor<i32> loc("a")
    %b = stablehlo.broadcast_in_dim %c2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %0 = "stablehlo.compare"(%b, %c) <{comparison_direction = #e}> {d = #dict} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %1 = "stablehlo.reverse"(%x) <{dimensions = #arr}> : (!t) -> !t
    %2 = stablehlo.multiply %1, %x : !t
    %3 = "stablehlo.dot"(%x, %x) <{precision_config = #conf}> : (!t, !t) -> tensor<f32>
    %4 = stablehlo.convert %0 : (tensor<4xi1>) -> !t
    "func.return"(%4) : (!t) -> ()
  }) {x} : () -> ()
}) {y = 1 : i32} : () -> ()
