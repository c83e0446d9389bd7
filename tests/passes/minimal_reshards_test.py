#!/usr/bin/env python3
"""sdy-insert-explicit-reshards, minimal, keeps what dots and reductions compute. Spec: resharding A.7, A.9.

Random contractions, whose results are partial over some axes and sharded along others, are resharded by the pass and then
run on all devices of their mesh: the result is that of the program on one device.

usage: minimal_reshards_test.py SHARDY [CASES] [SEED]
"""
import random
import sys

from command_line import shardy

AXES = ["a", "b", "c"]
DOT = """  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [1, 0] {ATTRIBUTES} : \
(tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8xf32>"""
REDUCE = """  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] {ATTRIBUTES} : \
(tensor<8x8x8xf32>, tensor<f32>) -> tensor<8x8xf32>"""


def dims(lists):
    return "[" + ", ".join("{" + ", ".join(f'"{axis}"' for axis in axes) + "}" for axes in lists) + "]"


def split(rng, axes, count):
    """Some of the axes, each in one of so many lists."""
    lists = [[] for _ in range(count)]
    for axis in rng.sample(axes, rng.randint(0, len(axes))):
        rng.choice(lists).append(axis)
    return lists


def program(rng):
    """Shardings of all tensors by the same axes, except that contracted axes over which the result is not partial may shard it further."""
    body = rng.choice([DOT, DOT, REDUCE])
    axes = rng.sample(AXES, len(AXES))
    count = rng.choice([1, 2, 2, 3])
    contracted = axes[:count]
    middle = count if body is REDUCE else rng.randint(0, count)
    k, l = contracted[:middle], contracted[middle:]
    i, j = split(rng, axes[count:], 2)
    partial = rng.sample(contracted, rng.randint(1, max(1, count - 1)))
    again = split(rng, [axis for axis in contracted if axis not in partial], 2)
    out = [i + again[0], j + again[1]]
    unreduced = ", unreduced={" + ", ".join(f'"{axis}"' for axis in sorted(partial)) + "}"
    attributes = f"{{sdy.sharding = #sdy.sharding_per_value<[<@mesh, {dims(out)}{unreduced}>]>}}"
    of_x = [i, k, j] if body is REDUCE else [i, k, l]
    return f"""sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {dims(of_x)}>}}, \
%y: tensor<8x8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {dims([l, k, j])}>}}) -> tensor<8x8xf32> {{
{body.replace("{ATTRIBUTES}", attributes)}
  %1 = sdy.reshard %0 <@mesh, [{{}}, {{}}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}}
"""


def main():
    binary = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    sums = sliced = 0
    for case in range(cases):
        rng = random.Random(seed * 100003 + case)
        before = program(rng)
        after = shardy(before, binary, "opt", "-", "--sdy-insert-explicit-reshards")
        sums += after.count("sdy.all_reduce") > 1
        sliced += after.count("sdy.reshard") > 1
        shardy(after, binary, "run", "-", "--check")
        shardy(after, binary, "opt", "-", "--sdy-insert-explicit-reshards")
    assert sums * 5 > cases and sliced * 10 > cases, f"of {cases} programs {sums} sum, {sliced} slice"
    print(f"{cases} programs, {sums} sum after the op, {sliced} are sliced after the sum")


main()
