#pragma once

#include <string_view>

namespace shardy::testing {

/// Number, mesh, shape, and two shardings; then the steps. On "@n" the devices are in reverse
/// order. Where the table of the spec leaves out a sharding, it follows from the step. Spec:
/// resharding B.6.
constexpr std::string_view kReferenceExamples = R"(
1 A 16x16 <@m, [{"a"}, {"b"}]> -> <@m, [{"a"}, {"b"}]>
2 A 16x16 <@m, [{"a", "b"}, {"c"}]> -> <@m, [{"a", "b":(1)2}, {}]>
  sdy.all_gather [{"b":(2)2}, {"c"}] out_sharding=<@m, [{"a", "b":(1)2}, {}]>
3 A 16x16 <@m, [{}, {"c"}]> -> <@m, [{"a"}, {"c", "b"}]>
  sdy.all_slice [{"a"}, {"b"}] out_sharding=<@m, [{"a"}, {"c", "b"}]>
4 A 16x16 <@m, [{"b":(1)2}, {}]> -> <@m, [{"b"}, {"a"}]>
  sdy.all_slice [{"b":(2)2}, {"a"}] out_sharding=<@m, [{"b"}, {"a"}]>
5 A 16x16x16 <@m, [{"a"}, {"b"}, {}]> -> <@m, [{"a"}, {}, {"b"}]>
  sdy.all_to_all [{"b"}: 1->2] out_sharding=<@m, [{"a"}, {}, {"b"}]>
6 A 16x16x16 <@m, [{"a", "c"}, {"b"}, {}]> -> <@m, [{}, {"b", "a", "c"}, {}]>
  sdy.all_to_all [{"a", "c"}: 0->1] out_sharding=<@m, [{}, {"b", "a", "c"}, {}]>
7 A 16x16x16 <@m, [{}, {"a", "c", "b"}, {}]> -> <@m, [{"b"}, {"a"}, {"c"}]>
  sdy.all_to_all [{"b"}: 1->0] out_sharding=<@m, [{"b"}, {"a", "c"}, {}]>
  sdy.all_to_all [{"c"}: 1->2] out_sharding=<@m, [{"b"}, {"a"}, {"c"}]>
8 A 16x16x16 <@m, [{"c"}, {"a"}, {}]> -> <@m, [{}, {}, {"a", "c"}]>
  sdy.all_to_all [{"a"}: 1->2] out_sharding=<@m, [{"c"}, {}, {"a"}]>
  sdy.all_to_all [{"c"}: 0->2] out_sharding=<@m, [{}, {}, {"a", "c"}]>
9 A 16x16 <@m, [{"a"}, {}]> -> <@m, [{}, {"c"}]>
  sdy.all_slice [{}, {"c"}] out_sharding=<@m, [{"a"}, {"c"}]>
  sdy.all_gather [{"a"}, {}] out_sharding=<@m, [{}, {"c"}]>
10 A 16x16 <@m, [{"a"}, {}]> -> <@m, [{"c"}, {}]>
  sdy.collective_permute out_sharding=<@m, [{"c"}, {}]>
11 A 16x16 <@m, [{"a"}, {}]> -> <@m, [{"b"}, {}]>
  sdy.all_slice [{"b":(1)2}, {}] out_sharding=<@m, [{"a", "b":(1)2}, {}]>
  sdy.collective_permute out_sharding=<@m, [{"b"}, {}]>
12 A 16x16 <@m, [{"b"}, {}]> -> <@m, [{"a"}, {}]>
  sdy.collective_permute out_sharding=<@m, [{"a", "b":(2)2}, {}]>
  sdy.all_gather [{"b":(2)2}, {}] out_sharding=<@m, [{"a"}, {}]>
13 A 16x16 <@m, [{"a"}, {"b"}]> -> <@m, [{"b"}, {"a"}]>
  sdy.collective_permute out_sharding=<@m, [{"b":(1)2}, {"a", "b":(2)2}]>
  sdy.all_to_all [{"b":(2)2}: 1->0] out_sharding=<@m, [{"b"}, {"a"}]>
14 A 16x16 <@m, [{"a", "b"}, {}]> -> <@m, [{"b", "a"}, {}]>
  sdy.collective_permute out_sharding=<@m, [{"b", "a"}, {}]>
15 A 16x16 <@m, [{"a", "b"}, {}]> -> <@m, [{"b"}, {}]>
  sdy.collective_permute out_sharding=<@m, [{"b", "a"}, {}]>
  sdy.all_gather [{"a"}, {}] out_sharding=<@m, [{"b"}, {}]>
16 A 16x16 <@m, [{"a", "b"}, {}]> -> <@m, [{}, {"a"}]>
  sdy.collective_permute out_sharding=<@m, [{"b", "a"}, {}]>
  sdy.all_to_all [{"a"}: 0->1] out_sharding=<@m, [{"b"}, {"a"}]>
  sdy.all_gather [{"b"}, {}] out_sharding=<@m, [{}, {"a"}]>
17 A 16x16 <@m, [{"a", "b"}, {}]> -> <@m, [{}, {"b"}]>
  sdy.all_to_all [{"b"}: 0->1] out_sharding=<@m, [{"a"}, {"b"}]>
  sdy.all_gather [{"a"}, {}] out_sharding=<@m, [{}, {"b"}]>
18 A 16x16 <@m, [{"a", "b"}, {}]> -> <@m, [{}, {"b", "a"}]>
  sdy.collective_permute out_sharding=<@m, [{"b", "a"}, {}]>
  sdy.all_to_all [{"b", "a"}: 0->1] out_sharding=<@m, [{}, {"b", "a"}]>
19 A 16x16 <@m, [{}, {"a"}]> -> <@m, [{"a", "b"}, {}]>
  sdy.all_slice [{}, {"b"}] out_sharding=<@m, [{}, {"a", "b"}]>
  sdy.all_to_all [{"a", "b"}: 1->0] out_sharding=<@m, [{"a", "b"}, {}]>
20 A 16x4 <@m, [{}, {"a"}]> -> <@m, [{"a", "b"}, {}]>
  sdy.all_slice [{"b"}, {}] out_sharding=<@m, [{"b"}, {"a"}]>
  sdy.collective_permute out_sharding=<@m, [{"a", "b":(1)2}, {"b":(2)2}]>
  sdy.all_to_all [{"b":(2)2}: 1->0] out_sharding=<@m, [{"a", "b"}, {}]>
21 A 16x16 <@m, [{}, {"a"}]> -> <@m, [{"b", "a"}, {}]>
  sdy.all_slice [{"b"}, {}] out_sharding=<@m, [{"b"}, {"a"}]>
  sdy.all_to_all [{"a"}: 1->0] out_sharding=<@m, [{"b", "a"}, {}]>
22 A 16x16 <@m, [{"c"}, {"a"}]> -> <@m, [{"a", "b"}, {"c"}]>
  sdy.all_slice [{"b"}, {}] out_sharding=<@m, [{"c", "b"}, {"a"}]>
  sdy.collective_permute out_sharding=<@m, [{"a", "b"}, {"c"}]>
23 P 16x16 <@m, [{"p"}, {"q"}]> -> <@m, [{"q":(1)2}, {"p"}]>
  sdy.collective_permute out_sharding=<@m, [{"q"}, {"p"}]>
  sdy.all_gather [{"q":(2)2}, {}] out_sharding=<@m, [{"q":(1)2}, {"p"}]>
24 P 16x16 <@m, [{"p":(1)2, "q":(1)2, "p":(2)2}, {}]> -> <@m, [{"p"}, {"q"}]>
  sdy.all_slice [{}, {"q":(2)2}] out_sharding=<@m, [{"p":(1)2, "q":(1)2, "p":(2)2}, {"q":(2)2}]>
  sdy.collective_permute out_sharding=<@m, [{"p", "q":(2)2}, {"q":(1)2}]>
  sdy.all_to_all [{"q":(2)2}: 0->1] out_sharding=<@m, [{"p"}, {"q"}]>
25 P 16x16 <@m, [{"p"}, {}]> -> <@m, [{"p":(2)2}, {"p":(1)2}]>
  sdy.collective_permute out_sharding=<@m, [{"p":(2)2, "p":(1)2}, {}]>
  sdy.all_to_all [{"p":(1)2}: 0->1] out_sharding=<@m, [{"p":(2)2}, {"p":(1)2}]>
26 P 64x64 <@m, [{"p", "q":(2)2}, {}]> -> <@m, [{"q"}, {"p":(1)2}]>
  sdy.all_slice [{}, {"q":(1)2}] out_sharding=<@m, [{"p", "q":(2)2}, {"q":(1)2}]>
  sdy.collective_permute out_sharding=<@m, [{"q", "p":(2)2}, {"p":(1)2}]>
  sdy.all_gather [{"p":(2)2}, {}] out_sharding=<@m, [{"q"}, {"p":(1)2}]>
27 H 32x32 <@m, [{"u"}, {"v"}]> -> <@m, [{"v"}, {"u"}]>
  sdy.collective_permute out_sharding=<@m, [{"v", "u":(2)4}, {"u":(1)2}]>
  sdy.all_to_all [{"u":(2)4}: 0->1] out_sharding=<@m, [{"v"}, {"u"}]>
28 H 32x32 <@m, [{"u":(2)2}, {}]> -> <@m, [{"u"}, {}]>
  sdy.all_slice [{"u":(1)2, "u":(4)2}, {}] out_sharding=<@m, [{"u":(2)2, "u":(1)2, "u":(4)2}, {}]>
  sdy.collective_permute out_sharding=<@m, [{"u"}, {}]>
29 B 16x16x16 <@m, [{"a"}, {"b"}, {}]> -> <@m, [{}, {}, {"b", "c", "a", "d"}]>
  sdy.all_slice [{"d"}, {"c"}, {}] out_sharding=<@m, [{"a", "d"}, {"b", "c"}, {}]>
  sdy.all_to_all [{"b", "c"}: 1->2] out_sharding=<@m, [{"a", "d"}, {}, {"b", "c"}]>
  sdy.all_to_all [{"a", "d"}: 0->2] out_sharding=<@m, [{}, {}, {"b", "c", "a", "d"}]>
30 B 16x16 <@m, [{"a", "b", "c"}, {"d"}]> -> <@m, [{"d"}, {"c", "b"}]>
  sdy.collective_permute out_sharding=<@m, [{"d", "a", "b"}, {"c"}]>
  sdy.all_to_all [{"b"}: 0->1] out_sharding=<@m, [{"d", "a"}, {"c", "b"}]>
  sdy.all_gather [{"a"}, {}] out_sharding=<@m, [{"d"}, {"c", "b"}]>
31 B 8x8x8 <@m, [{"a"}, {"b"}, {"c"}]> -> <@m, [{"b"}, {"c"}, {"a"}]>
  sdy.collective_permute out_sharding=<@m, [{"b"}, {"c"}, {"a"}]>
32 B 8x8x8 <@m, [{"a", "b"}, {"c"}, {"d"}]> -> <@m, [{}, {"b", "d"}, {"a"}]>
  sdy.collective_permute out_sharding=<@m, [{"c", "d"}, {"b"}, {"a"}]>
  sdy.all_to_all [{"d"}: 0->1] out_sharding=<@m, [{"c"}, {"b", "d"}, {"a"}]>
  sdy.all_gather [{"c"}, {}, {}] out_sharding=<@m, [{}, {"b", "d"}, {"a"}]>
33 K 12x12 <@m, [{"m"}, {}]> -> <@m, [{"n"}, {}]>
  sdy.all_slice [{"n"}, {}] out_sharding=<@m, [{"m", "n"}, {}]>
  sdy.collective_permute out_sharding=<@m, [{"n", "m"}, {}]>
  sdy.all_gather [{"m"}, {}] out_sharding=<@m, [{"n"}, {}]>
34 K 12x12 <@m, [{"m"}, {"n"}]> -> <@m, [{"n"}, {"m"}]>
  sdy.all_to_all [{"m"}: 0->1] out_sharding=<@m, [{}, {"n", "m"}]>
  sdy.collective_permute out_sharding=<@m, [{}, {"m", "n"}]>
  sdy.all_to_all [{"n"}: 1->0] out_sharding=<@m, [{"n"}, {"m"}]>
35 K 12x12 <@m, [{"n"}, {}]> -> <@m, [{"m"}, {"n"}]>
  sdy.all_slice [{"m"}, {}] out_sharding=<@m, [{"n", "m"}, {}]>
  sdy.collective_permute out_sharding=<@m, [{"m", "n"}, {}]>
  sdy.all_to_all [{"n"}: 0->1] out_sharding=<@m, [{"m"}, {"n"}]>
36 W 12x12 <@m, [{"m", "r"}, {"n"}]> -> <@m, [{"n", "m"}, {"r"}]>
  sdy.collective_permute out_sharding=<@m, [{"m", "r"}, {"n"}]>
  sdy.all_to_all [{"r"}: 0->1] out_sharding=<@m, [{"m"}, {"n", "r"}]>
  sdy.collective_permute out_sharding=<@m, [{"m"}, {"r", "n"}]>
  sdy.all_to_all [{"n"}: 1->0] out_sharding=<@m, [{"m", "n"}, {"r"}]>
  sdy.collective_permute out_sharding=<@m, [{"n", "m"}, {"r"}]>
37 V 24x24 <@m, [{"s"}, {}]> -> <@m, [{"t"}, {}]>
  sdy.all_slice [{"t":(1)2}, {}] out_sharding=<@m, [{"s", "t":(1)2}, {}]>
  sdy.collective_permute out_sharding=<@m, [{"t", "s":(1)3}, {}]>
  sdy.all_gather [{"s":(1)3}, {}] out_sharding=<@m, [{"t"}, {}]>
38 V 24x24 <@m, [{"t"}, {"s":(1)2}]> -> <@m, [{"s"}, {}]>
  sdy.all_slice [{"s":(2)3}, {}] out_sharding=<@m, [{"t", "s":(2)3}, {"s":(1)2}]>
  sdy.collective_permute out_sharding=<@m, [{"s", "t":(1)2}, {"t":(2)2}]>
  sdy.all_gather [{"t":(1)2}, {"t":(2)2}] out_sharding=<@m, [{"s"}, {}]>
39 A 16x16 <@m, [{"a"}, {"c"}]> -> <@n, [{"a"}, {"c"}]>
  sdy.collective_permute out_sharding=<@n, [{"a"}, {"c"}]>
40 A 16x16 <@m, [{"b"}, {}]> -> <@n, [{"a"}, {}]>
  sdy.collective_permute out_sharding=<@n, [{"a", "b":(2)2}, {}]>
  sdy.all_gather [{"b":(2)2}, {}] out_sharding=<@n, [{"a"}, {}]>
41 A 16x16 <@m, [{}, {}]> -> <@n, [{"a"}, {"b"}]>
  sdy.all_slice [{"a"}, {"b"}] out_sharding=<@m, [{"a"}, {"b"}]>
  sdy.collective_permute out_sharding=<@n, [{"a"}, {"b"}]>
42 A 16x16 <@m, [{"a"}, {}]> -> <@n, [{}, {"a"}]>
  sdy.collective_permute out_sharding=<@n, [{"a"}, {}]>
  sdy.all_to_all [{"a"}: 0->1] out_sharding=<@n, [{}, {"a"}]>
)";

}  // namespace shardy::testing
