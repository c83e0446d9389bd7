#!/usr/bin/env python3
"""Messages of the harness of the golden files about a file that does not fit, and the repaired file.

usage: golden_harness_test.py SHARDY
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TEST = pathlib.Path(__file__).with_name("golden_test.py")
PROGRAM = "func.func @main() {\n  return\n}\n"
PRINTED = "module {\n  func.func @main() {\n    return\n  }\n}\n"
TITLE = "// CASE: a title\n"
UNKNOWN = "// shardy opt --canonicalize='enable-patterns=a,b'\n" + TITLE + PROGRAM
NO_MAIN = "// shardy opt --sdy-add-func-data-flow-edges\n" + TITLE + "func.func @a() {\n  return\n}\nfunc.func @b() {\n  return\n}\n"
NEXT = "// ----------\n"
FITS = NEXT.join([f"// shardy opt --symbol-dce\n{TITLE}// TWICE\n{PROGRAM}// ---- becomes\n{PRINTED}",
                  f"// shardy opt --symbol-dce\n{TITLE}{PROGRAM}// ---- stays\n"])


class Harness(unittest.TestCase):
    def run_over(self, text, *options):
        """Status and output of the harness over a file with that text, and the text that the file has then."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "symbol-dce", "case.mlir")
            path.parent.mkdir()
            path.write_text(text)
            done = subprocess.run([sys.executable, "-B", TEST, SHARDY, *(options + (path,) if options else (folder,))],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr, path.read_text()

    def test_what_fits(self):
        self.assertEqual(self.run_over(FITS), (0, "0 of 2 cases do not fit\n", FITS))

    def test_a_difference_is_shown_and_mended(self):
        for wrong in (FITS.replace("    return\n", "    retort\n"), FITS.replace("// ---- becomes\n", "// ---- fails\n"),
                      FITS.replace("// ---- becomes\n", "// ---- diagnostics\nx\n// ---- becomes\n")):
            status, output, _ = self.run_over(wrong)
            self.assertEqual(status, 1)
            self.assertIn("case.mlir:1: --- expected\n", output)
            self.assertIn("\n-", output)
            self.assertEqual(self.run_over(wrong, "--approve"), (0, "", FITS))

    def test_a_program_that_does_not_stay(self):
        two = f"// shardy opt --symbol-dce\n{TITLE}{PROGRAM}func.func private @f() {{\n  return\n}}\n// ---- "
        self.assertIn("\n-// ---- stays\n+// ---- becomes\n", self.run_over(two + "stays\n")[1])
        self.assertEqual(self.run_over(two + "stays\n", "--approve")[2], two + "becomes\n" + PRINTED)

    def test_errors_and_warnings(self):
        with_warnings = UNKNOWN + "// ---- diagnostics\n" + "".join(
            f": warning: no pattern has the label {label}\nnote: labels: sdy-reshard, sdy-collective\n" for label in "ab")
        fails = NO_MAIN + "// ---- fails\n"
        mended = self.run_over(UNKNOWN + "// ---- becomes\n" + NEXT + fails, "--approve")[2]
        self.assertEqual(mended.partition("// ---- becomes\n")[0], with_warnings)
        self.assertRegex(mended, r"// ---- fails\n\d*:?\d*: Failed to lookup function: main\n$")
        self.assertEqual(self.run_over(mended)[0], 0)

    def test_doing_it_twice(self):
        functions = "".join(f"func.func @{name}() {{ return }}\n" for name in "fgh")  # the pass reverses them
        mended = self.run_over(f"// shardy opt --sdy-pre-order-funcs\n{TITLE}// TWICE\n{functions}// ---- becomes\n", "--approve")[2]
        status, output, _ = self.run_over(mended)
        self.assertEqual(status, 1)
        self.assertIn("done twice it changes the program again", output)

    def test_cases_without_form(self):
        for text in (PROGRAM, f"// shardy opt --symbol-dce\n{TITLE}{PROGRAM}",
                     FITS.replace("// ---- stays\n", "// ---- stays\n// ---- fails\n"), FITS.replace(TITLE, "")):
            status, output, _ = self.run_over(text)
            self.assertEqual(status, 1)
            self.assertIn("the case ", output)


if __name__ == "__main__":
    SHARDY = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
