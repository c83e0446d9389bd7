#!/usr/bin/env python3
"""The command line: what it prints, where, and with which exit status.

usage: cli_test.py SHARDY EXAMPLES
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHARDY, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])


def shardy(*arguments, text=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=300)


class Run(unittest.TestCase):
    def test_examples_equal_the_unsharded_run(self):
        for name in "mlp", "transformer", "moe":
            done = shardy("run", EXAMPLES / f"{name}.json", "--check")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("\nequal to the unsharded run\n", done.stdout)
            self.assertEqual(done.stderr, "")  # no progress line: this is no terminal

    def test_reports_as_json(self):
        done = shardy("run", EXAMPLES / "moe.json", "--check", "--json")
        report = json.loads(done.stdout)
        self.assertTrue(report["equal"])
        self.assertEqual(report["devices"], 8)
        self.assertEqual(report["collectives"]["spmd.all_to_all"]["count"], 2)
        self.assertNotIn("spmd.all_gather", report["collectives"])
        self.assertEqual(len(report["results"]), 2)

    def test_threads_do_not_show(self):
        reports = [shardy("run", EXAMPLES / "transformer.json", "--check", "--json", "--threads", n).stdout for n in (1, 2, 8)]
        self.assertTrue(reports[0])
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])

    def test_a_difference_beyond_the_tolerance_fails(self):
        done = shardy("run", EXAMPLES / "transformer.json", "--check", "--tolerance", "1e-12")
        self.assertEqual(done.returncode, 1)
        self.assertIn("NOT EQUAL", done.stdout)

    def test_without_check_nothing_is_compared(self):
        done = shardy("run", EXAMPLES / "mlp.json")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("equal", done.stdout)

    def test_a_mesh_can_be_resized(self):
        done = shardy("run", EXAMPLES / "mlp.json", "--check", "--devices", "data=3,model=2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["devices"], 6)

    def test_an_unknown_axis_cannot_be_resized(self):
        done = shardy("run", EXAMPLES / "mlp.json", "--devices", "nowhere=3")
        self.assertEqual(done.returncode, 2)
        self.assertIn('no mesh has the axis "nowhere"', done.stderr)


class Stages(unittest.TestCase):
    def test_propagate_writes_a_program_that_can_be_read_again(self):
        done = shardy("propagate", EXAMPLES / "mlp.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        again = shardy("run", "-", "--check", text=done.stdout)
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_propagate_keeps_what_it_has_done(self):
        once = shardy("propagate", EXAMPLES / "transformer.json").stdout
        self.assertIn("batch", once)
        self.assertEqual(shardy("propagate", "-", text=once).stdout, once)

    def test_partition_writes_a_per_device_program(self):
        done = shardy("partition", EXAMPLES / "moe.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("spmd.all_to_all"), 2)
        self.assertEqual(shardy("convert", "-", text=done.stdout).stdout, done.stdout)

    def test_output_goes_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.json"
            done = shardy("convert", EXAMPLES / "mlp.json", "-o", path)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(path.read_text(), (EXAMPLES / "mlp.json").read_text())


class Mlir(unittest.TestCase):
    NAMES = "mlp", "transformer", "moe"

    def text(self, *arguments, text=None):
        done = shardy(*arguments, text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_programs_go_both_ways(self):
        for name in self.NAMES:
            json_text = self.text("convert", EXAMPLES / f"{name}.json")
            for form in ["--emit", "mlir"], ["--generic"]:
                mlir = self.text("convert", EXAMPLES / f"{name}.json", *form)
                self.assertEqual(self.text("convert", "-", "--emit", "json", text=mlir), json_text)
            self.assertNotIn("stablehlo.return %", mlir)

    def test_every_stage_has_text(self):
        for name in self.NAMES:
            for stage in "propagate", "partition":
                mlir = self.text(stage, EXAMPLES / f"{name}.json", "--emit", "mlir")
                self.assertEqual(self.text("convert", "-", text=mlir), mlir)
                json_text = self.text(stage, EXAMPLES / f"{name}.json", "--emit", "json")
                self.assertEqual(self.text("convert", "-", "--emit", "json", text=mlir), json_text)

    def test_names_of_files_say_the_format(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mlp.mlir"
            self.text("convert", EXAMPLES / "mlp.json", "-o", path)
            self.assertTrue(path.read_text().startswith("module {\n"))
            self.assertIn("equal to the unsharded run", self.text("run", path, "--check"))
            self.assertTrue(self.text("convert", path, "--emit", "json").startswith("{"))

    def test_errors_are_those_of_a_compiler(self):
        done = shardy("run", "-", text="module {\n  func.func @f() {\n    return %x : tensor<4xf32>\n  }\n}\n")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "-:3:12: error: use of undeclared SSA value name '%x'\n"
                                      "    return %x : tensor<4xf32>\n"
                                      "           ^\n")


class Explain(unittest.TestCase):
    PROGRAM = """
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %i: tensor<i32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0 = stablehlo.sine %x : tensor<8x8xf32>
  %1 = stablehlo.dot %x, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.custom_call @mystery(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = "stablehlo.case"(%i) ({
    %5 = stablehlo.cosine %2 : tensor<8x8xf32>
    stablehlo.return %5 : tensor<8x8xf32>
  }, {
    %5 = stablehlo.tanh %2 : tensor<8x8xf32>
    stablehlo.return %5 : tensor<8x8xf32>
  }) : (tensor<i32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
"""

    def explain(self, *arguments, text=None):
        done = shardy("explain", "-", *arguments, text=text or self.PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_chain_goes_back_to_the_annotation(self):
        out = self.explain("--value", "%0")
        self.assertIn('%0: tensor<8x8xf32>, stablehlo.sine at 5:', out)
        self.assertIn("in @main", out)
        self.assertIn('  sharding <@mesh, [{"a", ?}, {?}]>\n  dim 0: "a"\n', out)
        self.assertRegex(out, r'    step \d+: stablehlo.sine at 5:\d+ moved "a" forward along factor i, from %arg0 \(aggressive, user priority 0, level \d\)')
        self.assertIn('    "a" is an annotation of %arg0\n', out)
        self.assertNotIn("%1:", out)

    def test_axes_of_results_come_from_the_function(self):
        values = json.loads(self.explain("--all", "--json"))["values"]
        by_name = {value["name"]: value for value in values}
        chain = by_name["%3"]["axes"][0]["chain"]
        self.assertEqual([link["kind"] for link in chain], ["step", "annotation"])
        self.assertEqual(chain[0]["op"], "function result")
        self.assertEqual(chain[0]["direction"], "backward")
        self.assertEqual(chain[1]["value"], "result 0")
        self.assertEqual(by_name["result 0"]["before"], '<@mesh, [{?}, {"b", ?}]>')

    def test_conflicts_name_winner_and_way_out(self):
        conflicts = json.loads(self.explain("--json"))["conflicts"]
        dot = [each for each in conflicts if each["op"] == "stablehlo.dot"]
        self.assertTrue(dot)
        self.assertEqual(dot[0]["axis"], '"a"')
        self.assertEqual(dot[0]["reason"], "other factor")
        self.assertIn("must not be used on another dim of", dot[0]["needed"])
        self.assertIn("factor", dot[0]["winner"])
        self.assertIn("conflict: stablehlo.dot at 6:", self.explain())

    def test_ops_without_a_rule_are_named_once(self):
        out = self.explain()
        self.assertEqual(out.count("no sharding rule: custom call 'mystery'"), 1)
        self.assertIn('add one: sdy.sharding_rule = "i j -> i j"', out)
        helped = self.PROGRAM.replace("@mystery(%1)", '@mystery(%1) {sdy.sharding_rule = "i j -> i j"}')
        out = self.explain("--value", "%2", text=helped)
        self.assertNotIn("no sharding rule", out)
        self.assertIn('dim 1: "b"', out)

    def test_repeated_names_need_their_path(self):
        done = shardy("explain", "-", "--value", "%4", text=self.PROGRAM)
        self.assertEqual(done.returncode, 2)
        self.assertIn("several values are called %4", done.stderr)
        self.assertIn("@main/%3/1:%4", done.stderr)
        self.assertIn("stablehlo.tanh", self.explain("--value", "@main/%3/1:%4"))
        self.assertIn("stablehlo.cosine", self.explain("--value", "@main/%3/0:%4"))

    def test_unknown_values_are_errors(self):
        for arguments in ("--value", "%99"), ("--function", "@nowhere"):
            done = shardy("explain", "-", *arguments, text=self.PROGRAM)
            self.assertEqual(done.returncode, 2)
            self.assertIn("no such value or function: " + arguments[1], done.stderr)

    def test_functions_are_explained_whole(self):
        out = self.explain("--function", "@main")
        for name in "%arg0:", "%0:", "%1:", "%3:", "result 0:":
            self.assertIn("\n" + name, "\n" + out)

    def test_strict_refuses_conflicts_and_accepts_their_absence(self):
        text = """
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.sine %x : tensor<8x8xf32>
  %1 = stablehlo.DOT %x, %0 : TYPE
  return %1 : tensor<8x8xf32>
}
"""
        good = text.replace("DOT", "add").replace("TYPE", "tensor<8x8xf32>")
        self.assertEqual(shardy("explain", "-", "--strict", text=good).returncode, 0)
        bad = text.replace("DOT", "dot").replace("TYPE", "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>")
        done = shardy("explain", "-", "--strict", text=bad)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("strict: conflict: stablehlo.dot", done.stdout)
        self.assertEqual(shardy("explain", "-", text=bad).returncode, 0)


class BadInput(unittest.TestCase):
    def check(self, done, *texts):
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_no_such_file(self):
        self.check(shardy("run", "/nowhere/x.json"), "error: cannot read /nowhere/x.json")

    def test_unknown_kind_of_file(self):
        self.check(shardy("run", __file__), "error: unknown kind of file")

    def test_wrong_program(self):
        text = (EXAMPLES / "mlp.json").read_text()
        program = json.loads(text)
        self.assertIn("functions", program)
        self.check(shardy("run", "-", text=text.replace('\\"data\\"', '\\"nowhere\\"')), "error:", '"nowhere"', "at -:/")

    def test_truncated_program(self):
        text = (EXAMPLES / "mlp.json").read_text()
        self.check(shardy("convert", "-", text=text[: len(text) // 2]), "error:")

    def test_deep_nesting(self):
        self.check(shardy("convert", "-", text='{"shardy": ' + "[" * 5_000_000), "error:")

    def test_output_that_cannot_be_written(self):
        self.check(shardy("convert", EXAMPLES / "mlp.json", "-o", "/nowhere/x.json"), "error: cannot write /nowhere/x.json")

    def test_usage(self):
        for arguments in [], ["fly"], ["run"], ["run", "x.json", "--threads", "many"], ["convert", "x.json", "--check"]:
            self.assertEqual(shardy(*arguments).returncode, 2, arguments)
        self.assertEqual(shardy("--help").returncode, 0)


def wrong_programs():
    """Name, program and errors of each row of json_errors.txt, which tests/text reads as well."""
    table = pathlib.Path(__file__).parent.parent / "text" / "json_errors.txt"
    for row in table.read_text().split("\n=== ")[1:]:
        name, rest = row.split("\n", 1)
        program, errors = rest.split("\n---\n", 1)
        yield name, program, errors


def as_printed(errors, path):
    """What the command line makes of `place: message` and the notes below."""
    lines = []
    for line in filter(None, errors.split("\n")):
        if line.startswith("    "):
            lines.append(f"  note: {line[4:]}")
        else:
            place, message = line.split(": ", 1)
            lines += [f"error: {message}", f"  at {path}:{place}"]
    return "".join(f"{line}\n" for line in lines)


class WrongPrograms(unittest.TestCase):
    def test_the_error_names_file_and_place(self):
        count = 0
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.json"
            for name, program, errors in wrong_programs():
                path.write_text(program)
                done = shardy("convert", path)
                with self.subTest(name):
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(done.stderr, as_printed(errors, path))
                count += 1
        self.assertGreaterEqual(count, 160)

    def test_bytes_that_are_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.json"
            for program in b'{"shardy": 1}\0', b'{"shardy": 1, "comment": "\xff"}', b"[" * 10_000_000, b"":
                path.write_bytes(program)
                done = shardy("convert", path)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"^error: .+\n  at .+/wrong\.json:1:\d+\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
