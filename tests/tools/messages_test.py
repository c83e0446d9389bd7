#!/usr/bin/env python3
"""Messages of the command line about wrong words, compared whole: in MLIR, in JSON, and in its own arguments.

messages_test.py SHARDY ROOT
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

SHARDY = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2])

HELP = "note: shardy {} --help lists the options\n"
ONE = "allowed: "

# Arguments and the message; FILE is a program.
USAGE = [
    ("run", "error: FILE is required\nnote: for example: shardy run model.mlir --check\n" + HELP.format("run")),
    ("partition", "error: FILE is required\nnote: for example: shardy partition model.mlir -o device.mlir\n" + HELP.format("partition")),
    ("completion", "error: SHELL is required\nnote: for example: source <(shardy completion bash)\n" + HELP.format("completion")),
    ("reshard --mesh <x>", "error: --shape is required\nnote: for example: shardy reshard --mesh '<[\"x\"=2, \"y\"=3]>' --shape 24x24xf32 "
                           "--from '[{\"x\"}, {}]' --to '[{}, {\"x\"}]'\n" + HELP.format("reshard")),
    ("run FILE --tolerence 1", "error: unexpected argument: --tolerence\nnote: did you mean --tolerance?\n" + HELP.format("run")),
    ("partition FILE --colectives=spmd", "error: unexpected argument: --colectives=spmd\nnote: did you mean --collectives?\n" + HELP.format("partition")),
    ("explain FILE --vale %x", "error: unexpected argument: --vale\nnote: did you mean --value?\n" + HELP.format("explain")),
    ("convert FILE extra", "error: unexpected argument: extra\n" + HELP.format("convert")),
    ("partition FILE --collectives stablhlo",
     f"error: --collectives: no such value: stablhlo\nnote: did you mean stablehlo?\nnote: {ONE}spmd, stablehlo\n" + HELP.format("partition")),
    ("propagate FILE --emit mlr", f"error: --emit: no such value: mlr\nnote: did you mean mlir?\nnote: {ONE}json, mlir\n" + HELP.format("propagate")),
    ("run FILE --buffers locl", f"error: --buffers: no such value: locl\nnote: did you mean local?\nnote: {ONE}global, local\n" + HELP.format("run")),
    ("run FILE --resharding refrence",
     f"error: --resharding: no such value: refrence\nnote: did you mean reference?\nnote: {ONE}reference, best\n" + HELP.format("run")),
    ("completion bsh", f"error: SHELL: no such value: bsh\nnote: did you mean bash?\nnote: {ONE}bash, zsh, fish\n" + HELP.format("completion")),
    ("opt FILE --emit jsn", f"error: --emit: no such value: jsn\nnote: did you mean json?\nnote: {ONE}json, mlir\n"
                            "note: shardy opt --help lists the flags and the passes\n"),
    ("run FILE --optimize-collectives hoist-slises",
     "error: --optimize-collectives: no such rule: hoist-slises\nnote: did you mean hoist-slices?\n"
     "note: allowed: none, all, join-collectives, hoist-slices, sink-collectives, convert-later, reassociate-reductions, sink-reductions, reuse-reshard-prefix, best-common-axes, move-shardings, hoist-collectives, sink-loop-collectives, join-exchanges, share-permutes, unite-permutes, combine-reductions\n"
     + HELP.format("run")),
    ("run FILE --axis-cost x=rnig", "error: --axis-cost: expected full, ring, biring or line, got: rnig\n" + HELP.format("run")),
    ("run FILE --grid 2", "error: --grid: expected REPLICASxPARTITIONS, got: 2\n" + HELP.format("run")),
    ("run FILE --seed -1", "error: --seed: expected an integer from 0 to 18446744073709551615, got: -1\n" + HELP.format("run")),
    ("run FILE --seed 1x", "error: --seed: expected an integer from 0 to 18446744073709551615, got: 1x\n" + HELP.format("run")),
    ("explain FILE --function", "error: --function: expected a value\n" + HELP.format("explain")),
    ("help prtition", "error: no such command: prtition\nnote: did you mean partition?\n"
                      "note: commands: opt, run, propagate, partition, check, report, diff, hints, autoshard, view, explain, convert, show, sweep, reshard, soak, help, completion\n"
                      "note: shardy COMMAND --help describes a command\n"),
    ("convert FILE -o /nowhere/x.json", "error: cannot write /nowhere/x.json: No such file or directory\n"),
    ("partition FILE -o /nowhere/x.json", "error: cannot write /nowhere/x.json: No such file or directory\n"),
    ("run FILE --trace /nowhere/x.json", "error: cannot write /nowhere/x.json: No such file or directory\n"),
    ("check FILE --reduce /nowhere/x.mlir", "error: cannot write /nowhere/x.mlir: No such file or directory\n"),
    ("opt FILE -o /nowhere/x.mlir", "error: cannot write /nowhere/x.mlir: No such file or directory\n"),
    ("opt FILE --dump-dir /proc/nowhere", "error: cannot make /proc/nowhere: No such file or directory\n"),
    ("run FILE --output-dir /proc/nowhere", "error: cannot make /proc/nowhere: No such file or directory\n"),
    ("explain FILE --value %wieghts", "FILE: error: no such value: %wieghts\nnote: did you mean %weights?\nnote: values: %weights, %16, result 0\n"),
    ("explain FILE --function @mian", "FILE: error: no such function: @mian\nnote: did you mean @main?\nnote: functions: @main\n"),
]

HEAD = 'sdy.mesh @mesh = <["data"=2, "model"=2]>\nfunc.func @main(%weights: tensor<8x8xf32>) -> tensor<8x8xf32> {\n'
TAIL = "  return %weights : tensor<8x8xf32>\n}\n"
# A line, the column of what is wrong, the message, the notes.
MLIR = [
    ("%0 = stablehlo.sine %wieghts : tensor<8x8xf32>", "%wieghts", "use of undeclared SSA value name '%wieghts'", ["did you mean %weights?"]),
    ("%0 = stablehlo.sine %1 : tensor<8x8xf32>", "%1", "use of undeclared SSA value name '%1'", []),
    ("%0 = stablehlo.compare  LTT, %weights, %weights : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>", "LTT",
     "expected one of EQ NE GE GT LE LT, found 'LTT'", ["did you mean LT?"]),
    ("%0 = stablehlo.dot %weights, %weights, precision = [DEFULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>", "DEFULT",
     "expected one of DEFAULT HIGH HIGHEST, found 'DEFULT'", ["did you mean DEFAULT?"]),
    ('%0 = "stablehlo.iota"() <{iota_dimenson = 0 : i64}> : () -> tensor<8xf32>', "<{", "'stablehlo.iota' op has no attribute 'iota_dimenson'",
     ["did you mean iota_dimension?", "it has: iota_dimension"]),
    ('%0 = "stablehlo.sine"(%weights) <{axis = 0 : i64}> : (tensor<8x8xf32>) -> tensor<8x8xf32>', "<{",
     "'stablehlo.sine' op has no attribute 'axis'", ["it has: result_accuracy"]),
    ("%0 = stablehlo.sinus %weights : tensor<8x8xf32>", "stablehlo.sinus", "custom op 'stablehlo.sinus' is unknown", ["did you mean stablehlo.sine?"]),
    ('%0 = stablehlo.sine %weights {sdy.sharding = #sdy.sharding_per_value<[<@mehs, [{}, {}]>]>} : tensor<8x8xf32>', "@mehs",
     "'stablehlo.sine' op result - unknown mesh: @mehs", ["did you mean @mesh?", "the meshes of the module: @mesh"]),
    ('%0 = stablehlo.sine %weights {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"dta"}, {}]>]>} : tensor<8x8xf32>', '"dta"',
     "'stablehlo.sine' op result - unknown axis name: \"dta\"", ['did you mean "data"?', 'the axes of the mesh: "data", "model"']),
]

# Difference from a valid program, the pointer, the message, the notes except the line.
JSON = [
    ({"shardings": ["data"]}, "/functions/0/args/0/shardings", 'an argument has no key "shardings"', ['did you mean "sharding"?']),
    ({"sharding": ["dta", None]}, "/functions/0/args/0/sharding/0", "'func.func' op arg 0 - unknown axis name: \"dta\"",
     ['did you mean "data"?', 'the axes of the mesh: "data", "model"']),
    ({"sharding": [["model", "dta"], []]}, "/functions/0/args/0/sharding/0/1", "'func.func' op arg 0 - unknown axis name: \"dta\"",
     ['did you mean "data"?', 'the axes of the mesh: "data", "model"']),
    ({"sharding": '<@mehs, [{"data"}, {}]>'}, "/functions/0/args/0/sharding", "'func.func' op arg 0 - unknown mesh: @mehs",
     ["did you mean @mesh?", "the meshes of the module: @mesh"]),
    ({"sharding": ["data", "data"]}, "/functions/0/args/0/sharding/1", "'func.func' op arg 0 - duplicate axis ref: \"data\"", []),
]


def shardy(*arguments, text=None, **more):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=300, check=False, **more)


class Messages(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "p.mlir"
        self.file.write_text(HEAD + "  %16 = stablehlo.sine %weights : tensor<8x8xf32>\n  return %16 : tensor<8x8xf32>\n}\n")

    def test_of_arguments(self):
        for arguments, messages in USAGE:
            with self.subTest(arguments):
                done = shardy(*[str(self.file) if each == "FILE" else each for each in arguments.split()])
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", messages.replace("FILE:", f"{self.file}:")))

    def test_of_mlir(self):
        for line, where, message, notes in MLIR:
            with self.subTest(line):
                done = shardy("convert", "-", text=HEAD + "  " + line + "\n" + TAIL)
                column = len("  ") + line.index(where) + 1
                excerpt = f"  {line}\n{' ' * (column - 1)}^\n"
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", f"-:3:{column}: error: {message}\n{excerpt}" + "".join(f"note: {note}\n" for note in notes)))

    def test_of_json(self):
        for change, pointer, message, notes in JSON:
            program = {"shardy": 1, "meshes": {"mesh": {"data": 2, "model": 2}}, "functions": [
                {"name": "main", "args": [{"name": "weights", "type": "f32[8,8]", **change}], "return": ["weights"]}]}
            with self.subTest(pointer, message=message):
                done = shardy("convert", "-", text=json.dumps(program))
                place, _, rest = done.stderr.partition(f": error: {message}\n")
                line, caret, *given = rest.splitlines()
                self.assertEqual((done.returncode, done.stdout, given), (2, "", [f"note: {note}" for note in [*notes, "at " + pointer]]))
                self.assertRegex(place, r"^-:1:\d+$")
                self.assertIn(line[caret.index("^")], '"[{')  # a value begins there

    def test_of_attributes(self):
        """Every command that propagates reports attributes that look like a sharding and carry none."""
        for attribute, meant in ('sdy.shrding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>', "sdy.sharding"), ('mhlo.shardings = "{replicated}"', "mhlo.sharding"):
            line = f"  %0 = stablehlo.sine %weights {{{attribute}}} : tensor<8x8xf32>"
            for command in "propagate", "partition", "run", "explain":
                done = shardy(command, "-", text=f"{HEAD}{line}\n{TAIL}")
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", f"-:3:8: error: unknown attribute of stablehlo.sine: {attribute.split(' ')[0]}\n{line}\n       ^\n"
                                         f"note: did you mean {meant}?\n"))

    def test_several_at_once(self):
        text = HEAD + "".join(f"  {line}\n" for line, *_ in MLIR[:7]) + TAIL
        done = shardy("convert", "-", text=text)
        self.assertEqual(re.findall(r": error: (.*)", done.stderr), [message for _, _, message, _ in MLIR[:7]])
        program = {"shardy": 1, "functions": [{"name": "main", "args": [{"name": "x", "type": "f32[8]", "sharding": 3}, {"type": "f32[8]", "kind": 1}],
                                               "body": [{"name": "y", "op": "sien", "operands": ["x"]}], "return": ["x"]}]}
        done = shardy("convert", "-", text=json.dumps(program))
        self.assertEqual(re.findall(r"^-:(\S+): error: ", done.stderr, re.MULTILINE),
                         ["1:99", "1:130", "1:164"])
        self.assertEqual(re.findall(r"^note: at (/\S+)", done.stderr, re.MULTILINE),
                         ["/functions/0/args/0/sharding", "/functions/0/args/1/kind", "/functions/0/body/0/op"])

    def test_long_lines_are_truncated_around_the_caret(self):
        for before, after in (0, 500), (500, 0), (500, 500), (0, 0), (100, 20):
            line = f"/*{'<' * before}*/ %%0 = {'é' * 3}{'>' * after}".replace("/*", "  ").replace("*/", "  ")
            done = shardy("convert", "-", text="func.func @f() {\n" + line + "\n}\n")
            _, shown, caret = done.stderr.split("\n")[:3]
            self.assertLessEqual(len(shown.encode()), 166)
            self.assertIn(shown.removeprefix("...").removesuffix("..."), line)
            column = int(done.stderr.split(":")[2])
            self.assertEqual(shown[len(caret) - 1], line.encode()[column - 1:].decode()[0])
            self.assertEqual(shown.endswith("..."), len(line) > 160 and not line.endswith(shown[-20:]))

    def test_places_in_other_files(self):
        embed = '"embed"("model.py":31:8)'
        for location, place in ((f'loc({embed})', "model.py:31 (embed)"),
                                ('loc("jit(f)/jit(main)/add"("/home/u/model.py":31:8 to :20))', "/home/u/model.py:31 (add)"),
                                (f'loc(callsite({embed} at "main"("train.py":7:1)))', "model.py:31 (embed)"),
                                (f'loc(fused<"of \\"this\\":1">["lib.py":2:3, {embed}])', "lib.py:2:3"),
                                (f'loc("jit(step)/mul"(callsite({embed} at "train.py":7:1)))', "model.py:31 (embed)"),
                                ('loc("model.py":31:8)', "model.py:31:8"), ('loc("embed")', '-:loc("embed")')):
            program = f"""sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"data"}}]>}}) -> tensor<8xf32> {{
  %0 = stablehlo.custom_call @mine(%x) : (tensor<8xf32>) -> tensor<8xf32> {location}
  return %0 : tensor<8xf32>
}}
"""
            with self.subTest(location):
                messages = shardy("propagate", "-", text=program).stderr
                self.assertEqual(messages, f"{place}: warning: no sharding rule for custom call 'mine'\n"
                                       'note: add a rule that is correct for the op: sdy.sharding_rule = "i -> i need_replication={i}" is always correct; "i -> i", guessed from equal sizes, is correct only if each shard of the results needs only the same shard of the operands; checking::check with a kernel of the op tests a rule\n')
                if place[0] == "-":
                    continue
                shown = shardy("explain", "-", "--value", "%0", text=program).stdout
                self.assertIn(f"stablehlo.custom_call at {place}, in @main", shown)
                line = place.split(" ")[0].split("/")[-1]
                self.assertEqual(shardy("explain", "-", "--value", line, text=program).stdout, shown)
                self.assertEqual(shardy("explain", "-", "--value", place, text=program).stdout, shown)

    def on_a_terminal(self, **environment):
        near, far = pty.openpty()
        try:
            done = subprocess.run([SHARDY, "convert", "-"], input="func.func @f() {\n  \x1b[31m\n}\n", stderr=far, stdout=subprocess.PIPE, text=True,
                                  timeout=60, check=False, env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **environment})
            self.assertEqual(done.returncode, 2)
            return os.read(near, 10000).decode().replace("\r\n", "\n")
        finally:
            os.close(near)
            os.close(far)

    def test_colours(self):
        messages = self.on_a_terminal()
        self.assertTrue(messages.startswith("\x1b[1m-:2:3:\x1b[0m \x1b[1;31merror:\x1b[0m "), repr(messages))
        self.assertIn("\n  \\1B[31m\n  \x1b[1;32m^\x1b[0m\n", messages)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", messages)
        self.assertEqual(plain, shardy("convert", "-", text="func.func @f() {\n  \x1b[31m\n}\n").stderr)
        for environment in {"NO_COLOR": "1"}, {"TERM": "dumb"}:
            self.assertEqual(self.on_a_terminal(**environment), plain)
        self.assertEqual(self.on_a_terminal(NO_COLOR=""), messages)

    def test_large_results_are_summarized(self):
        program = """func.func @main() -> (tensor<40x50xf32>, tensor<1001xi32>, tensor<2000xi1>, tensor<1000xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<40x50xf32>
  %1 = stablehlo.iota dim = 0 : tensor<1001xi32>
  %2 = stablehlo.constant dense<true> : tensor<2000xi1>
  %3 = stablehlo.iota dim = 0 : tensor<1000xi32>
  return %0, %1, %2, %3 : tensor<40x50xf32>, tensor<1001xi32>, tensor<2000xi1>, tensor<1000xi32>
}
"""
        lines = shardy("run", "-", text=program).stdout.split("\n")
        root = sum(50 * row * row for row in range(40)) ** 0.5
        self.assertEqual(lines[0], f"tensor<40x50xf32>: 2,000 elements 0.0, 0.0, 0.0, ..., 39.0, 39.0, 39.0; norm {root:.6g} (--full prints all)")
        root = sum(each * each for each in range(1001)) ** 0.5
        self.assertEqual(lines[1], f"tensor<1001xi32>: 1,001 elements 0, 1, 2, ..., 998, 999, 1000; norm {root:.6g} (--full prints all)")
        self.assertEqual(lines[2], f"tensor<2000xi1>: 2,000 elements true, true, true, ..., true, true, true; norm {2000 ** 0.5:.6g} (--full prints all)")
        self.assertIn("998, 999]", lines[4] if lines[3].endswith("{") else lines[3])
        full = shardy("run", "-", "--full", text=program).stdout
        self.assertIn("997, 998, 999, 1000]", full)
        self.assertNotIn("norm", full)
        report = json.loads(shardy("run", "-", "--json", text=program).stdout)
        self.assertEqual(len(report["functions"][0]["results"][1]["values"]), 1001)

    def test_so_many_messages_are_compared_whole(self):
        of_json = (ROOT / "tests/text/json_errors.txt").read_text().count("\n=== ")
        of_mlir = sum(path.read_text().count(": error: ") for path in (ROOT / "tests/text/mlir/errors").glob("*.out"))
        self.assertGreaterEqual(of_json + len(JSON), 120)
        self.assertGreaterEqual(of_mlir + len(MLIR), 120)
        self.assertGreaterEqual(len(USAGE), 30)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
