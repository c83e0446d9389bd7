#!/usr/bin/env python3
"""`shardy run --engine=mpi` under Open MPI and MPICH: results are those of threads, bit by bit, and each fault
ends all processes within seconds, with a message that names it.

mpi_test.py SHARDY EXAMPLES            a sample, for ctest
mpi_test.py SHARDY EXAMPLES --all      all examples on 1, 2, 3, 4 and 8 ranks
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import jsonschema

SHARDY = os.path.abspath(sys.argv[1])
EXAMPLES = pathlib.Path(sys.argv[2]).resolve()
ALL = "--all" in sys.argv
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="shardy_mpi_"))
MODULES = pathlib.Path(SHARDY).parent
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")
LAUNCHERS = {}
for kind in ("openmpi", "mpich"):
    program = shutil.which(f"mpirun.{kind}")
    if program and (MODULES / f"libshardy_mpi_{kind}.so").exists():
        LAUNCHERS[kind] = program
FAILURES = []


def check(holds, what):
    if not holds:
        FAILURES.append(what)
        print("FAILED:", what)


def run(command, **options):
    return subprocess.run(command, env=ENV, capture_output=True, text=True, timeout=120, **options)


def devices_of(file):
    done = run([SHARDY, "run", str(file), "--json"])
    found = re.search(r'"devices": ?(\d+)', done.stdout)
    return int(found.group(1)) if done.returncode in (0, 1) and found else 0


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def compare(kind, file, ranks, expected):
    out = FOLDER / "mpi"
    shutil.rmtree(out, ignore_errors=True)
    done = run([LAUNCHERS[kind], "-n", str(ranks), SHARDY, "run", str(file), "--engine=mpi", "--output-dir", str(out)])
    what = f"{kind} -n {ranks} {file.name}"
    if "is unreduced" in done.stderr:
        return 0
    check(done.returncode == 0, f"{what}: status {done.returncode}: {done.stderr[-600:]}")
    check(done.returncode != 0 or contents(out) == expected, f"{what}: results differ")
    return 1


def compare_all():
    names = ["mlp.json", "moe.json", "transformer.json", "programs/attention.mlir", "jax/lstm_sdy.mlir"]
    files = [EXAMPLES / name for name in names]
    if ALL:
        files = sorted(file for pattern in ("*.json", "programs/*.mlir", "jax/*.mlir") for file in EXAMPLES.glob(pattern))
    count = 0
    for file in files:
        devices = devices_of(file)
        if devices < 2:
            continue
        threads = FOLDER / "threads"
        shutil.rmtree(threads, ignore_errors=True)
        done = run([SHARDY, "run", str(file), "--output-dir", str(threads)])
        if done.returncode != 0:
            continue
        expected = contents(threads)
        for kind in LAUNCHERS:
            for ranks in (1, 2, 3, 4, 8) if ALL else (2, 3):
                if ranks <= devices:
                    count += compare(kind, file, ranks, expected)
    print(f"{count} runs compared")
    check(count > 0, "nothing was compared")


PROGRAM = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.negate %arg0 : tensor<16x3xf32>
  return %0 : tensor<16x3xf32>
}
"""

MANUAL = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    %1 = stablehlo.negate %a : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"""

LOOP = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {spmd.per_device} {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %most = stablehlo.constant dense<1000000000> : tensor<i64>
  %r:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i64>, tensor<4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = "spmd.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      "stablehlo.return"(%m) : (tensor<f32>) -> ()
    }) {axes = #sdy.axis_ref_list<{"x"}>, mesh = @mesh} : (tensor<4xf32>) -> tensor<4xf32>
    %n = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %n, %s : tensor<i64>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
"""


def descendants(pid):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        if int(text.rsplit(")", 1)[1].split()[1]) == pid:
            child = int(stat.parent.name)
            found += [child] + descendants(child)
    return found


def rank_of(pid):
    try:
        if os.readlink(f"/proc/{pid}/exe") != os.path.realpath(SHARDY):
            return None
        variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    except OSError:
        return None
    for variable in variables:
        name, _, value = variable.partition("=")
        if name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK"):
            return int(value)
    return None


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def expect_end(what, process, pids, pattern, begin):
    try:
        out, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        for pid in pids + [process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        out, err = process.communicate()
        check(False, f"{what}: did not end: {err[-600:]}")
        return
    took = time.time() - begin
    check(took < 10, f"{what}: took {took:.1f} s")
    check(process.returncode != 0, f"{what}: status 0")
    check(re.search(pattern, out + err), f"{what}: expected {pattern}, got: {out[-300:]}{err[-900:]}")
    for _ in range(50):
        left = [pid for pid in pids if is_alive(pid)]
        if not left:
            break
        time.sleep(0.1)
    check(not left, f"{what}: processes {left} are left")
    print(f"{what}: ended after {took:.1f} s")


def fault(kind, what, number, pattern):
    """A signal to rank 1 of three in the middle of a long run."""
    process = subprocess.Popen([LAUNCHERS[kind], "-n", "3", SHARDY, "run", str(FOLDER / "loop.mlir"), "--engine=mpi",
                                "--rank-timeout", "3"], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ranks = {}
    for _ in range(100):
        pids = descendants(process.pid)
        ranks = {rank_of(pid): pid for pid in pids if rank_of(pid) is not None}
        if len(ranks) == 3:
            break
        time.sleep(0.1)
    time.sleep(1.5)
    check(len(ranks) == 3 and process.poll() is None, f"{kind} {what}: three ranks run")
    begin = time.time()
    if 1 in ranks:
        os.kill(ranks[1], number)
    expect_end(f"{kind} {what}", process, list(ranks.values()), pattern, begin)


def ends_with(what, command, pattern, env=None):
    begin = time.time()
    process = subprocess.Popen(command, env=dict(ENV, **(env or {})), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect_end(what, process, [], pattern, begin)


def faults(kind):
    launcher = LAUNCHERS[kind]
    fault(kind, "killed rank", signal.SIGKILL, r"(?i)rank 1\b|signal 9|EXIT CODE: 9")
    fault(kind, "stuck rank", signal.SIGSTOP, r"E_RANK_LOST: rank 1 is lost")
    good = [SHARDY, "run", str(FOLDER / "good.mlir"), "--engine=mpi"]
    other = [SHARDY, "run", str(FOLDER / "other.mlir"), "--engine=mpi"]
    ends_with(f"{kind} wrong program", [launcher, "-n", "1", *good, ":", "-n", "1", *other],
              r"E_RANKS_DIFFER: rank 1 differs from rank 0 in the text of the program")
    ends_with(f"{kind} other inputs", [launcher, "-n", "1", *good, "--seed=1", ":", "-n", "1", *good, "--seed=2"],
              r"E_RANKS_DIFFER: rank 1 differs from rank 0 in")
    full = FOLDER / "full"
    full.mkdir(exist_ok=True)
    link = full / "result0.device3.npy"
    if not link.is_symlink():
        link.symlink_to("/dev/full")
    ends_with(f"{kind} full disk", [launcher, "-n", "2", *good, "--shard-files", "--output-dir", str(full)],
              r"cannot write .*result0.device3.npy: No space left on device[\s\S]*reported by rank 1 of 2")
    ends_with(f"{kind} too many ranks", [launcher, "-n", "5", *good], r"5 ranks for 4 devices")
    if kind == "openmpi" and (MODULES / "libshardy_mpi_cutting.so").exists():
        ends_with("openmpi truncated message",
                  [launcher, "-n", "2", SHARDY, "run", str(FOLDER / "loop.mlir"), "--engine=mpi"],
                  r"E_TRANSPORT: packet 3 from rank 1 to rank 0 has \d+ bytes instead of \d+: it is truncated",
                  {"SHARDY_MPI_MODULE": str(MODULES / "libshardy_mpi_cutting.so")})


def shard_files(kind):
    """Shards that one run has written are the inputs of the next."""
    out = FOLDER / "shards"
    good = [SHARDY, "run", str(FOLDER / "good.mlir")]
    run([LAUNCHERS[kind], "-n", "3", *good, "--engine=mpi", "--shard-files", "--output-dir", str(out)])
    run([LAUNCHERS[kind], "-n", "2", *good, "--engine=mpi", "--input", str(out / "result0.device{device}.npy"),
         "--output-dir", str(FOLDER / "twice")])
    run([*good, "--output-dir", str(FOLDER / "once")])
    run([LAUNCHERS[kind], "-n", "3", *good, "--engine=mpi", "--input", str(FOLDER / "once" / "result0.npy"),
         "--output-dir", str(FOLDER / "whole")])
    run([*good, "--input", str(FOLDER / "once" / "result0.npy"), "--output-dir", str(FOLDER / "expected")])
    for name in ("twice", "whole"):
        check((FOLDER / name / "result0.npy").is_file() and contents(FOLDER / name) == contents(FOLDER / "expected"),
              f"{kind} inputs: {name}")
    done = run([LAUNCHERS[kind], "-n", "3", SHARDY, "run", str(EXAMPLES / "mlp.json"), "--engine=mpi", "--check"])
    check(done.returncode == 0 and "equal to the unsharded run" in done.stdout, f"{kind} --check: {done.stdout}{done.stderr}")
    done = run([LAUNCHERS[kind], "-n", "2", SHARDY, "run", str(EXAMPLES / "mlp.json"), "--engine=mpi", "--check", "--json"])
    schema = json.loads((EXAMPLES.parent / "docs/reports.schema.json").read_text(encoding="utf-8"))
    report = json.loads(done.stdout)
    check(report["schema"].endswith("/mpi_run") and jsonschema.validators.validator_for(schema)(schema).is_valid(report),
          f"{kind} --json: {done.stdout}")


def resharded_reference(kind):
    """The reference of a run may be the same program under other shardings."""
    for name, ranks in (("mlp.json", 3), ("moe.json", 4), ("transformer.json", 2), ("jax/lstm_sdy.mlir", 2)):
        done = run([LAUNCHERS[kind], "-n", str(ranks), SHARDY, "run", str(EXAMPLES / name), "--engine=mpi", "--check-by-rows"])
        check(done.returncode == 0 and "\nequal to the run sharded by rows" in done.stdout,
              f"{kind} --check-by-rows {name}: {done.stdout}{done.stderr}")
    # Two runs that round differently are not equal if no difference is allowed.
    done = run([LAUNCHERS[kind], "-n", "2", SHARDY, "run", str(EXAMPLES / "transformer.json"), "--engine=mpi", "--check-by-rows",
                "--tolerance", "1e-30"])
    check(done.returncode == 1 and "NOT EQUAL to the run sharded by rows" in done.stdout,
          f"{kind} --check-by-rows without tolerance: {done.stdout}{done.stderr}")
    manual = FOLDER / "manual.mlir"
    manual.write_text(MANUAL)
    done = run([LAUNCHERS[kind], "-n", "1", SHARDY, "run", str(manual), "--engine=mpi", "--check-by-rows"])
    check(done.returncode == 2 and "manual computations is written for its shardings" in done.stderr and "devices" not in done.stdout,
          f"{kind} --check-by-rows of a manual computation: {done.returncode} {done.stdout} {done.stderr}")
    local = FOLDER / "local.mlir"
    run([SHARDY, "partition", str(FOLDER / "good.mlir"), "-o", str(local)])
    done = run([LAUNCHERS[kind], "-n", "1", SHARDY, "run", str(local), "--engine=mpi", "--check-by-rows"])
    check(done.returncode == 2 and "a per-device program has no other shardings" in done.stderr,
          f"{kind} --check-by-rows of a per-device program: {done.stderr}")
    done = run([SHARDY, "run", str(EXAMPLES / "mlp.json"), "--check-by-rows"])
    check(done.returncode == 2 and "--check-by-rows goes with --engine=mpi" in done.stderr,
          f"--check-by-rows on threads: {done.stderr}")


def without_module():
    done = run([SHARDY, "run", str(FOLDER / "good.mlir"), "--engine=mpi"], )
    missing = subprocess.run([SHARDY, "run", str(FOLDER / "good.mlir"), "--engine=mpi"],
                             env=dict(ENV, SHARDY_MPI_MODULE="/nowhere.so"), capture_output=True, text=True)
    check(missing.returncode == 2 and "-DSHARDY_MPI=ON" in missing.stderr, f"no module: {missing.stderr}")
    check(done.returncode == 0, f"one rank without a launcher: {done.stderr}")


def main():
    if not LAUNCHERS:
        print("no MPI is installed")
        return 77
    (FOLDER / "good.mlir").write_text(PROGRAM)
    (FOLDER / "other.mlir").write_text(PROGRAM.replace("negate", "cosine"))
    (FOLDER / "loop.mlir").write_text(LOOP)
    without_module()
    compare_all()
    for kind in LAUNCHERS:
        shard_files(kind)
        resharded_reference(kind)
        faults(kind)
    shutil.rmtree(FOLDER)
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
