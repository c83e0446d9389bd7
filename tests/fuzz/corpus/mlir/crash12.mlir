module attributes {ar = array<i32>, as = array <f32: 1.000000e+00, -2.500000e+00>, at = affine_map<(d0, d1) -> (d0)>, au = affine_set<(d0) : (d0 - 1 >= 0)>, av = loc(unknown), aw = #d.name} {
}
