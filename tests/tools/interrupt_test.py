#!/usr/bin/env python3
"""Ctrl-C: each command ends with status 130 and with what it knows so far.

usage: interrupt_test.py SHARDY EXAMPLES
"""
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SHARDY, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
INTERRUPTED = 130

# Without bounds of loops the run takes as long as it is let.
ENDLESS = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.while(%a = %arg0) : tensor<4xf32>
    cond {
      %c = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %1 = stablehlo.negate %a : tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }
  return %0 : tensor<4xf32>
}
"""
FOREVER = ["--max-iterations", str(10**15), "--max-steps", str(10**15)]


def interrupted(*arguments, after=1.0, until=None, text=None, stdin=subprocess.PIPE):
    """Runs a command, sends SIGINT after that many seconds or when `until()` holds, and waits for its end."""
    running = subprocess.Popen([SHARDY, *map(str, arguments)], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if text is not None:
        running.stdin.write(text)
        running.stdin.close()
        running.stdin = None
    end = time.monotonic() + (120 if until else after)
    while time.monotonic() < end and not (until and until()):
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    return subprocess.CompletedProcess(arguments, running.returncode, out, err)


class Interrupt(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_run_ends_with_its_trace(self):
        trace = self.folder / "trace.json"
        done = interrupted("run", "-", *FOREVER, "--trace", trace, "--max-trace-bytes", "64GB", text=ENDLESS)
        self.assertEqual((done.returncode, done.stderr), (INTERRUPTED, ""))
        self.assertEqual(done.stdout, "interrupted before the end of the run on all devices\n")
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertIn("stablehlo.negate", {event["name"] for event in events})

    def test_an_unsharded_run_ends_with_its_trace(self):
        trace = self.folder / "trace.json"
        done = interrupted("run", "-", "--reference", *FOREVER, "--trace", trace, "--max-trace-bytes", "64GB", text=ENDLESS)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (INTERRUPTED, "interrupted\n", ""))
        self.assertIn("stablehlo.negate", trace.read_text())

    def test_a_per_device_program_ends_with_its_trace(self):
        trace = self.folder / "trace.json"
        program = subprocess.run([SHARDY, "partition", "-"], input=ENDLESS, capture_output=True, text=True, check=True).stdout
        done = interrupted("run", "-", *FOREVER, "--trace", trace, "--max-trace-bytes", "64GB", text=program)
        self.assertEqual((done.returncode, done.stderr), (INTERRUPTED, ""))
        self.assertIn("stablehlo.negate", trace.read_text())

    def test_a_report_of_an_interrupted_run_is_marked(self):
        done = interrupted("run", "-", "--check", "--json", *FOREVER, text=ENDLESS)
        self.assertEqual(done.returncode, INTERRUPTED)
        report = json.loads(done.stdout)
        self.assertTrue(report["interrupted"])
        self.assertNotIn("equal", report)

    def test_a_check_of_a_run_keeps_what_was_compared(self):
        """The exact run takes long here, as multiplication of field elements does: comparisons before it are printed."""
        size = 700
        program = f"""sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<{size}x{size}xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> tensor<{size}x{size}xf32> {{
  %n = stablehlo.constant dense<0> : tensor<i32>
  %end = stablehlo.constant dense<ITERATIONS> : tensor<i32>
  %0:2 = stablehlo.while(%a = %arg0, %i = %n) : tensor<{size}x{size}xf32>, tensor<i32>
    cond {{
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }} do {{
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %1 = stablehlo.negate %a : tensor<{size}x{size}xf32>
      stablehlo.return %1, %j : tensor<{size}x{size}xf32>, tensor<i32>
    }}
  return %0#0 : tensor<{size}x{size}xf32>
}}
"""
        # Phases take about equally long: ended in one of the last, the report has the first comparison.
        iterations = 200
        while True:
            text = program.replace("ITERATIONS", str(iterations))
            begin = time.monotonic()
            whole = subprocess.run([SHARDY, "run", "-", "--check"], input=text, capture_output=True, text=True, check=False)
            seconds = time.monotonic() - begin
            self.assertEqual(whole.returncode, 0, whole.stderr)
            if seconds > 2:
                break
            iterations *= 2
        for share in 0.6, 0.7, 0.8, 0.5, 0.9:
            done = interrupted("run", "-", "--check", after=seconds * share, text=text)
            if done.returncode == INTERRUPTED and "interrupted; until then equal to the unsharded run\n" in done.stdout:
                self.assertIn("result 0: equal", done.stdout)
                self.assertNotIn("\nequal to the unsharded run", done.stdout)
                return
        self.fail(f"no interruption fell between the first comparison and the end: {done}")

    def test_a_check_ends_with_its_cases(self):
        done = interrupted("check", EXAMPLES / "transformer.json", "--cases", "1000000")
        self.assertEqual(done.returncode, INTERRUPTED)
        self.assertIn("interrupted; until then all equal to the unsharded run\n", done.stdout)
        done = interrupted("check", EXAMPLES / "transformer.json", "--cases", "1000000", "--json")
        self.assertEqual(done.returncode, INTERRUPTED)
        self.assertTrue(json.loads(done.stdout)["interrupted"])

    def test_a_case_that_takes_forever_ends_too(self):
        text = ENDLESS.replace("dense<true> : tensor<i1>", "dense<true> : tensor<i1>")
        done = interrupted("check", "-", text=text, after=1.0)
        self.assertEqual(done.returncode, INTERRUPTED)

    def test_soak_and_sweep_end_with_what_they_have(self):
        done = interrupted("soak", "--cases", "10000000")
        self.assertEqual(done.returncode, INTERRUPTED)
        self.assertRegex(done.stdout, r"\d+ of 10,000,000 cases, 0 findings; go on with --first \d+\n")
        lines = self.folder / "lines.json"
        done = interrupted("sweep", EXAMPLES / "jax/transformer_sdy.mlir", "--random", "10000", "--output", lines,
                           until=lambda: lines.exists() and lines.read_text().count("\n") > 1)
        self.assertEqual(done.returncode, INTERRUPTED)
        self.assertIn("interrupted; --resume goes on", done.stdout)

    def test_hints_are_those_of_the_changes_tried_until_then(self):
        done = interrupted("hints", EXAMPLES / "jax/transformer_sdy.mlir", "--tries", "1000000", "--top", "1000000", "--json", after=0.7)
        self.assertEqual(done.returncode, INTERRUPTED)
        hints = json.loads(done.stdout)
        self.assertGreater(hints["not_tried"], 0)
        self.assertLessEqual(hints["refused"], hints["tried"])

    def test_commands_that_know_nothing_yet_end_at_once(self):
        for command in (["convert", "-"], ["propagate", "-"], ["partition", "-"], ["report", "-"], ["explain", "-", "--all"],
                        ["hints", "-"], ["diff", "-", "--after", "%a=none"], ["show", "-", "--value", "%0"], ["opt", "-", "--sdy-propagation-pipeline"]):
            with self.subTest(command):  # they wait for their input
                done = interrupted(*command, after=0.5)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (INTERRUPTED, "", ""))


class Progress(unittest.TestCase):
    def test_it_names_the_phase_and_the_fraction(self):
        """On a terminal: `[1.23 s] phase 2 of 5, 3 %: running on all devices`. The fraction is that of the expected costs."""
        leader, follower = pty.openpty()
        running = subprocess.Popen([SHARDY, "run", "-", "--check", *FOREVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=follower)
        running.stdin.write(ENDLESS.encode())
        running.stdin.close()
        running.stdin = None
        os.close(follower)
        shown = b""
        end = time.monotonic() + 60
        while b"phase" not in shown and time.monotonic() < end:
            shown += os.read(leader, 4096)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        os.close(leader)
        self.assertEqual(running.returncode, INTERRUPTED)
        self.assertTrue(re.search(rb"\[\d+\.\d+ s\] phase 2 of 5, 3 %: running on all devices", shown), shown)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
