"""Common parts of the row tests: operands of all element types, and the comparison of a run."""
import random
import unittest
from fractions import Fraction

from formats import ALL, COMPLEX, greatest, is_integer, least, round_to
from reference import Grid
from text_rows import Rows

# No zero, no sign, and sums that are hardly ever exact: only what moves it.
ARITHMETIC = [name for name in ALL if name != "f8E8M0FNU"]


def numbers(name, count, seed, limit=6):
    """Small numbers, of floats with fractions, that many sums and products of are inexact in the narrow types."""
    draw = random.Random(f"{name} {seed}")

    def real(part):
        return round_to(part, Fraction(draw.randint(-8 * limit, 8 * limit), draw.choice((1, 3, 8)) * 8))

    def one():
        if name in COMPLEX:
            return real(COMPLEX[name]), real(COMPLEX[name])
        if is_integer(name):
            return draw.randint(max(least(name), -limit * 20), min(greatest(name), limit * 20))
        if name == "f8E8M0FNU":
            return Fraction(2) ** draw.randint(-9, 9)
        return real(name)
    return [one() for _ in range(count)]


def grid(name, dims, seed=0, limit=6):
    count = 1
    for size in dims:
        count *= size
    return Grid(dims, numbers(name, count, seed, limit))


class RowTest(unittest.TestCase):
    maxDiff = None

    def check(self, rows, *options):
        self.assertEqual(rows.run(*options), "")
        print(f"{self.id().split('.')[-1]}: {rows.rows} rows")

    def each_type(self, body, types=ALL):
        rows = Rows()
        for name in types:
            body(rows, name)
        self.check(rows)


def constant(rows, name, x):
    return rows.constant(name, x.dims, x.values)


def expect(rows, value, x):
    assert value[2] == x.dims, (value, x.dims)
    rows.expect(value, x.values)
