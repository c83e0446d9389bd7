"""Makes the programs of the benchmark: a thing is a countable part of a program, THINGS has all of them."""

from dataclasses import dataclass
from typing import Callable

T = "tensor<8xf32>"
MATRIX = "tensor<8x8xf32>"
MESH = 'sdy.mesh @m = <["x"=2]>\n'
X = '<@m, [{"x"}]>'


@dataclass
class Thing:
    """`make(n)` is MLIR text of which only that grows with n."""

    make: Callable[[int], str]
    start: int = 400  # the least n
    most: int = 100_000  # the largest 8n
    by_text: bool = False  # what is printed grows faster than n


THINGS = {}


def thing(**settings):
    """Puts a maker into the table, under its name."""

    def add(make):
        THINGS[make.__name__] = Thing(make, **settings)
        return make

    return add


def sharded(text=X):
    return "{sdy.sharding = #sdy.sharding" + text + "}"


ARG = f"%arg0: {T} {sharded()}"
ROWS = f"""%arg0: {MATRIX} {sharded('<@m, [{"x"}, {}]>')}"""


def listed(n, text, separator=", "):
    """`text` with each number below n for `NUM`."""
    return separator.join(text.replace("NUM", str(i)) for i in range(n))


def types(n, kind=T):
    return ", ".join([kind] * n)


def main(lines, returned="%arg0", kind=T, args=ARG, mesh=MESH):
    """The function `main`, whose ops are the lines."""
    return "\n".join([f"{mesh}func.func @main({args}) -> {kind} {{", *lines,
                      f"return {returned} : {kind}", "}\n"])


def chain(n, op, setup=(), **rest):
    """n ops, each of the result of the one before, which is IN in `op`."""
    lines = list(setup)
    before = "%arg0"
    for i in range(n):
        lines.append(f"%v{i} = " + op.replace("IN", before).replace("NUM", str(i)))
        before = f"%v{i}"
    return main(lines, before, **rest)


def summed(n, term):
    """Lines that add n values, which `term` names with their NUM; the sum is %s{n-1}."""
    lines = [f"%s0 = stablehlo.tanh {term.replace('NUM', '0')} : {T}"]
    lines += [f"%s{i} = stablehlo.add %s{i - 1}, {term.replace('NUM', str(i))} : {T}"
              for i in range(1, n)]
    return lines


def many(n, kind=T):
    """Lines of n values %v0, %v1, ... that are computed alike."""
    return [f"%v{i} = stablehlo.tanh %arg0 : {kind}" for i in range(n)]


def wide(n, op, setup=()):
    """n values go into one op, as VALUES of TYPES, and come out as %r#0, %r#1, ..."""
    op = op.replace("VALUES", listed(n, "%vNUM")).replace("TYPES", types(n))
    return main([*setup, *many(n), op, *summed(n, "%r#NUM")], f"%s{n - 1}")


def function(name, line, visibility="private "):
    """A function of one op, whose result is %r."""
    return (f"func.func {visibility}@{name}(%arg0: {T}) -> {T} {{\n{line}\n"
            f"return %r : {T}\n}}\n")


TANH = f"%r = stablehlo.tanh %arg0 : {T}"
