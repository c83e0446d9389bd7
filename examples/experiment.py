"""Prices every annotation of a perceptron on four meshes of eight devices: prints the best as a table and a plot."""
import itertools, json, pathlib, subprocess

DOT = {"dot_dimension_numbers": {"lhs_contracting": [1], "rhs_contracting": [0]}}
CHOICES = {"%x": ['[{"data"}, {}]', '[{}, {"model"}]'], "%w1": ['[{}, {"model"}]', '[{"data"}, {"model"}]', "[{}, {}]"],
           "%w2": ['[{"model"}, {}]', '[{"model"}, {"data"}]', "[{}, {}]"]}


def perceptron(data, model):
    args = [{"name": "x", "type": "f32[512,1024]"}, {"name": "w1", "type": "f32[1024,4096]"}, {"name": "w2", "type": "f32[4096,1024]"}]
    body = [{"name": "h", "op": "dot_general", "operands": ["x", "w1"], "attributes": DOT},
            {"name": "a", "op": "tanh", "operands": ["h"]},
            {"name": "y", "op": "dot_general", "operands": ["a", "w2"], "attributes": DOT}]
    return {"shardy": 1, "meshes": {"m": {"data": data, "model": model}},
            "functions": [{"name": "main", "args": args, "body": body, "return": ["y"]}]}


def sweep(program):
    sets = [dict(zip(CHOICES, each)) for each in itertools.product(*CHOICES.values())]
    pathlib.Path("program.json").write_text(json.dumps(program))
    pathlib.Path("strategies.jsonl").write_text("".join(json.dumps({"name": str(i), "set": each}) + "\n" for i, each in enumerate(sets)))
    command = ["shardy", "sweep", "program.json", "--strategies", "strategies.jsonl", "--axis-cost", "*=ring:50GB/s:1us"]
    return map(json.loads, subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines())


rows = [{"data": data, "model": 8 // data, **each["set"], "microseconds": round(1e6 * each["seconds"], 1), "kib": each["peak_bytes"] // 1024}
        for data in (8, 4, 2, 1) for each in sweep(perceptron(data, 8 // data))]
front, least = [], float("inf")  # rows for which no other is both faster and smaller
for row in sorted(rows, key=lambda row: (row["microseconds"], row["kib"])):
    if row["kib"] < least:
        front, least = front + [row], row["kib"]
print(*(f"{name:>14}" for name in rows[0]))
for row in front:
    print(*(f"{value:>14}" for value in row.values()))
for row in front:
    print(f"{row['kib']:>6} KiB {row['microseconds']:>7} us", "#" * round(row["microseconds"] / 5))
