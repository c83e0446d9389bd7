#!/usr/bin/env python3
"""Measures the time to simulate whole programs on 8 devices, as ratios of two command lines.

    benchmarks/whole_programs.py BEFORE AFTER

BEFORE and AFTER are `shardy` binaries. The programs are a transformer layer, a mixture of experts
and a convolutional network, each with its gradients by hand or its forward pass, at sizes where
kernels take the time. Times are those of the processor, the least of three runs that alternate.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MESH = 'sdy.mesh @mesh = <["data"=4, "model"=2]>\n'


class Program:
    """Writes a function op by op; values have numbers."""

    def __init__(self):
        self.lines, self.args, self.count = [], [], 0

    def arg(self, dims, axes=()):
        name = f"%arg{len(self.args)}"
        spec = ", ".join("{" + (f'"{axis}"' if axis else "?") + "}"
                         for axis in [*axes, *[""] * (len(dims) - len(axes))])
        self.args.append(f"{name}: {tensor(dims)} {{sdy.sharding = #sdy.sharding<@mesh, [{spec}]>}}")
        return name, dims

    def op(self, text, dims, types=None):
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text} : {types or tensor(dims)}")
        return name, dims

    def binary(self, kind, x, y):
        return self.op(f"stablehlo.{kind} {x[0]}, {y[0]}", x[1])

    def unary(self, kind, x):
        return self.op(f"stablehlo.{kind} {x[0]}", x[1])

    def scalar(self, value):
        return self.op(f"stablehlo.constant dense<{value}>", [])

    def broadcast(self, x, dims, at):
        return self.op(f"stablehlo.broadcast_in_dim {x[0]}, dims = {list(at)}", dims,
                       f"({tensor(x[1])}) -> {tensor(dims)}")

    def dot(self, x, y, batch, contracting):
        free = lambda v, side: [d for i, d in enumerate(v[1])
                                if i not in batch[side] and i not in contracting[side]]
        dims = [x[1][i] for i in batch[0]] + free(x, 0) + free(y, 1)
        batching = f"batching_dims = {batch[0]} x {batch[1]}, " if batch[0] else ""
        return self.op(f"stablehlo.dot_general {x[0]}, {y[0]}, {batching}contracting_dims = "
                       f"{contracting[0]} x {contracting[1]}", dims,
                       f"({tensor(x[1])}, {tensor(y[1])}) -> {tensor(dims)}")

    def reduce(self, x, kind, init, dim):
        start = self.scalar(init)
        dims = [size for index, size in enumerate(x[1]) if index != dim]
        return self.op(f"stablehlo.reduce({x[0]} init: {start[0]}) applies stablehlo.{kind} across "
                       f"dimensions = [{dim}]", dims,
                       f"({tensor(x[1])}, tensor<f32>) -> {tensor(dims)}")

    def transpose(self, x, order):
        dims = [x[1][i] for i in order]
        return self.op(f"stablehlo.transpose {x[0]}, dims = {list(order)}", dims,
                       f"({tensor(x[1])}) -> {tensor(dims)}")

    def reshape(self, x, dims):
        return self.op(f"stablehlo.reshape {x[0]}", dims, f"({tensor(x[1])}) -> {tensor(dims)}")

    def softmax(self, x):
        last = len(x[1]) - 1
        kept = range(last)
        most = self.broadcast(self.reduce(x, "maximum", "0xFF800000", last), x[1], kept)
        e = self.unary("exponential", self.binary("subtract", x, most))
        return self.binary("divide", e, self.broadcast(self.reduce(e, "add", "0.0", last), x[1], kept))

    def text(self, results):
        types = ", ".join(tensor(dims) for _, dims in results)
        names = ", ".join(name for name, _ in results)
        body = "\n".join(self.lines)
        return (f"{MESH}func.func @main({', '.join(self.args)}) -> ({types}) {{\n{body}\n"
                f"  return {names} : {types}\n}}\n")


def tensor(dims):
    return "tensor<" + "".join(f"{size}x" for size in dims) + "f32>"


def transformer():
    p = Program()
    batch, length, heads, size = 8, 256, 8, 32
    width = heads * size
    x = p.arg([batch, length, width], ["data"])
    for _ in range(2):
        parts = []
        for _ in range(3):
            weights = p.arg([width, width], ["", "model"])
            y = p.reshape(p.dot(x, weights, ([], []), ([2], [0])), [batch, length, heads, size])
            parts.append(p.transpose(y, [0, 2, 1, 3]))
        scores = p.softmax(p.dot(parts[0], parts[1], ([0, 1], [0, 1]), ([3], [3])))
        mixed = p.transpose(p.dot(scores, parts[2], ([0, 1], [0, 1]), ([3], [2])), [0, 2, 1, 3])
        x = p.binary("add", x, p.reshape(mixed, [batch, length, width]))
        inner = p.dot(x, p.arg([width, 4 * width], ["", "model"]), ([], []), ([2], [0]))
        inner = p.unary("tanh", inner)
        outer = p.dot(inner, p.arg([4 * width, width], ["model"]), ([], []), ([2], [0]))
        x = p.binary("add", x, outer)
    return p.text([x])


def experts():
    p = Program()
    tokens, width, inner, num_experts, capacity = 1024, 256, 512, 8, 256
    x = p.arg([tokens, width], ["data"])
    gates = p.softmax(p.dot(x, p.arg([width, num_experts]), ([], []), ([1], [0])))
    places = p.softmax(p.dot(x, p.arg([width, capacity]), ([], []), ([1], [0])))
    shape = [tokens, num_experts, capacity]
    dispatch = p.binary("multiply", p.broadcast(gates, shape, [0, 1]),
                        p.broadcast(places, shape, [0, 2]))
    sent = p.dot(dispatch, x, ([], []), ([0], [0]))
    hidden = p.dot(sent, p.arg([num_experts, width, inner], ["data"]), ([0], [0]), ([2], [1]))
    hidden = p.unary("tanh", hidden)
    back = p.dot(hidden, p.arg([num_experts, inner, width], ["data"]), ([0], [0]), ([2], [1]))
    return p.text([p.dot(dispatch, back, ([], []), ([1, 2], [0, 1]))])


def convolutions():
    p = Program()
    batch, side = 8, 64
    x = p.arg([batch, side, side, 3], ["data"])
    for channels in (16, 32, 32):
        kernel = p.arg([3, 3, x[1][3], channels], ["", "", "", "model"])
        dims = x[1][:3] + [channels]
        x = p.op(f"stablehlo.convolution({x[0]}, {kernel[0]}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]"
                 "->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
                 "feature_group_count = 1 : i64}", dims,
                 f"({tensor(x[1])}, {tensor(kernel[1])}) -> {tensor(dims)}")
        zero = p.broadcast(p.scalar("0.0"), dims, [])
        x = p.binary("maximum", x, zero)
    pooled = p.reduce(p.reduce(x, "add", "0.0", 1), "add", "0.0", 1)
    return p.text([p.softmax(p.dot(pooled, p.arg([x[1][3], 10]), ([], []), ([1], [0])))])


def seconds(shardy, file):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([shardy, "run", file, "--threads", "1"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(f"{'program':<16}{'before s':>10}{'after s':>10}{'ratio':>8}")
    totals = [0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder:
        for make in (transformer, experts, convolutions):
            file = Path(folder) / f"{make.__name__}.mlir"
            file.write_text(make())
            runs = [[seconds(shardy, file) for shardy in sys.argv[1:]] for _ in range(3)]
            best = [min(side) for side in zip(*runs)]
            totals = [total + time for total, time in zip(totals, best)]
            print(f"{make.__name__:<16}{best[0]:>10.2f}{best[1]:>10.2f}{best[1] / best[0]:>8.2f}")
    print(f"{'together':<16}{totals[0]:>10.2f}{totals[1]:>10.2f}{totals[1] / totals[0]:>8.2f}")


if __name__ == "__main__":
    main()
