"""Things that grow: meshes and their axes, shardings, priorities, groups, reshards, collectives."""

import itertools

from program import MATRIX, ROWS, T
from program import chain, listed, main, many, sharded, summed, thing

# ---- Meshes --------------------------------------------------------------------------------------


def on_axes(n, sharding):
    """A few ops on a mesh of n axes of size 1 and one more, "x"; AXES in the sharding are those."""
    return chain(20, f"stablehlo.tanh IN : {T}", mesh=f'sdy.mesh @m = <["x"=2, {listed(n, AXIS)}]>\n',
                 args=f"%arg0: {T} " + sharded(sharding.replace("AXES", listed(n, '"aNUM"'))))


AXIS = '"aNUM"=1'


@thing()
def axes(n):
    return on_axes(n, '<@m, [{"x"}]>')


@thing()
def axes_of_a_dim(n):
    return on_axes(n, '<@m, [{"x", AXES}]>')


@thing()
def replicated_axes(n):
    return on_axes(n, '<@m, [{"x"}], replicated={AXES}>')


def on_meshes(n, mesh, sharding='<@mNUM, [{"x"}]>'):
    """n values, each sharded on a mesh of its own."""
    meshes = listed(n, f"sdy.mesh @mNUM = {mesh}\n", "") if mesh else ""
    lines = [f"%v{i} = stablehlo.tanh %arg{i} : {T}" for i in range(n)]
    return main(lines, f"%v{n - 1}", mesh=meshes, args=listed(n, f"%argNUM: {T} {sharded(sharding)}"))


@thing()
def meshes_of_different_axes(n):
    return on_meshes(n, '<["x"=2, "yNUM"=2]>')


@thing()
def meshes_of_different_sizes(n):
    return on_meshes(n, '<["x"=2, "y"=1NUM]>')


@thing()
def meshes_of_equal_axes(n):
    return on_meshes(n, '<["x"=2]>')


@thing()
def meshes_without_names(n):
    return on_meshes(n, "", '<mesh<["x"=2, "yNUM"=2]>, [{"x"}]>')


@thing()
def meshes_that_nobody_uses(n):
    return main(many(1), "%v0", mesh=listed(n, 'sdy.mesh @mNUM = <["x"=2]>\n', "").replace(
        "@m0 ", "@m "))


def mesh_of_ids(n):
    return (f'sdy.mesh @m = <["x"=2, "y"={n}], device_ids=['
            f"{', '.join(map(str, reversed(range(2 * n))))}]>\n")


@thing()
def device_ids(n):
    return chain(4, f"stablehlo.tanh IN : {T}", mesh=mesh_of_ids(n))


@thing()
def device_ids_of_collectives(n):
    lines = [f"%a = sdy.sharding_constraint %arg0 <@m, [{{}}]> : {T}",
             f"%b = stablehlo.tanh %a : {T}"]
    return main(lines, "%b", mesh=mesh_of_ids(n))


@thing()
def devices(n):
    return chain(4, f"stablehlo.add IN, IN : {T}", mesh=f'sdy.mesh @m = <["x"=2, "y"={n}]>\n')


# ---- Shardings -----------------------------------------------------------------------------------


@thing()
def arguments_of_sub_axes(n):
    lines = [f"%v{i} = stablehlo.tanh %arg{i} : {T}" for i in range(n)]
    args = listed(n, f"%argNUM: {T} " + sharded('<@m, [{"x":(1)2, ?}]>'))
    return main(lines, "%v0", mesh='sdy.mesh @m = <["x"=4]>\n', args=args)


@thing()
def different_shardings(n):
    names = [f'"a{i}"' for i in range(9)]
    mesh = f"sdy.mesh @m = <[{', '.join(f'{name}=2' for name in names)}]>\n"
    kind = "tensor<512xf32>"
    orders = itertools.islice(itertools.permutations(names), n)
    args = [f"%arg{i}: {kind} " + sharded("<@m, [{" + ", ".join(order) + "}]>")
            for i, order in enumerate(orders)]
    lines = [f"%v{i} = stablehlo.tanh %arg{i} : {kind}" for i in range(n)]
    return main(lines, f"%v{n - 1}", kind, args=", ".join(args), mesh=mesh)


@thing()
def user_priorities(n):
    lines = [f"%v{i} = stablehlo.tanh %arg{i} : {T}" for i in range(n)]
    args = listed(n, f"%argNUM: {T} " + sharded('<@m, [{"x"}pNUM]>'))
    return main(lines, f"%v{n - 1}", args=args)


@thing()
def user_priorities_that_meet(n):
    args = listed(n, f"%argNUM: {T} " + sharded('<@m, [{"x", ?}pNUM]>'))
    return main(summed(n, "%argNUM"), f"%s{n - 1}", args=args)


@thing()
def conflicts(n):
    dot = (f"stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : "
           f"({MATRIX}, {MATRIX}) -> {MATRIX}")
    args = f"{ROWS}, %arg1: {MATRIX} " + sharded('<@m, [{}, {"x"}]>')
    return main([f"%v{i} = {dot}" for i in range(n)], f"%v{n - 1}", MATRIX, args=args)


@thing()
def constraints(n):
    return chain(n, f"sdy.sharding_constraint IN <@m, [{{?}}]> : {T}")


@thing()
def constraints_of_a_value(n):
    lines = [f"%v{i} = sdy.sharding_constraint %arg0 <@m, [{{}}]> : {T}" for i in range(n)]
    return main(lines, f"%v{n - 1}")


@thing()
def barriers(n):
    return chain(n, f"sdy.propagation_barrier IN allowed_direction=NONE : {T}")


@thing()
def reshards(n):
    lines, before = [], "%arg0"
    for i in range(n):
        dims = '[{"x"}, {}]' if i % 2 else '[{}, {"x"}]'
        lines.append(f"%v{i} = sdy.sharding_constraint {before} <@m, {dims}> : {MATRIX}")
        lines.append(f"%w{i} = stablehlo.tanh %v{i} : {MATRIX}")
        before = f"%w{i}"
    return main(lines, before, MATRIX, args=ROWS)


# ---- Groups --------------------------------------------------------------------------------------


def grouped(n, group_of):
    """A chain of n ops; the operand of each is in the group `group_of(i)`."""
    lines, before = [], "%arg0"
    for i in range(n):
        lines.append(f"sdy.sharding_group {before} group_id={group_of(i)} : {T}")
        lines.append(f"%v{i} = stablehlo.tanh {before} : {T}")
        before = f"%v{i}"
    return main(lines, before)


@thing()
def groups(n):
    return grouped(n, lambda i: i // 2)


@thing()
def members_of_a_group(n):
    return grouped(n, lambda i: 7)


@thing()
def groups_of_a_value(n):
    return main([f"sdy.sharding_group %arg0 group_id={i} : {T}" for i in range(n)] + many(1), "%v0")


# ---- Collectives ---------------------------------------------------------------------------------


@thing()
def sdy_collectives(n):
    lines, before = [], "%arg0"
    for i in range(n):
        lines.append(f'%v{i} = sdy.all_gather [{{"x"}}, {{}}] {before} '
                     f"out_sharding=<@m, [{{}}, {{}}]> : {MATRIX}")
        lines.append(f'%w{i} = sdy.all_slice [{{"x"}}, {{}}] %v{i} '
                     f'out_sharding=<@m, [{{"x"}}, {{}}]> : {MATRIX}')
        before = f"%w{i}"
    return main(lines, before, MATRIX, args=ROWS)


def one_collective(n, name, attributes, rows, kind):
    """A collective on n rows of two processes."""
    pairs = ", ".join(f"[{a}, {b}]" for a, b in rows)
    line = (f'%v = "stablehlo.{name}"(%arg0) <{{{attributes} = dense<[{pairs}]> : '
            f"tensor<{n}x2xi64>}}> : ({T}) -> {kind}")
    program = main([line], "%v", kind, args=f"%arg0: {T}", mesh="")
    return f"module attributes {{mhlo.num_partitions = {2 * n} : i32}} {{\n{program}}}\n"


@thing()
def replica_groups(n):
    rows = [(2 * i, 2 * i + 1) for i in range(n)]
    return one_collective(n, "all_gather", "channel_handle = #stablehlo.channel_handle<handle = 1, "
                          "type = 1>, use_global_device_ids, all_gather_dim = 0 : i64, "
                          "replica_groups", rows, "tensor<16xf32>")


@thing()
def source_target_pairs(n):
    rows = [(i, i + 1) for i in range(n)]
    return one_collective(n, "collective_permute", "channel_handle = #stablehlo.channel_handle<"
                          "handle = 1, type = 1>, source_target_pairs", rows, T)


@thing()
def stablehlo_collectives(n):
    op = (f'"stablehlo.collective_permute"(IN) <{{source_target_pairs = dense<[[0, 1], [1, 0]]> : '
          f"tensor<2x2xi64>}}> : ({T}) -> {T}")
    return chain(n, op, args=f"%arg0: {T}", mesh="")


