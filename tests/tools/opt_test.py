#!/usr/bin/env python3
"""`shardy opt`: its flags, what it prints where, and its exit status.

usage: opt_test.py SHARDY ROOT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHARDY, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
MESH = 'sdy.mesh @mesh = <["x"=2]>\n'
OPEN = (MESH + "func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {\n"
        "  %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>\n"
        "  return %0 : tensor<8xf32>\n}\n")
DYNAMIC = ("func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {\n"
           "  %0 = stablehlo.negate %arg0 : tensor<?xf32>\n"
           "  return %0 : tensor<?xf32>\n}\n")


def opt(*arguments, text=OPEN):
    return subprocess.run([SHARDY, "opt", *map(str, arguments)], input=text, capture_output=True, text=True, timeout=300)


class Passes(unittest.TestCase):
    def check(self, done, *texts):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in texts:
            self.assertIn(text, done.stdout)

    def test_without_passes_the_program_is_printed(self):
        done = opt()
        self.check(done, "module {\n", "<@mesh, [{?}]>")
        self.assertEqual(opt("-", text=done.stdout).stdout, done.stdout)

    def test_one_or_two_dashes(self):
        for flag in "-sdy-close-shardings", "--sdy-close-shardings":
            self.check(opt(flag), "sdy.sharding_constraint %arg0 <@mesh, [{}]>")

    def test_the_order_is_that_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            opt("--sdy-close-shardings", f"--dump-dir={folder}", "-sdy-sharding-constraint-to-reshard")
            names = sorted(path.name for path in pathlib.Path(folder).iterdir())
            self.assertEqual(names, ["01.sdy-close-shardings.mlir", "02.sdy-sharding-constraint-to-reshard.mlir"])
            first, second = ((pathlib.Path(folder) / name).read_text() for name in names)
        self.assertIn("sdy.sharding_constraint %arg0 <@mesh, [{}]>", first)
        self.assertIn("sdy.reshard %arg0 <@mesh, [{}]>", second)

    def test_options(self):
        text = OPEN.replace("{?}", '{"x"}')
        keep = "-sdy-basic-propagate=keep-sharding-rules=true conservative-propagation=0"
        self.check(opt("-sdy-basic-propagate", text=text.replace("sdy.sharding_constraint", "sdy.reshard")))
        text = text.replace("  return", "  %1 = stablehlo.negate %0 : tensor<8xf32>\n  return").replace("return %0", "return %1")
        self.check(opt(keep, text=text), "#sdy.op_sharding_rule<([i])->([i]) {i=8}>")
        self.assertNotIn("op_sharding_rule", opt("-sdy-basic-propagate", text=text).stdout)

    def test_rules_of_ops(self):
        text = OPEN.replace('sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>',
                            'stablehlo.custom_call @test.call(%arg0) : (tensor<8xf32>) -> tensor<8xf32>')
        text = text.replace("%arg0: tensor<8xf32>", '%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}')
        sharded = 'sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>'
        self.assertNotIn(sharded, opt("-sdy-basic-propagate", text=text).stdout)
        self.check(opt("-sdy-basic-propagate", "--custom-call-rule", "test.call=i -> i", text=text), sharded)

    def test_pipelines_as_text(self):
        done = opt("--pass-pipeline=builtin.module(sdy-close-shardings,func.func(sdy-sharding-constraint-to-reshard))")
        self.check(done, "sdy.reshard %arg0 <@mesh, [{}]>")
        done = opt("-pass-pipeline", "builtin.module(canonicalize{enable-patterns=sdy-reshard})")
        self.check(done, "sdy.sharding_constraint")

    def test_bisect_limit(self):
        passes = "-sdy-close-shardings", "-sdy-sharding-constraint-to-reshard"
        self.check(opt(*passes, "--bisect-limit", 1), "sdy.sharding_constraint %arg0 <@mesh, [{}]>")
        self.check(opt(*passes, "--bisect-limit=0"), "sdy.sharding_constraint %arg0 <@mesh, [{?}]>")
        self.check(opt(*passes, "--bisect-limit", 7), "sdy.reshard %arg0 <@mesh, [{}]>")


class Output(unittest.TestCase):
    def test_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.mlir"
            self.assertEqual(opt("-o", path).stdout, "")
            self.assertEqual(path.read_text(), opt().stdout)

    def test_generic_form(self):
        self.assertIn('"func.func"() <{function_type = ', opt("-mlir-print-op-generic").stdout)
        self.assertIn('"func.func"() ({\n', opt("--generic").stdout)

    def test_json(self):
        done = opt("--emit", "json")
        self.assertTrue(done.stdout.startswith("{"))
        self.assertEqual(opt("-sdy-close-shardings", "--emit=mlir", text=done.stdout).stdout, opt("-sdy-close-shardings").stdout)
        self.assertTrue(opt("-sdy-close-shardings", text=done.stdout).stdout.startswith("{"))

    def test_lists(self):
        self.assertIn("  --sdy-close-shardings  ", opt("--list-passes").stdout)
        text = opt("--help").stdout
        self.assertIn("--split-input-file", text)
        self.assertIn("propagation-strategy=<aggressive|basic|basic-then-aggressive>", text)
        self.assertNotIn("sdy-save-module", text)

    def test_timing(self):
        done = opt("-sdy-close-shardings", "--mlir-timing")
        self.assertEqual(done.returncode, 0)
        self.assertIn("... Execution time report ...", done.stderr)
        self.assertRegex(done.stderr, r"\n +[0-9.]+ \( *[0-9.]+%\)  sdy-close-shardings\n")

    def test_print_after_all(self):
        done = opt("-sdy-close-shardings", "--mlir-print-ir-after-all")
        self.assertIn("// -----// IR Dump After sdy-close-shardings //----- //\nmodule {", done.stderr)

    def test_accepted_flags(self):
        done = opt("-mlir-diagnostic-verbosity-level=all", "--mlir-disable-threading")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_unregistered_dialects(self):
        text = 'func.func @f() {\n  "foo.bar"() : () -> ()\n  return\n}\n'
        self.assertIn('"foo.bar"() : () -> ()', opt("-allow-unregistered-dialect", text=text).stdout)
        done = opt(text=text)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "-:2:12: error: operation being parsed with an unregistered dialect. If this is intended, "
                                      "please use -allow-unregistered-dialect with the MLIR tool used\n"
                                      '  "foo.bar"() : () -> ()\n'
                                      "           ^\n")
        self.assertIn('"arith.bar"() : () -> ()', opt(text=text.replace("foo.bar", "arith.bar")).stdout)


class Errors(unittest.TestCase):
    def test_a_pass_fails(self):
        done = opt("-sdy-basic-propagate", text=DYNAMIC)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "-:2:8: error: only ranked tensors with a static shape are supported. type: 'tensor<?xf32>'\n"
                                      "  %0 = stablehlo.negate %arg0 : tensor<?xf32>\n"
                                      "       ^\n")

    def test_locations_of_the_program_win(self):
        for location, place in ('"x.py":3:4', "x.py:3:4"), ('"jit(f)/neg"("a b.py":12:1)', "a b.py:12 (neg)"):
            text = DYNAMIC.replace("tensor<?xf32>\n  return", f"tensor<?xf32> loc({location})\n  return")
            done = opt("-sdy-basic-propagate", text=text)
            self.assertEqual(done.stderr, f"{place}: error: only ranked tensors with a static shape are supported. type: 'tensor<?xf32>'\n")

    def test_a_wrong_program_meets_no_pass(self):
        done = opt("-sdy-basic-propagate", text=OPEN.replace("[{?}]", "[{?}, {?}]"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(done.stderr.startswith("-:3:8: error: "), done.stderr)

    def test_no_file_is_left_after_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.mlir"
            self.assertEqual(opt("-sdy-basic-propagate", "-o", path, text=DYNAMIC).returncode, 1)
            self.assertFalse(path.exists())

    def test_usage(self):
        for arguments, message in [
            (["--sdy-nothing"], "--sdy-nothing"),
            (["--sdy-close-shardings=a=b"], "sdy-close-shardings: no such option: a"),
            (["-sdy-basic-propagate=keep-sharding-rules=maybe"], "option keep-sharding-rules is of type bool, got: maybe"),
            (["--pass-pipeline=sdy-close-shardings"], "wrapped with the anchor operation type"),
            (["--pass-pipeline=builtin.module()", "--sdy-close-shardings", "--pass-pipeline=builtin.module(canonicalize)"], ""),
            (["--sdy-save-module"], "--sdy-save-module"),
            (["--bisect-limit", "few"], "few"),
            (["--verify-diagnostics=some"], "all or only-expected, got: some"),
            (["a.mlir", "b.mlir"], "b.mlir"),
            (["/nowhere/a.mlir"], "cannot read /nowhere/a.mlir"),
            (["-o", "/nowhere/a.mlir"], "cannot write /nowhere/a.mlir"),
        ]:
            done = opt(*arguments)
            with self.subTest(arguments):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)


class Split(unittest.TestCase):
    def test_programs_are_separated_by_lines(self):
        one = opt("-sdy-close-shardings").stdout
        done = opt("-split-input-file", "-sdy-close-shardings", text=OPEN + "// -----\n" + OPEN)
        self.assertEqual((done.returncode, done.stdout), (0, one + "// -----\n" + one))

    def test_another_separator(self):
        done = opt("-split-input-file=// =====", text=OPEN + "// =====\n" + OPEN)
        self.assertEqual(done.stdout.count("// =====\nmodule"), 1)

    def test_a_failure_does_not_end_the_others(self):
        done = opt("--split-input-file", "-sdy-basic-propagate", text=DYNAMIC + "\n// -----\n\n" + OPEN)
        self.assertEqual(done.returncode, 1)
        self.assertIn("sdy.sharding_constraint", done.stdout)
        self.assertTrue(done.stderr.startswith("-:2:8: error: "))

    def test_places_are_those_of_the_file(self):
        done = opt("--split-input-file", "-sdy-basic-propagate", text=OPEN + "// -----\n" + DYNAMIC)
        self.assertTrue(done.stderr.startswith("-:8:8: error: "), done.stderr)


class VerifyDiagnostics(unittest.TestCase):
    """Comments around `%0 = stablehlo.negate`, for which the pass reports: only ranked tensors ..."""

    def check(self, before, suffix="", below="", ok=True, message=""):
        lines = DYNAMIC.split("\n")
        lines[0] += ""
        lines[1] += suffix
        text = "\n".join([lines[0], *filter(None, [before]), lines[1], *filter(None, [below]), *lines[2:]])
        done = opt("-verify-diagnostics", "-sdy-basic-propagate", text=text)
        with self.subTest(before=before, suffix=suffix, below=below):
            self.assertEqual(done.returncode, 0 if ok else 1, done.stderr)
            self.assertIn(message, done.stderr)

    def test_places(self):
        self.check("  // expected-error @+1 {{only ranked tensors}}")
        self.check("  // expected-error@+1 {{only ranked tensors}}")
        self.check("  // expected-error @below {{only ranked tensors}}")
        self.check("", suffix="  // expected-error {{static shape}}")
        self.check("", below="  // expected-error @-1 {{static shape}}")
        self.check("", below="  // expected-error @above {{static shape}}")
        self.check("  // expected-error @below {{static}}\n  // another line\n", ok=False, message="was not produced")

    def test_patterns_and_counts(self):
        self.check("  // expected-error-re @+1 {{only {{[a-z]+}} tensors with a static shape}}")
        self.check("  // expected-error-re @+1 {{only {{[0-9]+}} tensors}}", ok=False, message="unexpected error: only ranked")
        self.check("  // expected-error @+1 1 {{only ranked tensors}}")
        self.check("  // expected-error @+1 + {{only ranked tensors}}")
        self.check("  // expected-error @+1 2 {{only ranked tensors}}", ok=False, message='expected error "only ranked tensors" was not produced')

    def test_what_does_not_fit(self):
        self.check("", ok=False, message="-:2:8: error: unexpected error: only ranked tensors")
        self.check("  // expected-warning @+1 {{only ranked tensors}}", ok=False, message="unexpected error")
        self.check("  // expected-error @+1 {{something else}}", ok=False, message='-:2:1: error: expected error "something else" was not produced')
        self.check("  // expected-error @+2 {{only ranked tensors}}", ok=False, message="unexpected error")

    def test_only_expected(self):
        self.assertEqual(opt("-verify-diagnostics=only-expected", "-sdy-basic-propagate", text=DYNAMIC).returncode, 0)

    def test_warnings_without_a_place(self):
        text = "// expected-warning @unknown {{no pattern has the label x}}\n" + OPEN
        self.assertEqual(opt("--verify-diagnostics", "--canonicalize=enable-patterns=x", text=text).returncode, 0)
        self.assertEqual(opt("--verify-diagnostics", "--canonicalize=enable-patterns=x").returncode, 1)

    def test_errors_of_the_reader_and_the_verifier(self):
        text = ("// expected-error @+1 {{expected}}\nsdy.mesh mesh\n// -----\n"
                + MESH + "// expected-error @+1 {{@nowhere}}\n"
                'func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@nowhere, [{"x"}]>}) {\n  return\n}\n')
        done = opt("-verify-diagnostics", "-split-input-file", text=text)
        self.assertEqual(done.returncode, 0, done.stderr)


class Lit(unittest.TestCase):
    def test_files_contain_expected_diagnostics(self):
        """The first line of each file is its command; places and texts are in its comments."""
        files = sorted((ROOT / "tests/tools/lit").glob("*.mlir"))
        self.assertTrue(files)
        for path in files:
            command = path.read_text().split("\n")[0].removeprefix("// shardy opt ")
            done = opt(path, *command.split())
            self.assertEqual(done.returncode, 0, done.stderr)


class Page(unittest.TestCase):
    def page(self):
        done = subprocess.run([SHARDY, "pass-page", ROOT / "tests/passes/golden"], capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_page_is_not_stale(self):
        self.assertEqual((ROOT / "docs/passes.md").read_text(), self.page(), "shardy pass-page tests/passes/golden > docs/passes.md")

    def test_every_pass_has_a_section_and_a_program(self):
        sections = self.page().split("\n## ")[1:]
        names = [line.split()[0].removeprefix("--") for line in opt("--list-passes").stdout.splitlines()]
        self.assertEqual([section.split("\n")[0] for section in sections], names)
        for name, section in zip(names, sections):
            self.assertEqual(section.count("```mlir"), 2, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
