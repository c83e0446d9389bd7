#!/usr/bin/env python3
"""`shardy check`: every example is equal to its unsharded run under many shardings; the output and the files of the command.

usage: check_test.py SHARDY EXAMPLES [CASES [SEED]]

An error names the program and the seed of the case. Long sweeps: more CASES, other SEEDs.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# A function of Python that runs once per process is not part of a program that could be sharded.
PER_PROCESS = "interpreter.run_parallel"

SUM = """func.func @main(%x: tensor<7x4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<7x4xf32>
  %0 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
UNKNOWN = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.custom_call @interpreter.nothing(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
FAILS = """func.func @main(%x: tensor<4xi32>) {
  %0 = stablehlo.add %x, %x : tensor<4xi32>
  stablehlo.custom_call @check.expect_eq(%0, %x) : (tensor<4xi32>, tensor<4xi32>) -> ()
  return
}
"""
ASKS = """func.func @main(%x: tensor<4x3xbf16>, %s: tensor<3xbf16>) -> tensor<4x3xbf16> {
  %0, %1, %2 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.0e-5 : f32, feature_index = 1 : i64}> : (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  %3 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<4x3xbf16>
}
"""


def run(*args, **kwargs):
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, check=False, **kwargs)


def expect(condition, message):
    if not condition:
        sys.exit(message)


def check_examples(shardy, examples, cases, seed):
    files = sorted(examples.glob("*.json")) + sorted((examples / "programs").glob("*.mlir"))
    files = [file for file in files if PER_PROCESS not in file.read_text()]
    expect(len(files) > 40, f"only {len(files)} examples in {examples}")
    sharded = 0
    for file in files:
        result = run(shardy, "check", file, "--cases", cases, "--seed", seed, "--json")
        expect(result.returncode == 0, f"{file}:\n{result.stdout}{result.stderr}")
        report = json.loads(result.stdout)
        expect(report["cases"] == int(cases) and report["equal"], f"{file}:\n{result.stdout}")
        sharded += report["values_sharded"]
    expect(sharded > 1000, f"only {sharded} values were sharded")


def check_output(shardy, folder):
    program = folder / "sum.mlir"
    program.write_text(SUM)
    result = run(shardy, "check", program, "--cases", 40)
    expect(result.returncode == 0, result.stderr)
    compared = ["compared in f64                   40", "compared exactly                  40"]
    for part in ["cases                             40 of 40", "spmd.all_reduce", *compared, "all equal to the unsharded run"]:
        expect(part in result.stdout, f"no {part!r} in:\n{result.stdout}")
    less = run(shardy, "check", program, "--cases", 4, "--no-exact", "--no-f64")
    expect(less.returncode == 0 and "compared" not in less.stdout, less.stdout)
    report = json.loads(run(shardy, "check", program, "--cases", 40, "--json").stdout)
    expect(report["exact_cases"] == 40 and report["f64_cases"] == 40, report)
    expect(report["collectives"]["spmd.all_reduce"]["count"] > 0, report)
    expect("failure" not in report, report)


def check_failures(shardy, folder):
    """A program that the simulator cannot run, one whose own check fails, places that cannot be written."""
    program = folder / "unknown.mlir"
    program.write_text(UNKNOWN)
    result = run(shardy, "check", program)
    expect(result.returncode == 1 and ":3:" in result.stderr, result.stderr)
    program.write_text(FAILS)
    result = run(shardy, "check", program)
    expect(result.returncode == 1 and "fails unsharded: " in result.stderr, result.stderr)
    expect(run(shardy, "check", program, "--reduce", folder / "no" / "x.mlir").returncode == 2, "wrote nowhere")
    for cases in "-1", "0":
        result = run(shardy, "check", program, "--cases", cases)
        expect(result.returncode == 2 and "--cases: expected an integer from 1 to " in result.stderr and result.stdout == "", result.stdout + result.stderr)


def check_reduction(shardy, folder):
    """Two different roundings of one sum: without any tolerance some sharding makes a difference, which is written."""
    program = folder / "sum.mlir"
    small = folder / "small.mlir"
    result = run(shardy, "check", program, "--tolerance", "0", "--cases", 200, "--reduce", small)
    expect(result.returncode == 1 and "NOT EQUAL" in result.stdout, result.stdout + result.stderr)
    again = run(shardy, "run", small, "--check", "--tolerance", "0")
    expect(again.returncode == 1 and "NOT EQUAL" in again.stdout, again.stdout + again.stderr)
    # Its first line is the command that shows the failure; another seed and switch are part of it.
    run(shardy, "check", program, "--tolerance=0", "--cases", 200, "--seed", 3, "--no-exact", "--reduce", small)
    first = small.read_text().splitlines()[0]
    for flag in ["--check", "--seed=3", "--tolerance=0", "--exact=false"]:
        expect(flag in first, first)
    again = run(shardy, *first.removeprefix("// shardy ").split())
    expect(again.returncode == 1 and "NOT EQUAL" in again.stdout, again.stdout + again.stderr)
    none = run(shardy, "check", program, "--tolerance", "0", "--cases", 200, "--reduce", small, "--reduce-runs", 0)
    expect(none.returncode == 1 and small.read_text().count("stablehlo") > 2, small.read_text())


def sweep_by_seeds(shardy, examples, folder):
    """Random programs and files take turns; what stopped goes on; programs that are per process are left out."""
    files = [examples / "mlp.json", examples / "programs/ring_matmul.mlir"]
    all_of_it = run(shardy, "soak", *files, "--cases", 260)
    expect(all_of_it.returncode == 0, all_of_it.stdout)
    for part in ["ring_matmul.mlir: skipped: ", "seeds 0 to 259: 260 cases", " 0 findings",
                 "260 of 260 cases, 0 findings; go on with --first 260"]:
        expect(part in all_of_it.stdout, f"no {part!r} in:\n{all_of_it.stdout}")
    line = re.compile(r"([\d,]+) of ([\d,]+) values sharded, ([\d,]+) exact")
    numbers = [int(each.replace(",", "")) for each in line.search(all_of_it.stdout).groups()]
    halves = [run(shardy, "soak", *files, "--first", first, "--cases", count).stdout for first, count in [(0, 131), (131, 129)]]
    sums = [sum(int(line.search(half).group(index).replace(",", "")) for half in halves) for index in (1, 2, 3)]
    expect(sums == numbers, f"{sums} is not {numbers}")
    expect(numbers[0] > numbers[1] / 5 and numbers[2] == 260, numbers)
    programs = {kind: run(shardy, "soak", "--kind", kind, "--cases", 40) for kind in ["mixed", "manual-axes", "manual-collectives", "meshes", "batch-norms"]}
    expect(all(done.returncode == 0 and "40 of 40 cases, 0 findings" in done.stdout for done in programs.values()), programs)
    expect(len({line.search(done.stdout).group(0) for done in programs.values()}) == len(programs), f"kinds are alike: {programs}")
    wrong = run(shardy, "soak", "--kind", "batch-norm")
    expect(wrong.returncode == 2 and "batch-norms, manual-axes, manual-collectives, meshes, mixed" in wrong.stderr, wrong.stderr)
    # A finding ends its program, is counted, and its small program shows it again.
    asks = folder / "asks.mlir"
    asks.write_text(ASKS)
    found = run(shardy, "soak", asks, "--kind", "batch-norms", "--first", 120, "--cases", 9, "--findings", folder)
    expect(found.returncode == 1 and "seed 120: " in found.stdout and "1 findings" in found.stdout, found.stdout)
    small = (folder / "seed-120.mlir").read_text()
    expect("E_DEVICE_ID" in found.stdout and "partition_id" in small and "batch_norm" not in small, small)
    expect(run(shardy, "soak", "--cases", 1, "--findings", folder / "sum.mlir").returncode == 2, "wrote into a file")


def main(shardy, examples, cases="10", seed="1"):
    check_examples(shardy, pathlib.Path(examples), cases, seed)
    with tempfile.TemporaryDirectory() as folder:
        check_output(shardy, pathlib.Path(folder))
        check_failures(shardy, pathlib.Path(folder))
        check_reduction(shardy, pathlib.Path(folder))
        sweep_by_seeds(shardy, pathlib.Path(examples), pathlib.Path(folder))
    print(f"{cases} shardings of each example are equal to the unsharded run")


if __name__ == "__main__":
    main(*sys.argv[1:])
