#!/usr/bin/env python3
"""Output of each command for a wrong program, whole: diagnostics/NAME.out has the outputs for NAME.mlir or NAME.json,
diagnostics/exports/NAME.out the warnings of each export about parts that it loses.

diagnostics_test.py SHARDY [--approve]
"""
import json
import pathlib
import subprocess
import sys
import unittest

SHARDY = sys.argv[1]
FOLDER = pathlib.Path(__file__).parent / "diagnostics"

COMMANDS = ["convert", "propagate", "partition", "explain", "explain --json", "explain --strict", "run", "run --check", "run --check --json",
            "run --reference", "opt --sdy-propagation-pipeline"]
EXPORTS = ["convert --shardings=" + form for form in ("sdy", "sdy-round-trip", "sdy-round-trip-v3", "mhlo-v3", "mhlo")]
LIMITS = " --max-iterations 3"  # of every run


def shardy(*arguments, text=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=300, check=False)


def programs(folder=FOLDER):
    return sorted(path for path in folder.iterdir() if path.suffix in (".mlir", ".json"))


def commands_for(program):
    return EXPORTS if program.parent.name == "exports" else COMMANDS


def outputs(program):
    """Outputs of all commands; equal ones, one after the other, once."""
    groups = []
    for command in commands_for(program):
        done = shardy(*(command + (LIMITS if command.startswith("run") else "")).split(), program)
        messages = done.stderr.replace(str(program), program.name)
        stdout = json.dumps(json.loads(done.stdout), indent=2) + "\n" if "--json" in command else done.stdout
        is_report = done.returncode != 0 or "--json" in command  # else: what becomes of the program, which other tests look at
        text = f"exit {done.returncode}\n{messages}" + (f"--- stdout\n{stdout}" if done.stdout and is_report else "")
        if groups and groups[-1][1] == text:
            groups[-1][0].append(command)
        else:
            groups.append(([command], text))
    return "".join("".join(f"$ shardy {name}\n" for name in names) + text + "\n" for names, text in groups)


def golden_of(program):
    return program.with_name(program.name + ".out")


class Diagnostics(unittest.TestCase):
    maxDiff = None

    def test_a_note_is_printed_at_three_places(self):
        layer = "  %{0} = stablehlo.dot_general %{1}, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>\n"
        for layers, ends in ((4, ["", "", ""]), (5, ["", "", "; also at 1 other place"]), (10, ["", "", "; also at 6 other places"])):
            text = ('sdy.mesh @mesh = <["x"=2]>\n'
                    'func.func @main(%0: tensor<4x8xf32>, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<4x8xf32> {\n'
                    + "".join(layer.format(each + 1, each) for each in range(layers)) + f"  return %{layers} : tensor<4x8xf32>\n}}\n")
            done = shardy("partition", "-", text=text)
            notes = [line for line in done.stderr.splitlines() if "N_REPLICATED" in line]
            same = [line for line in notes if "operand 0, dim 1 is gathered" in line]
            with self.subTest(layers, stderr=done.stderr):
                self.assertEqual(done.returncode, 0)
                self.assertEqual([line[line.index(")") + 1:] for line in same], ends)

    def test_outputs_are_as_written(self):
        self.assertGreaterEqual(len(programs()), 9)
        for program in programs() + programs(FOLDER / "exports"):
            with self.subTest(program.name):
                self.assertEqual(outputs(program), golden_of(program).read_text())

    def test_reports_hold_what_is_printed(self):
        """With --json: the same diagnostics, in the same order, on both channels."""
        for program in programs():
            for command in ["run", "--max-iterations", "3", "--json"], ["explain", "--json"]:
                done = shardy(*command, program)
                report = json.loads(done.stdout)
                printed = [line for line in done.stderr.splitlines() if line.startswith(str(program))]
                with self.subTest(program.name, command=command):
                    self.assertEqual(len(printed), len(report["diagnostics"]))
                    for line, each in zip(printed, report["diagnostics"]):
                        place = f":{each['location']}" if each["location"] else ""
                        code = f"{each['code']}: " if each["code"] else ""
                        self.assertEqual(line, f"{program}{place}: {each['severity']}: {code}{each['message']}")
                        for note in each["notes"]:
                            self.assertIn(f"\nnote: {note}\n", done.stderr)

    def test_expectations_name_codes_or_leave_them_out(self):
        program = (FOLDER / "missing_rule.mlir").read_text()
        op = "  %0 = stablehlo.custom_call"
        for text, is_fine in [("no sharding rule for custom call 'fused'", True), ("some other text", False)]:
            wanted = program.replace(op, f"  // expected-warning @+1 {{{{{text}}}}}\n{op}")
            done = shardy("opt", "-", "--sdy-propagation-pipeline", "--verify-diagnostics", text=wanted)
            self.assertEqual(done.returncode == 0, is_fine, done.stderr)


PROGRAM = FOLDER / "failing_run.mlir"
COMMAND_NAMES = "note: commands: opt, run, propagate, partition, check, report, diff, hints, autoshard, view, explain, convert, show, sweep, reshard, soak, help, completion\nnote: shardy COMMAND --help describes a command\n"
OPT_HELP = "note: shardy opt --help lists the flags and the passes\n"
RUN_HELP = "note: shardy run --help lists the options\n"


class WrongWords(unittest.TestCase):
    """Wrong commands, options, passes and axes: what is wrong, what was meant, what there is."""

    maxDiff = None
    CASES = [
        ([], "error: expected a command\n" + COMMAND_NAMES),
        (["rnu", PROGRAM], "error: no such command: rnu\nnote: did you mean run?\n" + COMMAND_NAMES),
        (["fly", PROGRAM], "error: no such command: fly\n" + COMMAND_NAMES),
        (["run"], "error: FILE is required\nnote: for example: shardy run model.mlir --check\n" + RUN_HELP),
        (["run", "--treads", "3", PROGRAM], "error: unexpected argument: --treads\nnote: did you mean --threads?\n" + RUN_HELP),
        (["run", "--threads", "many", PROGRAM],
         "error: --threads: expected an integer from 0 to 2147483647, got: many\n" + RUN_HELP),
        (["opt", "--sdy-clos-shardings", PROGRAM],
         "error: unexpected argument: --sdy-clos-shardings\nnote: did you mean --sdy-close-shardings?\n" + OPT_HELP),
        (["opt", "--verify-diagnostic", PROGRAM],
         "error: unexpected argument: --verify-diagnostic\nnote: did you mean --verify-diagnostics?\n" + OPT_HELP),
        (["opt", "--pass-pipeline=builtin.module(sdy-close-sharding)", PROGRAM],
         "error: 'sdy-close-sharding' does not refer to a registered pass or pass pipeline\n"
         "note: did you mean sdy-close-shardings?\n"),
        (["opt", "--sdy-populate-op-sharding-rules=conservative-propagate=true", PROGRAM],
         "error: sdy-populate-op-sharding-rules: no such option: conservative-propagate\n"
         "note: did you mean conservative-propagation?\nnote: its options: conservative-propagation\n"),
        (["opt", "--sdy-close-shardings=x=1", PROGRAM],
         "error: sdy-close-shardings: no such option: x\nnote: the pass has no options\n"),
        (["run", "--devices", "aa=2", PROGRAM],
         f"{PROGRAM}: error: --devices: no mesh has the axis \"aa\"\nnote: did you mean a?\nnote: axes of the program: a\n"),
        (["run", "nowhere.mlir"], "error: cannot read nowhere.mlir: No such file or directory\n"),
        (["run", "x.txt"], "error: cannot read x.txt: No such file or directory\n"),
    ]

    def test_each_message_lists_a_remedy(self):
        for arguments, messages in self.CASES:
            with self.subTest(arguments):
                done = shardy(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", messages))


if __name__ == "__main__":
    if "--approve" in sys.argv:
        for path in programs() + programs(FOLDER / "exports"):
            golden_of(path).write_text(outputs(path))
    else:
        unittest.main(argv=sys.argv[:1])
