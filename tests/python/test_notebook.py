"""A notebook: the experiment of docs/json.md by the module alone, then a search for a strategy."""
import itertools
import json

import numpy as np

import shardy
from conftest import ROOT

DOT = {"dot_dimension_numbers": {"lhs_contracting": [1], "rhs_contracting": [0]}}
COST = "*=ring:50GB/s:1us"


def perceptron(data, model):
    args = [{"name": "x", "type": "f32[512,1024]"}, {"name": "w1", "type": "f32[1024,4096]"}, {"name": "w2", "type": "f32[4096,1024]"}]
    body = [{"name": "h", "op": "dot_general", "operands": ["x", "w1"], "attributes": DOT}, {"name": "a", "op": "tanh", "operands": ["h"]},
            {"name": "y", "op": "dot_general", "operands": ["a", "w2"], "attributes": DOT}]
    return shardy.parse(json.dumps({"shardy": 1, "meshes": {"m": {"data": data, "model": model}},
                                    "functions": [{"name": "main", "args": args, "body": body, "return": ["y"]}]}))


def test_the_experiment_of_the_page():
    # [experiment]
    choices = {"x": [("data", None), (None, "model")], "w1": [(None, "model"), ("data", "model"), ()],
               "w2": [("model", None), ("model", "data"), ()]}
    sets = [dict(zip(choices, each)) for each in itertools.product(*choices.values())]
    rows = []
    for data in (8, 4, 2, 1):
        for result in shardy.pareto_front(perceptron(data, 8 // data).sweep(sets, axis_cost=COST)):
            rows.append((round(1e6 * result.seconds, 1), result.peak_bytes // 1024, data, result.set))
    front, least = [], float("inf")
    for row in sorted(rows, key=lambda row: row[:2]):
        if row[1] < least:
            front, least = front + [row], row[1]
    # [experiment]
    published = (ROOT / "examples/experiment.out").read_text().splitlines()[1:6]
    for row, line in zip(front, published, strict=True):
        data, _, *dims, microseconds, kib = line.replace(", ", ",").split()
        assert (row[2], row[0], row[1]) == (int(data), float(microseconds), int(kib))
        assert [row[3][name].removeprefix("<@m, ").removesuffix(">").replace(", ", ",") for name in choices] == dims


def test_a_search_for_a_strategy():
    """One argument after the other takes its cheapest sharding, as in examples/research/cost_driven.cpp."""
    # [strategy]
    def price(program):
        report = program.report(axis_cost=COST)
        return report.seconds + report.operations_per_device / 100e9

    def cheapest_first(program):
        chosen = {}
        mesh, = program.meshes.values()
        for port in sorted(program.arguments, key=lambda port: -np.prod(port.shape)):
            tries = [()] + [(None,) * dim + (axis,) for dim in range(len(port.shape)) for axis in mesh.axes]
            costs = {dims: price(program.annotate({**chosen, port.name: dims})) for dims in tries}
            chosen[port.name] = min(costs, key=lambda dims: (costs[dims], tries.index(dims)))
        return chosen

    program = perceptron(2, 4)
    context = shardy.Context(strategy=cheapest_first)
    chosen = program.report(context=context, axis_cost=COST)
    # [strategy]
    assert chosen.seconds + chosen.operations_per_device / 100e9 < price(program) / 4
    assert chosen.to_dict()["devices"] == 8
    best = program.autoshard(operations_per_second=100e9, axis_cost=COST)
    assert best.after.seconds <= price(program.annotate(cheapest_first(program))) * 1.001
