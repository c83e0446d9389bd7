#!/usr/bin/env python3
"""Measures parsing with printing, propagation, the whole pipeline and memory of two builds, as ratios.

    benchmarks/compile_speed.py BEFORE AFTER [--layers 1250,12500] [--rounds 3]

BEFORE and AFTER are `shardy` binaries. The program is a training step of perceptron layers with an argument per weight; a layer has 8 ops. Times
are seconds of the processor, the least of the rounds, which alternate between both builds. `propagate` and `partition` include parsing and printing;
"propagation" and "pipeline" are the differences to `convert`. Memory is the largest resident size of `partition`.
"""
import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import check_phases
import layer_stacks

COMMANDS = ("convert", "propagate", "partition")


def measure(shardy, command, file):
    """Returns the seconds of the processor and the largest resident size in MB."""
    child = subprocess.Popen([shardy, command, file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{shardy} {command}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rows_of(times, memory):
    read = times["convert"]
    return {"parse and print s": read, "propagation s": times["propagate"] - read, "pipeline s": times["partition"] - read, "memory MB": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--layers", default="1250,12500")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    binaries = (options.before, options.after)
    print(f"{'':34}{'before':>10}{'after':>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for layers in map(int, options.layers.split(",")):
            file = Path(folder) / "training.mlir"
            file.write_text(check_phases.sharded(layer_stacks.training(layers, 64, layer_stacks.DEFAULT_MESH)))
            best = [dict.fromkeys(COMMANDS, float("inf")) for _ in binaries]
            memory = [0, 0]
            for _ in range(options.rounds):
                for command in COMMANDS:
                    for number, shardy in enumerate(binaries):
                        seconds, memory[number] = measure(shardy, command, file)
                        best[number][command] = min(best[number][command], seconds)
            before, after = (rows_of(times, bytes_) for times, bytes_ in zip(best, memory))
            for name in before:
                print(f"{8 * layers:>8,} ops, {name:<20}{before[name]:10.3f}{after[name]:10.3f}{before[name] / after[name]:8.2f}", flush=True)


if __name__ == "__main__":
    main()
