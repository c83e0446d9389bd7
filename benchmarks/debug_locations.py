#!/usr/bin/env python3
"""Measures the cost of call-site locations, as ratios to the same program without them.

    benchmarks/debug_locations.py build/release/src/tools/shardy [--ops 100000] [--frames 10]

The program is written as JAX prints it with `as_text(debug_info=True)`: an alias for each place,
frame, call site and name, at the end of the text. Each op has a frame of its own in a chain that 20
ops share. Times are those of the processor, the least of runs that alternate; memory is the most that
the process has resident. The last column divides the memory that locations add by the text that
they add. The exit status is 1 if a time is more than 1.5 times as long.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 1.5
OPS_PER_CHAIN = 20
COMMANDS = {
    "read": ["convert", "--emit", "mlir"],
    "read and printed": ["opt", "--mlir-print-debuginfo"],
    "explained": ["explain"],
}


class Aliases:
    """Locations as the printer of MLIR numbers them."""

    def __init__(self):
        self.lines = []

    def add(self, location):
        self.lines.append(f"#loc{len(self.lines) + 1} = loc({location})\n")
        return f"#loc{len(self.lines)}"

    def frame(self, line):
        place = self.add(f'"/home/user/model.py":{line}:4 to :30')
        return self.add(f'"fn_{line}"({place})')


def program(ops, frames, with_locations):
    aliases, chain = Aliases(), ""
    lines = ["func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"]
    for op in range(ops):
        if op % OPS_PER_CHAIN == 0:
            chain = aliases.frame(op)
            for depth in range(2, frames):
                chain = aliases.add(f"callsite({aliases.frame(op + depth)} at {chain})")
        site = aliases.add(f"callsite({aliases.frame(op)} at {chain})")
        name = aliases.add(f'"jit(step)/tanh"({site})')
        operand = f"%{op - 1}" if op else "%x"
        location = f" loc({name})" if with_locations else ""
        lines.append(f"  %{op} = stablehlo.tanh {operand} : tensor<8xf32>{location}\n")
    lines.append(f"  return %{ops - 1} : tensor<8xf32>\n}}\n")
    return "".join(lines + (aliases.lines if with_locations else []))


def run(command):
    """Seconds of the processor, and bytes."""
    script = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
              "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime, used.ru_maxrss)")
    printed = subprocess.run([sys.executable, "-c", script, *command], check=True, capture_output=True, text=True)
    seconds, kilobytes = printed.stdout.split()
    return float(seconds), int(kilobytes) * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shardy")
    parser.add_argument("--ops", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    is_slow = False
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "without.mlir", Path(folder) / "with.mlir"]
        for file, with_locations in zip(files, (False, True)):
            file.write_text(program(args.ops, args.frames, with_locations), encoding="utf-8")
        sizes = [file.stat().st_size for file in files]
        print(f"{'':18}{'without':>10}{'with':>10}{'ratio':>8}{'memory':>10}")
        print(f"{'text, bytes':18}{sizes[0]:10}{sizes[1]:10}{sizes[1] / sizes[0]:8.2f}")
        for name, command in COMMANDS.items():
            runs = [[run([args.shardy, *command, file]) for file in files] for _ in range(args.runs)]
            seconds = [min(pair[side][0] for pair in runs) for side in (0, 1)]
            memory = [min(pair[side][1] for pair in runs) for side in (0, 1)]
            ratio = seconds[1] / seconds[0]
            added = (memory[1] - memory[0]) / (sizes[1] - sizes[0])
            print(f"{name + ', s':18}{seconds[0]:10.3f}{seconds[1]:10.3f}{ratio:8.2f}{added:10.2f}")
            is_slow = is_slow or ratio > LIMIT
    sys.exit(1 if is_slow else 0)


if __name__ == "__main__":
    main()
