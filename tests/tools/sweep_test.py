#!/usr/bin/env python3
"""`shardy sweep`: its lines, the front, going on with a file, and what it refuses.

sweep_test.py SHARDY EXAMPLES [--approve]
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SHARDY, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
ROOT = EXAMPLES.parent
FOLDER = pathlib.Path(__file__).resolve().parent / "sweep"
PROGRAM = EXAMPLES / "jax/fsdp_sdy.mlir"
CHOICES = ["--set", '%arg0=[{"fsdp"}, {}]', "--set", '%arg0=[{}, {"fsdp"}]', "--set", "%arg0=none",
           "--set", '%arg1=[{"fsdp"}, {}]', "--set", '%arg1=[{}, {}]']


def shardy(*arguments, **kwargs):
    return subprocess.run([SHARDY, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT, **kwargs)


def sweep(*arguments, program=PROGRAM):
    return shardy("sweep", program, *arguments)


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def golden():
    words = ["examples/jax/fsdp_sdy.mlir", *CHOICES, "--output", "LINES"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lines.json"
        done = shardy("sweep", *[str(path) if word == "LINES" else word for word in words])
        text = "$ shardy sweep examples/jax/fsdp_sdy.mlir --output lines.json \\\n"
        sets = [f"    --set '{word}'" for word in CHOICES if word != "--set"]
        return text + " \\\n".join(sets) + "\n" + done.stdout + done.stderr + "$ head -n 1 lines.json\n" + path.read_text().splitlines()[0] + "\n"


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "lines.json"

    def test_the_example(self):
        path = FOLDER / "fsdp.out"
        if "--approve" in sys.argv:
            path.write_text(golden())
        self.assertEqual(path.read_text(), golden())

    def test_lines_equal_the_report(self):
        done = sweep(*CHOICES, "--shardings", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = lines(done.stdout)
        self.assertEqual([line["strategy"] for line in answers], list(range(6)))
        self.assertEqual(answers[3]["set"], {"%arg0": '[{}, {"fsdp"}]', "%arg1": "[{}, {}]"})
        self.assertTrue(all(line["equal"] for line in answers))
        self.assertIn("6 of 6 strategies: 6 measured, 0 refused, 0 wrong", done.stderr)
        report = json.loads(shardy("report", PROGRAM, "--json").stdout)
        as_it_is = sweep("--strategies", "-", program=PROGRAM)
        self.assertEqual(as_it_is.returncode, 2)  # no input: no strategies
        self.path.write_text('{"name": "as it is"}\n\n')
        line = lines(sweep("--strategies", self.path).stdout)[0]
        self.assertEqual((line["bytes"], line["peak_bytes"], line["collective_seconds"], line["operations"]),
                         (report["bytes"], report["peak"]["bytes"], report["seconds"], report["operations_per_device"]))
        self.assertEqual({kind: all_["bytes"] for kind, all_ in line["collectives"].items()},
                         {each["name"]: each["bytes"] for each in report["by_kind"]})

    def test_threads_change_nothing(self):
        program = EXAMPLES / "jax/transformer_sdy.mlir"
        answers = {threads: sweep("--random", 12, "--seed", 5, "--threads", threads, program=program).stdout for threads in (1, 2, 5)}
        self.assertEqual(len(lines(answers[1])), 12)
        self.assertEqual(answers[1], answers[2])
        self.assertEqual(answers[1], answers[5])

    def test_equal_layers(self):
        weights = ", ".join(f"%w{layer}: tensor<8x8xf32>" for layer in range(14))
        layers = "".join(f"  %a{layer} = stablehlo.dot_general %h{layer}, %w{layer}, contracting_dims = [1] x [0] : "
                         "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
                         f"  %h{layer + 1} = stablehlo.tanh %a{layer} : tensor<8x8xf32>\n" for layer in range(14))
        program = pathlib.Path(self.folder.name) / "stack.mlir"
        program.write_text('sdy.mesh @mesh = <["x"=2, "y"=2]>\n'
                           f"func.func @main(%h0: tensor<8x8xf32>, {weights}) -> tensor<8x8xf32> {{\n{layers}  return %h14 : tensor<8x8xf32>\n}}\n")
        answers = sweep("--random", 8, "--seed", 3, "--equal-layers", "--output", "-", program=program)
        self.assertEqual(answers.returncode, 0, answers.stderr)
        folded = re.search(r"compiled with few layers: (\d) of 8\n", answers.stderr)
        self.assertGreater(int(folded.group(1)), 3, answers.stderr)
        alike = [line for line in lines(answers.stdout) if "%w3" in line["set"]]
        self.assertGreater(len(alike), 3)
        self.assertTrue(all(line["set"][f"%w{layer}"] == line["set"]["%w3"] for line in alike for layer in range(14)))
        # The strategies as they are, compiled whole.
        self.path.write_text("".join(json.dumps({"name": line["name"], "set": line["set"]}) + "\n" for line in lines(answers.stdout)))
        whole = lines(sweep("--strategies", self.path, program=program).stdout)
        for one, other in zip(lines(answers.stdout), whole, strict=True):
            self.assertEqual({**one, "sweep": ""}, {**other, "sweep": ""})
        settings = ["--after", "%h0=" + alike[0]["set"]["%w3"]]
        few, all_ = (shardy("diff", program, *settings, *flags, "--json") for flags in (["--equal-layers"], []))
        self.assertEqual((few.returncode, few.stdout, few.stderr), (0, all_.stdout, ""))

    def test_a_sweep_goes_on_where_it_was(self):
        whole = sweep("--random", 9).stdout
        for kept, torn in (0, ""), (4, ""), (4, whole.splitlines()[4][:37]), (9, ""), (8, whole.splitlines()[8]):
            self.path.write_text("".join(line + "\n" for line in whole.splitlines()[:kept]) + torn)
            with self.subTest(kept=kept, torn=torn):
                done = sweep("--random", 9, "--output", self.path, "--resume")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.path.read_text(), whole)
                self.assertIn("9 of 9 strategies", done.stdout)
        longer = sweep("--random", 11, "--output", self.path, "--resume", "--threads", 3)
        self.assertEqual(longer.returncode, 0, longer.stderr)
        self.assertEqual(self.path.read_text(), sweep("--random", 11).stdout)

    def test_an_interrupt_leaves_what_can_be_resumed(self):
        command = [SHARDY, "sweep", EXAMPLES / "jax/transformer_sdy.mlir", "--random", "10000", "--output", self.path]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for _ in range(2400):  # sanitizers are slow
            if self.path.exists() and self.path.read_text().count("\n") > 1:
                break
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.assertIn("interrupted; --resume goes on", out)
        count = len(lines(self.path.read_text()))
        self.assertLess(count, 10000)
        done = sweep("--random", count + 3, "--output", self.path, "--resume", program=EXAMPLES / "jax/transformer_sdy.mlir")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line["strategy"] for line in lines(self.path.read_text())], list(range(count + 3)))

    def test_nothing_is_overwritten_or_mixed(self):
        self.assertEqual(sweep("--random", 3, "--output", self.path).returncode, 0)
        before = self.path.read_text()
        for call, message in [
            (["--random", 3], "has results already"),
            (["--random", 3, "--resume", "--check"], "line 1: a result of another program, or with other options"),
            (["--random", 2, "--resume"], "line 3: not the result of strategy 2"),
            (["--set", '%arg0=[{"fsdp"}, {}]', "--resume"], "line 1: not the result of strategy 0"),
        ]:
            done = sweep(*call, "--output", self.path)
            with self.subTest(message):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)
                self.assertEqual(self.path.read_text(), before)

    def test_files_that_no_sweep_has_left_are_not_touched(self):
        for text, message in [
            ("no end", "line 1: not the result of strategy 0"),
            ('{"strategy": 0, "name": "another"', "line 1: not the result of strategy 0"),
            ("a file\n", "line 1: "),
            ("[1]\n", "line 1: expected an object"),
            ("{}\n", "line 1: a result of another program"),
            (sweep("--random", 1).stdout + "no end", "line 2: not the result of strategy 1"),
            (sweep("--random", 1).stdout.replace('"seconds"', '"s"'), "line 1: not the result of strategy 0"),
        ]:
            self.path.write_text(text)
            done = sweep("--random", 2, "--output", self.path, "--resume")
            with self.subTest(text):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)
                self.assertEqual(self.path.read_text(), text)

    def test_strategies_that_do_not_fit_are_lines(self):
        self.path.write_text('{"name": "a", "set": {"%nowhere": "[{}]"}}\n{"set": {"%arg0": "[{\\"nix\\"}, {}]"}}\n'
                             '{"name": "b", "set": {"%arg0": "[{\\"fsdp\\"}, {}]"}}\n')
        done = sweep("--strategies", self.path, "--front", self.path.with_suffix(".front"))
        answers = lines(done.stdout)
        self.assertEqual([line["name"] for line in answers], ["a", "line 2", "b"])
        self.assertIn("no such value: %nowhere", answers[0]["error"])
        self.assertIn("nix", answers[1]["error"])
        self.assertNotIn("error", answers[2])
        self.assertIn("3 of 3 strategies: 1 measured, 2 refused", done.stderr)
        self.assertEqual(self.path.with_suffix(".front").read_text(), done.stdout.splitlines()[2] + "\n")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(sweep("--set", "%nowhere=[{}]").returncode, 1)  # not one could be measured

    def test_the_front_is_of_all_lines(self):
        front = self.path.with_suffix(".front")
        answers = lines(sweep("--random", 30, "--front", front).stdout)
        best = [line for line in answers if not any(
            (other["seconds"] <= line["seconds"] and other["peak_bytes"] <= line["peak_bytes"] and
             (other["seconds"], other["peak_bytes"]) != (line["seconds"], line["peak_bytes"])) or
            ((other["seconds"], other["peak_bytes"]) == (line["seconds"], line["peak_bytes"]) and other["strategy"] < line["strategy"])
            for other in answers)]
        self.assertEqual(lines(front.read_text()), sorted(best, key=lambda line: line["seconds"]))

    def test_wrong_arguments_are_errors(self):
        self.path.write_text('{"name": 3}')
        for call, message in [
            ([], "expected strategies: --set, --strategies or --random"),
            (["--set", "%arg0"], "expected VALUE=SHARDING"),
            (["--random", "1000001"], "expected an integer from 0 to 1000000"),
            (["--random", "3", "--resume"], "--resume goes on with a file"),
            (["--random", "3", "--output", "/nowhere/lines"], "cannot write /nowhere/lines"),
            (["--random", "3", "--operations-per-second", "0.5"], "expected a number from 1 on"),
            (["--strategies", "/nowhere/at/all"], "/nowhere/at/all"),
            (["--strategies", self.path], "line 1: unexpected member: name"),
            (["--strategies", PROGRAM], "line 1: "),
        ]:
            done = sweep(*call)
            with self.subTest(message):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
