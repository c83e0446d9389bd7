"""Things that grow: attributes, names, constants, comments, locations, aliases, resources."""

from program import T, TANH, chain, function, listed, main, sharded, thing

# ---- Dense constants -----------------------------------------------------------------------------


def one_constant(text, kind, sharding='<@m, [{"x"}]>'):
    lines = [f"%c = stablehlo.constant dense<{text}> : {kind}",
             f"%v = stablehlo.add %arg0, %c : {kind}"]
    return main(lines, "%v", kind, args=f"%arg0: {kind} {sharded(sharding)}")


@thing(start=20_000, most=3_000_000)
def dense_floats(n):
    return one_constant(f"[{listed(n, 'NUM.5')}]", f"tensor<{n}xf32>")


@thing(start=20_000, most=3_000_000)
def dense_integers(n):
    return one_constant(f"[{listed(n, 'NUM')}]", f"tensor<{n}xi32>")


@thing(start=20_000, most=3_000_000)
def dense_rows(n):
    return one_constant(f"[{listed(n, '[NUM, 1]')}]", f"tensor<{n}x2xi32>", '<@m, [{"x"}, {}]>')


@thing(start=20_000, most=6_000_000)
def dense_hex(n):
    digits = "".join("%08X" % (0x3F000000 + i) for i in range(n))
    return one_constant(f'"0x{digits}"', f"tensor<{n}xf32>")


# ---- Attributes ----------------------------------------------------------------------------------

NUMBERED = "a.bNUM = NUM : i64"


def one_op(attributes, before="", after=""):
    return before + chain(2, f"stablehlo.tanh IN {{{attributes}}} : {T}") + after


@thing()
def module_attributes(n):
    return f"module attributes {{{listed(n, NUMBERED)}}} {{\n{one_op('a')}}}\n"


@thing()
def attributes_of_an_op(n):
    return one_op(listed(n, NUMBERED))


@thing()
def attributes_of_a_function(n):
    return one_op("a").replace(f"-> {T} {{", f"-> {T} attributes {{{listed(n, NUMBERED)}}} {{", 1)


@thing()
def attributes_of_an_argument(n):
    return one_op("a").replace("{sdy.sharding", f"{{{listed(n, NUMBERED)}, sdy.sharding", 1)


@thing()
def elements_of_an_attribute(n):
    return one_op(f"a.b = [{listed(n, 'NUM : i64')}]")


@thing()
def numbers_of_an_attribute(n):
    return one_op(f"a.b = array<i64: {listed(n, 'NUM')}>")


@thing()
def entries_of_a_dictionary(n):
    return one_op(f"a.b = {{{listed(n, 'kNUM = NUM : i64')}}}")


@thing()
def attributes_of_many_ops(n):
    return chain(n, f"stablehlo.tanh IN {{a.b = NUM : i64}} : {T}")


@thing(start=2_000, most=8_000_000)
def long_strings(n):
    return one_op(f'a.b = "{"s" * n}"')


@thing(start=2_000, most=4_000_000)
def long_foreign_attributes(n):
    return one_op(f"a.b = #foreign.attribute<{'x ' * n}>")


# ---- Names, comments, locations ------------------------------------------------------------------


@thing(start=2_000, most=4_000_000)
def long_names(n):
    """The returned value has a short name, because a command line may not take long ones."""
    name = "n" * n
    program = chain(4, f"func.call @{name}(IN) : ({T}) -> {T}")
    program = program.replace("return %v3", f"%last = stablehlo.tanh %v3 : {T}\nreturn %last")
    return program.replace("%v", "%v" + name) + function(name, TANH)


@thing(start=2_000, most=2_000_000)
def comments(n):
    return "// a comment\n" * n + one_op("a")


@thing(start=2_000, most=2_000_000)
def empty_lines(n):
    return one_op("a", before="\n" * n, after="\n" * n)


@thing()
def locations(n):
    program = chain(n, f"stablehlo.tanh IN : {T} loc(#locNUM)")
    return program + listed(n, '#locNUM = loc("file.py":NUM:3)\n', "")


@thing()
def named_locations(n):
    program = chain(n, f"stablehlo.tanh IN : {T} loc(#locNUM)")
    return (program + '#file = loc("file.py":1:3)\n' +
            listed(n, '#locNUM = loc("name NUM"(#file))\n', ""))


@thing()
def parts_of_a_location(n):
    return (chain(2, f"stablehlo.tanh IN : {T} loc(#all)") +
            f"""#all = loc(fused[{listed(n, '"file.py":NUM:3')}])\n""")


@thing()
def attribute_aliases(n):
    aliases = listed(n, "#aNUM = NUM : i64\n", "")
    return aliases + chain(n, f"stablehlo.tanh IN {{a.b = #aNUM}} : {T}")


@thing()
def type_aliases(n):
    aliases = listed(n, f"!tNUM = {T}\n", "")
    return aliases + chain(n, "stablehlo.tanh IN : !tNUM")


@thing()
def resources(n):
    lines, before = [], "%arg0"
    for i in range(n):
        lines.append(f"%c{i} = stablehlo.constant dense_resource<r{i}> : {T}")
        lines.append(f"%v{i} = stablehlo.add {before}, %c{i} : {T}")
        before = f"%v{i}"
    data = listed(n, f'rNUM: "0x04000000{"0000803F" * 8}"', ",\n")
    return main(lines, before) + f"{{-# dialect_resources: {{ builtin: {{\n{data}\n}} }} #-}}\n"


# ---- Ops that are not ours -----------------------------------------------------------------------


@thing()
def foreign_ops(n):
    return chain(n, f'"foreign.opNUM"(IN) : ({T}) -> {T}')


@thing()
def custom_calls_without_rules(n):
    return chain(n, f"stablehlo.custom_call @targetNUM(IN) : ({T}) -> {T}")


@thing()
def custom_rules(n):
    rule = "sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>"
    return chain(n, f"stablehlo.custom_call @target(IN) {{{rule}}} : ({T}) -> {T}")


@thing()
def broken_ops(n):
    return chain(n, f"stablehlo.tanh IN : ({T}) -> tensor<9xf32>")
