#!/usr/bin/env python3
"""The solver of autoshard against HiGHS on the same problems, in one run: autoshard_highs.py SHARDY [--seconds N] [--limits SHARE,...] FILE ...

Each program is exported as a problem and as a linear program. HiGHS (python3-scipy) gets N seconds (60); the matrix is made before its time begins. Limits are
shares of the peak of the choice without one (1, 0.8). A row has the times, their ratio, both prices and the gap of the solver.
"""
import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def load_lp_test():
    spec = importlib.util.spec_from_file_location("lp_test", ROOT / "tests/autoshard/lp_test.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def timed(work):
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin


def solve(shardy, problem, limit):
    """Returns the answer of the solver and its seconds, reading the file included."""
    arguments = [shardy, "autoshard", "--problem", problem, "--json"] + (["--memory", str(limit)] if limit else [])
    done, seconds = timed(lambda: subprocess.run(list(map(str, arguments)), capture_output=True, text=True, check=False))
    return json.loads(done.stdout), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shardy", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--limits", default="1,0.8")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    lp_test = load_lp_test()
    lp_test.SECONDS = options.seconds
    failed = False
    print(f"{'program':24} {'limit':>12} {'nodes':>6} {'autoshard':>10} {'HiGHS':>10} {'ratio':>8} {'price':>16} {'HiGHS price':>16} {'gap':>8}")
    for path in options.files:
        peak = None
        for share in map(float, options.limits.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                problem, lp = pathlib.Path(folder, "p.json"), pathlib.Path(folder, "p.lp")
                limit = int(peak * share) if share < 1 and peak else None
                export = [options.shardy, "autoshard", path, "--candidates", 1, "--effort", 20, "--export-problem", problem]
                subprocess.run(list(map(str, export)), capture_output=True, check=False)
                text = json.loads(problem.read_text())
                if limit:
                    text["problem"]["usage_limit"] = limit
                    problem.write_text(json.dumps(text))
                subprocess.run([str(options.shardy), "autoshard", "--problem", str(problem), "--effort", "1", "--export-lp", str(lp)], capture_output=True, check=False)
                found, seconds = solve(options.shardy, problem, None)
                peak = peak or found["peak"]
                optimum, highs = timed(lambda: lp_test.solve_by_highs(lp))
                is_known = isinstance(optimum, float)
                wrong = is_known and found["found"] and (found["bound"] > optimum * (1 + 1e-9) + 1 or found["price"] < optimum * (1 - 1e-9) - 1)
                failed |= wrong
                print(f"{path.stem:24} {limit or 'none':>12} {found['nodes']:6} {seconds:9.3f}s {highs:9.2f}s {highs / seconds:8.1f} {found['price']:16} "
                      f"{round(optimum) if is_known else str(optimum):>16} {100 * found['gap']:7.3f}%{'  WRONG' if wrong else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
