#!/usr/bin/env python3
"""Measures the prices of many variants of a training step with repeated layers, as ratios of two command lines.

    benchmarks/change_prices.py BEFORE AFTER [--layers 2,8,32] [--tries 400] [--strategies 20]

BEFORE and AFTER are `shardy` binaries; their outputs must be equal. Columns: seconds of the processor in user mode of both, the wall time of AFTER, the
ratio. A variant is a change of hints, or a random strategy of sweep.
"""
import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import layer_stacks

MESH = '<["data"=8, "model"=4]>'


def run(arguments):
    """Returns the output, user seconds and wall seconds."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(arguments, stdout=subprocess.PIPE, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return done.stdout, used, time.monotonic() - start


def results(output):
    """Returns the output of hints without the number of layers in which changes were compared."""
    return {key: value for key, value in json.loads(output).items() if key != "folded"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--layers", default="2,8,32")
    parser.add_argument("--tries", default="400")
    parser.add_argument("--strategies", default="20")
    options = parser.parse_args()
    print(f"{'':24}{'before':>10}{'after':>10}{'wall':>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for layers in options.layers.split(","):
            file = Path(folder) / f"llama{layers}.mlir"
            file.write_text(layer_stacks.llama(int(layers), 64, MESH))
            for command in (["hints", "--json", "--tries", options.tries], ["sweep", "--random", options.strategies]):
                arguments = [command[0], str(file), *command[1:]]
                old, old_seconds, _ = run([options.before, *arguments])
                new, new_seconds, wall = run([options.after, *arguments])
                if old != new and (command[0] != "hints" or results(old) != results(new)):
                    sys.exit(f"{' '.join(arguments)}: the outputs differ")
                print(f"{command[0] + ', layers: ' + layers:24}{old_seconds:9.2f}s{new_seconds:9.2f}s{wall:9.2f}s{old_seconds / new_seconds:8.1f}", flush=True)


if __name__ == "__main__":
    main()
