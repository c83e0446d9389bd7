#!/usr/bin/env python3
"""Measures what the comparisons of `run --check` cost, as ratios to the comparison in the program's own types.

    benchmarks/check_phases.py [--rounds N] SHARDY [SHARDY]...

The programs are those of whole_programs.py and layer_stacks.py, at sizes where kernels take the time. Columns: seconds of the processor
of `run --check --no-exact --no-f64` (a sharded and an unsharded run); the ratios to it of `run`, of the check with the comparison over the
prime field, with that at full sizes (`--no-smaller-dims`), with that in f64, and with both. Each is the least of N rounds (3) that alternate between all commands.
"""

import argparse
import re
import resource
import subprocess
import tempfile
from pathlib import Path

import layer_stacks
import whole_programs

PLAIN = ("--check", "--no-exact", "--no-f64")
COMMANDS = {"plain s": PLAIN, "run": (), "exact": ("--check", "--no-f64"), "full": ("--check", "--no-f64", "--no-smaller-dims"),
            "f64": ("--check", "--no-exact"), "both": ("--check",)}
MESH = layer_stacks.DEFAULT_MESH


def sharded(text):
    """Shards the rows of `x` along "data" and the columns of the weights along "model"."""

    def annotated(argument):
        rank = argument["type"].count("x")
        dims = ["{?}"] * rank
        dims[0 if argument["name"] == "x" else -1] = '{"data"}' if argument["name"] == "x" else '{"model"}'
        return f"{argument[0]} {{sdy.sharding = #sdy.sharding<@mesh, [{', '.join(dims)}]>}}"

    return re.sub(r"%(?P<name>x|w[0-9_]+): tensor<(?P<type>[0-9x]*)f32>", annotated, text)


PROGRAMS = {
    "transformer": whole_programs.transformer,
    "experts": whole_programs.experts,
    "convolutions": whole_programs.convolutions,
    "decoder": lambda: sharded(layer_stacks.decoder(2, 64, MESH)),
    "training": lambda: sharded(layer_stacks.training(4, 64, MESH)),
}


def seconds(shardy, file, options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([shardy, "run", file, "--threads", "1", *options], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("binaries", nargs="+", metavar="SHARDY")
    options = parser.parse_args()
    binaries = options.binaries
    print(f"{'program':<16}{'binary':>8}" + "".join(f"{name:>10}" for name in COMMANDS))
    with tempfile.TemporaryDirectory() as folder:
        for name, make in PROGRAMS.items():
            file = Path(folder) / f"{name}.mlir"
            file.write_text(make())
            best = [dict.fromkeys(COMMANDS, float("inf")) for _ in binaries]
            for _ in range(options.rounds):
                for command, arguments in COMMANDS.items():
                    for times, shardy in zip(best, binaries):
                        times[command] = min(times[command], seconds(shardy, file, arguments))
            for number, times in enumerate(best, 1):
                plain = times["plain s"]
                ratios = "".join(f"{time / plain:>10.2f}" for command, time in times.items() if command != "plain s")
                print(f"{name:<16}{number:>8}{plain:>10.3f}{ratios}", flush=True)


if __name__ == "__main__":
    main()
