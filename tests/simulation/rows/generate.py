#!/usr/bin/env python3
"""Writes functions.rows: values of the elementary functions, computed with 60 digits by mpmath.

    python3 generate.py > functions.rows

A row is `x [y] = result`, below a line with op and element type. Arguments are exactly representable
in the element type; results carry 25 digits. The kernels take no part.
"""

import random
import struct

import mpmath
from mpmath import mp, mpc, mpf

mp.dps = 60
random.seed(20)


def round_to(value, type_name):
    if type_name == "f32":
        return struct.unpack("f", struct.pack("f", value))[0]
    if type_name == "f16":
        return struct.unpack("e", struct.pack("e", value))[0]
    if type_name == "bf16":
        bits = struct.unpack("I", struct.pack("f", value))[0] & 0xFFFF0000
        return struct.unpack("f", struct.pack("I", bits))[0]
    return float(value)


def uniform(low, high):
    return lambda: random.uniform(low, high)


def spread(low, high, signed=False):
    """Log-uniform magnitudes."""
    def draw():
        value = 2.0 ** random.uniform(low, high)
        return -value if signed and random.random() < 0.5 else value
    return draw


def mixed(*draws):
    return lambda: random.choice(draws)()


def natural(limit):
    return lambda: float(random.randint(1, limit))


def bessel_i1e(x):
    return mpmath.exp(-abs(x)) * mpmath.besseli(1, x)


def lgamma(x):
    return mpmath.log(abs(mpmath.gamma(x)))


ANY = mixed(uniform(-4, 4), spread(-20, 6, True))
POSITIVE = mixed(uniform(0, 4), spread(-20, 20))
UNIT = mixed(uniform(-1, 1), spread(-20, 0, True))
ANGLE = mixed(uniform(-7, 7), spread(-20, 14, True))
SMALL = mixed(uniform(-2, 2), spread(-14, 3, True))

# name, function of mpf, what is drawn
REAL = [
    ("exponential", mpmath.exp, [mixed(uniform(-9, 9), spread(-20, 3, True))]),
    ("exponential_minus_one", mpmath.expm1, [mixed(uniform(-9, 9), spread(-30, 3, True))]),
    ("log", mpmath.log, [POSITIVE]),
    ("log_plus_one", mpmath.log1p, [mixed(uniform(-0.99, 4), spread(-30, 12))]),
    ("logistic", lambda x: 1 / (1 + mpmath.exp(-x)), [uniform(-8, 8)]),
    ("tanh", mpmath.tanh, [ANY]),
    ("sine", mpmath.sin, [ANGLE]),
    ("cosine", mpmath.cos, [ANGLE]),
    ("tan", mpmath.tan, [ANGLE]),
    ("sqrt", mpmath.sqrt, [POSITIVE]),
    ("rsqrt", lambda x: 1 / mpmath.sqrt(x), [POSITIVE]),
    ("cbrt", lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), [ANY]),
    ("atan2", mpmath.atan2, [ANY, ANY]),
    ("power", mpmath.power, [uniform(0.01, 8), uniform(-4, 4)]),
    ("chlo.acos", mpmath.acos, [UNIT]),
    ("chlo.acosh", mpmath.acosh, [mixed(uniform(1, 4), spread(0, 20))]),
    ("chlo.asin", mpmath.asin, [UNIT]),
    ("chlo.asinh", mpmath.asinh, [ANY]),
    ("chlo.atan", mpmath.atan, [ANY]),
    ("chlo.atanh", mpmath.atanh, [UNIT]),
    ("chlo.bessel_i1e", bessel_i1e, [mixed(uniform(-50, 50), spread(-20, 12, True))]),
    ("chlo.cosh", mpmath.cosh, [uniform(-9, 9)]),
    ("chlo.digamma", mpmath.digamma, [mixed(uniform(-9, 9), spread(-10, 20))]),
    ("chlo.erf", mpmath.erf, [ANY]),
    ("chlo.erf_inv", mpmath.erfinv, [mixed(UNIT, lambda: 1 - 2.0 ** random.uniform(-9, -1))]),
    ("chlo.erfc", mpmath.erfc, [uniform(-4, 4)]),
    ("chlo.lgamma", lgamma, [mixed(uniform(-9, 9), spread(-10, 20))]),
    ("chlo.polygamma", lambda n, x: mpmath.polygamma(int(n), x), [natural(5), uniform(0.1, 20)]),
    ("chlo.sinh", mpmath.sinh, [SMALL]),
    ("chlo.tan", mpmath.tan, [ANGLE]),
    ("chlo.zeta", lambda x, q: mpmath.zeta(x, q), [uniform(1.1, 9), mixed(uniform(0.1, 9), spread(-3, 9))]),
]

COMPLEX = [
    ("exponential", mpmath.exp),
    ("log", mpmath.log),
    ("log_plus_one", lambda z: mpmath.log(1 + z)),
    ("sine", mpmath.sin),
    ("cosine", mpmath.cos),
    ("tan", mpmath.tan),
    ("tanh", mpmath.tanh),
    ("sqrt", mpmath.sqrt),
    ("rsqrt", lambda z: 1 / mpmath.sqrt(z)),
    ("cbrt", lambda z: mpmath.power(abs(z), mpf(1) / 3) * mpmath.expj(mpmath.arg(z) / 3)),
    ("logistic", lambda z: 1 / (1 + mpmath.exp(-z))),
    ("chlo.acos", mpmath.acos),
    ("chlo.acosh", mpmath.acosh),
    ("chlo.asin", mpmath.asin),
    ("chlo.asinh", mpmath.asinh),
    ("chlo.atan", mpmath.atan),
    ("chlo.atanh", mpmath.atanh),
    ("chlo.cosh", mpmath.cosh),
    ("chlo.sinh", mpmath.sinh),
    ("chlo.tan", mpmath.tan),
]

# Near 0 the first and the last lose digits to the formulas that the specification gives them.
COMPLEX_AWAY_FROM_ZERO = [
    ("exponential_minus_one", lambda z: mpmath.exp(z) - 1, 1),
    ("power", mpmath.power, 2),
    ("atan2", lambda y, x: -1j * mpmath.log((x + 1j * y) / mpmath.sqrt(x * x + y * y)), 2),
]

def near_pole():
    """0 or a negative integer, and less than a half more or less."""
    return -random.randint(0, 9) + random.choice((-1, 1)) * 2.0 ** random.uniform(-50, -1)


# Close to poles, where what is subtracted from the pole is lost easily.
NEAR_POLES = [
    ("chlo.digamma", mpmath.digamma, [mixed(near_pole, lambda: -2.0 ** random.uniform(-120, -20))]),
    ("chlo.lgamma", lgamma, [near_pole]),
]

COUNTS = {"f64": 40, "f32": 30, "f16": 12, "bf16": 12}


def text(value):
    return mpmath.nstr(value, 25, strip_zeros=True)


def largest(type_name):
    return {"f16": 65504.0, "bf16": 3.0e38, "f32": 3.0e38, "f64": 1.0e308}[type_name]


def real_rows(functions):
    for name, function, draws in functions:
        for type_name, count in COUNTS.items():
            print(f"{name} {type_name}")
            done = 0
            while done < count:
                values = [round_to(draw(), type_name) for draw in draws]
                try:
                    result = function(*[mpf(value) for value in values])
                except (ValueError, ZeroDivisionError):
                    continue
                magnitude = abs(result)
                if not mpmath.isfinite(magnitude) or isinstance(result, mpc):
                    continue
                if not 1e-4 < magnitude < largest(type_name) and magnitude != 0 and type_name == "f16":
                    continue
                if magnitude > largest(type_name):
                    continue
                print(" ".join(value.hex() for value in values), "=", text(result))
                done += 1


def complex_rows():
    for name, function in COMPLEX:
        for type_name, part, count in (("complex<f64>", "f64", 20), ("complex<f32>", "f32", 16)):
            print(f"{name} {type_name}")
            for _ in range(count):
                re, im = round_to(SMALL(), part), round_to(SMALL(), part)
                result = function(mpc(re, im))
                print(f"{re.hex()} {im.hex()} = {text(result.real)} {text(result.imag)}")


def away_from_zero():
    return random.uniform(0.5, 2) * random.choice((-1, 1))


def complex_rows_away_from_zero():
    for name, function, num_operands in COMPLEX_AWAY_FROM_ZERO:
        for type_name, part, count in (("complex<f64>", "f64", 20), ("complex<f32>", "f32", 16)):
            print(f"{name} {type_name}")
            for _ in range(count):
                parts = [round_to(away_from_zero(), part) for _ in range(2 * num_operands)]
                result = function(*[mpc(*parts[at:at + 2]) for at in range(0, len(parts), 2)])
                print(" ".join(value.hex() for value in parts),
                      f"= {text(result.real)} {text(result.imag)}")


print("# Written by generate.py, with mpmath; do not edit.")
real_rows(REAL)
complex_rows()
complex_rows_away_from_zero()
real_rows(NEAR_POLES)
