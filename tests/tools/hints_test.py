#!/usr/bin/env python3
"""Hints: a planted bad annotation is undone by the first one, whose price is what a report says.

usage: hints_test.py SHARDY
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIM = re.compile(r"\{[^{}]*\}")
ANNOTATION = re.compile(r"sdy\.sharding = #sdy\.sharding<@\w+, \[(.*?)\]>|sharding_constraint %\w+ <@\w+, \[(.*?)\]>")
WORSE = 1.05  # a plant makes the program so many times slower
PER_PROGRAM = 2


def shardy(*arguments, text=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120, check=False)


def answer(command, text, *options):
    done = shardy(command, "-", "--json", *options, text=text)
    return json.loads(done.stdout) if done.returncode == 0 else None


def seconds(answered):
    return answered["before"]["modelled_seconds"]


def plants(text):
    """The program with an axis of one annotation left out, on another dim, or another axis in its place."""
    axes = re.findall(r'"(\w+)"=', text.partition("func.func")[0])
    for found in ANNOTATION.finditer(text):
        group = 1 if found.group(1) is not None else 2
        dims = DIM.findall(found.group(group))
        for at, dim in enumerate(dims):
            others = [[*dims[:at], "{}", *dims[at + 1:]]] if '"' in dim else []
            others += [[*dims[:at], f'{{"{axis}"}}', *dims[at + 1:]] for axis in axes if '"' in dim and f'"{axis}"' not in found.group(group)]
            for to in range(len(dims) if '"' in dim else 0):
                swapped = list(dims)
                swapped[at], swapped[to] = swapped[to], swapped[at]
                others.append(swapped)
            for other in others:
                if other != dims:
                    yield text[:found.start(group)] + ", ".join(other) + text[found.end(group):]


class Planted(unittest.TestCase):
    def check_plant(self, planted, before, hints):
        best = hints["hints"][0]
        self.assertLessEqual(best["cost"]["modelled_seconds"], before * (1 + 1e-12))
        applied = shardy("hints", "-", "--apply", "--tries", "120", text=planted)
        self.assertEqual(applied.returncode, 0, applied.stderr)
        said = answer("report", applied.stdout)
        cost = best["cost"]
        self.assertEqual((cost["bytes"], cost["collectives"], cost["peak_bytes"], cost["seconds"], cost["operations"]),
                         (said["bytes"], said["collectives_run"], said["peak"]["bytes"], said["seconds"],
                          said["operations_per_device"]))

    def test_the_first_hint_undoes_what_was_planted_or_does_better(self):
        checked = 0
        for path in sorted((ROOT / "examples/jax").glob("*_sdy.mlir")):
            text = path.read_text()
            good = answer("hints", text, "--tries", "1")
            of_program = 0
            for planted in plants(text) if good else []:
                if of_program == PER_PROGRAM:
                    break
                said = answer("report", planted)
                if not said or said["seconds"] < WORSE * seconds(good):
                    continue
                hints = answer("hints", planted, "--tries", "120")
                of_program += 1
                with self.subTest(path.name, plant=of_program):
                    self.check_plant(planted, seconds(good), hints)
            checked += of_program
        self.assertGreaterEqual(checked, 35)


class Command(unittest.TestCase):
    FSDP = ROOT / "examples/jax/fsdp_sdy.mlir"

    def test_json_examples_keep_their_form(self):
        done = shardy("hints", ROOT / "examples/transformer.json", "--apply")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('"functions"', done.stdout)
        self.assertRegex(shardy("hints", ROOT / "examples/transformer.json").stdout, r"@@ .*/transformer\.json:/functions/0/args/\d+ @@")
        self.assertLess(answer("report", done.stdout)["bytes"], answer("report", (ROOT / "examples/transformer.json").read_text())["bytes"])

    def test_the_example_of_the_page(self):
        expected = (ROOT / "tests/tools/hints/fsdp.out").read_text()
        command, _, output = expected.partition("\n")
        done = subprocess.run([SHARDY, *command.split()[2:]], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", output))

    def test_names_that_nothing_has_after_an_import(self):
        """What the import has erased is no value any more."""
        for name in ("transformer_roundtrip", "shard_map_gspmd", "shard_map_collectives_roundtrip"):
            for command in (["diff", "--after"], ["sweep", "--set"]):
                with self.subTest(name, command=command[0]):
                    done = shardy(command[0], ROOT / f"examples/jax/{name}.mlir", command[1], "%nope=[{}]")
                    self.assertGreaterEqual(done.returncode, 0, done.stderr)
                    self.assertIn("no such value: %nope", done.stderr + done.stdout)

    def test_what_sends_nothing_has_no_hints(self):
        text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.negate %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
        done = shardy("hints", "-", text=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("no hints: devices send nothing to each other", done.stdout)
        applied = shardy("hints", "-", "--apply", text=text)
        self.assertEqual(applied.returncode, 0)
        self.assertEqual(applied.stdout, shardy("convert", "-", text=text).stdout)
        self.assertIn("it is written as it is", applied.stderr)

    def test_all_examples_are_answered(self):
        for path in [*sorted((ROOT / "examples/jax").glob("*roundtrip.mlir")), *sorted((ROOT / "examples").glob("*.json"))]:
            with self.subTest(path.name):
                done = shardy("hints", path, "--top", "2", "--tries", "40")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("changes tried", done.stdout)

    def test_the_hints_do_not_depend_on_what_is_asked_besides(self):
        text = self.FSDP.read_text()
        one, all_hints = answer("hints", text, "--top", "1"), answer("hints", text)
        self.assertEqual(len(one["hints"]), 1)
        self.assertEqual(one["hints"][0]["cost"], all_hints["hints"][0]["cost"])
        self.assertEqual(answer("hints", text), all_hints)

    def test_all_hints_cost_what_they_say(self):
        """Not the first one only: each is put over the program by a sweep of one strategy."""
        for name in ("fsdp_sdy", "remat_sdy", "custom_vjp_sdy", "max_pool_sdy"):
            path = ROOT / f"examples/jax/{name}.mlir"
            hints = answer("hints", path.read_text())["hints"]
            self.assertGreaterEqual(len(hints), 1)
            for hint in hints:
                with self.subTest(name, value=hint["value"], after=hint["after"]):
                    told = shardy("sweep", path, "--set", f"{hint['value']}={hint['after'] or 'none'}")
                    line = json.loads(told.stdout)
                    self.assertEqual((line["bytes"], line["peak_bytes"], line["operations"]),
                                     (hint["cost"]["bytes"], hint["cost"]["peak_bytes"], hint["cost"]["operations"]))

    def test_numbers_of_nothing_are_refused(self):
        for option in ("--top", "--tries"):
            done = shardy("hints", self.FSDP, option, "0")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith(f"error: {option}: expected an integer from 1 to "), done.stderr)

    def test_options_that_do_not_go_together(self):
        done = shardy("hints", self.FSDP, "-o", "x.mlir")
        self.assertEqual(done.returncode, 2)
        self.assertIn("add --apply", done.stderr)
        done = shardy("hints", self.FSDP, "--apply", "--json")
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    SHARDY = sys.argv.pop(1)
    unittest.main()
