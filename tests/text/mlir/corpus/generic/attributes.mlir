"builtin.module"() ({
^bb0:
}) {a = 3 : i64, aa = -2 : i32, ab = 7 : ui64, ac = 0 : index, ad = true, ae = 1.500000e+00 : f64} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {af = 1.000000e-03 : f32, ag = 0x7F800000 : f32, ah = "a\22b\\\0A", ai = [1, "a", @f, [2], 2 : i32, 1.000000e+00, 1.000000e+00 : f32, true, unit], aj = {a = 1 : i64, b, "odd key" = 1 : i64}, ak} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {al = @f, am = @m::@f, an = tensor<4xf32>, ao = dense<1> : tensor<4xi32>, ap = #shardy.array<i64: 1, 2>, aq = #shardy.array<i1: true, false>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {ar = #shardy.array<i32>, as = #shardy.array<f32: 1.000000e+00, -2.500000e+00>, at = affine_map<(d0, d1) -> (d0)>, au = affine_set<(d0) : (d0 - 1 >= 0)>, av = loc(unknown), aw = #d.name} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {ax = #d.name<a b>, ay = #shardy.wrapped<d<name a b>>, az = #d<"string">, ba = #shardy.array<i8: 1, -2>, bb = #shardy.array<i16: 5>, bc = #shardy.array<f64: 0.000000e+00>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {bd = i32, be = (i32) -> f32, bf = -1 : i8, bg = dense<[1.000000e+00, 2.000000e+00]> : vector<2xf32>, bh = sparse<[[0, 0]], [1]> : tensor<2x2xi32>, bi = distinct[0]<1 : i64>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {bk = !stablehlo.token, bl = loc("a":1:2), bm = 1.000000e+00 : bf16, bn = 6.992180e-01 : bf16, bo = 18446744073709551615 : ui64, bp = -9223372036854775808 : i64} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {bq = loc(callsite("a" at "b":1:2)), br = loc(fused<"x">["a", "b"]), bs = [], bt = {}, bu = "", bv = -0.000000e+00 : f32} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {bw = #stablehlo.channel_handle<handle = 1, type = 0>, bx = #stablehlo.comparison_direction<LT>, by = #stablehlo.comparison_type<FLOAT>, bz = #stablehlo.precision<HIGH>, ca = #stablehlo.transpose<ADJOINT>, cb = #stablehlo.fft_type<RFFT>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {cc = #stablehlo.rng_algorithm<PHILOX>, cd = #stablehlo.rng_distribution<UNIFORM>, ce = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>, cf = #stablehlo.result_accuracy_mode<HIGHEST>, cg = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [2], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, ch = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [2], start_indices_batching_dims = [3], start_index_map = [0], index_vector_dim = 1>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {ci = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, cj = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, ck = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, cl = #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [1]>, cm = #stablehlo.mesh_axis<name = "x", size = 2>, cn = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {co = #stablehlo.axis_ref<name = "x">, cp = #stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>, cq = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, cr = #stablehlo.bounds<3, ?>, cs = #chlo.comparison_direction<LT>, ct = #chlo.precision<HIGHEST>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {cu = #stablehlo.dot<>, cv = #stablehlo.gather<>, cw = #stablehlo.scatter<>, cx = "\09tab", cy = "\C3\A9", cz = dense<> : tensor<0xf32>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {a = #sdy.mesh<["a"=2, "b"=3]>, b = #sdy.sharding<@m, [{"a", ?}p1, {}], replicated={"b"}>, c = #sdy.sharding_per_value<[<@m, [{"a"}]>, <@m, []>]>, d = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>, e = #sdy.propagation_edges<[{step-4 = [{"a" = operand-1 -> [operand-0, result-0]}]}]>, f = #sdy.manual_axes<{"a", "b"}>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {g = #sdy.axis_ref_list<{"a", "b":(1)2}>, h = #sdy.list_of_axis_ref_lists<[{"a"}, {}]>, i = #sdy.all_to_all_param_list<[{"a"}: 0->2]>, j = #sdy.mesh_axis<"a"=2>, k = #sdy.sub_axis_info<(2)4>, l = #sdy.axis_ref<"a":(2)4>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {m = #sdy.dimension_sharding<{"a"}p1>, n = #sdy.tensor_mapping<[i, jk]>, o = #sdy.mesh<[]>, p = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>, q = #sdy.sharding<@m, [], unreduced=max{"a"}>, r = #sdy.op_sharding_rule<([i, j, k])->([i, k]) {i=2, j=3, k=5} reduction={j} need_replication={i} permutation={k} blocked_propagation={i}, custom>} : () -> ()
// -----
"builtin.module"() ({
^bb0:
}) {s = #sdy.op_sharding_rule<([], [])->([])>, t = #sdy.mesh<[], device_ids=[3]>, u = #sdy.mesh<["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>, v = #sdy.manual_axes<{}>, w = #sdy.sharding<@"odd mesh", [{?}, {}p0, {"a b"}], unreduced={"c":(1)2}>, x = #sdy.sharding<mesh<[], device_ids=[0]>, []>} : () -> ()
