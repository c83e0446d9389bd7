#!/usr/bin/env python3
"""Compares the times of the benchmarks of two builds as ratios: benchmarks/compare.py BEFORE AFTER [FILTER]

BEFORE and AFTER are `shardy_benchmarks` binaries, linked alike. Every benchmark that both have runs in turns, before and after, and
the least time of each counts; the last line is the geometric mean of the ratios.
"""

import json
import math
import subprocess
import sys

ROUNDS = 5
UNIT = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def names(binary, pattern):
    listed = subprocess.run([binary, "--benchmark_list_tests", f"--benchmark_filter={pattern}"], check=True,
                            capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if "ratio" not in line]  # those are ratios already


def seconds(binary, name):
    printed = subprocess.run([binary, f"--benchmark_filter=^{name}$", "--benchmark_format=json",
                              "--benchmark_min_time=0.2"], check=True, capture_output=True, text=True).stdout
    run = json.loads(printed)["benchmarks"][0]
    return run["real_time"] * UNIT[run["time_unit"]]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    before, after = sys.argv[1:3]
    pattern = sys.argv[3] if len(sys.argv) == 4 else "."
    ratios = []
    for name in [n for n in names(before, pattern) if n in set(names(after, pattern))]:
        least = [math.inf, math.inf]
        for _ in range(ROUNDS):
            for side, binary in enumerate((before, after)):
                least[side] = min(least[side], seconds(binary, name))
        ratios.append(least[1] / least[0])
        print(f"{name:50} {least[0] * 1e3:12.4f} ms {least[1] * 1e3:12.4f} ms {ratios[-1]:8.3f}", flush=True)
    print(f"{'geometric mean':80} {math.exp(sum(map(math.log, ratios)) / len(ratios)):8.3f}")


if __name__ == "__main__":
    main()
