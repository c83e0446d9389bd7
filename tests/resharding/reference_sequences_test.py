#!/usr/bin/env python3
"""sdy-reshard-to-collectives gives every pair of shardings the sequence of resharding B.4, B.5 and B.8.

The other side is reference_sequences.py, which shares nothing with the library. Of spaces with more than PAIRS
pairs that many are taken.

usage: reference_sequences_test.py SHARDY [PAIRS]
"""
import re
import sys

from axis_refs import Mesh, all_shardings, lists_text, opt, sample
from reference_sequences import sequence, step_text

# Sizes of the mesh, the shape, whether parts that cannot coexist are among them, another order of devices.
SPACES = [
    ([2, 2], [8, 8], False, None), ([4], [4, 4], False, None), ([6], [6, 6], True, None), ([2, 3], [12, 12], False, None),
    ([2, 2], [8, 8, 8], False, None), ([4, 2], [8, 8], False, None), ([2, 2, 2], [8, 8], False, None),
    ([2, 3, 2], [12, 12], False, None), ([2, 3, 5], [60, 60], False, None), ([4, 2], [8, 8, 8], False, None),
    ([4, 3], [24, 24, 24], False, None), ([8, 2], [16, 16], False, None), ([4, 4], [16, 16], False, None),
    ([4, 6], [48, 48], False, None), ([12], [12, 12], True, None), ([2, 6], [12, 12], True, None),
    ([2, 2, 2, 2], [16, 16], False, None), ([4, 2], [4, 2], False, None), ([2, 2, 2], [16, 4, 8], False, None),
    ([4, 2], [5, 7], False, None), ([1], [4, 4], False, None), ([1, 2], [4, 4], False, None), ([2, 1, 2], [4, 4], False, None),
    ([3, 1, 2], [6, 6], False, None), ([2, 2], [8, 8], False, [3, 1, 2, 0]), ([2, 3], [6, 6], False, [1, 0, 2, 3, 4, 5]),
    ([4, 2], [8, 8], False, [7, 6, 5, 4, 3, 2, 1, 0]), ([6], [6, 6], True, [5, 1, 2, 3, 4, 0]),
]


def program(mesh, shape, pairs, device_ids):
    type_text = "tensor<" + "x".join(map(str, shape)) + "xf32>"
    target = "n" if device_ids else "m"
    texts = [mesh.text("m"), mesh.text("n", device_ids) if device_ids else ""]
    for number, (source, end) in enumerate(pairs):
        texts.append(f"func.func @f{number}(%x: {type_text} {{sdy.sharding = #sdy.sharding<@m, {lists_text(mesh, source)}>}})"
                     f" -> {type_text} {{\n  %0 = sdy.reshard %x <@{target}, {lists_text(mesh, end)}> : {type_text}\n"
                     f"  return %0 : {type_text}\n}}\n")
    return "".join(texts)


def steps_of(lines):
    calls = [line.split(" = ", 1)[1].rsplit(" : ", 1)[0] for line in lines if line.startswith("%")]
    return [re.sub(r" %\w+(?= out_sharding)", "", call) for call in calls]


def check(shardy, limit, sizes, shape, mixed, device_ids):
    """Number of pairs that differ."""
    mesh = Mesh([("abcd"[i], size) for i, size in enumerate(sizes)])
    shardings = all_shardings(mesh, len(shape), mixed)
    pairs = sample([(source, target) for source in shardings for target in shardings], limit)
    wrong = 0
    found = opt(shardy, "--sdy-reshard-to-collectives", program(mesh, shape, pairs, device_ids))
    for (source, target), lines in zip(pairs, found, strict=True):
        moves = bool(device_ids) and any(target)
        want = [step_text(mesh, step) for step in sequence(mesh, shape, source, target, moves)]
        have = steps_of(lines)
        if have != want:
            wrong += 1
            print(f"{sizes} {shape}: {lists_text(mesh, source)} -> {lists_text(mesh, target)}", "\n  want:", *want,
                  "\n  have:", *have)
    print(f"{sizes} {shape}{' to other devices' if device_ids else ''}: {len(pairs)} pairs, {wrong} differ")
    return wrong


def main():
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    return 1 if sum(check(sys.argv[1], limit, *space) for space in SPACES) else 0


if __name__ == "__main__":
    sys.exit(main())
