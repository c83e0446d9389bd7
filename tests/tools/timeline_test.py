#!/usr/bin/env python3
"""`shardy report --timeline`: a trace that adds up to the report.

timeline_test.py SHARDY EXAMPLES
"""
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHARDY = sys.argv[1]
EXAMPLES = pathlib.Path(sys.argv[2])
PROGRAMS = ["transformer.json", "moe.json", "mlp.json", "jax/fsdp_sdy.mlir", "jax/scan_sdy.mlir", "jax/lstm_sdy.mlir", "jax/remat_sdy.mlir",
            "jax/moe_sdy.mlir", "jax/shard_map_collectives_sdy.mlir", "jax/transformer_sdy.mlir"]
CALLED_TWICE = """sdy.mesh @m = <["x"=4]>
func.func private @f(%a: tensor<8x8xf32>, %n: tensor<i32>) -> tensor<8x8xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2 = stablehlo.constant dense<5> : tensor<i32>
  %3:2 = stablehlo.while(%i = %0, %b = %a) : tensor<i32>, tensor<8x8xf32>
    cond { %c = stablehlo.compare LT, %i, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { %j = stablehlo.add %i, %1 : tensor<i32>
         %d = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
         %e = stablehlo.tanh %d : tensor<8x8xf32>
         stablehlo.return %j, %e : tensor<i32>, tensor<8x8xf32> }
  return %3#1 : tensor<8x8xf32>
}
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %n: tensor<i32>) -> tensor<8x8xf32> {
  %0 = func.call @f(%a, %n) : (tensor<8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
  %1 = func.call @f(%0, %n) : (tensor<8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
"""


def close(got, want):
    return math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-18)


class Timeline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def trace(self, program, *options):
        """The report, and the events of the trace that have a length."""
        out = self.folder / "timeline.json"
        done = subprocess.run([SHARDY, "report", program, "--json", "--timeline", out, *options], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        trace = json.loads(out.read_text())
        self.assertEqual(set(trace), {"displayTimeUnit", "traceEvents"})
        return json.loads(done.stdout), trace["traceEvents"]

    def expect_between(self, others, permuted, total):
        """Equal with one permute or none."""
        self.assertLessEqual(others + max(permuted, default=0), total)
        self.assertLessEqual(total, others + sum(permuted))

    def expect_sums(self, program, *options):
        report, events = self.trace(program, *options)
        ops = [each for each in events if each["ph"] == "X"]
        sent = [each for each in ops if "bytes_sent" in each["args"]]
        self.assertTrue(close(sum(each["dur"] for each in sent) / 1e6, report["seconds"]))
        # An event has the bytes of its busiest device, the report those of the busiest device of all collectives: permutes in
        # opposite directions along an axis of size 2 are sent by different devices. All devices take part in the other kinds.
        of_kind = collections.defaultdict(list)
        for each in sent:
            of_kind[each["name"].split(" ")[0]].append(each["args"]["bytes_sent"])
        permuted = [sent_bytes for kind, each in of_kind.items() if "permute" in kind for sent_bytes in each]
        others = sum(map(sum, of_kind.values())) - sum(permuted)
        self.expect_between(others, permuted, report["bytes"])
        self.assertEqual(sum(each["args"]["times"] for each in sent), report["collectives_run"])
        self.assertTrue(close(sum(each["args"].get("operations", 0) for each in ops), report["operations_per_device"]))
        self.assertEqual(set(of_kind), {each["name"] for each in report["by_kind"]})
        for each in report["by_kind"]:
            one = of_kind[each["name"]]
            self.expect_between(*((0, one) if "permute" in each["name"] else (sum(one), [])), each["bytes"])
        return report, events, ops

    def test_sums_are_those_of_the_report(self):
        for name in PROGRAMS:
            with self.subTest(name):
                report, _, _ = self.expect_sums(EXAMPLES / name)
                self.expect_sums(EXAMPLES / name, "--axis-cost", "*=ring:10GB/s:1us")
                self.assertGreater(report["operations_per_device"], 0)

    def test_durations_are_the_modelled_time(self):
        for name in ("transformer.json", "jax/fsdp_sdy.mlir", "jax/scan_sdy.mlir"):
            total, _ = self.trace(EXAMPLES / name)
            parts = ["--operations-per-second=1e10"], ["--memory-bytes-per-second=1e10"], ["--hide=weights:0.5"]
            for options in (*parts, [option for part in parts for option in part]):
                with self.subTest(name, options=options):
                    report, events = self.trace(EXAMPLES / name, *options)
                    ops = [each for each in events if each["ph"] == "X"]
                    self.assertTrue(close(sum(each["dur"] for each in ops) / 1e6, report["modelled_seconds"]))
                    if name != "jax/scan_sdy.mlir" or options != parts[2]:  # scan has no collective that can be hidden
                        self.assertNotEqual(report["modelled_seconds"], total["modelled_seconds"])
                    now = 0
                    for each in ops:
                        self.assertTrue(close(each["ts"], now))
                        now += each["dur"]

    def test_loops_and_functions_count_as_often_as_they_run(self):
        path = self.folder / "twice.mlir"
        path.write_text(CALLED_TWICE)
        report, _, ops = self.expect_sums(path)
        self.assertEqual({each["args"]["times"] for each in ops if "dot" in each["name"] or "spmd" in each["name"]}, {10})
        self.assertGreater(report["bytes"], 0)

    def test_events_follow_each_other_on_named_rows(self):
        _, events, ops = self.expect_sums(EXAMPLES / "jax" / "moe_sdy.mlir")
        now = 0
        for each in ops:
            self.assertTrue(close(each["ts"], now))
            now += each["dur"]
        rows = {each["tid"]: each["args"]["name"] for each in events if each["name"] == "thread_name"}
        self.assertEqual(rows[1], "compute")
        for each in ops:
            row = rows[each["tid"]]
            self.assertEqual(row, "compute" if "operations" in each["args"] else "communication along " + each["name"].split(" ", 1)[1])
        self.assertEqual({each["args"]["name"] for each in events if each["name"] == "process_name"}, {"each of 4 devices"})

    def test_unwritable_files_are_errors(self):
        done = subprocess.run([SHARDY, "report", EXAMPLES / "mlp.json", "--timeline", self.folder / "no" / "file"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("error: cannot write", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
