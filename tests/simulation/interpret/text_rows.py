"""Rows as StableHLO text: operands, ops, and what they should give, bit for bit. `shardy run` checks them."""
import subprocess
import sys

from formats import (COMPLEX, FLOAT_TABLE, bits_of, encode, is_integer, is_nan, literal, nan_code, type_text)

SHARDY = sys.argv[1] if len(sys.argv) > 1 else "shardy"


class Rows:
    """The body of one function. A value is (name, element type, dims)."""

    def __init__(self):
        self.lines, self.count, self.rows, self.functions = [], 0, 0, []

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def constant(self, element, dims, values):
        name = self.name()
        self.lines.append(f"{name} = stablehlo.constant {literal(element, dims, values)}")
        return name, element, list(dims)

    def op(self, text, operands, element, dims):
        """One op; `{}` in its text is replaced by the names of the operands. One result."""
        return self.ops(text, operands, [(element, dims)])[0]

    def ops(self, text, operands, results):
        name = self.name()
        names = ", ".join(value[0] for value in operands)
        types = ", ".join(type_text(*value[1:]) for value in operands)
        given = ", ".join(type_text(*each) for each in results)
        head = name if len(results) == 1 else f"{name}:{len(results)}"
        self.lines.append(f"{head} = {text.replace('{}', names, 1)} : ({types}) -> ({given})")
        return [(name if len(results) == 1 else f"{name}#{at}", element, list(dims))
                for at, (element, dims) in enumerate(results)]

    def expect(self, value, values):
        """Zeros with their signs; any NaN is as good as another."""
        name, element, dims = value
        self.rows += len(values)
        if element in COMPLEX:
            self.rows -= 2 * len(values)  # the parts are one row
            for at, part in enumerate(("real", "imag")):
                each = self.op(f"stablehlo.{part} {{}}", [value], COMPLEX[element], dims)
                self.expect(each, [number[at] for number in values])
            return
        if element in FLOAT_TABLE and bits_of(element) in (4, 8, 16, 32, 64):
            value, values = self.as_bits(value, values)
            name, element, dims = value
        self.lines.append(f"check.expect_eq_const {name}, {literal(element, dims, values)}")

    def as_bits(self, value, values):
        _, element, dims = value
        bits = f"ui{bits_of(element)}"
        coded = self.op("stablehlo.bitcast_convert {}", [value], bits, dims)
        if any(is_nan(number) for number in values):
            nan = self.constant(bits, dims, [nan_code(element)] * len(values))
            found = self.op("stablehlo.compare NE, {}", [value, value], "i1", dims)
            coded = self.op("stablehlo.select {}", [found, nan, coded], bits, dims)
        return coded, [encode(element, number) for number in values]

    def text(self):
        return "\n".join(self.functions + ["func.func @main() {", *("  " + line for line in self.lines), "  return", "}", ""])

    def run(self, *options):
        """Returns the first difference, with its lines; empty if all agree."""
        text = self.text()
        done = subprocess.run([SHARDY, "run", "-", *options], input=text, capture_output=True, text=True, timeout=600)
        if done.returncode == 0:
            return "" if "passed" in done.stdout else "no check ran"
        return "\n".join(line[:300] for line in done.stderr.splitlines()[:40])


def region(arguments, lines, results):
    """A region of scalars: arguments and results as (name, element)."""
    head = ", ".join(f"{name}: tensor<{element}>" for name, element in arguments)
    names = ", ".join(name for name, _ in results)
    types = ", ".join(f"tensor<{element}>" for _, element in results)
    return "({ ^bb0(" + head + "):\n    " + "\n    ".join(lines + [f"stablehlo.return {names} : {types}"]) + "\n  })"


def fold_region(op, element):
    return region([("%l", element), ("%r", element)], [f"%s = stablehlo.{op} %l, %r : tensor<{element}>"], [("%s", element)])


def number_of(element, x):
    """As the type of an integer literal where it is one."""
    return int(x) if is_integer(element) else x
