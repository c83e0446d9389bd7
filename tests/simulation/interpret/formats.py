"""Element types as stablehlo 16 describes them: ranges, rounding, literals. Exact rational arithmetic only."""
import functools
import math
from fractions import Fraction

SIGNED = {"i2": 2, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
UNSIGNED = {"ui2": 2, "ui4": 4, "ui8": 8, "ui16": 16, "ui32": 32, "ui64": 64}
INTEGERS = ["i1", *SIGNED, *UNSIGNED]

# exponent bits, mantissa bits, bias, what a number too large becomes, whether NaN is the code of -0
FLOAT_TABLE = {
    "f64": (11, 52, 1023, "inf", False),
    "f32": (8, 23, 127, "inf", False),
    "f16": (5, 10, 15, "inf", False),
    "bf16": (8, 7, 127, "inf", False),
    "f8E5M2": (5, 2, 15, "inf", False),
    "f8E4M3": (4, 3, 7, "inf", False),
    "f8E3M4": (3, 4, 3, "inf", False),
    "f8E4M3FN": (4, 3, 7, "nan", False),
    "f8E4M3FNUZ": (4, 3, 8, "nan", True),
    "f8E5M2FNUZ": (5, 2, 16, "nan", True),
    "f8E4M3B11FNUZ": (4, 3, 11, "nan", True),
    "f6E2M3FN": (2, 3, 1, "max", False),
    "f6E3M2FN": (3, 2, 3, "max", False),
    "f4E2M1FN": (2, 1, 1, "max", False),
}
FLOATS = list(FLOAT_TABLE)
COMPLEX = {"complex<f32>": "f32", "complex<f64>": "f64"}
ALL = INTEGERS + FLOATS + ["f8E8M0FNU"] + list(COMPLEX)
LARGEST = {"f8E5M2": 57344, "f8E4M3": 240, "f8E3M4": 15.5, "f8E4M3FN": 448, "f8E4M3FNUZ": 240,
           "f8E5M2FNUZ": 57344, "f8E4M3B11FNUZ": 30, "f6E2M3FN": 7.5, "f6E3M2FN": 28, "f4E2M1FN": 6,
           "f16": 65504}


def is_integer(name):
    return name in INTEGERS


def bits_of(name):
    if name == "i1":
        return 1
    if name == "f8E8M0FNU":
        return 8
    if name in COMPLEX:
        return 2 * bits_of(COMPLEX[name])
    if name in FLOAT_TABLE:
        exponent, mantissa = FLOAT_TABLE[name][:2]
        return 1 + exponent + mantissa
    return {**SIGNED, **UNSIGNED}[name]


def least(name):
    return -(1 << (SIGNED[name] - 1)) if name in SIGNED else 0


def greatest(name):
    return (1 << (SIGNED[name] - 1)) - 1 if name in SIGNED else (1 << bits_of(name)) - 1


def wrap(name, value):
    """Modulo 2^bits."""
    low = least(name)
    return (value - low) % (1 << bits_of(name)) + low


# ---- Floats: a number is a Fraction, or one of the floats -0.0, inf, -inf, nan --------------------

NAN, INF = math.nan, math.inf


def is_special(x):
    return isinstance(x, float) and (x != x or x in (INF, -INF))


def is_nan(x):
    return isinstance(x, float) and x != x


def is_negative(x):
    return math.copysign(1, x) < 0 if isinstance(x, float) else x < 0


@functools.cache
def magnitude(name, code):
    """The number of a code without its sign."""
    exponent_bits, mantissa_bits, bias, _, _ = FLOAT_TABLE[name]
    field, mantissa = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    hidden = 0 if field == 0 else 1 << mantissa_bits
    return Fraction(hidden + mantissa) * Fraction(2) ** (max(field, 1) - bias - mantissa_bits)


@functools.cache
def max_code(name):
    """Exponent of the largest finite number."""
    exponent_bits, mantissa_bits, _, overflow, nan_is_negative_zero = FLOAT_TABLE[name]
    top = (1 << (exponent_bits + mantissa_bits)) - 1
    if overflow == "inf":
        return top - (1 << mantissa_bits)
    return top - 1 if overflow == "nan" and not nan_is_negative_zero else top


def infinity_code(name):
    return max_code(name) + 1


def nan_code(name):
    exponent_bits, mantissa_bits, _, overflow, nan_is_negative_zero = FLOAT_TABLE[name]
    if nan_is_negative_zero:
        return 1 << (exponent_bits + mantissa_bits)
    if overflow == "inf":
        return infinity_code(name) + (1 << (mantissa_bits - 1))
    return max_code(name) + 1


def code_below(name, size):
    """The largest code whose number is at most `size`, as if the codes went on."""
    _, mantissa_bits, bias, _, _ = FLOAT_TABLE[name]
    if size < magnitude(name, 1 << mantissa_bits):
        exponent = 1 - bias
    else:
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        if Fraction(2) ** exponent > size:
            exponent -= 1
    steps = size / Fraction(2) ** (exponent - mantissa_bits)
    return math.floor(steps) + ((exponent + bias - 1) << mantissa_bits)


def encode(name, x):
    """The code of the number of the type nearest to x, ties to the even code."""
    if name == "f8E8M0FNU":
        return encode_exponent(x)
    _, _, _, overflow, nan_is_negative_zero = FLOAT_TABLE[name]
    sign = 1 << (bits_of(name) - 1)
    if is_nan(x):
        return sign if overflow == "max" else nan_code(name)  # own choice of the specification: -0
    code = max_code(name) + 1 if is_special(x) else nearest_code(name, abs(Fraction(x)))
    if code > max_code(name):
        if overflow == "nan":
            return nan_code(name)
        code = infinity_code(name) if overflow == "inf" else max_code(name)
    if is_negative(x) and not (code == 0 and nan_is_negative_zero):
        code |= sign
    return code


@functools.cache
def nearest_code(name, size):
    low = code_below(name, size)
    below, above = magnitude_beyond(name, low), magnitude_beyond(name, low + 1)
    middle = (below + above) / 2
    return low + 1 if size > middle or (size == middle and low % 2 == 1) else low


def magnitude_beyond(name, code):
    """Also of codes after the largest, so that its successor counts as a neighbour."""
    _, mantissa_bits, bias, _, _ = FLOAT_TABLE[name]
    field, mantissa = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    hidden = 0 if field == 0 else 1 << mantissa_bits
    return Fraction(hidden + mantissa) * Fraction(2) ** (max(field, 1) - bias - mantissa_bits)


def encode_exponent(x):
    """f8E8M0FNU: 2^-127 to 2^127; the hidden bit is odd, so ties go up."""
    if is_special(x) or is_negative(x):
        return 255
    size = Fraction(x)
    if size < Fraction(2) ** -127:
        return 0
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    if size >= Fraction(2) ** exponent * Fraction(3, 2):
        exponent += 1
    return exponent + 127 if exponent <= 127 else 255


def decode(name, code):
    if name == "f8E8M0FNU":
        return NAN if code == 255 else Fraction(2) ** (code - 127)
    sign = 1 << (bits_of(name) - 1)
    _, _, _, overflow, nan_is_negative_zero = FLOAT_TABLE[name]
    if nan_is_negative_zero and code == sign:
        return NAN
    size = code & (sign - 1)
    if size > max_code(name):
        is_infinite = overflow == "inf" and size == infinity_code(name)
        return (-INF if code & sign else INF) if is_infinite else NAN
    value = magnitude(name, size)
    if not code & sign:
        return value
    return -value if value else -0.0


def round_to(name, x):
    return decode(name, encode(name, x))


def order_key(name, x):
    """Key of TOTALORDER (20): -NaN < -inf < ... < -0 < +0 < ... < inf < NaN."""
    if name not in FLOAT_TABLE:
        return encode(name, x) if name == "f8E8M0FNU" else x
    code, sign = encode(name, x), 1 << (bits_of(name) - 1)
    return code if code < sign else sign - code - 1


# ---- Literals ----------------------------------------------------------------------------------

def element_text(name, x):
    if name in COMPLEX:
        return f"({element_text(COMPLEX[name], x[0])}, {element_text(COMPLEX[name], x[1])})"
    if name == "i1":
        return "true" if x else "false"
    if is_integer(name):
        return str(x)
    return f"0x{encode(name, x):0{(bits_of(name) + 3) // 4}X}"


def type_text(name, dims):
    return "tensor<" + "".join(f"{size}x" for size in dims) + name + ">"


def literal(name, dims, values):
    """Values in row-major order."""
    count = math.prod(dims)
    assert len(values) == count, (dims, len(values))
    if count == 0:
        return f"dense<> : {type_text(name, dims)}"

    def nested(level, first, size):
        if level == len(dims):
            return element_text(name, values[first])
        step = size // dims[level]
        return "[" + ", ".join(nested(level + 1, first + at * step, step) for at in range(dims[level])) + "]"
    return f"dense<{nested(0, 0, count)}> : {type_text(name, dims)}"
