#!/usr/bin/env python3
"""Hints: a planted bad annotation is undone by the first one, whose price equals that of a report.

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


def settings(hint):
    """Options of a sweep that make the change of a hint."""
    edits = [hint, *hint["tied"]]
    return [part for edit in edits for part in ("--set", f"{edit['value']}={edit['after'] or 'none'}")]


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
        costs = answer("report", applied.stdout)
        cost = best["cost"]
        self.assertEqual((cost["bytes"], cost["collectives"], cost["peak_bytes"], cost["seconds"], cost["operations"]),
                         (costs["bytes"], costs["collectives_run"], costs["peak"]["bytes"], costs["seconds"],
                          costs["operations_per_device"]))

    def test_the_first_hint_undoes_what_was_planted_or_does_better(self):
        checked = 0
        for path in sorted((ROOT / "examples/jax").glob("*_sdy.mlir")):
            text = path.read_text()
            good = answer("hints", text, "--tries", "1")
            of_program = 0
            for planted in plants(text) if good else []:
                if of_program == PER_PROGRAM:
                    break
                costs = answer("report", planted)
                if not costs or costs["seconds"] < WORSE * seconds(good):
                    continue
                hints = answer("hints", planted, "--tries", "120")
                of_program += 1
                with self.subTest(path.name, plant=of_program):
                    self.check_plant(planted, seconds(good), hints)
            checked += of_program
        self.assertGreaterEqual(checked, 35)


MANUAL = """sdy.mesh @mesh = <["p"=2, "x"=4]>
func.func private @layer(%u: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %u, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @main(%a: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"p"}, {}]>}, %b: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"p"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"p"}, {}]>] manual_axes={"p"} (%u: tensor<64x64xf32>, %w: tensor<64x64xf32>) {
    %1 = stablehlo.dot_general %u, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = func.call @layer(%1, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    sdy.return %2 : tensor<64x64xf32>
  } : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}
"""


class Manual(unittest.TestCase):
    def test_no_change_uses_an_axis_that_a_manual_computation_binds(self):
        """In its body and in functions that the body calls: such changes would be refused."""
        answered = answer("hints", MANUAL)
        self.assertGreater(answered["tried"], 10)
        self.assertEqual(answered["refused"], 0)


TRAIN_STEP = """module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%w: tensor<64x64xf32> {WEIGHT sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
                  %x: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %y: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<64x64xf32>
    %n = stablehlo.subtract %w, %g : tensor<64x64xf32>
    return %n : tensor<64x64xf32>
  }
}
"""


class Tied(unittest.TestCase):
    """Results in the buffer of an argument keep one sharding with it."""

    def check_tied(self, hints):
        self.assertGreaterEqual(len(hints), 1)
        for hint in hints:
            self.assertNotEqual(hint["value"], "result 0")
            if hint["value"] == "%w":
                self.assertEqual([(edit["value"], edit["after"]) for edit in hint["tied"]], [("result 0", hint["after"])])
        return [hint["value"] for hint in hints]

    def test_by_attribute_and_by_type(self):
        free = answer("hints", TRAIN_STEP.replace("WEIGHT ", ""))["hints"]
        self.assertIn("result 0", [hint["value"] for hint in free])  # what ties are for
        for attribute, options in (("tf.aliasing_output = 0 : i32, ", []), ("jax.buffer_donor = true, ", []), ("", ["--tie"])):
            with self.subTest(attribute + " ".join(options)):
                text = TRAIN_STEP.replace("WEIGHT ", attribute)
                answered = answer("hints", text, *options)
                self.assertIn("%w", self.check_tied(answered["hints"]))
                self.assertGreaterEqual(answered["tried"], answered["parted"])
        self.assertIn("result 0", [hint["value"] for hint in answer("hints", TRAIN_STEP.replace("WEIGHT ", "jax.buffer_donor = false, "))["hints"]])

    def test_both_annotations_are_shown_and_applied(self):
        text = TRAIN_STEP.replace("WEIGHT ", "tf.aliasing_output = 0 : i32, ")
        best = answer("hints", text)["hints"][0]
        self.assertEqual(best["value"], "%w")
        shown = shardy("hints", "-", "--top", "1", text=text).stdout
        self.assertEqual(shown.count("   @@ "), 2)
        self.assertIn("   +%w: tensor<64x64xf32>", shown)
        self.assertIn("   +result 0: tensor<64x64xf32>", shown)
        applied = shardy("hints", "-", "--apply", text=text)
        self.assertEqual((applied.returncode, applied.stderr), (0, ""))
        self.assertEqual(answer("report", applied.stdout)["modelled_seconds"], best["cost"]["modelled_seconds"])
        self.assertNotIn("cannot take the buffer", shardy("partition", "-", text=applied.stdout).stderr)

    def test_no_hint_parts_what_is_tied(self):
        """A result without an annotation follows other values, and must not leave its argument for them."""
        text = re.sub(r"-> \(tensor.*\) \{", "-> tensor<64x64xf32> {", TRAIN_STEP).replace("WEIGHT ", "WEIGHT")
        free, tied = (answer("hints", text.replace("WEIGHT", attribute)) for attribute in ("", "tf.aliasing_output = 0 : i32, "))
        self.assertEqual(free["parted"], 0)
        self.assertGreater(tied["parted"], 0)
        self.check_tied(tied["hints"])
        for hint in tied["hints"]:
            done = shardy("diff", "-", "--json", *[part.replace("--set", "--after") for part in settings(hint)],
                          text=text.replace("WEIGHT", "tf.aliasing_output = 0 : i32, "))
            self.assertNotIn("cannot take the buffer", done.stderr)


class Arguments(unittest.TestCase):
    PLAIN = """module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<512x256xf32>, %w: tensor<256x128xf32>, %b: tensor<3xf32>) -> (tensor<512x128xf32>, tensor<3xf32>) {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x128xf32>) -> tensor<512x128xf32>
    %c = stablehlo.negate %b : tensor<3xf32>
    return %y, %c : tensor<512x128xf32>, tensor<3xf32>
  }
}
"""

    def test_a_program_without_annotations_gets_its_arguments_sharded(self):
        answered = answer("hints", self.PLAIN)
        before = answered["before"]["modelled_seconds"]
        best = answered["hints"][0]
        self.assertEqual((best["value"], best["before"]), ("%x", None))
        self.assertIn(best["after"], ['<@mesh, [{"x", "y"}, {}]>'])
        self.assertLess(best["cost"]["modelled_seconds"], before / 7.5)
        self.assertEqual([hint["value"] for hint in answered["hints"]], ["%x", "%w", "%b"])  # the best of each
        applied = shardy("hints", "-", "--apply", text=self.PLAIN)
        self.assertEqual(answer("report", applied.stdout)["modelled_seconds"], best["cost"]["modelled_seconds"])
        self.assertEqual(shardy("run", "-", "--check", text=applied.stdout).returncode, 0)

    def test_nothing_is_faster_on_one_device(self):
        done = shardy("hints", "-", text=self.PLAIN.replace('"x"=2, "y"=4', '"x"=1, "y"=1'))
        self.assertIn("no hints: ", done.stdout)

    def test_hints_are_as_good_as_random_shardings(self):
        swept = shardy("sweep", "-", "--random", "60", text=self.PLAIN)
        best = min(line["seconds"] for line in map(json.loads, swept.stdout.splitlines()) if "seconds" in line)
        self.assertLess(answer("hints", self.PLAIN)["hints"][0]["cost"]["modelled_seconds"], 1.1 * best)


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
        """Values that the import has erased are unknown."""
        for name in ("transformer_roundtrip", "shard_map_gspmd", "shard_map_collectives_roundtrip"):
            for command in (["diff", "--after"], ["sweep", "--set"]):
                with self.subTest(name, command=command[0]):
                    done = shardy(command[0], ROOT / f"examples/jax/{name}.mlir", command[1], "%nope=[{}]")
                    self.assertGreaterEqual(done.returncode, 0, done.stderr)
                    self.assertIn("no such value: %nope", done.stderr + done.stdout)

    def test_a_program_without_a_mesh_has_no_hints(self):
        text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.negate %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
        done = shardy("hints", "-", text=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("no hints: the program has no mesh; shardy autoshard FILE --mesh", done.stdout)
        applied = shardy("hints", "-", "--apply", text=text)
        self.assertEqual(applied.returncode, 0)
        self.assertEqual(applied.stdout, shardy("convert", "-", text=text).stdout)
        self.assertIn("it is written unchanged", applied.stderr)

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

    def test_top_changes_the_rows_and_never_the_search(self):
        for name in ("transformer_sdy", "moe_sdy", "adam_sdy"):
            text = (ROOT / f"examples/jax/{name}.mlir").read_text()
            whole = answer("hints", text, "--tries", "60")
            for top in (1, 2, 3):
                with self.subTest(name, top=top):
                    part = answer("hints", text, "--tries", "60", "--top", str(top))
                    self.assertEqual((part["tried"], part["not_tried"]), (whole["tried"], whole["not_tried"]))
                    self.assertEqual(part["hints"], whole["hints"][:top])

    def test_hints_and_reports_have_one_time(self):
        for options in [], ["--operations-per-second", "1e9"]:
            text = self.FSDP.read_text()
            before, report = answer("hints", text, *options)["before"], answer("report", text, *options)
            for key in "modelled_seconds", "seconds", "bytes":
                self.assertEqual(before[key], report[key])
            self.assertGreater(report["modelled_seconds"], report["seconds"])
            rows = [[line for line in shardy(command, self.FSDP, *options).stdout.splitlines() if line.startswith(("bytes sent per", "time per"))]
                    for command in ("hints", "report")]
            self.assertEqual(rows[0], rows[1])
            self.assertEqual(len(rows[0]), 2)
        self.assertEqual(report["modelled_seconds"], report["seconds"] + report["operations_per_device"] / 1e9)

    def test_reports_have_the_parts_of_the_time(self):
        text = self.FSDP.read_text()
        plain = answer("report", text)
        self.assertEqual((plain["hidden_seconds"], plain["memory_seconds"]), (0, 0))
        hidden = answer("report", text, "--hide", "weights:0.5")
        self.assertGreater(hidden["hidden_seconds"], 0)
        self.assertLessEqual(hidden["hidden_seconds"], 0.5 * plain["seconds"] * (1 + 1e-12))
        self.assertAlmostEqual(hidden["modelled_seconds"], plain["modelled_seconds"] - hidden["hidden_seconds"], delta=1e-20)
        slow = answer("report", text, "--memory-bytes-per-second", "1e9")
        self.assertGreater(slow["memory_seconds"], 0)
        self.assertAlmostEqual(slow["modelled_seconds"], plain["modelled_seconds"] + slow["memory_seconds"], delta=1e-20)
        done = shardy("report", self.FSDP, "--hide", "weights:0.5", "--memory-bytes-per-second", "1e9")
        self.assertRegex(done.stdout, r"time per device +.* hidden\), operations .*, waiting for memory ")
        for option, value, message in (("--hide", "0.5", "expected weights:SHARE"), ("--hide", "weights:2", "expected weights:SHARE"),
                                       ("--memory-bytes-per-second", "0.5", "expected 0 or a number from 1 on")):
            refused = shardy("report", self.FSDP, option, value)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(message, refused.stderr)

    def test_all_hints_cost_what_they_list(self):
        """Not the first one only: each is put over the program by a sweep of one strategy."""
        for name in ("fsdp_sdy", "remat_sdy", "custom_vjp_sdy", "max_pool_sdy"):
            path = ROOT / f"examples/jax/{name}.mlir"
            hints = answer("hints", path.read_text())["hints"]
            self.assertGreaterEqual(len(hints), 1)
            for hint in hints:
                with self.subTest(name, value=hint["value"], after=hint["after"]):
                    priced = shardy("sweep", path, *settings(hint))
                    line = json.loads(priced.stdout)
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
