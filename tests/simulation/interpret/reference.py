"""Reference of the ops of stablehlo 17 and 21 to 25, element by element. A tensor is (dims, values in row-major order)."""
import itertools
import math
from fractions import Fraction

from formats import (COMPLEX, INF, NAN, bits_of, is_integer, is_nan, is_negative, is_special, round_to, wrap)


class Grid:
    def __init__(self, dims, values):
        self.dims, self.values = list(dims), list(values)
        assert len(self.values) == math.prod(self.dims), (self.dims, len(self.values))

    def place(self, index):
        at = 0
        for size, position in zip(self.dims, index):
            at = at * size + position
        return at

    def __getitem__(self, index):
        return self.values[self.place(index)]

    def __setitem__(self, index, value):
        self.values[self.place(index)] = value


def indices(dims):
    return itertools.product(*(range(size) for size in dims))


def made(dims, function):
    return Grid(dims, [function(index) for index in indices(dims)])


# ---- One step of arithmetic, rounded to the element type ---------------------------------------

def plain(x):
    """Values for IEEE arithmetic without a number: NaN, infinities, signed zeros."""
    return x if isinstance(x, float) else float(x) if x == 0 else INF if x > INF else float(min(max(x, -1e300), 1e300))


def float_add(name, a, b):
    if is_special(a) or is_special(b):
        return plain(a) + plain(b)
    exact = Fraction(a) + Fraction(b)
    if exact == 0:
        return -0.0 if is_negative(a) and is_negative(b) else Fraction(0)
    return round_to(name, exact)


def float_multiply(name, a, b):
    if is_special(a) or is_special(b):
        return plain(a) * plain(b)
    exact = Fraction(a) * Fraction(b)
    if exact == 0:
        return round_to(name, -0.0 if is_negative(a) != is_negative(b) else Fraction(0))
    return round_to(name, exact)


def opposite(x):
    return -float(x) if x == 0 or is_special(x) else -x


def add(name, a, b):
    if name in COMPLEX:
        return tuple(float_add(COMPLEX[name], *pair) for pair in zip(a, b))
    if name == "i1":
        return a | b
    return wrap(name, a + b) if is_integer(name) else float_add(name, a, b)


def multiply(name, a, b):
    if name in COMPLEX:
        part = COMPLEX[name]
        products = [[float_multiply(part, x, y) for y in b] for x in a]
        return (float_add(part, products[0][0], opposite(products[1][1])),
                float_add(part, products[0][1], products[1][0]))
    if name == "i1":
        return a & b
    return wrap(name, a * b) if is_integer(name) else float_multiply(name, a, b)


def extreme(name, is_max, a, b):
    if name in COMPLEX:  # left if strictly greater (less), else right
        return a if (a > b if is_max else a < b) else b
    if is_nan(a) or is_nan(b):
        return NAN
    if a == b == 0 and not is_integer(name):
        both = [is_negative(a), is_negative(b)]
        return -0.0 if (all(both) if is_max else any(both)) else Fraction(0)
    return (max if is_max else min)(a, b)


FOLDS = {
    "add": add, "multiply": multiply,
    "maximum": lambda name, a, b: extreme(name, True, a, b),
    "minimum": lambda name, a, b: extreme(name, False, a, b),
    "and": lambda name, a, b: wrap(name, a & b), "or": lambda name, a, b: wrap(name, a | b),
    "xor": lambda name, a, b: wrap(name, a ^ b),
}


def folds_of(name):
    if is_integer(name):
        return list(FOLDS)
    return ["add", "multiply", "maximum", "minimum"]


def sum_of_products(name, pairs):
    """The sums of dot_general and convolution: floats below f32 in f32, rounded once at the end."""
    narrow = not is_integer(name) and name not in COMPLEX and bits_of(name) < 32
    step = "f32" if narrow else name
    acc = (Fraction(0), Fraction(0)) if name in COMPLEX else Fraction(0) if not is_integer(name) else 0
    for a, b in pairs:
        acc = add(step, acc, multiply(step, a, b))
    return round_to(name, acc) if narrow else acc


# ---- Whole ops ---------------------------------------------------------------------------------

def reduce(name, x, init, dims, fold):
    kept = [dim for dim in range(len(x.dims)) if dim not in dims]
    result = made([x.dims[dim] for dim in kept], lambda index: init)
    for index in indices(x.dims):
        to = [index[dim] for dim in kept]
        result[to] = fold(name, result[to], x[index])
    return result


def pad(x, value, low, high, interior):
    sizes = [lo + size + max(size - 1, 0) * gap + hi for size, lo, hi, gap in zip(x.dims, low, high, interior)]
    result = made(sizes, lambda index: value)
    for index in indices(x.dims):
        to = [lo + at * (gap + 1) for at, lo, gap in zip(index, low, interior)]
        if all(0 <= at < size for at, size in zip(to, sizes)):
            result[to] = x[index]
    return result


def window_count(padded, window, stride, dilation):
    reach = (window - 1) * dilation + 1
    return 0 if padded <= 0 or reach > padded else (padded - reach) // stride + 1


def reduce_window(name, x, init, fold, window, stride, base, dilation, low, high):
    padded = pad(x, init, low, high, [each - 1 for each in base])
    counts = [window_count(*each) for each in zip(padded.dims, window, stride, dilation)]

    def folded(index):
        acc = init
        for position in indices(window):
            acc = fold(name, acc, padded[[i * s + k * d for i, s, k, d in zip(index, stride, position, dilation)]])
        return acc
    return made(counts, folded)


def select_and_scatter(name, x, source, init, fold, window, stride, low):
    result = made(x.dims, lambda index: init)
    for index in indices(source.dims):
        chosen = None
        for position in indices(window):
            at = [i * s + k - lo for i, s, k, lo in zip(index, stride, position, low)]
            if not all(0 <= each < size for each, size in zip(at, x.dims)):
                continue
            if chosen is None or not x[chosen] >= x[at]:
                chosen = at
        if chosen is not None:
            result[chosen] = fold(name, fold(name, init, source[index]), result[chosen])
    return result
