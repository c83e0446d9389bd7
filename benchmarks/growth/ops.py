"""Things that grow: ops, values, functions and calls, the operands and regions of one op, constants."""

from program import ARG, MATRIX, MESH, ROWS, T, TANH, X
from program import chain, function, listed, main, many, sharded, summed, thing, types, wide

# ---- Ops and values ------------------------------------------------------------------------------


@thing()
def ops(n):
    return chain(n, f"stablehlo.tanh IN : {T}")


@thing()
def independent_ops(n):
    return main(many(n), f"%v{n - 1}")


@thing()
def uses_of_a_value(n):
    return chain(n, f"stablehlo.add IN, %arg0 : {T}")


@thing()
def dots(n):
    op = "stablehlo.dot_general IN, %arg1, contracting_dims = [1] x [0] : "
    return chain(n, op + f"({MATRIX}, {MATRIX}) -> {MATRIX}", kind=MATRIX,
                 args=f"{ROWS}, %arg1: {MATRIX}")


@thing()
def reducers(n):
    lines, before = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>"], "%arg0"
    for i in range(n):
        lines.append(f"%r{i} = stablehlo.reduce({before} init: %zero) applies stablehlo.add "
                     f"across dimensions = [0] : ({T}, tensor<f32>) -> tensor<f32>")
        lines.append(f"%v{i} = stablehlo.broadcast_in_dim %r{i}, dims = [] : (tensor<f32>) -> {T}")
        before = f"%v{i}"
    return main(lines, before)


@thing()
def arguments(n):
    args = listed(n, f"%argNUM: {T} {sharded()}")
    return main([f"%v = stablehlo.tanh %arg{n - 1} : {T}"], "%v", args=args)


@thing()
def arguments_and_ops(n):
    return main(summed(n, "%argNUM"), f"%s{n - 1}", args=listed(n, f"%argNUM: {T} {sharded()}"))


def returning(lines, values, attributes=""):
    """A function `main` that returns the values."""
    return "\n".join([f"{MESH}func.func @main({ARG}) -> ({types(len(values), T + attributes)}) {{",
                      *lines, f"return {', '.join(values)} : {types(len(values))}", "}\n"])


@thing()
def results(n):
    return returning(many(n), [f"%v{i}" for i in range(n)])


@thing()
def sharded_results(n):
    return returning(many(n), [f"%v{i}" for i in range(n)], " " + sharded())


@thing()
def returns_of_a_value(n):
    return returning(many(1), ["%v0"] * n)


@thing()
def returns_of_an_argument(n):
    return returning([], ["%arg0"] * n)


@thing(start=60, most=960)
def dims(n):
    kind = f"tensor<{'1x' * n}8xf32>"
    arg = f"%arg0: {kind} " + sharded("<@m, [" + "{}, " * n + '{"x"}]>')
    return chain(60, f"stablehlo.tanh IN : {kind}", args=arg, kind=kind)


@thing(start=60, most=960)
def dims_of_reshapes(n):
    split = f"tensor<{'1x' * n}8xf32>"
    lines, before = [], "%arg0"
    for i in range(20):
        lines.append(f"%w{i} = stablehlo.reshape {before} : ({T}) -> {split}")
        lines.append(f"%v{i} = stablehlo.reshape %w{i} : ({split}) -> {T}")
        before = f"%v{i}"
    return main(lines, before)


# ---- Functions -----------------------------------------------------------------------------------


@thing()
def functions(n):
    return (chain(n, f"func.call @fNUM(IN) : ({T}) -> {T}") +
            "".join(function(f"f{i}", TANH) for i in range(n)))


@thing()
def functions_that_nobody_calls(n):
    return main([]) + "".join(function(f"f{i}", TANH, visibility="") for i in range(n))


@thing()
def calls_of_a_function(n):
    return chain(n, f"func.call @f(IN) : ({T}) -> {T}") + function("f", TANH)


@thing()
def calls_with_shardings(n):
    attributes = "{sdy.sharding = #sdy.sharding_per_value<[" + X + "]>}"
    lines = [f"%v{i} = func.call @f(%arg0) {attributes} : ({T}) -> {T}" for i in range(n)]
    return main(lines + summed(n, "%vNUM"), f"%s{n - 1}") + function("f", TANH)


@thing()
def calls_in_calls(n):
    call = "%r = func.call @f{}(%arg0) : (" + f"{T}) -> {T}"
    return (main([call.format(0)], "%r") + function(f"f{n}", TANH) +
            "".join(function(f"f{i}", call.format(i + 1)) for i in range(n)))


@thing()
def arguments_of_a_call(n):
    callee = "\n".join([f"func.func private @f({listed(n, f'%argNUM: {T}')}) -> ({types(n)}) {{",
                        *[f"%v{i} = stablehlo.tanh %arg{i} : {T}" for i in range(n)],
                        f"return {listed(n, '%vNUM')} : {types(n)}", "}\n"])
    return wide(n, f"%r:{n} = func.call @f(VALUES) : (TYPES) -> (TYPES)") + callee


@thing()
def names_that_copies_want(n):
    taken = "".join(function(f"f_{i}", TANH, visibility="") for i in range(n))
    return chain(n, f"func.call @f(IN) : ({T}) -> {T}") + function("f", TANH) + taken


COMPUTATION = "\n".join([f'sdy.named_computation<"NAME">(IN) (%i: {T}) {{',
                         f"%r = stablehlo.tanh %i : {T}", f"sdy.return %r : {T}",
                         f"}} : ({T}) -> {T}"])


@thing()
def named_computations(n):
    return chain(n, COMPUTATION.replace("NAME", "cNUM"))


@thing()
def named_computations_of_a_name(n):
    return chain(n, COMPUTATION.replace("NAME", "c"))


@thing()
def different_computations_of_a_name(n):
    numbered = COMPUTATION.replace("tanh %i", "tanh %i {a.number = NUM : i64}")
    return chain(n, numbered.replace("NAME", "c"))


# ---- Operands, results and regions of one op -----------------------------------------------------


@thing()
def optimization_barrier_operands(n):
    return wide(n, f"%r:{n} = stablehlo.optimization_barrier VALUES : TYPES")


@thing()
def while_results(n):
    lines = [f"%o{i} = stablehlo.tanh %i{i} : {T}" for i in range(n)]
    loop = "\n".join([
        f"%r:{n + 1} = stablehlo.while({listed(n, '%iNUM = %vNUM')}, %go = %true) : TYPES, tensor<i1>",
        "cond {", "stablehlo.return %go : tensor<i1>", "} do {", *lines,
        "%no = stablehlo.constant dense<false> : tensor<i1>",
        f"stablehlo.return {listed(n, '%oNUM')}, %no : TYPES, tensor<i1>", "}"])
    return wide(n, loop, setup=["%true = stablehlo.constant dense<true> : tensor<i1>"])


def computation(n, op, kind=T):
    """A computation of n operands, whose arguments are %i0, %i1, ..."""
    return wide(n, "\n".join([f"%r:{n} = {op} ({listed(n, f'%iNUM: {kind}')}) {{",
                              *[f"%o{i} = stablehlo.tanh %i{i} : {kind}" for i in range(n)],
                              f"sdy.return {listed(n, '%oNUM')} : {types(n, kind)}",
                              "} : (TYPES) -> (TYPES)"]))


@thing()
def manual_computation_operands(n):
    shardings = ", ".join([X] * n)
    return computation(n, f"sdy.manual_computation(VALUES) in_shardings=[{shardings}] "
                       f'out_shardings=[{shardings}] manual_axes={{"x"}}', "tensor<4xf32>")


@thing()
def free_manual_computation_operands(n):
    shardings = ", ".join(["<@m, [{?}]>"] * n)
    return computation(n, f"sdy.manual_computation(VALUES) in_shardings=[{shardings}] "
                       f"out_shardings=[{shardings}] manual_axes={{}}")


@thing()
def named_computation_operands(n):
    return computation(n, 'sdy.named_computation<"c">(VALUES)')


@thing()
def sort_operands(n):
    args = listed(2 * n, "%aNUM: tensor<f32>")
    return wide(n, "\n".join([
        f'%r:{n} = "stablehlo.sort"(VALUES) <{{dimension = 0 : i64, is_stable = true}}> ({{',
        f"^bb0({args}):",
        "%c = stablehlo.compare LT, %a0, %a1 : (tensor<f32>, tensor<f32>) -> tensor<i1>",
        "stablehlo.return %c : tensor<i1>", "}) : (TYPES) -> (TYPES)"]))


@thing()
def reduce_operands(n):
    scalars = types(n, "tensor<f32>")
    lines = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>", *many(n)]
    lines.append(f"%r:{n} = stablehlo.reduce{listed(n, '(%vNUM init: %zero)')} across dimensions = "
                 f"[0] : ({types(n)}, {scalars}) -> ({scalars})")
    lines.append("reducer" + listed(n, "(%aNUM: tensor<f32>, %bNUM: tensor<f32>)", " ") + " {")
    lines += [f"%c{i} = stablehlo.add %a{i}, %b{i} : tensor<f32>" for i in range(n)]
    lines += [f"stablehlo.return {listed(n, '%cNUM')} : {scalars}", "}",
              f"%w = stablehlo.broadcast_in_dim %r#{n - 1}, dims = [] : (tensor<f32>) -> {T}"]
    return main(lines, "%w")


@thing()
def tuple_elements(n):
    kind = f"tuple<{types(n)}>"
    return main([*many(n), f"%t = stablehlo.tuple {listed(n, '%vNUM')} : {kind}",
                 f"%w = stablehlo.get_tuple_element %t[{n - 1}] : ({kind}) -> {T}"], "%w")


@thing()
def concatenate_operands(n):
    """Along another dim than the sharded one, where each operand would be one step over all."""
    part, kind = "tensor<8x1xf32>", f"tensor<8x{n}xf32>"
    op = (f"%r = stablehlo.concatenate {listed(n, '%vNUM')}, dim = 1 : "
          f"({types(n, part)}) -> {kind}")
    lines = [f"%a = stablehlo.reshape %arg0 : ({T}) -> {part}"]
    lines += [f"%v{i} = stablehlo.tanh %a : {part}" for i in range(n)]
    return main([*lines, op], "%r", kind)


@thing()
def custom_call_operands(n):
    op = f"%r = stablehlo.custom_call @many({listed(n, '%vNUM')}) : ({types(n)}) -> {T}"
    return main([*many(n), op], "%r")


BRANCH = f"{{\n%r = stablehlo.tanh IN : {T}\nstablehlo.return %r : {T}\n}}"
INDEX = "%index = stablehlo.constant dense<1> : tensor<i32>"


@thing()
def case_branches(n):
    branches = ", ".join([BRANCH] * n)
    return chain(1, f'"stablehlo.case"(%index) ({branches}) : (tensor<i32>) -> {T}', setup=[INDEX])


@thing()
def cases(n):
    op = f'"stablehlo.case"(%index) ({BRANCH}, {BRANCH}) : (tensor<i32>) -> {T}'
    return chain(n, op, setup=[INDEX])


@thing()
def whiles(n):
    return chain(n, "\n".join([
        f"stablehlo.while(%i = IN) : {T}", "cond {",
        "%f = stablehlo.constant dense<false> : tensor<i1>", "stablehlo.return %f : tensor<i1>",
        "} do {", f"%o = stablehlo.tanh %i : {T}", f"stablehlo.return %o : {T}", "}"]))


@thing(start=100, most=960, by_text=True)  # lines begin with two blanks per level
def nested_regions(n):
    text = f"stablehlo.return %arg0 : {T}\n"
    for _ in range(n):
        text = (f'%r = "stablehlo.case"(%index) ({{\n{text}}}) : (tensor<i32>) -> {T}\n'
                f"stablehlo.return %r : {T}\n")
    return chain(20, f'"stablehlo.case"(%index) ({{\n{text}}}) : (tensor<i32>) -> {T}',
                 setup=[INDEX])


def sum_of_parts(n, lines, arg, kind):
    """The sum of %v0, %v1, ... of that type, which the lines compute from the argument."""
    sums = [f"%s0 = stablehlo.tanh %v0 : {kind}"]
    sums += [f"%s{i} = stablehlo.add %s{i - 1}, %v{i} : {kind}" for i in range(1, n)]
    args = f"%arg0: {arg} " + sharded('<@m, [{"x"}, {}, {}]>')
    return main(lines + sums, f"%s{n - 1}", kind, args=args)


@thing(most=65_000)
def slices(n):
    kind, part = "tensor<2x256x256xf32>", "tensor<2x1x1xf32>"
    lines = []
    for i in range(n):
        a, b = divmod(i, 256)
        lines.append(f"%v{i} = stablehlo.slice %arg0 [0:2, {a}:{a + 1}, {b}:{b + 1}] : "
                     f"({kind}) -> {part}")
    return sum_of_parts(n, lines, kind, part)


@thing(start=100, most=4_000)
def pads(n):
    kind, part = "tensor<2x64x64xf32>", "tensor<2x1x1xf32>"
    lines = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>"]
    for i in range(n):
        a, b = divmod(i, 64)
        lines.append(f"%v{i} = stablehlo.pad %arg0, %zero, low = [0, {a}, {b}], high = "
                     f"[0, {63 - a}, {63 - b}], interior = [0, 0, 0] : ({part}, tensor<f32>) -> "
                     f"{kind}")
    return sum_of_parts(n, lines, part, kind)


@thing()
def updates(n):
    setup = ["%part = stablehlo.constant dense<1.0> : tensor<4xf32>",
             "%start = stablehlo.constant dense<2> : tensor<i32>"]
    return chain(n, "stablehlo.dynamic_update_slice IN, %part, %start : "
                 f"({T}, tensor<4xf32>, tensor<i32>) -> {T}", setup=setup)


# ---- Constants -----------------------------------------------------------------------------------


def added(n, line, kind=T, setup=()):
    """n values %c0, %c1, ... by lines of their own, and their sum with %arg0."""
    lines, before = list(setup), "%arg0"
    for i in range(n):
        lines.append(f"%c{i} = " + line.replace("NUM", str(i)).replace("BEFORE", f"%c{i - 1}"))
        lines.append(f"%v{i} = stablehlo.add {before}, %c{i} : {kind}")
        before = f"%v{i}"
    return main(lines, before, kind, args=f"%arg0: {kind} {sharded()}")


@thing()
def constants(n):
    return added(n, f"stablehlo.constant dense<NUM.0> : {T}")


@thing()
def constants_of_a_long_prefix(n):
    kind = "tensor<32xf32>"
    return added(n, f"stablehlo.constant dense<[{listed(31, 'NUM.0')}, NUM.0]> : {kind}", kind)


@thing()
def constants_of_a_user_each(n):
    return added(n, f"stablehlo.constant dense<1.0> : {T}")


@thing()
def ops_that_differ_in_attributes(n):
    return added(n, f"stablehlo.tanh %arg0 {{a.number = NUM : i64}} : {T}")


@thing()
def users_of_a_constant(n):
    return chain(n, f"stablehlo.add IN, %c : {T}",
                 setup=[f"%c = stablehlo.constant dense<1.0> : {T}"])


@thing()
def constants_of_constants(n):
    lines = [f"%c0 = stablehlo.constant dense<1.0> : {T}"]
    lines += [f"%c{i + 1} = stablehlo.tanh %c{i} : {T}" for i in range(n)]
    return main(lines + [f"%v = stablehlo.add %arg0, %c{n} : {T}"], "%v")


@thing()
def constants_of_constants_with_users(n):
    first = f"%c-1 = stablehlo.constant dense<1.0> : {T}"
    return added(n, f"stablehlo.tanh BEFORE : {T}", setup=[first]).replace("%c-1", "%first")


@thing()
def broadcast_scalars(n):
    return added(n, f"stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> {T}",
                 setup=["%s = stablehlo.constant dense<1.0> : tensor<f32>"])
