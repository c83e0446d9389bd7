#!/usr/bin/env python3
"""The gates of docs/autoshard.md: autoshard_gates.py SHARDY [--only NAME,...] [--seconds N] [--contest FOLDER].

Each row has the seconds asked for, the seconds of the processor that the search took (user time of all threads), the part of them that one report of the
source takes (parsing, compiling and pricing), and the gap of the model. Rows "solver" read the problem of the row before from JSON and solve it. N is the wall-clock limit of a command (600). FOLDER has the unpacked instances of the
contest. `benchmarks/autoshard_highs.py` solves the same problems with HiGHS.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import llama_step  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
RATE = ["--operations-per-second", "4e14"]
WHOLE_AXES = '<["data"=4, "model"=4]>'  # heads and groups of heads need no parts of axes


def timed(*command, limit=600):
    """Returns the output and the user seconds of a command; no output if it takes too long or fails."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(["timeout", str(limit), *map(str, command)], stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return (out.read() if child.returncode in (0, 1) else None), usage.ru_utime


def chain(nodes):
    """A problem of nodes with 8 choices, edges to two earlier nodes, bytes at 12 time points and a limit."""
    draw = random.Random(1)
    costs = [[draw.randrange(1000) for _ in range(8)] for _ in range(nodes)]
    usages = [[draw.randrange(100) for _ in range(8)] for _ in range(nodes)]
    pairs = [[node - back, node] for node in range(nodes) for back in (1, 5) if node >= back]
    tables = [[draw.randrange(1000) for _ in range(64)] for _ in pairs]
    return {"problem": {"name": "chain", "nodes": {"intervals": [[node, node + 12] for node in range(nodes)], "costs": costs, "usages": usages},
                        "edges": {"nodes": pairs, "costs": tables}, "usage_limit": 500}}


class Gates:
    def __init__(self, options, folder):
        self.shardy, self.limit, self.only, self.folder = options.shardy, options.seconds, options.only, folder
        self.contest = options.contest

    def row(self, name, asked, found, seconds, source=None):
        result = "no answer"
        if found is not None and "price" not in found and "best" not in found:
            result = "no program fits"  # the error has the least peak
        elif found is not None:
            model = found.get("model", found)
            best = f", {1e3 * found['best']['modelled_seconds']:.4g} ms" if "best" in found else f", price {found['price']}"
            result = f"{model['status']}, gap {100 * model['gap']:.2f} %{best}"
        part = "" if source is None else f"{source:.2f}"
        print(f"| {name} | {asked} | {seconds:.2f} | {part} | {result} |", flush=True)

    def is_asked(self, name):
        return not self.only or any(name.startswith(each) for each in self.only.split(","))

    def program(self, name, asked, path, *options):
        """Searches the annotations of a program; returns its answer."""
        if not self.is_asked(name):
            return None
        _, source = timed(self.shardy, "report", path, "--json", limit=self.limit)
        text, seconds = timed(self.shardy, "autoshard", path, "--json", *options, limit=self.limit)
        found = json.loads(text) if text else None
        self.row(name, asked, found, seconds, source)
        return found

    def problem(self, name, asked, path, *options):
        if not self.is_asked(name):
            return
        text, seconds = timed(self.shardy, "autoshard", "--problem", path, "--json", *options, limit=self.limit)
        self.row(name, asked, json.loads(text) if text else None, seconds)

    def solver(self, name, asked, path, *options):
        """Solves the problem of a program, without the program."""
        if self.is_asked(name):
            problem = pathlib.Path(self.folder, "problem.json")
            timed(self.shardy, "autoshard", path, "--candidates", 1, "--export-problem", problem, *options, limit=self.limit)
            self.problem(f"{name}, solver", asked, problem)

    def write(self, name, text):
        path = pathlib.Path(self.folder, name)
        path.write_text(text)
        return path

    def run(self):
        print("| gate | asked, s | measured, s | report of the source, s | result |\n| --- | ---: | ---: | ---: | --- |")
        transformer = ROOT / "examples/jax/transformer_sdy.mlir"
        self.program("transformer", 0.1, transformer)
        self.solver("transformer", 0.1, transformer)
        layer = self.write("layer.mlir", llama_step.llama(1, mesh=WHOLE_AXES))
        self.program("layer, 4x4", 0.2, layer, *RATE)
        self.solver("layer, 4x4", 0.2, layer, *RATE)
        self.program("layer, 8x16", 0.2, self.write("layer16.mlir", llama_step.llama(1)), *RATE)
        three = self.write("layer_448.mlir", llama_step.llama(1, mesh='<["a"=4, "b"=4, "c"=8]>'))
        self.program("layer, 4x4x8", 2, three, *RATE)
        four = self.write("layer_2844.mlir", llama_step.llama(1, mesh='<["a"=2, "b"=8, "c"=4, "d"=4]>'))
        self.program("layer, 2x8x4x4", 2, four, *RATE, "--orders", "mesh")
        stack = self.write("stack.mlir", llama_step.llama(32, mesh=WHOLE_AXES))
        free = self.program("32 layers, 4x4", 1, stack, *RATE)
        if free:
            for share in (0.3, 0.98):  # no program has less than 96 %
                self.program(f"32 layers, limit of {100 * share:.0f} %", 3, stack, *RATE, "--memory", int(free["best"]["peak_bytes"] * share), "--time-limit", 90)
        self.program("126 layers of 405B, 4x4", 5, self.write("large.mlir", llama_step.llama(126, "405b", WHOLE_AXES)), *RATE)
        for name in ("example", "B", "G"):
            if self.contest:
                self.problem(f"contest {name}", 60, pathlib.Path(self.contest, f"{name}.json"))
        self.problem("35,000 nodes", 60, self.write("chain.json", json.dumps(chain(35_000))), "--effort", 20)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shardy", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--contest", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Gates(options, folder).run()


if __name__ == "__main__":
    main()
