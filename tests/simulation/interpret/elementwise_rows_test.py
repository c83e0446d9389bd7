#!/usr/bin/env python3
"""Conversions, reinterpretations, comparisons and arithmetic of all element types, computed with exact fractions.

usage: elementwise_rows_test.py SHARDY
"""
import itertools
import math
import random
import unittest
from fractions import Fraction

from formats import (ALL, COMPLEX, FLOAT_TABLE, FLOATS, INF, INTEGERS, NAN, SIGNED, UNSIGNED, bits_of, decode, encode,
                     greatest, is_integer, is_nan, is_negative, is_special, least, magnitude, max_code, order_key, round_to,
                     wrap)
from row_test import RowTest
from text_rows import Rows

REAL = [name for name in ALL if name not in COMPLEX]
HALF = Fraction(1, 2)


# ---- convert ---------------------------------------------------------------------------------

def integer_values(name):
    low, high = least(name), greatest(name)
    near = [0, 1, 2, 3, 7, 8, 9, 15, 17, 19, 100, 300]
    for power in range(3, bits_of(name) + 1):
        for bits in 2, 3, 4, 8, 11, 24, 53:  # ties of all floats, and what is next to them
            if power > bits:
                near += [(1 << power) + (1 << (power - bits)) + step for step in (-1, 0, 1)]
                near += [(1 << power) + 3 * (1 << (power - bits))]
    values = {low, low + 1, high, high - 1} | set(near) | {-each for each in near}
    kept = sorted(value for value in values if low <= value <= high)
    return kept if len(kept) < 50 else random.Random(1).sample(kept, 45) + [low, low + 1, -1 if low else 1, 0, high]


def float_borders(name):
    """Around the largest, the least, and ties of a float type."""
    if name == "f8E8M0FNU":
        return [Fraction(2) ** -127, Fraction(3, 2) * Fraction(2) ** 127, Fraction(3), Fraction(5), Fraction(6)]
    top, tiny = magnitude(name, max_code(name)), magnitude(name, 1)
    step = top - magnitude(name, max_code(name) - 1)
    unit = magnitude(name, encode(name, 1) + 1) - 1
    borders = [top, top + step / 2, top + step / 2 - step / 64, top + step / 2 + step / 64, top + step]
    borders += [tiny, tiny / 2, tiny / 2 + tiny / 64, tiny / 2 - tiny / 64, tiny * 3 / 2, tiny * 5 / 2]
    borders += [1 + unit / 2, 1 + unit / 2 + unit / 64, 1 + unit * 3 / 2, 1 + unit * 5 / 2, 2 - unit / 2, 2 - unit / 4]
    return borders


def float_values(source, target):
    values = [0, -0.0, NAN, INF, -INF] + [Fraction(each, 8) for each in (1, 4, 6, 8, 12, 17, 20, 28, 63, 64, 1020, 1028)]
    if is_integer(target):
        for border in least(target), greatest(target):
            values += [border + Fraction(step, 4) for step in range(-5, 6)]
    else:
        values += float_borders(target)
    values += float_borders(source)
    values += [-each for each in values if not is_special(each)]
    exact = {}
    for each in values:
        code = encode(source, each)
        exact[code] = decode(source, code)
    return list(exact.values())


def converted(x, source, target):
    if target in COMPLEX:
        parts = x if source in COMPLEX else (x, 0)
        return tuple(round_to(COMPLEX[target], part) for part in parts)
    if source in COMPLEX:
        x = x[0]
    if target == "i1":
        return is_nan(x) or x != 0
    if not is_integer(target):
        return round_to(target, int(x) if is_integer(source) else x)
    if is_integer(source):
        return wrap(target, int(x))
    if is_nan(x):
        return 0
    if is_special(x):
        return greatest(target) if x > 0 else least(target)
    return min(max(math.trunc(x), least(target)), greatest(target))


class Convert(RowTest):
    def test_every_type_to_every_type(self):
        rows = Rows()
        for source, target in itertools.product(ALL, ALL):
            if source in COMPLEX:
                parts = float_values(COMPLEX[source], COMPLEX.get(target, target))
                values = list(zip(parts, reversed(parts)))
            else:
                values = (integer_values(source) if is_integer(source)
                          else float_values(source, COMPLEX.get(target, target)))
            if target == "f8E8M0FNU":  # has no zero: the conversion of one is not specified
                values = [x for x in values if (x[0] if source in COMPLEX else x) != 0]
            x = rows.constant(source, [len(values)], values)
            y = rows.op("stablehlo.convert {}", [x], target, [len(values)])
            rows.expect(y, [converted(each, source, target) for each in values])
        self.check(rows)


# ---- bitcast_convert -------------------------------------------------------------------------

def finite_codes(name, count, seed):
    """Codes that are numbers: a NaN may change its bits on the way into a literal, never in the op."""
    draw, codes = random.Random(seed), []
    while len(codes) < count:
        code = draw.getrandbits(bits_of(name))
        if name in FLOAT_TABLE and is_special(decode(name, code)):
            continue
        codes.append(code)
    return codes


def from_code(name, code):
    if is_integer(name):
        return wrap(name, code)
    return decode(name, code)


class Bitcast(RowTest):
    KINDS = [name for name in REAL if name != "i1" and bits_of(name) != 6]

    def test_every_pair_of_one_width(self):
        rows = Rows()
        for source, target in itertools.product(self.KINDS, self.KINDS):
            if bits_of(source) != bits_of(target):
                continue
            codes = [code for code in finite_codes(source, 12, 3) if not (
                target in FLOAT_TABLE and is_special(decode(target, code)))]
            x = rows.constant(source, [len(codes)], [from_code(source, code) for code in codes])
            y = rows.op("stablehlo.bitcast_convert {}", [x], target, [len(codes)])
            rows.expect(y, [from_code(target, code) for code in codes])
        self.check(rows)

    def test_every_pair_of_two_widths(self):
        rows = Rows()
        for wide, narrow in itertools.product(self.KINDS, self.KINDS):
            ratio = bits_of(wide) // bits_of(narrow)
            if ratio < 2:
                continue
            mask = (1 << bits_of(narrow)) - 1
            codes, parts = [], []
            for code in finite_codes(wide, 12, 5):
                split = [code >> (bits_of(narrow) * at) & mask for at in range(ratio)]
                if narrow in FLOAT_TABLE and any(is_special(decode(narrow, part)) for part in split):
                    continue
                codes.append(code)
                parts += split
            x = rows.constant(wide, [len(codes)], [from_code(wide, code) for code in codes])
            y = rows.op("stablehlo.bitcast_convert {}", [x], narrow, [len(codes), ratio])
            rows.expect(y, [from_code(narrow, part) for part in parts])
            rows.expect(rows.op("stablehlo.bitcast_convert {}", [y], wide, [len(codes)]),
                        [from_code(wide, code) for code in codes])
        self.check(rows)

    def test_i1_and_complex_stay_in_their_kind(self):
        rows = Rows()
        flags = rows.constant("i1", [3], [1, 0, 1])
        rows.expect(rows.op("stablehlo.bitcast_convert {}", [flags], "i1", [3]), [1, 0, 1])
        for name in COMPLEX:
            pair = rows.constant(name, [2], [(1, -0.0), (Fraction(1, 2), -3)])
            rows.expect(rows.op("stablehlo.bitcast_convert {}", [pair], name, [2]), [(1, -0.0), (HALF, -3)])
        self.check(rows)


# ---- compare, select, clamp, maximum, minimum ------------------------------------------------

def some_values(name):
    if name == "i1":
        return [False, True]
    if name in COMPLEX:
        parts = [0, -0.0, 1, -1, Fraction(3, 2), INF, NAN]
        return list(itertools.product(parts[:5], parts[:5])) + [(INF, 1), (1, -INF), (NAN, 0), (0, NAN)]
    if is_integer(name):
        return sorted({least(name), least(name) + 1, -1 if least(name) else 1, 0, 1, greatest(name) - 1, greatest(name)})
    values = [0, -0.0, 1, -1, HALF, Fraction(3, 2), -2, NAN, INF, -INF]
    if name == "f8E8M0FNU":
        values = [1, 2, HALF, NAN, Fraction(2) ** 127, Fraction(2) ** -127]
    else:
        values += [magnitude(name, 1), -magnitude(name, 1), magnitude(name, max_code(name))]
    return list({encode(name, x): round_to(name, x) for x in values}.values())


DIRECTIONS = {"EQ": lambda a, b: a == b, "NE": lambda a, b: a != b, "LT": lambda a, b: a < b,
              "LE": lambda a, b: a <= b, "GT": lambda a, b: a > b, "GE": lambda a, b: a >= b}


def compared(direction, a, b):
    """Python's comparisons are those of IEEE; of pairs, lexicographic as it would be of single numbers."""
    if not isinstance(a, tuple):
        return DIRECTIONS[direction](a, b)
    if direction in ("EQ", "NE"):
        equal = a[0] == b[0] and a[1] == b[1]
        return equal == (direction == "EQ")
    if a[0] == b[0]:
        return DIRECTIONS[direction](a[1], b[1])
    return DIRECTIONS[direction[:1] + "T"](a[0], b[0])


def pairs_of(rows, name, values):
    pairs = list(itertools.product(values, repeat=2))
    x = rows.constant(name, [len(pairs)], [a for a, _ in pairs])
    y = rows.constant(name, [len(pairs)], [b for _, b in pairs])
    return pairs, x, y


class Compare(RowTest):
    def test_all_directions_of_all_types(self):
        rows = Rows()
        for name in ALL:
            pairs, x, y = pairs_of(rows, name, some_values(name))
            kind = ("UNSIGNED" if name == "i1" or name in UNSIGNED else "SIGNED" if is_integer(name) else "FLOAT")
            for direction, suffix in zip(DIRECTIONS, itertools.cycle(("", f", {kind}", ", NOTYPE", f", {kind}"))):
                got = rows.op(f"stablehlo.compare {direction}, {{}}{suffix}", [x, y], "i1", [len(pairs)])
                rows.expect(got, [compared(direction, a, b) for a, b in pairs])
        self.check(rows)

    def test_total_order_of_all_floats(self):
        rows = Rows()
        for name in FLOATS + ["f8E8M0FNU"]:
            pairs, x, y = pairs_of(rows, name, some_values(name))
            for direction in DIRECTIONS:
                got = rows.op(f"stablehlo.compare {direction}, {{}}, TOTALORDER", [x, y], "i1", [len(pairs)])
                rows.expect(got, [DIRECTIONS[direction](order_key(name, a), order_key(name, b)) for a, b in pairs])
        self.check(rows)


    def test_total_order_of_all_nans(self):
        """By payload: what is equal has the same bits."""
        rows = Rows()
        for name in FLOATS + ["f8E8M0FNU"]:
            bits = bits_of(name)
            if bits == 6:
                continue  # no integer has as many
            top = (1 << bits) - 1
            codes = {0, 1, 2, top // 2, top // 2 - 1, top // 2 - 2, top // 2 + 1, top // 2 + 2, top, top - 1, top - 2}
            if name in FLOAT_TABLE:
                codes |= {encode(name, x) for x in (1, -1, INF, -INF, NAN)}
                codes |= {encode(name, INF) + 1, encode(name, NAN) + 1}
            codes = sorted(code for code in codes if code <= top)
            pairs, x, y = pairs_of(rows, f"ui{bits}", codes)
            x, y = (rows.op("stablehlo.bitcast_convert {}", [each], name, each[2]) for each in (x, y))
            sign = 0 if name == "f8E8M0FNU" else 1 << (bits - 1)

            def key(code):
                return code if not sign or code < sign else sign - code - 1
            for direction in DIRECTIONS:
                got = rows.op(f"stablehlo.compare {direction}, {{}}, TOTALORDER", [x, y], "i1", [len(pairs)])
                rows.expect(got, [DIRECTIONS[direction](key(a), key(b)) for a, b in pairs])
        self.check(rows)


def extreme(name, is_max, a, b):
    if isinstance(a, tuple):  # left if strictly greater (less), else right
        return a if compared("GT" if is_max else "LT", a, b) else b
    if is_nan(a) or is_nan(b):
        return NAN
    if a == b == 0 and not is_integer(name):
        zero_is_negative = (is_negative(a) and is_negative(b)) if is_max else (is_negative(a) or is_negative(b))
        return -0.0 if zero_is_negative else 0
    return (max if is_max else min)(a, b)


class Extremes(RowTest):
    def test_maximum_and_minimum_of_all_types(self):
        rows = Rows()
        for name in ALL:
            pairs, x, y = pairs_of(rows, name, some_values(name))
            for op, is_max in ("maximum", True), ("minimum", False):
                got = rows.op(f"stablehlo.{op} {{}}", [x, y], name, [len(pairs)])
                rows.expect(got, [extreme(name, is_max, a, b) for a, b in pairs])
        self.check(rows)

    def test_clamp_and_select_of_all_types(self):
        rows = Rows()
        for name in ALL:
            values = some_values(name)[:9]
            triples = list(itertools.product(values, repeat=3))[:120]
            columns = [rows.constant(name, [len(triples)], [each[at] for each in triples]) for at in range(3)]
            got = rows.op("stablehlo.clamp {}", columns, name, [len(triples)])
            rows.expect(got, [extreme(name, False, extreme(name, True, x, low), high) for low, x, high in triples])
            low, high = rows.constant(name, [], [values[0]]), rows.constant(name, [], [values[-1]])
            got = rows.op("stablehlo.clamp {}", [low, columns[1], high], name, [len(triples)])
            rows.expect(got, [extreme(name, False, extreme(name, True, x, values[0]), values[-1])
                              for _, x, _ in triples])
            flags = [at % 3 == 0 for at in range(len(triples))]
            which = rows.constant("i1", [len(triples)], flags)
            got = rows.op("stablehlo.select {}", [which, columns[0], columns[2]], name, [len(triples)])
            rows.expect(got, [each[0] if flag else each[2] for flag, each in zip(flags, triples)])
        self.check(rows)


# ---- Arithmetic ------------------------------------------------------------------------------

def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integer_power(name, base, exponent):
    if exponent < 0:
        return 1 if base == 1 else 0 if base != -1 else 1 - 2 * (exponent % 2)
    return wrap(name, pow(base, exponent, 1 << bits_of(name)))


def shifted_right(name, x, amount):
    """The top bit is the sign, of unsigned types too."""
    pattern = x % (1 << bits_of(name))
    signed = pattern - (1 << bits_of(name)) if pattern >> (bits_of(name) - 1) else pattern
    return wrap(name, signed >> min(amount, bits_of(name)))


def integer_ops(name):
    bits = bits_of(name)

    def unsigned(x):
        return x % (1 << bits)
    return {
        "add": lambda a, b: wrap(name, a + b),
        "subtract": lambda a, b: wrap(name, a - b),
        "multiply": lambda a, b: wrap(name, a * b),
        "divide": lambda a, b: wrap(name, -1 if b == 0 else truncated(a, b)),
        "remainder": lambda a, b: a if b == 0 else a - b * truncated(a, b),
        "power": lambda a, b: integer_power(name, a, b),
        "and": lambda a, b: wrap(name, a & b), "or": lambda a, b: wrap(name, a | b),
        "xor": lambda a, b: wrap(name, a ^ b),
        "shift_left": lambda a, b: wrap(name, a << unsigned(b)) if unsigned(b) < bits else 0,
        "shift_right_logical": lambda a, b: wrap(name, unsigned(a) >> unsigned(b)) if unsigned(b) < bits else 0,
        "shift_right_arithmetic": lambda a, b: shifted_right(name, a, unsigned(b)),
    }


def random_integers(name, count, seed):
    draw = random.Random(seed)
    return [draw.choice([draw.randint(least(name), greatest(name)),
                         wrap(name, draw.choice((1, -1)) * (1 << draw.randrange(bits_of(name))) + draw.randint(-2, 2)),
                         wrap(name, draw.randint(-70, 70))]) for _ in range(count)]


class Arithmetic(RowTest):
    def test_wide_integers(self):
        rows = Rows()
        for name in [each for each in INTEGERS if bits_of(each) >= 16]:
            count = 120
            a, b = random_integers(name, count, 7), random_integers(name, count, 8)
            x, y = rows.constant(name, [count], a), rows.constant(name, [count], b)
            for op, function in integer_ops(name).items():
                rows.expect(rows.op(f"stablehlo.{op} {{}}", [x, y], name, [count]),
                            [function(p, q) for p, q in zip(a, b)])
            width = bits_of(name)
            patterns = [p % (1 << width) for p in a]
            unary = {"negate": [wrap(name, -p) for p in a], "not": [wrap(name, ~p) for p in a],
                     "popcnt": [bin(p).count("1") for p in patterns],
                     "count_leading_zeros": [width - p.bit_length() for p in patterns]}
            if name in SIGNED:
                unary["abs"] = [wrap(name, abs(p)) for p in a]
                unary["sign"] = [(p > 0) - (p < 0) for p in a]
            for op, expected in unary.items():
                rows.expect(rows.op(f"stablehlo.{op} {{}}", [x], name, [count]), expected)
        self.check(rows)

    def test_floats_are_rounded_once(self):
        rows = Rows()
        draw = random.Random(9)
        for name in FLOATS:
            pairs = []
            while len(pairs) < 150:
                a = decode(name, draw.getrandbits(bits_of(name)))
                # The second operand mostly near the first: sums that cancel, quotients of any size.
                code = encode(name, a) ^ draw.getrandbits(max(bits_of(name) // 2, 2))
                b = decode(name, code if draw.random() < 0.7 else draw.getrandbits(bits_of(name)))
                if not (is_special(a) or is_special(b) or a == 0 or b == 0):
                    pairs.append((Fraction(a), Fraction(b)))
            x = rows.constant(name, [150], [a for a, _ in pairs])
            y = rows.constant(name, [150], [b for _, b in pairs])
            exact = {"add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
                     "divide": lambda a, b: a / b}
            for op, function in exact.items():
                rows.expect(rows.op(f"stablehlo.{op} {{}}", [x, y], name, [150]),
                            [self.signed(name, value, value) for value in (function(a, b) for a, b in pairs)])
            rest = [a - b * math.trunc(a / b) for a, b in pairs]
            rows.expect(rows.op("stablehlo.remainder {}", [x, y], name, [150]),
                        [self.signed(name, r, a) for r, (a, _) in zip(rest, pairs)])
            steps = {"floor": math.floor, "ceil": math.ceil, "round_nearest_even": round,
                     "round_nearest_afz": lambda a: math.floor(abs(a) + HALF) * (1 if a > 0 else -1)}
            for op, function in steps.items():
                rows.expect(rows.op(f"stablehlo.{op} {{}}", [x], name, [150]),
                            [self.signed(name, Fraction(function(a)), a) for a, _ in pairs])
            rows.expect(rows.op("stablehlo.sqrt {}", [x], name, [150]), [self.root(name, a) for a, _ in pairs])
        self.check(rows)

    def signed(self, name, value, like):
        """Rounded; a zero has the sign of `like`."""
        if value == 0:
            return round_to(name, -0.0 if like < 0 else 0)
        return round_to(name, value)

    def root(self, name, x):
        if x < 0:
            return round_to(name, NAN)
        shift = 200 if bits_of(name) < 64 else 2400
        scaled = math.isqrt(x.numerator * (1 << (2 * shift)) // x.denominator)
        low = Fraction(scaled, 1 << shift)
        # Not exactly the root: a little above, so that it is on the right side of a tie.
        return round_to(name, low if low * low == x else low + Fraction(1, 1 << (shift + 2)))


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=0)
